/* SPDX-License-Identifier: BSD-2-Clause */
/* Intrusive doubly linked list. The head is a link itself. Freestanding. */
#ifndef TALLY_BASE_LINKED_LIST_H
#define TALLY_BASE_LINKED_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct tally_list {
	struct tally_list *next, *prev;
};

#define tally_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Iterate over the links; `pos` must not be removed inside the loop. */
#define tally_list_for_each(pos, head) \
	for (struct tally_list *pos = (head)->next; pos != (head); pos = pos->next)

static inline void tally_list_init(struct tally_list *head)
{
	head->next = head->prev = head;
}

static inline bool tally_list_empty(const struct tally_list *head)
{
	return head->next == head;
}

/* Insert `item` before `at`; if `at` is the head, append it to the list. */
static inline void tally_list_insert(struct tally_list *at, struct tally_list *item)
{
	item->prev = at->prev;
	item->next = at;
	at->prev->next = item;
	at->prev = item;
}

/* Unlink `item` and make it an empty list, so that removing it again is harmless. */
static inline void tally_list_remove(struct tally_list *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	tally_list_init(item);
}

#endif

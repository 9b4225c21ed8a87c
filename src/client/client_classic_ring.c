/* SPDX-License-Identifier: BSD-2-Clause */
/* Ring buffers for the classic calls. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/classic_private.h"

enum { RECORD_MAX = 65536 };

/* ---- mapping -------------------------------------------------------------------------------- */

void classic_mapping_free(struct tally_classic *classic, struct classic_mapping *mapping)
{
	if (!mapping)
		return;
	if (mapping->ring.from && classic->pid == getpid())
		classic->transport->munmap(classic->transport, mapping->ring.from,
					   mapping->ring.page_size + mapping->ring.from_size);
	if (mapping->ring.to)
		munmap(mapping->ring.to, mapping->len);
	free(mapping);
}

/* Return the config of the event with this ID. All members of a group belong to the same struct
 * tally_classic (`arg`). */
static uint64_t config_of(void *arg, uint64_t id)
{
	const struct tally_classic *classic = arg;

	tally_vec_for_each (event, &classic->events) {
		if (event->id == id)
			return event->attr.config;
	}
	return id;
}

/* Map the current ABI's ring, and allocate memory for the classic ring. */
static int mapping_map(struct tally_classic *classic, int fd, struct classic_mapping *mapping)
{
	const struct tally_transport *transport = classic->transport;
	void *from, *to;
	int ret = transport->mmap(transport, fd, mapping->ring.page_size + mapping->ring.from_size,
				  true, &from);

	if (ret)
		return ret;
	mapping->ring.from = from;
	to = mmap(NULL, mapping->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		return -ENOMEM;
	mapping->ring.to = to;
	return tally_classic_ring_init(&mapping->ring);
}

int tally_classic_mmap(struct tally_classic *classic, int fd, size_t len,
		       const struct tally_classic_page **ret_page)
{
	struct classic_event *event = classic_event_find(classic, fd);
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct classic_mapping *mapping;
	int ret;

	if (!event)
		return -EBADF;
	if (event->mapping)
		return -EBUSY;
	if (len % page_size || len <= page_size || classic->pid != getpid())
		return -EINVAL;
	if (!classic->scratch)
		classic->scratch = malloc(TALLY_CLASSIC_SCRATCH + RECORD_MAX);
	mapping = classic->scratch ? calloc(1, sizeof(*mapping)) : NULL;
	if (!mapping)
		return -ENOMEM;
	mapping->len = len;
	mapping->ring =
		(struct tally_classic_ring){.attr = event->attr,
					    .config_of = config_of,
					    .config_arg = classic,
					    .page_size = page_size,
					    .from_size = tally_classic_from_size(len, page_size),
					    .size = len - page_size,
					    .scratch = classic->scratch};
	ret = mapping_map(classic, fd, mapping);
	if (ret) {
		classic_mapping_free(classic, mapping);
		return ret;
	}
	event->mapping = mapping;
	*ret_page = mapping->ring.to;
	return 0;
}

int tally_classic_munmap(struct tally_classic *classic, int fd)
{
	struct classic_event *event = classic_event_find(classic, fd);

	if (!event)
		return -EBADF;
	if (!event->mapping)
		return -EINVAL;
	classic_mapping_free(classic, event->mapping);
	event->mapping = NULL;
	return 0;
}

/* ---- records -------------------------------------------------------------------------------- */

/* Return an event's rings. Returns NULL if the event has none, or if this process is a child of
 * fork(2), because mappings are not inherited. */
static struct classic_mapping *mapping_of(const struct tally_classic *classic, int fd)
{
	struct classic_event *event = classic_event_find(classic, fd);

	return event && classic->pid == getpid() ? event->mapping : NULL;
}

int tally_classic_update(struct tally_classic *classic, int fd)
{
	struct classic_mapping *mapping = mapping_of(classic, fd);

	if (!mapping)
		return classic_event_find(classic, fd) ? -EINVAL : -EBADF;
	tally_classic_ring_update(&mapping->ring);
	return 0;
}

int tally_classic_poll(struct tally_classic *classic, struct pollfd *polls, size_t nr,
		       int timeout_ms)
{
	const struct tally_transport *transport = classic->transport;
	int ready =
		transport->poll ? transport->poll(transport, polls, nr, timeout_ms) : -EOPNOTSUPP;

	for (size_t i = 0; ready > 0 && i < nr; i++) {
		if (polls[i].revents)
			tally_classic_update(classic, polls[i].fd);
	}
	return ready;
}

static void copy_out(const struct classic_mapping *mapping, void *to, size_t len)
{
	const struct tally_classic_ring *ring = &mapping->ring;
	const uint8_t *data = (const uint8_t *)ring->to + ring->page_size;
	size_t start = mapping->tail & (ring->size - 1);
	size_t first = len < ring->size - start ? len : ring->size - start;

	memcpy(to, data + start, first);
	memcpy((uint8_t *)to + first, data, len - first);
}

/* Skip the records that were overwritten before they were returned. */
static void mapping_skip(struct classic_mapping *mapping)
{
	const struct tally_classic_ring *ring = &mapping->ring;

	if (mapping->seen >= ring->overwritten)
		return;
	mapping->missed += ring->overwritten - mapping->seen;
	mapping->seen = ring->overwritten;
	mapping->tail = ring->oldest;
}

/* Copy the next record to `to`. Return false if the ring is empty. */
static bool mapping_next(struct classic_mapping *mapping, struct tally_classic_header *to)
{
	mapping_skip(mapping);
	if (mapping->tail == mapping->ring.head && !tally_classic_ring_step(&mapping->ring))
		return false;
	copy_out(mapping, to, sizeof(*to));
	if (to->size < sizeof(*to) || to->size > mapping->ring.head - mapping->tail) {
		/* The record is invalid, so the program itself must have written to the ring. */
		mapping->missed += mapping->ring.records - mapping->seen;
		mapping->seen = mapping->ring.records;
		mapping->tail = mapping->ring.head;
		return false;
	}
	copy_out(mapping, to, to->size);
	mapping->tail += to->size;
	mapping->seen++;
	return true;
}

const struct tally_classic_header *tally_classic_next(struct tally_classic *classic, int fd)
{
	struct classic_mapping *mapping = mapping_of(classic, fd);
	struct tally_classic_header *record;

	if (!mapping)
		return NULL;
	record = (struct tally_classic_header *)(void *)(classic->scratch + TALLY_CLASSIC_SCRATCH);
	return mapping_next(mapping, record) ? record : NULL;
}

uint64_t tally_classic_lost(const struct tally_classic *classic, int fd)
{
	const struct classic_event *event = classic_event_find(classic, fd);

	return event && event->mapping ? event->mapping->ring.lost + event->mapping->missed : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/brackets.h"

#include <string.h>

#include "symbols/name_text.h"
#include "view/width.h"

enum { NONE, ANGLE, ROUND, SQUARE, CURLY, NR_KINDS };

static const uint8_t openers[256] = {['<'] = ANGLE, ['('] = ROUND, ['['] = SQUARE, ['{'] = CURLY},
		     closers[256] = {['>'] = ANGLE, [')'] = ROUND, [']'] = SQUARE, ['}'] = CURLY};

/* State while scanning a name. Open pairs form a stack, linked by `queued`. */
struct finder {
	const char *text;
	size_t len, mark;
	struct tally_brackets found;
	uint32_t top;
	uint32_t nr_open[NR_KINDS];
};

static struct tally_bracket *top_of(struct finder *find)
{
	return &find->found.all.data[find->top];
}

static uint8_t kind_at(const struct finder *find, size_t at)
{
	return openers[(uint8_t)find->text[at]];
}

static int push(struct finder *find, size_t at)
{
	struct tally_bracket one = {.open = (uint32_t)at, .cut = (uint32_t)at + 1};
	uint32_t number = (uint32_t)find->found.all.len;

	one.queued = find->top;
	find->top = number;
	return tally_vec_push(&find->found.all, one);
}

/* Return true if a pair is a name itself: "{lambda#1}", "{closure#0}", "(anon)" or the receiver of
 * a Go method, "(*conn)". */
static bool is_label(const struct finder *find, const struct tally_bracket *one)
{
	enum { LABEL_MAX = 12, RECEIVER_MAX = 24 };
	static const char anonymous[] = "(anon)";
	const char *text = find->text + one->open;
	size_t len = one->close + 1 - one->open;

	if (one->nr || one->own > RECEIVER_MAX)
		return false;
	if (one->open && text[-1] == '.' && text[1] == '*')
		return true;
	return one->own <= LABEL_MAX &&
	       (kind_at(find, one->open) == CURLY ||
		(len == sizeof(anonymous) - 1 && !memcmp(text, anonymous, len)));
}

/* Remove the innermost open bracket from the stack; `close` is 0 if the bracket is unpaired. */
static void pop(struct finder *find, size_t close)
{
	struct tally_bracket *one = top_of(find), *outer;

	find->top = one->queued;
	outer = top_of(find);
	find->nr_open[kind_at(find, one->open)]--;
	one->close = (uint32_t)close;
	one->next = (uint32_t)find->found.all.len;
	one->queued = 0;
	if (close && (one->nr || one->own > find->mark) && !is_label(find, one)) {
		outer->nr++;
		return;
	}
	one->is_text = true;
	one->cut = 0;
	outer->own += one->own;
	outer->nr += one->nr;
}

/* Close the pair that a closing bracket belongs to, if the pair is open. Brackets of other kinds
 * that were opened inside the pair and are still open are unpaired: in "(a < b)" the '<' is a
 * comparison. */
static void close_at(struct finder *find, size_t at, uint8_t kind)
{
	char before = at ? find->text[at - 1] : '\0';

	if (!find->nr_open[kind])
		return;
	if (kind == ANGLE &&
	    (before == '-' || before == '=' || kind_at(find, top_of(find)->open) != ANGLE))
		return;
	while (kind_at(find, top_of(find)->open) != kind)
		pop(find, 0);
	pop(find, at);
}

/* Process one character or operator name, and return its length in bytes. */
static size_t step(struct finder *find, size_t at, int *ret_error)
{
	size_t used = tally_name_operator(find->text, find->len, at), width = 0;
	uint8_t closes = closers[(uint8_t)find->text[at]], opens = kind_at(find, at);

	if (used) {
		top_of(find)->own += (uint32_t)used;
		return used;
	}
	if (closes)
		close_at(find, at, closes);
	used = tally_width_step(find->text + at, find->len - at, &width);
	top_of(find)->own += (uint32_t)width;
	if (opens) {
		*ret_error = push(find, at);
		find->nr_open[opens]++;
	}
	return used;
}

int tally_brackets_find(const char *text, size_t len, size_t mark,
			struct tally_brackets *ret_brackets)
{
	struct finder find = {.text = text, .len = len, .mark = mark};
	struct tally_bracket whole = {.close = (uint32_t)len};
	int ret = tally_vec_push(&find.found.all, whole);

	for (size_t at = 0; at < len && !ret;)
		at += step(&find, at, &ret);
	if (ret) {
		tally_vec_free(&find.found.all);
		return ret;
	}
	while (find.top)
		pop(&find, 0);
	find.found.all.data[0].next = (uint32_t)find.found.all.len;
	*ret_brackets = find.found;
	return 0;
}

void tally_brackets_free(struct tally_brackets *brackets)
{
	tally_vec_free(&brackets->all);
}

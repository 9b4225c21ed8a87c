/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions: cut the contents of brackets. */
#include <string.h>

#include "base/arith.h"
#include "view/shorten_private.h"
#include "view/width.h"

uint32_t shorten_range(const struct shortener *s, const struct tally_brackets *brackets,
		       size_t from, size_t to, uint32_t number)
{
	while (number < brackets->all.len && brackets->all.data[number].open < to) {
		const struct tally_bracket *one = &brackets->all.data[number++];

		if (!one->cut)
			continue;
		tally_str_add_bytes(s->out, s->text + from, one->open + 1 - from);
		shorten_range(s, brackets, one->open + 1, one->cut, number);
		tally_str_add(s->out, s->mark);
		from = one->close;
		number = one->next;
	}
	tally_str_add_bytes(s->out, s->text + from, to - from);
	return number;
}

/* Position while scanning the contents of a pair of brackets. */
struct inside {
	size_t at, width;
	size_t text_end; /* end of nested pairs shown as text; do not cut before it */
	uint32_t number; /* index of the next pair that opens */
};

/* Move past one character and return true, or move past a nested pair that is cut and return
 * false. */
static bool step_inside(const struct shortener *s, const struct tally_bracket *all,
			const struct tally_bracket *one, struct inside *in)
{
	const struct tally_bracket *inner = &all[in->number];

	if (in->number < one->next && inner->open == in->at) {
		if (inner->cut) {
			in->width += 1 + s->mark_width;
			in->at = inner->close;
			in->number = inner->next;
			return false;
		}
		in->text_end = TALLY_MAX(in->text_end, inner->close);
		in->number++;
	}
	in->at += tally_width_step(s->text + in->at, one->close - in->at, &in->width);
	return true;
}

/* Return true if the contents of a pair may be cut here: after a blank, e.g. between arguments, or
 * after the scope of a long name. */
static bool may_cut(const struct shortener *s, const struct inside *in)
{
	enum { LONG = 16 };
	char c = s->text[in->at - 1];

	return in->at > in->text_end &&
	       (c == ' ' || (c == ':' && s->text[in->at - 2] == c && in->width >= LONG));
}

/* Show as much of the beginning of a pair as fits. */
static void fit_part(const struct shortener *s, const struct tally_bracket *all,
		     struct tally_bracket *one, size_t *slack)
{
	struct inside in = {.at = one->open + 1, .number = (uint32_t)(one - all) + 1};
	size_t taken = 0;

	while (in.at < one->close && in.width < *slack) {
		bool is_character = step_inside(s, all, one, &in);

		if (is_character && in.width <= *slack && may_cut(s, &in)) {
			one->cut = (uint32_t)in.at;
			taken = in.width;
		}
	}
	*slack -= taken;
}

void shorten_fit(const struct shortener *s, struct tally_brackets *brackets, size_t slack)
{
	struct tally_bracket *all = brackets->all.data;
	uint32_t last = 0, at = 0;

	do {
		uint32_t next;

		for (uint32_t i = at + 1; i < all[at].next; i = next) {
			struct tally_bracket *one = &all[i];
			size_t cost = one->own + one->nr * s->mark_width - s->mark_width;

			next = one->next;
			if (one->is_hidden)
				continue;
			if (!one->is_text && cost > slack) {
				fit_part(s, all, one, &slack);
				continue;
			}
			slack -= one->is_text ? 0 : cost;
			one->cut = 0;
			all[last].queued = i;
			last = i;
		}
		at = all[at].queued;
	} while (at);
}

static size_t least_width(const struct shortener *s, const struct tally_brackets *brackets)
{
	const struct tally_bracket *whole = &brackets->all.data[0];

	return whole->own + whole->nr * s->mark_width;
}

/* Append a name that fits if the contents of its brackets are cut. Returns false for others. */
static bool add_folded(const struct shortener *s, struct tally_brackets *brackets)
{
	size_t width = least_width(s, brackets);

	if (width > s->columns)
		return false;
	shorten_fit(s, brackets, s->columns - width);
	shorten_range(s, brackets, 0, s->len, 1);
	return true;
}

void shorten_name(const struct shortener *s)
{
	struct tally_brackets brackets;

	if (s->len > TALLY_BRACKETS_MAX) {
		shorten_middle(s, s->text, s->len);
		return;
	}
	if (tally_brackets_find(s->text, s->len, s->mark_width, &brackets)) {
		s->out->failed = true;
		return;
	}
	if (!add_folded(s, &brackets))
		shorten_scopes(s, &brackets);
	tally_brackets_free(&brackets);
}

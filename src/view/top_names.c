/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions in a list. Names that are equal when they are cut are distinguished. */
#include <stdint.h>
#include <string.h>

#include "base/arith.h"
#include "profile/differing.h"
#include "view/flame.h"
#include "view/top_names.h"
#include "view/width.h"

/* A name of the list, and its start in which it differs from others with the same cut name. */
struct cut_name {
	const struct tally_top_lists *lists;
	struct tally_str whole, cut;
	size_t columns, least, most;
	const char *mark;
};

static void read_name(const struct cut_name *name, uint32_t frame, size_t columns,
		      struct tally_str *out)
{
	tally_str_clear(out);
	tally_flame_name(name->lists->profile, frame, columns, name->mark, out);
}

/* Compare the name with another one of the list. */
static void compare(struct cut_name *name, uint32_t frame)
{
	const char *whole = tally_str_text(&name->whole);
	struct tally_str other = {0};
	size_t at;

	read_name(name, frame, SIZE_MAX, &other);
	at = differing_at(whole, tally_str_text(&other));
	if (strcmp(whole, tally_str_text(&other)) != 0) {
		read_name(name, frame, name->columns, &other);
		if (!strcmp(tally_str_text(&name->cut), tally_str_text(&other))) {
			name->least = TALLY_MIN(name->least, at);
			name->most = TALLY_MAX(name->most, at);
		}
	}
	tally_str_free(&other);
}

static void add_difference(const struct cut_name *name, size_t at, struct tally_str *out)
{
	size_t start = out->len;

	tally_str_add(out, " [");
	differing_add_scope(out, tally_str_text(&name->whole), at);
	if (out->len == start + 2)
		out->len = start;
	else
		tally_str_add(out, "]");
}

/* Append the differences from others with the same cut name. The first one can contain the second
 * one: " [red::Type0]" differs from blue::Type2 and from red::Type3. */
static void add_differences(const struct cut_name *name, struct tally_str *out)
{
	add_difference(name, name->least, out);
	if (name->most >= name->least + out->len)
		add_difference(name, name->most, out);
	if (tally_width(tally_str_text(out), out->len) > name->columns / 2) {
		tally_str_clear(out);
		add_difference(name, name->most, out);
	}
}

/* Append the cut name, and its differences if there is space. */
static void add_cut(struct cut_name *name, uint32_t frame, struct tally_str *out)
{
	struct tally_str suffix = {0};
	size_t width;

	if (name->least != SIZE_MAX)
		add_differences(name, &suffix);
	width = tally_width(tally_str_text(&suffix), suffix.len);
	if (width && width <= name->columns / 2) {
		read_name(name, frame, name->columns - width, &name->cut);
		tally_str_add_bytes(&name->cut, tally_str_text(&suffix), suffix.len);
	}
	tally_str_add_bytes(out, tally_str_text(&name->cut), name->cut.len);
	out->failed |= suffix.failed || name->cut.failed || name->whole.failed;
	tally_str_free(&suffix);
}

void tally_top_names_add(const struct tally_top_lists *lists, enum tally_top_list list, uint32_t i,
			 size_t columns, const char *mark, struct tally_str *out)
{
	struct cut_name name = {
		.lists = lists, .columns = columns, .least = SIZE_MAX, .mark = mark};
	uint32_t frame = tally_top_lists_row(lists, list, i)->frame;
	size_t width;

	read_name(&name, frame, SIZE_MAX, &name.whole);
	width = tally_width(tally_str_text(&name.whole), name.whole.len);
	if (width <= columns) {
		tally_str_add_bytes(out, tally_str_text(&name.whole), name.whole.len);
		tally_flame_add_file(lists->profile, frame, columns - width, mark, out);
	} else {
		read_name(&name, frame, columns, &name.cut);
		for (uint32_t k = 0; k < lists->nr[list]; k++)
			compare(&name, tally_top_lists_row(lists, list, k)->frame);
		add_cut(&name, frame, out);
	}
	tally_str_free(&name.whole);
	tally_str_free(&name.cut);
}

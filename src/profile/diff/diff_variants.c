/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins rows of one function with different parameters. Overloads remain separate rows. */
#include <errno.h>

#include "base/vec.h"
#include "profile/diff/diff_private.h"

/* The rows with one name. */
struct variants {
	uint32_t nr;
	uint32_t rows[2]; /* indices of the first two rows */
};

struct joiner {
	struct tally_diff *diff;
	struct tally_intern names;
	TALLY_VEC(struct variants) all; /* indexed like `names` */
};

static int joiner_add(struct joiner *joiner, uint32_t number)
{
	const struct tally_diff_row *row = &joiner->diff->rows.data[number];
	const uint32_t words[] = {row->comm, row->file, row->symbol};
	struct variants *variants;
	uint32_t id;
	int ret = tally_intern(&joiner->names, (const char *)words, sizeof(words), &id);

	if (!ret && id == joiner->all.len)
		ret = tally_vec_push(&joiner->all, (struct variants){0});
	if (ret)
		return ret;
	variants = &joiner->all.data[id];
	if (variants->nr < 2)
		variants->rows[variants->nr] = number;
	variants->nr++;
	return 0;
}

/* ---- which rows are one function --------------------------------------------- */

static bool has_recording(const struct tally_diff *diff, const struct tally_diff_row *row,
			  uint32_t recording)
{
	for (uint32_t i = row->first; i; i = diff->cells.data[i - 1].next) {
		if (diff->cells.data[i - 1].recording == recording)
			return true;
	}
	return false;
}

/* Return true if no recording has samples of both rows. */
static bool are_disjoint(const struct tally_diff *diff, const struct tally_diff_row *a,
			 const struct tally_diff_row *b)
{
	for (uint32_t i = a->first; i; i = diff->cells.data[i - 1].next) {
		if (has_recording(diff, b, diff->cells.data[i - 1].recording))
			return false;
	}
	return true;
}

/* Return true if each side has one of the rows, or if the parameters of one row are not known. */
static bool are_one_function(const struct tally_diff *diff, const struct tally_diff_row *a,
			     const struct tally_diff_row *b)
{
	if ((diff_is_only_on(a, TALLY_SIDE_A) && diff_is_only_on(b, TALLY_SIDE_B)) ||
	    (diff_is_only_on(a, TALLY_SIDE_B) && diff_is_only_on(b, TALLY_SIDE_A)))
		return true;
	return (a->variant == a->symbol || b->variant == b->symbol) && are_disjoint(diff, a, b);
}

/* ---- joining ----------------------------------------------------------------- */

/* Move the cells of row `from` to row `to`, and mark `from` as empty. The name on side B
 * remains. */
static void row_join(struct tally_diff *diff, struct tally_diff_row *to,
		     struct tally_diff_row *from)
{
	uint32_t *last = &to->first;

	while (*last)
		last = &diff->cells.data[*last - 1].next;
	*last = from->first;
	if (to->variant == to->symbol || from->seen[TALLY_SIDE_B])
		to->variant = from->variant;
	for (int side = 0; side < TALLY_SIDES; side++)
		to->seen[side] |= from->seen[side];
	from->seen[TALLY_SIDE_A] = from->seen[TALLY_SIDE_B] = 0;
}

static void remove_empty(struct tally_diff *diff)
{
	size_t nr = 0;

	tally_vec_for_each (row, &diff->rows) {
		if (row->seen[TALLY_SIDE_A] || row->seen[TALLY_SIDE_B])
			diff->rows.data[nr++] = *row;
	}
	diff->rows.len = nr;
}

int diff_join_variants(struct tally_diff *diff)
{
	struct joiner joiner = {.diff = diff};
	int ret = 0;

	for (uint32_t i = 0; i < diff->rows.len && !ret; i++) {
		if (diff->rows.data[i].symbol != TALLY_NAME_NONE)
			ret = joiner_add(&joiner, i);
	}
	tally_vec_for_each (variants, &joiner.all) {
		struct tally_diff_row *rows = diff->rows.data, *a = &rows[variants->rows[0]];

		if (!ret && variants->nr == 2 &&
		    are_one_function(diff, a, &rows[variants->rows[1]]))
			row_join(diff, a, &rows[variants->rows[1]]);
	}
	if (!ret)
		remove_empty(diff);
	tally_intern_free(&joiner.names);
	tally_vec_free(&joiner.all);
	return ret;
}

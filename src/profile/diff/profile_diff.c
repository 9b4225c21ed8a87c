/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/diff/profile_diff.h"

#include <string.h>

#include "base/arith.h"
#include "profile/diff/diff_private.h"

int tally_diff_new(const struct tally_diff_options *options, struct tally_diff **ret_diff)
{
	struct tally_diff *diff = calloc(1, sizeof(*diff));

	if (!diff)
		return -ENOMEM;
	diff->options = *options;
	*ret_diff = diff;
	return 0;
}

void tally_diff_free(struct tally_diff *diff)
{
	if (!diff)
		return;
	tally_intern_free(&diff->names);
	tally_file_names_free(&diff->files);
	tally_intern_free(&diff->paths);
	tally_intern_free(&diff->keys);
	tally_vec_free(&diff->recordings);
	tally_vec_free(&diff->rows);
	tally_vec_free(&diff->cells);
	tally_short_names_free(&diff->short_names);
	tally_vec_free(&diff->short_of);
	free(diff);
}

const char *tally_diff_name(const struct tally_diff *diff, uint32_t name)
{
	return name == TALLY_NAME_NONE ? NULL : tally_intern_text(&diff->names, name);
}

/* Initially, a block is about 1 ms long. The upper bits of a label are the level, because samples
 * are not relabelled when blocks become longer. tally_diff_add() knows the final level. */
uint32_t tally_diff_clock_label(struct tally_diff_clock *clock, uint64_t time)
{
	enum { FIRST_BITS = 20, BLOCK_BITS = 6 };
	uint64_t since;

	if (!clock->is_started)
		clock->first = time;
	clock->is_started = true;
	since = (time > clock->first ? time - clock->first : 0) >> FIRST_BITS;
	while (since >> clock->level >> BLOCK_BITS)
		clock->level++;
	return (uint32_t)(clock->level << BLOCK_BITS | since >> clock->level);
}

int diff_row_find(struct tally_diff *diff, const struct diff_key *key, uint32_t *ret_row)
{
	int ret = tally_intern(&diff->keys, (const char *)key, sizeof(*key), ret_row);

	if (ret || *ret_row < diff->rows.len)
		return ret;
	return tally_vec_push(&diff->rows, (struct tally_diff_row){
						   .comm = key->comm,
						   .file = key->file,
						   .symbol = key->symbol,
						   .variant = key->variant,
						   .path = key->path,
						   .other = UINT32_MAX,
					   });
}

double tally_diff_value_of(const struct tally_diff *diff, const struct tally_diff_row *row,
			   uint32_t recording, int measure)
{
	const struct tally_diff_recording *of = &diff->recordings.data[recording];

	for (uint32_t i = row->first; i; i = diff->cells.data[i - 1].next) {
		const struct tally_diff_cell *cell = &diff->cells.data[i - 1];
		double weight = cell->sums[measure].weight;

		if (cell->recording != recording)
			continue;
		if (diff->options.absolute)
			return weight * of->scale;
		return of->weight > 0 ? weight / of->weight : 0;
	}
	return 0;
}

/* ---- states of functions ----------------------------------------------------- */

/* For each side, a row with a given function name that exists only on that side. */
struct one_sided_rows {
	uint32_t row[TALLY_SIDES]; /* index + 1, or 0 if there is no row */
};

static enum tally_diff_state state_on(const struct tally_diff_row *row, int side, bool is_elsewhere)
{
	static const enum tally_diff_state states[][TALLY_SIDES] = {
		{TALLY_DIFF_GONE, TALLY_DIFF_NEW},
		{TALLY_DIFF_MOVED_TO, TALLY_DIFF_MOVED_FROM},
		{TALLY_DIFF_INLINED_NOW, TALLY_DIFF_WAS_INLINED},
	};
	bool is_itself = row->seen[side] & DIFF_SEEN_OUT_OF_LINE;

	if (!row->seen[!side])
		return states[is_elsewhere][side];
	/* A function that is inlined on both sides is not reported, even if it also exists out of
	 * line on one side. */
	if (is_itself && row->seen[!side] == DIFF_SEEN_INLINED &&
	    !(row->seen[side] & DIFF_SEEN_INLINED))
		return states[2][side];
	return TALLY_DIFF_BOTH;
}

/* Find a row that exists only on the other side, for the same function in another file. Return the
 * row's index + 1, or 0 if there is no such row. */
static uint32_t row_elsewhere(const struct tally_diff *diff, const struct tally_diff_row *row,
			      const struct one_sided_rows *only, int side)
{
	uint32_t other = only ? only[row->variant].row[!side] : 0;

	return other && diff->rows.data[other - 1].file != row->file ? other : 0;
}

static void row_state(const struct tally_diff *diff, struct tally_diff_row *row,
		      const struct one_sided_rows *only)
{
	for (int side = 0; side < TALLY_SIDES; side++) {
		uint32_t other = row_elsewhere(diff, row, only, side);

		if (!row->seen[side])
			continue;
		row->state = state_on(row, side, other != 0);
		if (row->state == TALLY_DIFF_MOVED_TO || row->state == TALLY_DIFF_MOVED_FROM)
			row->other = other - 1;
		if (row->state != TALLY_DIFF_BOTH)
			return;
	}
}

/* Return true if a function is named by its address, which is meaningless in another file. */
static bool is_address(const char *name)
{
	return !strncmp(name, "0x", 2) || !strncmp(name, "fn@", 3) || name[0] == '[';
}

int diff_find_states(struct tally_diff *diff)
{
	bool has_names = diff->options.keys & TALLY_KEY_SYMBOL && !diff->options.by_path;
	struct one_sided_rows *only =
		has_names ? calloc(diff->names.strings.len + 1, sizeof(*only)) : NULL;

	if (has_names && !only)
		return -ENOMEM;
	for (uint32_t i = 0; i < diff->rows.len && only; i++) {
		const struct tally_diff_row *row = &diff->rows.data[i];

		if (is_address(tally_diff_name(diff, row->symbol)))
			continue;
		for (int side = 0; side < TALLY_SIDES; side++) {
			if (diff_is_only_on(row, side))
				only[row->variant].row[side] = i + 1;
		}
	}
	tally_vec_for_each (row, &diff->rows)
		row_state(diff, row, only);
	free(only);
	return 0;
}

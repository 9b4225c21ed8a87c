/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile of what runs now: old samples fade, and what they alone needed is given back. Nothing
 * is freed one by one: when enough has gone, the tables are written anew with what is left.
 */
#include <stdlib.h>

#include "base/arith.h"
#include "profile/machine_private.h"
#include "profile/profile_private.h"

/* A cell is dropped when it is less than its event's total, shifted so. */
enum { NOTHING = 20 };

static void fade(uint64_t *nr, uint64_t *period)
{
	*nr = tally_mul_div(*nr, 7, 8);
	*period = tally_mul_div(*period, 7, 8);
}

static bool cell_is_dead(const struct tally_profile *profile, const struct tally_cell *cell)
{
	return cell->period <= profile->totals.data[cell->key.event].period >> NOTHING;
}

/* After cells moved. */
static int cells_index(struct tally_profile *profile)
{
	int ret = 0;

	profile->memos.len = 0;
	tally_slots_free(&profile->slots);
	for (uint32_t i = 0; i < profile->cells.len && !ret; i++)
		ret = profile_cell_note(profile, i);
	return ret;
}

/* Shares add up to all that is shown, whatever was rounded away. */
static void totals_sum(struct tally_profile *profile)
{
	tally_vec_for_each (cell, &profile->cells) {
		struct tally_profile_total *total = &profile->totals.data[cell->key.event];

		total->nr_shown += cell->nr;
		total->period_shown += cell->period;
	}
}

int tally_profile_decay(struct tally_profile *profile)
{
	int ret = tally_profile_finish(profile);
	size_t left = 0, dropped;

	if (ret)
		return ret;
	tally_vec_for_each (total, &profile->totals) {
		fade(&total->nr, &total->period);
		total->nr_shown = total->period_shown = 0;
	}
	tally_vec_for_each (cell, &profile->cells) {
		fade(&cell->nr, &cell->period);
		/* A cell that is there has a sample: sums rely on it. */
		cell->nr = TALLY_MAX(cell->nr, (uint64_t)1);
		if (!cell_is_dead(profile, cell))
			profile->cells.data[left++] = *cell;
	}
	dropped = profile->cells.len - left;
	profile->nr_dropped += dropped;
	profile->cells.len = left;
	totals_sum(profile);
	return dropped ? cells_index(profile) : 0;
}

void tally_profile_zero(struct tally_profile *profile)
{
	(void)tally_profile_finish(profile);
	profile->nr_dropped += profile->cells.len;
	profile->cells.len = 0;
	tally_vec_for_each (total, &profile->totals)
		*total = (struct tally_profile_total){0};
	(void)cells_index(profile);
}

/* ---- sweeping -------------------------------------------------------------- */

/* Marks of frames and paths, which become their new numbers. */
struct path_marks {
	uint32_t *frames, *paths;
};

/* Whatever a cell stands for stays. */
static void mark_cells(const struct tally_profile *profile, struct path_marks *marks,
		       struct machine_sweep *sweep)
{
	tally_vec_for_each (cell, &profile->cells) {
		marks->frames[cell->key.frame] = 1;
		marks->paths[cell->key.path] = 1;
		sweep->comms[cell->key.comm] = 1;
		sweep->threads[cell->key.thread] = 1;
	}
	for (size_t i = profile->paths.paths.len; i-- > 1;) {
		const struct tally_path *path = &profile->paths.paths.data[i];

		if (marks->paths[i]) {
			marks->paths[path->parent] = 1;
			marks->frames[path->frame] = 1;
		}
	}
	for (size_t i = 0; i < profile->paths.frames.len; i++) {
		struct tally_dso *dso = profile->paths.frames.data[i].dso;

		if (marks->frames[i] && dso)
			sweep->dsos[tally_dso_number(dso)] = 1;
	}
	sweep->threads[0] = 1;
	sweep->comms[0] = 1;
}

static void renumber_cells(struct tally_profile *profile, const struct path_marks *marks,
			   const struct machine_sweep *sweep)
{
	tally_vec_for_each (cell, &profile->cells) {
		struct tally_cell_key *key = &cell->key;

		key->comm = sweep->new_comms[key->comm];
		key->thread = sweep->new_threads[key->thread];
		key->frame = marks->frames[key->frame];
		key->path = key->path ? marks->paths[key->path] : 0;
	}
}

static int sweep_all(struct tally_profile *profile, struct path_marks *marks,
		     struct machine_sweep *sweep)
{
	int ret;

	mark_cells(profile, marks, sweep);
	ret = machine_sweep(profile->machine, sweep);
	if (ret)
		return ret;
	ret = tally_paths_sweep(&profile->paths, marks->frames, marks->paths);
	renumber_cells(profile, marks, sweep);
	profile->frame_verdicts.len = 0;
	profile_caches_clear(profile);
	profile->nr_dropped = 0;
	profile->nr_dsos = tally_symbols_nr_dsos(profile->machine->symbols);
	return ret ? ret : cells_index(profile);
}

/* Worth the work: about as much has gone as is left, and not just a little. */
static bool sweep_is_due(const struct tally_profile *profile, size_t nr_gone)
{
	size_t threads = profile->machine->all_threads.len;
	size_t dsos = tally_symbols_nr_dsos(profile->machine->symbols);

	return profile->nr_dropped > profile->cells.len + 4096 || nr_gone > threads / 3 + 512 ||
	       dsos > 2 * profile->nr_dsos + 128;
}

int tally_profile_sweep(struct tally_profile *profile, size_t nr_gone)
{
	struct machine_sweep sweep;
	struct path_marks marks;
	int ret = tally_profile_finish(profile);

	if (ret || !sweep_is_due(profile, nr_gone))
		return ret;
	marks.frames = calloc(profile->paths.frames.len + 1, sizeof(*marks.frames));
	marks.paths = calloc(profile->paths.paths.len + 1, sizeof(*marks.paths));
	ret = marks.frames && marks.paths ? machine_sweep_init(profile->machine, &sweep) : -ENOMEM;
	if (!ret) {
		ret = sweep_all(profile, &marks, &sweep);
		machine_sweep_free(&sweep);
	}
	free(marks.frames);
	free(marks.paths);
	return ret;
}

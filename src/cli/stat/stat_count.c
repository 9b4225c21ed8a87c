/* SPDX-License-Identifier: BSD-2-Clause */
/* Read counters into cells, and compute statistics over several runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/stat/stat_add_keys.h"
#include "cli/stat/stat_count.h"

/* About 350 MB. */
enum { RECORDED_CELLS_MAX = 4 << 20 };

int stat_count_prepare(struct stat_session *session)
{
	size_t nr;
	int ret = stat_keys_add(session);

	if (ret)
		return ret;
	nr = TALLY_MAX(session->rows.len * session->keys.len, 1);
	/* A recording can name many events and CPUs without a count. */
	if (session->env && nr > RECORDED_CELLS_MAX)
		return -E2BIG;
	session->cells = calloc(nr, sizeof(*session->cells));
	session->parts = calloc(nr, sizeof(*session->parts));
	session->spreads = calloc(nr, sizeof(*session->spreads));
	if (!session->cells || !session->parts || !session->spreads)
		return -ENOMEM;
	for (size_t i = 0; i < session->rows.len && !ret; i++) {
		struct stat_last last = {0};

		ret = tally_vec_push(&session->last, last);
	}
	return ret;
}

void stat_count_free(struct stat_session *session)
{
	tally_vec_for_each (last, &session->last)
		free(last->counts);
	tally_vec_free(&session->last);
	tally_vec_free(&session->keys);
	tally_vec_free(&session->key_of_cpu);
	tally_vec_free(&session->walls);
	free(session->cells);
	free(session->parts);
	free(session->spreads);
}

/* ---- reading -------------------------------------------------------------- */

static size_t key_index(const struct stat_session *session, int32_t cpu, size_t thread)
{
	if (session->config->mode == STAT_AGGR_THREAD)
		return thread;
	return session->config->mode == STAT_AGGR_ALL ? 0 : session->key_of_cpu.data[cpu];
}

/* Replace `*count` with the difference from the previous reading, and save the current reading. */
static int since_last(struct stat_session *session, size_t row, size_t index, size_t nr,
		      struct tally_count *count)
{
	struct stat_last *last = &session->last.data[row];
	struct tally_count now = *count;

	if (!last->counts) {
		last->counts = calloc(nr, sizeof(*last->counts));
		if (!last->counts)
			return -ENOMEM;
	}
	if (!session->rows.data[row].spec->snapshot)
		*count = tally_count_since(now, last->counts[index]);
	last->counts[index] = now;
	return 0;
}

static void cell_add(struct stat_session *session, size_t row, size_t key,
		     const struct tally_count *count)
{
	const struct tally_event_spec *spec = session->rows.data[row].spec;
	struct stat_cell *cell = &session->parts[row * session->keys.len + key];

	struct tally_count one = *count;
	bool on_some_cpus = spec->terms.cpus && session->cpus->cpu[0].number < 0;

	/* A task's counters for single CPUs are all enabled while the task runs on any CPU. */
	if (on_some_cpus && spec->nr_cpus)
		one.enabled /= spec->nr_cpus;
	cell->count = cell->nr ? tally_count_add(cell->count, one) : one;
	cell->value += session->config->no_scale || on_some_cpus ? count->value
								 : tally_count_scaled(count);
	cell->nr++;
}

/* Add the counts from two kinds of cores. A task runs on only one core at a time, so the sum is not
 * scaled up for the time spent on the other kind. */
static struct tally_count hybrid_add(struct tally_count a, struct tally_count b)
{
	struct tally_count sum = tally_count_add(a, b);

	sum.enabled = TALLY_MAX(a.enabled, b.enabled);
	if (sum.quality == TALLY_QUALITY_SCALED && sum.running >= sum.enabled - sum.enabled / 1000)
		sum.quality = TALLY_QUALITY_EXACT;
	return sum;
}

/* Merge a part into `cell`. `turns` is set if the parts are counted alternately; see
 * hybrid_add(). */
static void cell_merge(const struct stat_session *session, struct stat_cell *cell,
		       const struct stat_cell *part, bool turns)
{
	if (!part->nr)
		return;
	if (!cell->nr) {
		*cell = *part;
		return;
	}
	cell->nr += part->nr;
	if (!turns) {
		cell->count = tally_count_add(cell->count, part->count);
		cell->value += part->value;
		return;
	}
	cell->count = hybrid_add(cell->count, part->count);
	cell->value = session->config->no_scale || cell->count.quality == TALLY_QUALITY_EXACT
			      ? cell->count.value
			      : tally_count_scaled(&cell->count);
}

static void cells_merge(struct stat_session *session)
{
	bool follows_tasks = session->cpus->cpu[0].number < 0;
	size_t nr_keys = session->keys.len;

	for (size_t i = 0; i < session->rows.len * nr_keys; i++) {
		const struct stat_row *row = &session->rows.data[i / nr_keys];
		size_t target = row->merged_into * nr_keys + i % nr_keys;
		bool turns = row->spec->hybrid && follows_tasks;

		cell_merge(session, &session->cells[target], &session->parts[i], turns);
		if (turns) /* not scaled up for the time spent on other kinds of cores */
			session->parts[i].value = session->parts[i].count.value;
		if (turns && row->apart)
			session->cells[target].value = session->parts[i].value;
	}
}

int stat_count_add(struct stat_session *session, size_t row, const struct stat_place *place,
		   const struct tally_count *since_start, bool delta)
{
	struct tally_count count = *since_start;
	int ret = delta ? since_last(session, row, place->index, place->nr, &count) : 0;

	if (!ret)
		cell_add(session, row, key_index(session, place->cpu, place->thread), &count);
	return ret;
}

/* Add one event's count on one CPU for one thread. The count is in set->now. */
static int count_add(struct stat_session *session, const struct stat_set *set, size_t event,
		     size_t cpu, size_t thread, bool delta)
{
	size_t threads = session->threads->nr;
	const struct tally_cpus *cpus = tally_counters_cpus(set->counters, event);
	const struct stat_place place = {cpus->cpu[cpu].number, thread, cpu * threads + thread,
					 cpus->nr * threads};

	if (session->on_count)
		session->on_count(session, set, event, cpu, thread);
	return stat_count_add(session, set->rows[event], &place, &set->now[event], delta);
}

/* Return the index after the group's last event. Members of a group are adjacent. */
static size_t group_end(const struct stat_set *set, size_t leader)
{
	size_t end = leader + 1;

	while (end < set->list.nr && set->list.specs[end].group == set->list.specs[leader].group)
		end++;
	return end;
}

/* Read `leader`'s whole group at once and add its counts. */
static int read_group(struct stat_session *session, struct stat_set *set, size_t leader, size_t cpu,
		      size_t thread, bool delta)
{
	size_t end = group_end(set, leader);
	int ret;

	for (size_t i = leader; i < end; i++)
		set->now[i] = (struct tally_count){.quality = TALLY_QUALITY_NEVER_RAN};
	ret = tally_counters_read_group(set->counters, leader, cpu, thread, set->now);
	for (size_t i = leader; i < end && !ret; i++) {
		if (tally_counters_leader(set->counters, i) != leader)
			continue;
		if (i != leader && tally_counters_fd(set->counters, i, cpu, thread) < 0)
			ret = tally_counters_read(set->counters, i, cpu, thread, &set->now[i]);
		if (!ret)
			ret = count_add(session, set, i, cpu, thread, delta);
	}
	return ret;
}

static int read_alone(struct stat_session *session, struct stat_set *set, size_t event, size_t cpu,
		      size_t thread, bool delta)
{
	int ret = tally_counters_read(set->counters, event, cpu, thread, &set->now[event]);

	return ret ? ret : count_add(session, set, event, cpu, thread, delta);
}

/* Read an event, or the group that it leads, on all its CPUs and for all threads. */
static int read_event(struct stat_session *session, struct stat_set *set, size_t event, bool delta)
{
	const struct tally_cpus *cpus = tally_counters_cpus(set->counters, event);
	/* Uncore counters are not per thread. */
	size_t threads = set->list.specs[event].uncore ? 1 : session->threads->nr;
	int ret = 0;

	if (tally_counters_leader(set->counters, event) != event)
		return 0;
	for (size_t cpu = 0; cpu < cpus->nr; cpu++) {
		for (size_t thread = 0; thread < threads && !ret; thread++) {
			if (session->has_groups)
				ret = read_group(session, set, event, cpu, thread, delta);
			else
				ret = read_alone(session, set, event, cpu, thread, delta);
		}
	}
	return ret;
}

/* Set the value of a sensor at this moment. A count cannot be negative. */
static void read_sensor(struct stat_session *session, size_t row)
{
	int64_t value = 0;
	bool is_known = !tally_sensor_value(session->rows.data[row].spec, &value) && value >= 0;
	struct tally_count count = {(uint64_t)value, 1, is_known, 0,
				    is_known ? TALLY_QUALITY_EXACT : TALLY_QUALITY_NEVER_RAN};

	cell_add(session, row, 0, &count);
}

/* Set the value of a fact of the machine, which does not change. */
static void read_fact(struct stat_session *session, size_t row)
{
	uint64_t value = 0;
	bool is_known =
		!tally_tool_value(session->events, session->rows.data[row].spec->tool, &value);
	struct tally_count count = {value, 1, is_known, 0,
				    is_known ? TALLY_QUALITY_EXACT : TALLY_QUALITY_NOT_SUPPORTED};

	cell_add(session, row, 0, &count);
}

/* Set the value of a duration, which is not measured by a counter. */
static void read_duration(struct stat_session *session, size_t row, bool delta)
{
	const uint64_t times[] = {
		[TALLY_TOOL_DURATION_TIME] = session->times.wall,
		[TALLY_TOOL_USER_TIME] = session->times.user,
		[TALLY_TOOL_SYSTEM_TIME] = session->times.system,
	};
	enum tally_event_tool tool = session->rows.data[row].spec->tool;
	struct tally_count count = {times[tool], times[tool], times[tool], 0, TALLY_QUALITY_EXACT};

	/* The command's CPU time is known only after it has exited. */
	if (tool != TALLY_TOOL_DURATION_TIME && (delta || !session->child.gone))
		count = (struct tally_count){.quality = TALLY_QUALITY_NEVER_RAN};
	cell_add(session, row, 0, &count);
}

void stat_count_clear(struct stat_session *session)
{
	size_t nr = session->rows.len * session->keys.len;

	memset(session->cells, 0, nr * sizeof(*session->cells));
	memset(session->parts, 0, nr * sizeof(*session->parts));
}

void stat_count_finish(struct stat_session *session)
{
	cells_merge(session);
	for (size_t i = 0; i < session->rows.len * session->keys.len; i++)
		session->cells[i].mean = (double)session->cells[i].value;
}

int stat_count_read(struct stat_session *session, bool delta)
{
	int ret = 0;

	stat_count_clear(session);
	tally_vec_for_each (set, &session->sets) {
		for (size_t event = 0; event < set->list.nr && !ret; event++)
			ret = read_event(session, set, event, delta);
	}
	for (size_t row = 0; row < session->rows.len && !ret; row++) {
		if (tally_tool_is_time(session->rows.data[row].spec->tool))
			read_duration(session, row, delta);
		else if (session->rows.data[row].spec->tool == TALLY_TOOL_SENSOR)
			read_sensor(session, row);
		else if (session->rows.data[row].spec->tool)
			read_fact(session, row);
	}
	if (!ret)
		stat_count_finish(session);
	return ret;
}

/* ---- several runs --------------------------------------------------------- */

void stat_count_add_run(struct stat_session *session)
{
	for (size_t i = 0; i < session->rows.len * session->keys.len; i++) {
		const struct stat_cell *cell = &session->cells[i];
		struct stat_spread *spread = &session->spreads[i];
		double value = (double)cell->value, away;

		spread->total =
			spread->nr ? tally_count_add(spread->total, cell->count) : cell->count;
		spread->value += cell->value;
		spread->counters = cell->nr;
		spread->nr++;
		away = value - spread->mean;
		spread->mean += away / (double)spread->nr;
		spread->m2 += away * (value - spread->mean);
	}
}

/* Return the standard error of the mean of `nr` numbers. `m2` is the sum of their squared
 * deviations from the mean. */
static double deviation_of(double m2, uint64_t nr)
{
	return nr > 1 ? sqrt(m2 / (double)(nr - 1) / (double)nr) : 0;
}

void stat_count_mean(struct stat_session *session)
{
	for (size_t i = 0; i < session->rows.len * session->keys.len; i++) {
		const struct stat_spread *spread = &session->spreads[i];
		uint64_t nr = TALLY_MAX(spread->nr, 1);
		double deviation = deviation_of(spread->m2, spread->nr);

		session->cells[i] = (struct stat_cell){
			.count = {spread->total.value / nr, spread->total.enabled / nr,
				  spread->total.running / nr, spread->total.lost / nr,
				  spread->total.quality},
			.value = (spread->value + nr / 2) / nr,
			.mean = spread->mean,
			.deviation = spread->mean > 0 ? 100 * deviation / spread->mean : 0,
			.nr = spread->counters,
		};
	}
}

struct stat_runs stat_runs_of(const uint64_t *each, uint64_t nr)
{
	struct stat_runs runs = {.nr = nr, .each = each};
	double m2 = 0;

	for (uint64_t i = 0; i < nr; i++) {
		double value = (double)each[i], away = value - runs.mean;

		runs.mean += away / (double)(i + 1);
		m2 += away * (value - runs.mean);
	}
	runs.deviation = deviation_of(m2, nr);
	return runs;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The main loop of a recording. The loop sleeps until a ring is half full, a signal arrives or a
 * deadline passes (--flush-ms at the latest), and then writes the contents of all rings with one
 * writev. In the meantime, the loop scans the rings for new mappings.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "cli/main/print.h"
#include "cli/record/record_control.h"
#include "cli/record/record_drain.h"
#include "cli/record/ring_scan.h"
#include "cli/record/record_loop.h"
#include "cli/record/record_output.h"
#include "cli/record/record_progress.h"
#include "cli/record/record_signals.h"

struct loop {
	size_t signals, control; /* indices of the other descriptors in the poll set */
};

/* ---- waiting --------------------------------------------------------------- */

static int loop_init(struct record *record, struct loop *loop)
{
	int ret = tally_rings_watch(record->sampler.rings, record->signals, &loop->signals);

	return ret ? ret
		   : tally_rings_watch(record->sampler.rings, record->control.fd, &loop->control);
}

/* Return the time of the next deadline in ns, CLOCK_MONOTONIC, or UINT64_MAX. */
static uint64_t next_deadline(const struct record *record)
{
	const struct record_config *config = record->config;
	uint64_t edge = record_schedule_edge(&record->schedule, record->disabled);
	uint64_t at = UINT64_MAX;

	if (edge != UINT64_MAX)
		at = record->started + edge;
	if (config->switch_ns)
		at = TALLY_MIN(at, record->output.opened + config->switch_ns);
	/* Write regularly, because data in the rings is lost if this process is killed. */
	if (config->flush_ms)
		at = TALLY_MIN(at, record->drained + config->flush_ms * 1000000);
	if (config->duration_ns)
		at = TALLY_MIN(at, record->started + config->duration_ns);
	return TALLY_MIN(at, record_progress_next(record));
}

/* Return the time until the next deadline or scan in ms, rounded up; -1 if there is neither. */
static int next_timeout(const struct record *record)
{
	uint64_t now = tally_clock_now();
	uint64_t at = TALLY_MIN(next_deadline(record), record_scan_next(record));

	if (at == UINT64_MAX)
		return -1;
	return at <= now ? 0 : (int)TALLY_MIN((at - now + 999999) / 1000000, (uint64_t)INT32_MAX);
}

/* Handle the loss of all events: either all tasks have exited, or the command executed a program
 * that this user may not profile. */
static void check_end(struct record *record)
{
	if (!tally_target_is_command(&record->config->sampling.target) ||
	    !tally_child_is_running(&record->child))
		record->stop = true;
	else if (!record->is_hidden && !tally_via_transport(&record->via))
		tally_print_warning("the kernel removed the command's events (process %d), because "
				    "the command runs a set-uid program or one that you cannot "
				    "read. The command is no longer being recorded",
				    (int)record->child.pid);
	record->is_hidden = !record->stop;
}

/* Wait for data or a deadline, and handle signals and control commands. `*ret_is_look` is set if
 * only a scan of the rings is due. */
static int wait_for_data(struct record *record, struct loop *loop, bool *ret_is_look)
{
	int nr = tally_rings_poll(record->sampler.rings, next_timeout(record)), ret = 0;

	if (nr < 0)
		return nr;
	record->wakeups += nr > 0;
	*ret_is_look = !nr && tally_clock_now() < next_deadline(record);
	if (tally_rings_watch_events(record->sampler.rings, loop->signals))
		record_signals_read(record);
	if (tally_rings_watch_events(record->sampler.rings, loop->control)) {
		ret = record_control_read(record);
		tally_rings_watch_set(record->sampler.rings, loop->control, record->control.fd);
	}
	if (!tally_rings_nr_alive(record->sampler.rings))
		check_end(record);
	return ret;
}

/* ---- due actions ----------------------------------------------------------- */

/* Enable or disable the events at the edges of the windows of -D. */
static int check_schedule(struct record *record)
{
	uint64_t edge = record_schedule_edge(&record->schedule, record->disabled);

	if (edge == UINT64_MAX || tally_clock_now() < record->started + edge)
		return 0;
	record->disabled = !record->disabled;
	record->schedule.next += record->disabled;
	if (!record->config->sampling.quiet)
		fprintf(stderr, "Events %s\n", record->disabled ? "disabled" : "enabled");
	return record->disabled ? tally_counters_disable(record->sampler.counters)
				: tally_counters_enable(record->sampler.counters);
}

static void check_duration(struct record *record)
{
	uint64_t duration = record->config->duration_ns;

	record->is_over = duration && tally_clock_now() - record->started >= duration;
	record->stop |= record->is_over;
}

static bool switch_is_due(const struct record *record)
{
	const struct record_config *config = record->config;
	uint64_t bytes = tally_perfdata_writer_bytes(record->output.writer);

	/* A file that begins with more than this size is not full. */
	bytes -= TALLY_MIN(bytes, record->output.bytes_begin);
	return (record->dump && config->switch_signal) ||
	       (config->switch_bytes && bytes >= config->switch_bytes) ||
	       (config->switch_ns &&
		tally_clock_now() >= record->output.opened + config->switch_ns);
}

static int check_output(struct record *record)
{
	const struct record_config *config = record->config;
	uint64_t bytes = tally_perfdata_writer_bytes(record->output.writer);

	if (config->max_size && record->output.bytes_total + bytes >= config->max_size) {
		if (!config->sampling.quiet)
			fprintf(stderr,
				"[ tally record: size limit reached (%llu KB), stopping ]\n",
				(unsigned long long)(record->output.bytes_total + bytes) / 1024);
		record->stop = true;
		return 0;
	}
	if (!record->stop && switch_is_due(record)) {
		record->dump = false;
		return record_output_switch(record);
	}
	return 0;
}

int record_run(struct record *record)
{
	struct loop loop = {0};
	bool is_look = false;
	int ret = loop_init(record, &loop);

	record->drained = record->progress.at = tally_clock_now();
	while (!ret && !record->stop) {
		ret = wait_for_data(record, &loop, &is_look);
		if (!ret)
			ret = is_look ? record_scan_rings(record) : record_drain(record, false);
		if (!ret)
			ret = check_schedule(record);
		check_duration(record);
		if (!ret)
			ret = check_output(record);
		record_progress_show(record);
	}
	record_progress_stop(record);
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* futex-contention: how often and how long threads wait for each lock. */
#include <errno.h>
#include <inttypes.h>

#include "base/intern.h"
#include "base/map.h"
#include "cli/script/trace_reports.h"

/* The operation of futex(2), without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME. */
enum { FUTEX_WAIT_ = 0, FUTEX_COMMAND = 127 };

struct futex_waiter {
	int32_t tid;
	uint32_t comm; /* last name, in names */
	uint64_t address, start;
	bool waits;
};

/* A thread's waits for a lock. */
struct futex_wait {
	size_t thread;
	uint64_t address, count, least, most;
	double average;
};

struct futex_contention {
	struct tally_intern names, keys; /* keys of `waits` */
	struct tally_map by_tid;
	TALLY_VEC(struct futex_waiter) threads;
	TALLY_VEC(struct futex_wait) waits;
	struct tally_str text; /* scratch space */
};

static int find_thread(struct trace_report *report, size_t *ret_at)
{
	struct futex_contention *state = report->state;
	int32_t tid = report->sample->sample.tid;
	uint64_t at = tally_map_get(&state->by_tid, (uint32_t)tid);
	int ret = 0;

	if (at == TALLY_MAP_NONE) {
		at = state->threads.len;
		ret = tally_vec_push(&state->threads, (struct futex_waiter){.tid = tid});
		if (!ret)
			ret = tally_map_set(&state->by_tid, (uint32_t)tid, at);
	}
	if (!ret)
		*ret_at = at;
	return ret;
}

static int enter_futex(struct trace_report *report)
{
	struct futex_contention *state = report->state;
	struct futex_waiter *thread;
	size_t at;
	int ret;

	if ((trace_report_field(report, "op") & FUTEX_COMMAND) != FUTEX_WAIT_)
		return 0;
	ret = find_thread(report, &at);
	if (ret)
		return ret;
	thread = &state->threads.data[at];
	thread->address = trace_report_field(report, "uaddr");
	thread->start = report->sample->sample.time;
	thread->waits = true;
	tally_str_clear(&state->text);
	trace_report_add_comm(report, &state->text);
	ret = tally_str_error(&state->text);
	return ret ? ret
		   : tally_intern(&state->names, tally_str_text(&state->text), state->text.len,
				  &thread->comm);
}

/* As in perf, each wait has half the weight of the average, not an equal share. */
static void add_wait(struct futex_wait *wait, uint64_t time)
{
	wait->average = wait->count ? (wait->average + (double)time) / 2 : (double)time;
	wait->least = !wait->count || time < wait->least ? time : wait->least;
	wait->most = time > wait->most ? time : wait->most;
	wait->count++;
}

static int exit_futex(struct trace_report *report)
{
	struct futex_contention *state = report->state;
	uint64_t now = report->sample->sample.time, key[2];
	struct futex_waiter *thread;
	uint32_t at;
	size_t of;
	int ret = find_thread(report, &of);

	if (ret || !state->threads.data[of].waits)
		return ret;
	thread = &state->threads.data[of];
	thread->waits = false;
	key[0] = of;
	key[1] = thread->address;
	ret = tally_intern(&state->keys, (const char *)key, sizeof(key), &at);
	if (!ret && at == state->waits.len)
		ret = tally_vec_push(&state->waits, (struct futex_wait){of, thread->address});
	if (!ret)
		add_wait(&state->waits.data[at], now > thread->start ? now - thread->start : 0);
	return ret;
}

static void print_futex(struct trace_report *report, struct tally_str *out)
{
	const struct futex_contention *state = report->state;

	tally_vec_for_each (wait, &state->waits) {
		const struct futex_waiter *thread = &state->threads.data[wait->thread];

		tally_str_addf(out,
			       "%s[%d] lock %" PRIx64 " contended %" PRIu64 " times, %.0f avg ns "
			       "[max: %" PRIu64 " ns, min %" PRIu64 " ns]\n",
			       tally_intern_text(&state->names, thread->comm), thread->tid,
			       wait->address, wait->count, __builtin_trunc(wait->average),
			       wait->most, wait->least);
	}
}

static void free_futex(void *arg)
{
	struct futex_contention *state = arg;

	tally_intern_free(&state->names);
	tally_intern_free(&state->keys);
	tally_map_free(&state->by_tid);
	tally_vec_free(&state->threads);
	tally_vec_free(&state->waits);
	tally_str_free(&state->text);
}

const struct trace_report_kind trace_futex_reports[] = {
	{.name = "futex-contention",
	 .about = "waits for locks (futexes) by thread and lock",
	 .usage = "",
	 .handlers = TRACE_HANDLERS({"syscalls:sys_enter_futex", enter_futex, "op uaddr"},
				    {"syscalls:sys_exit_futex", exit_futex, ""}),
	 .state_size = sizeof(struct futex_contention),
	 .print = print_futex,
	 .free = free_futex},
	{0},
};

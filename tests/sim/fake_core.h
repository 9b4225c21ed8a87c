/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A minimal core for testing the simulated machine. An event gets a counter on one CPU when it is
 * opened, no matter what is running there, and keeps that counter. The core can also misbehave on
 * demand.
 */
#ifndef TALLY_TESTS_FAKE_CORE_H
#define TALLY_TESTS_FAKE_CORE_H

#include "tally/core.h"

enum { FAKE_LOG = 4096 };

/* An entry in the log of hook calls. */
struct fake_call {
	enum fake_hook {
		FAKE_SWITCH,
		FAKE_TICK,
		FAKE_TIMER,
		FAKE_DEFERRED,
		FAKE_FORK,
		FAKE_EXIT,
		FAKE_EXEC,
		FAKE_COMM,
		FAKE_MAPPED,
		FAKE_SOFTWARE,
		FAKE_HIT,
		FAKE_OVERFLOW,
		FAKE_CLOSE,
		FAKE_OFFLINE,
	} hook;
	uint32_t cpu;
	uint64_t time;
	int32_t tid, other; /* prev and next, or current and child; 0 for idle or none */
	struct tally_core_sample_data sample_data;
	bool flag; /* preempt, process, privileged, exec or unmapped */
};

/* Contract violation to commit at the next tick. */
enum fake_violation {
	FAKE_GOOD,
	FAKE_ALLOC_IN_HOOK,
	FAKE_LOCK_IN_HOOK,
	FAKE_LEAVE_OFF,
	FAKE_CALL_UNLOCKED,
	FAKE_COPY_IN_HOOK,
	FAKE_NOTIFY,
	FAKE_DEFER,
	FAKE_TIMER_AT,
};

struct tally_core {
	struct tally_core_watch watch; /* same initial state as in the real core */
	const struct tally_host_ops *ops;
	void *host, *lock;
	struct tally_core_settings settings;
	struct tally_core_pmu *pmus[16];
	uint32_t nr_pmus;
	struct fake_call log[FAKE_LOG];
	uint32_t nr_calls;
	enum fake_violation sin;
	uint64_t timer_at; /* deadline for FAKE_TIMER_AT */
};

struct tally_core_event {
	struct tally_core_hw hw; /* must be first; drivers see only this part */
	struct tally_core *core;
	struct perf_event_attr attr;
	struct tally_core_pmu *pmu;
	void *cookie;
	uint32_t cpu;
	uint64_t count, overflows;
};

/* Return how often a hook was called. */
uint32_t fake_calls(const struct tally_core *core, enum fake_hook hook);

/* Return the nth call to a hook, or NULL if there were fewer calls. */
const struct fake_call *fake_call(const struct tally_core *core, enum fake_hook hook, uint32_t n);

#endif

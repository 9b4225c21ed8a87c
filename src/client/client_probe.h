/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out what an implementation of perf_event_open can do by trying it: independent of versions,
 * and without leaving anything open. Nothing here needs privileges.
 */
#ifndef TALLY_CLIENT_PROBE_H
#define TALLY_CLIENT_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/client.h"

/* ---- the system call ------------------------------------------------------- */

enum tally_probe_syscall {
	TALLY_SYSCALL_ACCEPTS,  /* the kernel answers, and accepts events */
	TALLY_SYSCALL_REJECTS,  /* the kernel answers, but rejects even the simplest event */
	TALLY_SYSCALL_FILTERED, /* a seccomp filter or a sandbox answers in its place */
	TALLY_SYSCALL_MISSING,  /* there is no such system call */
};

struct tally_probe_call {
	enum tally_probe_syscall door;
	int code;           /* error of the simplest event; FILTERED: error of the filter */
	uint32_t attr_size; /* bytes of perf_event_attr that the kernel knows; 0: unknown */
	bool is_believable; /* reserved bits are rejected, so tally_probe_feature() is reliable */
};

/* Probe the system call. A kernel rejects impossible flags with EINVAL before it checks anything
 * else; a filter does not know them. With `has_sysctl` (perf_event_paranoid exists) ENOSYS can only
 * come from a filter. Works for implementations other than Linux, too. */
struct tally_probe_call tally_probe_call(const struct tally_transport *transport, bool has_sysctl);

/* Return whether a seccomp filter kills callers of perf_event_open, or sends them SIGSYS, by
 * calling it in a child process. Without a filter this is false and costs one prctl(2). The child
 * sends no SIGCHLD. */
bool tally_probe_kills(const struct tally_transport *transport);

/* Open this event on the task and CPU, as in perf_event_open(2), and close it again. Returns 0 or
 * the -errno of the open. `attr` may be written to, as by the system call. */
int tally_probe_event(const struct tally_transport *transport, struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu);

/* ---- features of the kernel -------------------------------------------------- */

enum tally_probe_answer { TALLY_PROBE_UNKNOWN, TALLY_PROBE_NO, TALLY_PROBE_YES };

/* A row of the feature table: what to request, and the first Linux version that knew it (for
 * display). */
struct tally_probe_feature {
	const char *id, *title, *since;
	struct {
		const char *field; /* name in tally_attr_fields; NULL ends the list */
		uint64_t value;
	} set[3];
	bool opens; /* can only be probed by opening an event for real */
};

extern const struct tally_probe_feature tally_probe_features[];
extern const size_t tally_probe_nr_features;

/* Probe a feature. Returns TALLY_PROBE_UNKNOWN if `call` shows that the answer would not be
 * reliable, if the feature needs an open event and events are denied, or on an unrelated error. */
enum tally_probe_answer tally_probe_feature(const struct tally_transport *transport,
					    const struct tally_probe_call *call,
					    const struct tally_probe_feature *feature);

/* ---- hardware counters -------------------------------------------------------- */

enum tally_pmu_state {
	TALLY_PMU_UNKNOWN,     /* not permitted, or out of descriptors: see `code` */
	TALLY_PMU_ABSENT,      /* no hardware event opens */
	TALLY_PMU_STUCK,       /* events open and run, but stay at zero */
	TALLY_PMU_TAKEN,       /* events open, but never get a counter */
	TALLY_PMU_COUNTS_ONLY, /* events count, but cannot sample */
	TALLY_PMU_SAMPLES,     /* events count and sample */
};

/* Return the name of a state: "absent", "stuck", ... */
const char *tally_pmu_state_name(enum tally_pmu_state state);

struct tally_pmu_probe {
	enum tally_pmu_state state;
	int code;            /* -errno of the decisive open; 0: none */
	const char *event;   /* the event that was tried, such as "cycles"; NULL: none */
	unsigned slots;      /* events that fit on an idle PMU at the same time; 0: unknown */
	unsigned slots_free; /* events that just ran at the same time; of those tried if `slots` is
	                      * 0 */
	bool shares;         /* the event had its counter only part of the time */
	bool no_interrupt;   /* COUNTS_ONLY: it opens for sampling, but no sample arrives */
	bool unproved;       /* SAMPLES: it opens for sampling, but no ring was available to see a
	                      * sample */
	int precise;         /* highest precise_ip that is delivered; 0: none */
};

/* Callback that keeps the CPU busy in user space for about `ns` of this thread's CPU time. */
struct tally_probe_work {
	void (*run)(void *arg, uint64_t ns);
	void *arg;
};

/* Return a busy loop. The result is constant. */
const struct tally_probe_work *tally_probe_work_spin(void);

/* Probe the counters of the CPU that this thread runs on, with user-space events opened for it.
 * Takes a few runs of 12 ms each, or no time without counters. Each event is closed after its run.
 */
struct tally_pmu_probe tally_probe_pmu(const struct tally_transport *transport,
				       const struct tally_probe_work *work);

/* ---- events that never fire --------------------------------------------------- */

/* Test whether events of the kind of `attr` are counted when they occur: this thread causes some on
 * purpose, within a few milliseconds, and checks whether its own counter saw them. NO: the event
 * opens and runs but stays at zero, as breakpoints do under some hypervisors. UNKNOWN: it does not
 * open on this thread, gets no counter, or cannot be caused. */
enum tally_probe_answer tally_probe_fires(const struct tally_transport *transport,
					  const struct perf_event_attr *attr,
					  const struct tally_probe_work *work);

/* Return a name for events of that kind: "hardware breakpoints". */
const char *tally_probe_fires_name(const struct perf_event_attr *attr);

#endif

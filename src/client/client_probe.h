/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probe perf_event_open implementations. Features are detected by trying them, regardless of the
 * kernel version, and everything that was opened is closed again. No privileges are needed.
 */
#ifndef TALLY_CLIENT_PROBE_H
#define TALLY_CLIENT_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/client.h"

/* ---- the system call ------------------------------------------------------- */

enum tally_probe_syscall {
	TALLY_SYSCALL_ACCEPTS,  /* the kernel has the call and accepts events */
	TALLY_SYSCALL_REJECTS,  /* the kernel has the call but rejects the simplest event */
	TALLY_SYSCALL_FILTERED, /* a seccomp filter or a sandbox returns an error instead */
	TALLY_SYSCALL_MISSING,  /* the system call does not exist */
};

struct tally_probe_call {
	enum tally_probe_syscall door;
	int code;           /* error from the simplest event, or from the filter if FILTERED */
	uint32_t attr_size; /* size of perf_event_attr known to the kernel; 0 if unknown */
	bool is_believable; /* reserved bits are rejected, so tally_probe_feature() works */
};

/* Probe the system call. A kernel rejects invalid flags with EINVAL before checking anything else,
 * but a filter does not know the flags. With `has_sysctl` (perf_event_paranoid exists), ENOSYS can
 * only come from a filter. Also works for implementations other than the Linux kernel's. */
struct tally_probe_call tally_probe_call(const struct tally_transport *transport, bool has_sysctl);

/* Return true if a seccomp filter kills callers of perf_event_open or sends them SIGSYS. The call
 * is made in a child process, which does not cause a SIGCHLD. Without a filter, this only costs one
 * prctl(2). */
bool tally_probe_kills(const struct tally_transport *transport);

/* Open this event on the task and CPU, as in perf_event_open(2), and close it again. Returns 0 or
 * the -errno from opening. As with the system call, `attr` may be modified. */
int tally_probe_event(const struct tally_transport *transport, struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu);

/* ---- features of the kernel -------------------------------------------------- */

enum tally_probe_answer { TALLY_PROBE_UNKNOWN, TALLY_PROBE_NO, TALLY_PROBE_YES };

/* A row in the feature table: the fields to request, and the first Linux version that supports the
 * feature (for display). */
struct tally_probe_feature {
	const char *id, *title, *since;
	struct {
		const char *field; /* name in tally_attr_fields; NULL ends the list */
		uint64_t value;
	} set[3];
	bool opens; /* can only be probed by actually opening an event */
};

extern const struct tally_probe_feature tally_probe_features[];
extern const size_t tally_probe_nr_features;

/* Probe a feature. Returns TALLY_PROBE_UNKNOWN if `call` shows that the result would not be
 * reliable, if the feature requires an open event but events are denied, or on an unrelated
 * error. */
enum tally_probe_answer tally_probe_feature(const struct tally_transport *transport,
					    const struct tally_probe_call *call,
					    const struct tally_probe_feature *feature);

/* ---- hardware counters -------------------------------------------------------- */

enum tally_pmu_state {
	TALLY_PMU_UNKNOWN,     /* not permitted, or out of descriptors; see `code` */
	TALLY_PMU_ABSENT,      /* hardware events cannot be opened */
	TALLY_PMU_STUCK,       /* events can be opened and run, but the counts stay at zero */
	TALLY_PMU_TAKEN,       /* events can be opened, but never get a counter */
	TALLY_PMU_COUNTS_ONLY, /* events count, but cannot sample */
	TALLY_PMU_SAMPLES,     /* events count and sample */
};

/* Return the name of a state, such as "absent" or "stuck". */
const char *tally_pmu_state_name(enum tally_pmu_state state);

struct tally_pmu_probe {
	enum tally_pmu_state state;
	int code;          /* -errno from the open that decided the state, or 0 */
	const char *event; /* event tried, such as "cycles"; or NULL */
	unsigned slots;    /* number of events that fit on an idle PMU; 0 if unknown */
	/* Largest number of events that ran simultaneously during the probe. If `slots` is 0, more
	 * events than the probe tried may fit. */
	unsigned slots_free;
	bool shares;       /* the event had a counter for only part of the time */
	bool no_interrupt; /* COUNTS_ONLY: sampling events can be opened, but no sample arrives */
	/* SAMPLES: sampling events can be opened, but no ring was available to receive a sample. */
	bool unproved;
	int precise; /* highest precise_ip that is delivered, or 0 */
};

/* Callback that keeps the CPU busy in user space for about `ns` nanoseconds of the calling thread's
 * CPU time. */
struct tally_probe_work {
	void (*run)(void *arg, uint64_t ns);
	void *arg;
};

/* Return a callback that spins in a loop. The result is constant. */
const struct tally_probe_work *tally_probe_work_spin(void);

/* Probe the counters on the current CPU, with user-space events on the calling thread. This
 * takes a few runs of 12 ms each, or no time if there are no counters. Each event is closed
 * after its run. */
struct tally_pmu_probe tally_probe_pmu(const struct tally_transport *transport,
				       const struct tally_probe_work *work);

/* ---- events that never fire --------------------------------------------------- */

/* Test whether events of the same kind as `attr` are counted when they occur. The calling thread
 * causes some events on purpose, within a few milliseconds, and checks its own counter. NO means
 * that the event can be opened and runs but stays at zero, as do breakpoints under some
 * hypervisors. UNKNOWN means that the event cannot be opened on this thread, gets no counter, or
 * cannot be caused. */
enum tally_probe_answer tally_probe_fires(const struct tally_transport *transport,
					  const struct perf_event_attr *attr,
					  const struct tally_probe_work *work);

/* Return a name for events of the same kind as `attr`, such as "hardware breakpoints". */
const char *tally_probe_fires_name(const struct perf_event_attr *attr);

#endif

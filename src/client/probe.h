/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an implementation of perf_event_open can do, found out by asking it: by no version, and
 * without leaving anything open. Nothing here needs a privilege.
 */
#ifndef TALLY_CLIENT_PROBE_H
#define TALLY_CLIENT_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/client.h"

/* ---- who answers ----------------------------------------------------------- */

enum tally_probe_door {
	TALLY_DOOR_OPEN,      /* the kernel itself answers, and takes events */
	TALLY_DOOR_REFUSES,   /* the kernel itself answers: not even the plainest event */
	TALLY_DOOR_FILTERED,  /* somebody in front of it answers: a seccomp filter, a sandbox */
	TALLY_DOOR_NO_KERNEL, /* there is no such system call */
};

struct tally_probe_call {
	enum tally_probe_door door;
	int code;           /* of the plainest event; FILTERED: what the filter answers */
	uint32_t attr_size; /* bytes of perf_event_attr that the kernel knows; 0: not found out */
	bool is_believable; /* reserved bits are told from others: tally_probe_feature() can be
			       believed */
};

/* A kernel refuses impossible flags with EINVAL before it looks at anything else, a filter does not
 * know them. With `has_sysctl` (perf_event_paranoid exists) ENOSYS can only come from a filter.
 * Also where another implementation than Linux answers. */
struct tally_probe_call tally_probe_call(const struct tally_transport *transport, bool has_sysctl);

/* Whether a seccomp filter kills who calls perf_event_open, or a handler of SIGSYS would be called:
 * a child asks first. False where no filter is set, which costs one prctl(2). No SIGCHLD is sent.
 */
bool tally_probe_kills(const struct tally_transport *transport);

/* Open this event on the task and CPU, as perf_event_open(2) takes them, and close it again: 0 or
 * the -errno that it is refused with. `attr` may be written to, as by the system call. */
int tally_probe_event(const struct tally_transport *transport, struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu);

/* ---- features of the kernel -------------------------------------------------- */

enum tally_probe_answer { TALLY_PROBE_UNKNOWN, TALLY_PROBE_NO, TALLY_PROBE_YES };

/* A row of the table: what is asked for, and which Linux first knew it (for people). */
struct tally_probe_feature {
	const char *id, *title, *since;
	struct {
		const char *field; /* of tally_attr_fields; NULL ends */
		uint64_t value;
	} set[3];
	bool opens; /* told only by an event that is really opened */
};

extern const struct tally_probe_feature tally_probe_features[];
extern const size_t tally_probe_nr_features;

/* UNKNOWN unless `call` tells, or where a permission is in the way. */
enum tally_probe_answer tally_probe_feature(const struct tally_transport *transport,
					    const struct tally_probe_call *call,
					    const struct tally_probe_feature *feature);

/* ---- hardware counters -------------------------------------------------------- */

enum tally_pmu_state {
	TALLY_PMU_UNKNOWN,     /* nobody may look, or descriptors ran out: `code` */
	TALLY_PMU_ABSENT,      /* no hardware event opens */
	TALLY_PMU_STUCK,       /* they open, run and stay at zero */
	TALLY_PMU_TAKEN,       /* they open, and never get a counter */
	TALLY_PMU_COUNTS_ONLY, /* they count, and cannot sample */
	TALLY_PMU_SAMPLES,     /* they count and sample */
};

/* "absent", "stuck", ... */
const char *tally_pmu_state_name(enum tally_pmu_state state);

struct tally_pmu_probe {
	enum tally_pmu_state state;
	int code;            /* of the open that decided; 0 */
	const char *event;   /* "cycles": which was tried; NULL */
	unsigned slots;      /* events that fit at once, were nobody else there; 0: not found out */
	unsigned slots_free; /* that ran at once just now; of unknown `slots`, as far as tried */
	bool shares;         /* it got its counter only part of the time */
	bool no_interrupt;   /* COUNTS_ONLY: it opens for sampling, and no sample comes */
	bool unproved;       /* SAMPLES: it opens for sampling; no ring was to be had to see one */
	int precise;         /* highest precise_ip that is delivered; 0: none */
};

/* How this thread keeps a CPU busy, in user space, for about `ns` of its time. */
struct tally_probe_work {
	void (*run)(void *arg, uint64_t ns);
	void *arg;
};

/* Spins. Constant. */
const struct tally_probe_work *tally_probe_work_spin(void);

/* Look at the counters of the CPU that this thread is on, by events of its own in user space: a
 * few runs of 12 ms where there are counters, none where not. Each event is closed after its look.
 */
struct tally_pmu_probe tally_probe_pmu(const struct tally_transport *transport,
				       const struct tally_probe_work *work);

/* ---- events that never happen ------------------------------------------------- */

/* Whether events of the kind of `attr` are counted where they happen: this thread causes some on
 * purpose, in some milliseconds, and looks whether its own counter saw them. NO: it opens, runs and
 * stays at zero, as breakpoints do under some hypervisors. UNKNOWN: it does not open on this thread
 * or gets no counter, or nobody knows what causes it. */
enum tally_probe_answer tally_probe_fires(const struct tally_transport *transport,
					  const struct perf_event_attr *attr,
					  const struct tally_probe_work *work);

/* What events of that kind are called: "hardware breakpoints". */
const char *tally_probe_fires_name(const struct perf_event_attr *attr);

#endif

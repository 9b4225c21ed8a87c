/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test harness: the core on a simulated machine, and an observer task that opens events on the
 * test's tasks. The observer has all capabilities and a CPU of its own, the last one. Helpers fail
 * the test on errors.
 */
#ifndef TALLY_TESTS_CORE_HARNESS_H
#define TALLY_TESTS_CORE_HARNESS_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/abi_sample.h"
#include "hosts/sim/sim_files.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_script.h"
#include "hosts/sim/sim_task.h"
#include "hosts/sim/sim_text.h"
#include "hosts/sim/truth.h"
#include "sim_transport.h"

enum { US = 1000, MS = 1000000, SECOND = 1000000000 };

#define ALL_CAPS (~0ull)

struct harness {
	struct tally_sim *sim;
	struct tally_sim_task *observer;
	uint32_t observer_cpu;
	struct sim_transport transport; /* makes the observer's calls */
};

/* A PMU with four 48-bit generic counters. */
extern const struct tally_sim_pmu harness_pmu;

/* Signal rates. "Busy" means three cycles per nanosecond. The rates of all signals other than
 * cycles are chosen not to divide evenly. */
extern const struct tally_sim_rates harness_busy, harness_calm;

/* Start a machine with `nr_cpus` CPUs in addition to the observer's. If `config` is NULL, the
 * machine has harness_pmu, perf_event_paranoid 2 and contiguous pages. nr_cpus in `config` is
 * ignored. */
void harness_begin(struct harness *harness, uint32_t nr_cpus,
		   const struct tally_sim_config *config);

/* Destroy everything. Fails the test if the host contract was violated or something leaked. */
void harness_end(struct harness *harness);

/* Start a task with UID 1000 and no capabilities. */
struct tally_sim_task *harness_spawn(struct harness *harness, const struct tally_sim_step *script,
				     uint32_t cpu);

/* Return an attr for the CPU's PMU or for a software event. No mode is excluded, and reads include
 * all times. */
struct perf_event_attr attr_hw(unsigned signal);
struct perf_event_attr attr_sw(uint32_t id);

/* Open an event as the observer or as a task. A failure fails the test. If `task` is NULL, the
 * event counts all tasks on `cpu`. */
int harness_open(struct harness *harness, struct perf_event_attr attr,
		 const struct tally_sim_task *task, int32_t cpu, int group_fd);

/* Open an event that may be rejected. Returns the descriptor or -errno. */
int harness_try(struct harness *harness, struct tally_sim_task *by, struct perf_event_attr attr,
		int32_t pid, int32_t cpu, int group_fd);

void harness_close(struct harness *harness, int fd);
void harness_ioctl(struct harness *harness, int fd, unsigned long request, uintptr_t arg);
void harness_enable(struct harness *harness, int fd);
void harness_disable(struct harness *harness, int fd);

/* Counts read from an event without PERF_FORMAT_GROUP. At end of file, `eof` is set and the other
 * fields are 0. */
struct reading {
	uint64_t value, enabled, running, id, lost;
	bool eof;
};
struct reading harness_read(struct harness *harness, int fd);
uint64_t harness_value(struct harness *harness, int fd);

/* Read the counts of a group and return the number of values. `ret_values` has space for 16. */
uint64_t harness_read_group(struct harness *harness, int fd, struct reading *ret_values);

uint64_t harness_id(struct harness *harness, int fd);

/* Return the true count for a task (NULL for all tasks) in the given modes (0 for all modes). */
uint64_t truth(struct harness *harness, const struct tally_sim_task *task, uint32_t modes,
	       unsigned signal);
uint64_t truth_cpu(struct harness *harness, uint32_t cpu, unsigned signal);
uint64_t truth_tree(struct harness *harness, const struct tally_sim_task *task, unsigned signal);

/* Assert that |a - b| <= limit. */
#define assert_near(a, b, limit) \
	assert_in_range((uint64_t)(a) + (limit) - (uint64_t)(b), 0, 2 * (uint64_t)(limit))

/* ---- records -------------------------------------------------------------------- */

/* Map an event's ring buffer for the client library's reader. */
struct tally_ring *harness_map(struct harness *harness, int fd, size_t pages);

/* A record and its decoded contents. The pointers are valid until the next call. */
struct record {
	const struct perf_event_header *header;
	struct tally_sample sample; /* from PERF_RECORD_SAMPLE, or from the sample_id trailer */
};

/* Consume the next record of a ring that belongs to an event with `attr`. Returns false if the ring
 * is empty. */
bool harness_record(struct tally_ring *ring, const struct perf_event_attr *attr,
		    struct record *ret_record);

/* Totals for a drained ring that only one event uses. */
struct ring_totals {
	uint64_t samples, periods; /* periods: sum of sample periods, with PERF_SAMPLE_PERIOD */
	uint64_t lost_records, lost;
	uint64_t throttles, unthrottles;
	uint64_t others;
	uint64_t last_time; /* records must be in time order if PERF_SAMPLE_TIME is set */
};
void harness_drain(struct tally_ring *ring, const struct perf_event_attr *attr,
		   struct ring_totals *tale);

#endif

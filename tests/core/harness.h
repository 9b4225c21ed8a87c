/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A harness: the core on a simulated machine, and an observer (every capability, its own CPU, the
 * last one) who opens events on the tasks of the test. What helpers find wrong fails the test.
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

#include "abi/sample.h"
#include "hosts/sim/files.h"
#include "hosts/sim/loop.h"
#include "hosts/sim/script.h"
#include "hosts/sim/task.h"
#include "hosts/sim/text.h"
#include "hosts/sim/truth.h"
#include "sim_transport.h"

enum { US = 1000, MS = 1000000, SECOND = 1000000000 };

#define ALL_CAPS (~0ull)

struct harness {
	struct tally_sim *sim;
	struct tally_sim_task *observer;
	uint32_t observer_cpu;
	struct sim_transport transport; /* of the observer's calls */
};

/* 4 generic counters of 48 bits. */
extern const struct tally_sim_pmu harness_pmu;

/* Three cycles a nanosecond, and other signals at rates that go into nothing. */
extern const struct tally_sim_rates harness_busy, harness_calm;

/* `nr_cpus` CPUs beside the observer's, and scene_pmu unless `pmus` has others. Paranoid 2, pages
 * in one piece. `config` NULL: nothing special; of it nr_cpus is ignored. */
void harness_begin(struct harness *harness, uint32_t nr_cpus,
		   const struct tally_sim_config *config);

/* Ends it all; nothing may have gone wrong or be left. */
void harness_end(struct harness *harness);

/* A task of user 1000 without rights. */
struct tally_sim_task *harness_spawn(struct harness *harness, const struct tally_sim_step *script,
				     uint32_t cpu);

/* Every nanosecond of it counted: an attr of the CPU's PMU, of software, that wants all times. */
struct perf_event_attr attr_hw(unsigned signal);
struct perf_event_attr attr_sw(uint32_t id);

/* Open as the observer, or as a task; must work. `task` NULL: of all tasks on `cpu`. */
int harness_open(struct harness *harness, struct perf_event_attr attr,
		 const struct tally_sim_task *task, int32_t cpu, int group_fd);

/* What opening gives, where it may fail. */
int harness_try(struct harness *harness, struct tally_sim_task *by, struct perf_event_attr attr,
		int32_t pid, int32_t cpu, int group_fd);

void harness_close(struct harness *harness, int fd);
void harness_ioctl(struct harness *harness, int fd, unsigned long request, uintptr_t arg);
void harness_enable(struct harness *harness, int fd);
void harness_disable(struct harness *harness, int fd);

/* The counts of an event without PERF_FORMAT_GROUP. At end of file `eof` is set, the rest 0. */
struct reading {
	uint64_t value, enabled, running, id, lost;
	bool eof;
};
struct reading harness_read(struct harness *harness, int fd);
uint64_t harness_value(struct harness *harness, int fd);

/* The counts of a group: how many values. `ret_values` has room for 16. */
uint64_t harness_read_group(struct harness *harness, int fd, struct reading *ret_values);

uint64_t harness_id(struct harness *harness, int fd);

/* Truth of one task (NULL: of everybody) in some modes (0: all). */
uint64_t truth(struct harness *harness, const struct tally_sim_task *task, uint32_t modes,
	       unsigned signal);
uint64_t truth_cpu(struct harness *harness, uint32_t cpu, unsigned signal);
uint64_t truth_tree(struct harness *harness, const struct tally_sim_task *task, unsigned signal);

/* |a - b| <= limit. */
#define assert_near(a, b, limit) \
	assert_in_range((uint64_t)(a) + (limit) - (uint64_t)(b), 0, 2 * (uint64_t)(limit))

/* ---- records -------------------------------------------------------------------- */

/* The ring of an event, mapped and read by the client's reader. */
struct tally_ring *harness_map(struct harness *harness, int fd, size_t pages);

/* One record and what is in it. Pointers are good until the next call. */
struct record {
	const struct perf_event_header *header;
	struct tally_sample sample; /* of a SAMPLE, or a trailer */
};

/* The next record of the ring, made by an event of `attr`; false when there is none. Consumes. */
bool harness_record(struct tally_ring *ring, const struct perf_event_attr *attr,
		    struct record *ret_record);

/* Drain a ring of one event: what it said in all. */
struct tale {
	uint64_t samples, periods; /* and the sum of their periods, with PERF_SAMPLE_PERIOD */
	uint64_t lost_records, lost;
	uint64_t throttles, unthrottles;
	uint64_t others;
	uint64_t last_time; /* they must come in order of time, with PERF_SAMPLE_TIME */
};
void harness_drain(struct tally_ring *ring, const struct perf_event_attr *attr, struct tale *tale);

#endif

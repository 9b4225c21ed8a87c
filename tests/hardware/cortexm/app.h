/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers for the test threads: output, loops of known length, rings. */
#ifndef CORTEXM_APP_H
#define CORTEXM_APP_H

#include "ports/cortexm/cortexm_calls.h"
#include "ports/cortexm/cortexm_kernel.h"

enum { RING_LEN = 32768, MILLISECOND = 1000000 };

/* Execute this number of instructions in a loop. The number must be a multiple of two. */
static inline __attribute__((always_inline)) void spin(uint32_t instructions)
{
	uint32_t turns = instructions / 2;

	__asm__ volatile("1: subs %0, #1\n\tbne 1b" : "+l"(turns) : : "cc");
}

/* A test thread that runs for some time, or until it is stopped. */
struct load {
	uint64_t ns;
	bool stop;
	struct thread *thread;
};
void load_start(struct load *load, const char *name, uint32_t slice);

/* Functions in which the load threads spend their time, so that they appear in reports. */
void heavy_work(void);
void light_work(void);

int event_simple(uint32_t type, uint64_t config, int32_t tid, int32_t cpu);
struct reading {
	uint64_t value, enabled, running;
};
struct reading event_read(int fd);
int event_enable(int fd);
int event_disable(int fd);

/* Count the samples in a ring that has never wrapped: `of_tid` counts the samples of one thread,
 * and `in_kernel` counts the samples taken in handlers. Samples must begin with the fields of
 * SAMPLE_TYPE. */
enum { SAMPLE_TYPE = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
struct samples {
	uint64_t all, of_tid, in_kernel, other_records;
};
struct samples samples_count(const struct perf_mapping *map, uint32_t tid);
uint64_t ring_head(const struct perf_mapping *map);
void ring_consume(const struct perf_mapping *map, uint64_t to);

void say(const char *name, uint64_t value);   /* print a line: the name, a space, the number */
void say_is(const char *name, int64_t value); /* likewise for a number that may be an error */

void test_kernel(void);
void test_count(void);
void test_sample(void);
void test_counter(void);
void test_control(void);
void test_stress(void);
void test_stream(void);
void test_cost(void);
void test_inside(void);
void test_long(void);
void test_depth(void);

#endif

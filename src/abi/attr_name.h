/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event names derived from the attr alone, as perf shows them for events without a recorded name.
 * This is the only list of generic event names; all code that parses, lists or shows them uses it.
 * Freestanding.
 */
#ifndef TALLY_ABI_ATTR_NAME_H
#define TALLY_ABI_ATTR_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"

/* The generic events in the order of their constants: X(constant, shown name, alias or NULL,
 * description). */
#define TALLY_HARDWARE_EVENTS(X)                                                        \
	X(CPU_CYCLES, "cycles", "cpu-cycles", "cycles in which the CPU was not halted") \
	X(INSTRUCTIONS, "instructions", NULL, "instructions retired")                   \
	X(CACHE_REFERENCES, "cache-references", NULL, "last-level cache accesses")      \
	X(CACHE_MISSES, "cache-misses", NULL, "last-level cache misses")                \
	X(BRANCH_INSTRUCTIONS, "branches", "branch-instructions", "branches retired")   \
	X(BRANCH_MISSES, "branch-misses", NULL, "mispredicted branches")                \
	X(BUS_CYCLES, "bus-cycles", NULL, "bus cycles")                                 \
	X(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend",   \
	  "cycles in which no instruction could be issued")                             \
	X(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend",      \
	  "cycles in which no instruction could retire")                                \
	X(REF_CPU_CYCLES, "ref-cycles", NULL, "cycles at a constant rate while not halted")
#define TALLY_SOFTWARE_EVENTS(X)                                                                   \
	X(CPU_CLOCK, "cpu-clock", NULL, "CPU time in ns")                                          \
	X(TASK_CLOCK, "task-clock", NULL, "task run time in ns")                                   \
	X(PAGE_FAULTS, "page-faults", "faults", "page faults")                                     \
	X(CONTEXT_SWITCHES, "context-switches", "cs", "context switches")                          \
	X(CPU_MIGRATIONS, "cpu-migrations", "migrations", "task migrations to other CPUs")         \
	X(PAGE_FAULTS_MIN, "minor-faults", NULL, "page faults without I/O")                        \
	X(PAGE_FAULTS_MAJ, "major-faults", NULL, "page faults that required I/O")                  \
	X(ALIGNMENT_FAULTS, "alignment-faults", NULL, "unaligned accesses fixed up by the kernel") \
	X(EMULATION_FAULTS, "emulation-faults", NULL, "instructions emulated by the kernel")       \
	X(DUMMY, "dummy", NULL, "counts nothing; used for sideband records")                       \
	X(BPF_OUTPUT, "bpf-output", NULL, "samples written by BPF programs")                       \
	X(CGROUP_SWITCHES, "cgroup-switches", NULL, "context switches between cgroups")

/* ---- caches: config = cache | op << 8 | result << 16 ------------------------------------ */

/* Operations that a cache supports. */
enum { TALLY_CACHE_READ = 1 << 0, TALLY_CACHE_WRITE = 1 << 1, TALLY_CACHE_PREFETCH = 1 << 2 };

struct tally_cache {
	const char *name;
	uint8_t ops;
};
extern const struct tally_cache tally_caches[PERF_COUNT_HW_CACHE_MAX];

/* Return true if `config` has a valid cache, result and operation, and the cache supports the
 * operation. */
bool tally_cache_valid(uint64_t config);

/* ---- attrs ------------------------------------------------------------------------------ */

enum { TALLY_ATTR_NAME_MAX = 64 }; /* in bytes, including the NUL */

/* Write the name of an event, such as "cycles:u", "L1-dcache-load-misses", "raw 0x1a8",
 * "mem:0x1234:rw" or "unknown tracepoint". The result is never empty. */
void tally_attr_name(const struct perf_event_attr *attr, char out[TALLY_ATTR_NAME_MAX]);

/* Write the name of a cache event, without modifiers. Return false and write nothing if `config` is
 * not valid. */
bool tally_cache_name(uint64_t config, char out[TALLY_ATTR_NAME_MAX]);

#endif

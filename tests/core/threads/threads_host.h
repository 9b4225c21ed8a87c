/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host whose CPUs are threads, to be run under TSan: real concurrency, with signals as
 * interrupts. SIGUSR1 is an IPI, which stays pending while interrupts are off. SIGUSR2 is an
 * overflow interrupt, which only a driver that is writing its registers can block.
 */
#ifndef TALLY_TESTS_CORE_THREADS_MACHINE_H
#define TALLY_TESTS_CORE_THREADS_MACHINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "tally/core.h"

enum {
	HOST_CPUS = 4,
	HOST_TASKS = 12,
	HOST_COUNTERS = 3,
	HOST_SHARED = 2,
	HOST_FILES = 64,
	HOST_BORROWED = 4
};

struct counter {
	struct tally_core_hw *owner;
	uint64_t value;
	bool running;
};

struct host_cpu {
	struct host *host;
	uint32_t number;
	pthread_t thread;
	struct counter counters[HOST_COUNTERS + HOST_SHARED]; /* the last HOST_SHARED are shared by
	                                                       * two CPUs */
	struct host_task *task;
	bool online;
	size_t borrowed[HOST_BORROWED]; /* files that the current system call uses */
	uint32_t nr_borrowed;
	uint64_t random;
	uint64_t overflows, switches, calls, opened, shared, reads;
};

struct host_task {
	struct tally_core_task perf;
	struct tally_core_account user, space;
	bool taken; /* runs on a CPU; protected by sched */
	int32_t cpu;
	bool alive;    /* can be found; protected by table */
	uint32_t refs; /* protected by table */
};

/* A descriptor. The event is closed when the last user is gone, as in a kernel. */
struct host_file {
	struct tally_core_event *event; /* protected by table; NULL during open */
	uint32_t refs;                  /* protected by table; 0: free */
	bool closed;                    /* protected by table; cannot be found any more */
	pthread_mutex_t lock;           /* protects the mapping; held while draining it */
	struct tally_core_buffer *buffer;
};

struct host {
	struct tally_core *core;
	struct tally_core_pmu pmu, shared; /* counters per CPU; counters shared by two CPUs */
	uint32_t named[HOST_CPUS / 2];     /* CPU that counts for each pair; atomic */
	pthread_mutex_t call, sched, table;
	struct host_cpu cpus[HOST_CPUS];
	struct host_task tasks[HOST_TASKS];
	struct host_file files[HOST_FILES];
	uint64_t woken;
};

/* Return the CPU of this thread, or NULL if the thread is not a CPU. */
struct host_cpu *host_cpu(void);
uint64_t host_random(uint64_t below);

extern const struct tally_host_ops host_ops;

/* Make the calling thread this CPU. */
void host_boot(struct host_cpu *cpu);

/* Send an overflow interrupt to this CPU. */
void host_kick(struct host_cpu *cpu);

/* Yield to other threads and unblock the interrupts of this CPU. */
void host_yield(void);

/* Wait for a lock without blocking interrupts. */
void host_lock(pthread_mutex_t *lock);

/* Return the event of a descriptor, which stays valid until host_file_put(), or NULL. */
struct tally_core_event *host_file_get(struct host *host, size_t fd);
void host_file_put(struct host *host, size_t fd);

/* Release the files that event_of_fd() looked up for this CPU's system call. */
void host_files_return(struct host *host);

uintptr_t host_irq_save(void *host);
void host_irq_restore(void *host, uintptr_t flags);

/* A PMU with HOST_COUNTERS counters of 32 bits, which advance at each interrupt, and one with
 * HOST_SHARED counters that two CPUs share. */
void host_pmu_init(struct host *host);
void host_pmu_interrupt(struct host_cpu *cpu);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host whose CPUs are threads of the host, for TSan to look at: real concurrency, and
 * interrupts that are signals. SIGUSR1 is an IPI, which waits while interrupts are off; SIGUSR2
 * is an overflow interrupt that nothing masks but a driver that is just writing its registers.
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
	struct counter counters[HOST_COUNTERS + HOST_SHARED]; /* those of two CPUs behind */
	struct host_task *task;
	bool online;
	size_t borrowed[HOST_BORROWED]; /* files that the system call looked up */
	uint32_t nr_borrowed;
	uint64_t random;
	uint64_t overflows, switches, calls, opened, shared, reads;
};

struct host_task {
	struct tally_core_task perf;
	struct tally_core_account user, space;
	bool taken; /* by a CPU; sched */
	int32_t cpu;
	bool alive;    /* can be found; table */
	uint32_t refs; /* table */
};

/* A descriptor. It is closed when nobody uses it any more, as a kernel's is. */
struct host_file {
	struct tally_core_event *event; /* table; NULL while it is being opened */
	uint32_t refs;                  /* table; 0: free */
	bool closed;                    /* table; nobody finds it any more */
	pthread_mutex_t lock;           /* of its mapping, which who drains it holds */
	struct tally_core_buffer *buffer;
};

struct host {
	struct tally_core *core;
	struct tally_core_pmu pmu, shared; /* of each CPU; of two each */
	uint32_t named[HOST_CPUS / 2];     /* who counts for these; atomic */
	pthread_mutex_t call, sched, table;
	struct host_cpu cpus[HOST_CPUS];
	struct host_task tasks[HOST_TASKS];
	struct host_file files[HOST_FILES];
	uint64_t woken;
};

/* The CPU that runs here, NULL outside. */
struct host_cpu *host_cpu(void);
uint64_t host_random(uint64_t below);

extern const struct tally_host_ops host_ops;

/* The calling thread becomes this CPU. */
void host_boot(struct host_cpu *cpu);

/* An overflow interrupt for this CPU, wherever it is. */
void host_kick(struct host_cpu *cpu);

/* Let others run, interrupts of this CPU included. */
void host_yield(void);

/* Wait for a lock without keeping interrupts out. */
void host_lock(pthread_mutex_t *lock);

/* The event of a descriptor, which stays until host_file_put(); NULL when there is none. */
struct tally_core_event *host_file_get(struct host *host, size_t fd);
void host_file_put(struct host *host, size_t fd);

/* Give back what event_of_fd() found for this CPU's system call. */
void host_files_return(struct host *host);

uintptr_t host_irq_save(void *host);
void host_irq_restore(void *host, uintptr_t flags);

/* HOST_COUNTERS of 32 bits, which move at each interrupt, and HOST_SHARED that two CPUs share. */
void host_pmu_init(struct host *host);
void host_pmu_interrupt(struct host_cpu *cpu);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that runs each CPU as a thread, for tests under TSan: the concurrency is real, and signals
 * serve as interrupts. SIGUSR1 is an IPI, which stays pending while interrupts are off. SIGUSR2 is
 * an overflow interrupt, which only a driver that is writing its registers can block.
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
	size_t borrowed[HOST_BORROWED]; /* files in use by the current system call */
	uint32_t nr_borrowed;
	uint64_t random;
	uint64_t overflows, switches, calls, opened, shared, reads;
};

struct host_task {
	struct tally_core_task perf;
	struct tally_core_account user, space;
	bool taken; /* runs on a CPU; protected by the sched lock */
	int32_t cpu;
	bool alive;    /* lookups can find the task; protected by the table lock */
	uint32_t refs; /* protected by the table lock */
};

/* A descriptor. As in a kernel, the event is closed when the last reference to the descriptor is
 * dropped. */
struct host_file {
	struct tally_core_event *event; /* protected by the table lock; NULL during open */
	uint32_t refs;                  /* protected by the table lock; 0 if the slot is free */
	bool closed;                    /* lookups skip the file; protected by the table lock */
	pthread_mutex_t lock;           /* protects the mapping; held while draining the ring */
	struct tally_core_buffer *buffer;
};

struct host {
	struct tally_core *core;
	struct tally_core_pmu pmu, shared; /* per-CPU counters; counters shared by two CPUs */
	uint32_t named[HOST_CPUS / 2];     /* designated CPU of each pair; atomic */
	pthread_mutex_t call, sched, table;
	struct host_cpu cpus[HOST_CPUS];
	struct host_task tasks[HOST_TASKS];
	struct host_file files[HOST_FILES];
	uint64_t woken;
};

/* Return this thread's CPU, or NULL if the thread is not a CPU. */
struct host_cpu *host_cpu(void);
uint64_t host_random(uint64_t below);

extern const struct tally_host_ops host_ops;

/* Make the calling thread act as this CPU. */
void host_boot(struct host_cpu *cpu);

/* Send an overflow interrupt to this CPU. */
void host_kick(struct host_cpu *cpu);

/* Yield to other threads and unblock this CPU's interrupts. */
void host_yield(void);

/* Wait for a lock without blocking interrupts. */
void host_lock(pthread_mutex_t *lock);

/* Return a descriptor's event, or NULL. The event stays valid until host_file_put(). */
struct tally_core_event *host_file_get(struct host *host, size_t fd);
void host_file_put(struct host *host, size_t fd);

/* Release the files that event_of_fd() looked up for this CPU's system call. */
void host_files_return(struct host *host);

uintptr_t host_irq_save(void *host);
void host_irq_restore(void *host, uintptr_t flags);

/* Set up two PMUs: one with HOST_COUNTERS 32-bit counters, which advance at each interrupt, and one
 * with HOST_SHARED counters that two CPUs share. */
void host_pmu_init(struct host *host);
void host_pmu_interrupt(struct host_cpu *cpu);

#endif

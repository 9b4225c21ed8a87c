/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine whose CPUs are threads of the host, for TSan to look at: real concurrency, and
 * interrupts that are signals. SIGUSR1 is an IPI, which waits while interrupts are off; SIGUSR2
 * is an overflow interrupt that nothing masks but a driver that is just writing its registers.
 */
#ifndef TALLY_TESTS_CORE_THREADS_MACHINE_H
#define TALLY_TESTS_CORE_THREADS_MACHINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "tally/core.h"

enum { MACHINE_CPUS = 4, MACHINE_TASKS = 12, MACHINE_COUNTERS = 3, MACHINE_FILES = 64 };

struct counter {
	struct tally_core_hw *owner;
	uint64_t value;
	bool running;
};

struct machine_cpu {
	struct machine *machine;
	uint32_t number;
	pthread_t thread;
	struct counter counters[MACHINE_COUNTERS];
	struct machine_task *task;
	uint64_t random;
	uint64_t overflows, switches, calls;
};

struct machine_task {
	struct tally_core_task perf;
	struct tally_core_account user, space;
	bool taken; /* by a CPU; sched */
	int32_t cpu;
};

struct machine {
	struct tally_core *core;
	struct tally_core_pmu pmu;
	pthread_mutex_t config, sched, files_lock;
	struct machine_cpu cpus[MACHINE_CPUS];
	struct machine_task tasks[MACHINE_TASKS];
	struct tally_core_event *files[MACHINE_FILES];
	uint64_t woken;
};

/* The CPU that runs here, NULL outside. */
struct machine_cpu *machine_cpu(void);
uint64_t machine_random(uint64_t below);

extern const struct tally_machine_ops machine_ops;

/* The calling thread becomes this CPU. */
void machine_boot(struct machine_cpu *cpu);

/* An overflow interrupt for this CPU, wherever it is. */
void machine_kick(struct machine_cpu *cpu);

/* Let others run, interrupts of this CPU included. */
void machine_yield(void);

/* Wait for a lock without keeping interrupts out. */
void machine_lock(pthread_mutex_t *lock);

uintptr_t machine_irq_save(void *machine);
void machine_irq_restore(void *machine, uintptr_t flags);

/* 3 counters of 32 bits, which move at each interrupt. */
void machine_pmu_init(struct machine *machine);
void machine_pmu_interrupt(struct machine_cpu *cpu);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact counts, the counters, and the driver for the counters. */
#ifndef TALLY_HOSTS_SIM_HARDWARE_H
#define TALLY_HOSTS_SIM_HARDWARE_H

#include "hosts/sim/sim_private.h"

/* truth.c: update the counts of the CPU's task and counters to the current time. */
void sim_update_counts(struct tally_sim *sim, struct sim_cpu *cpu);
void sim_count(struct tally_sim *sim, struct tally_sim_task *task, uint32_t cpu,
	       enum tally_sim_mode mode, unsigned signal, uint64_t nr);

/* Return the time in ns until the running task has `nr` more events of a signal, or SIM_NEVER. */
uint64_t sim_time_to(const struct tally_sim_task *task, unsigned signal, unsigned __int128 nr);

/* hardware.c: driver operations on the counters of the current CPU. */
uint64_t sim_counter_read(struct tally_sim *sim, uint32_t bank, uint32_t index);
void sim_counter_write(struct tally_sim *sim, uint32_t bank, uint32_t index, uint64_t value);
void sim_counter_enable(struct tally_sim *sim, uint32_t bank, uint32_t index, uint8_t signal,
			uint32_t modes);
void sim_counter_disable(struct tally_sim *sim, uint32_t bank, uint32_t index);
bool sim_counter_overflowed(struct tally_sim *sim, uint32_t bank, uint32_t index);
void sim_bank_pause(struct tally_sim *sim, uint32_t bank, bool paused);

/* Operations used by the machine: count events, get the time of the next interrupt, and check
 * whether a bank's interrupt is due. */
void sim_bank_count(struct tally_sim *sim, struct sim_bank *bank, enum tally_sim_mode mode,
		    const uint64_t *events);
uint64_t sim_cpu_overflow_at(struct tally_sim *sim, struct sim_cpu *cpu);
bool sim_bank_interrupts(const struct tally_sim *sim, const struct sim_bank *bank);

/* assign.c: sim_pmu_fits() checks whether events fit on an idle PMU. sim_pmu_assign() finds
 * counters for events on this CPU. Events that already have counters keep them, as they may be
 * counting. Returns 0, -ENOSPC or -EBUSY. */
bool sim_pmu_fits(struct tally_core_hw *const *hws, uint32_t nr);
int sim_pmu_assign(struct sim_pmu *driver, struct tally_core_hw *const *hws, uint32_t nr);

/* sim_breakpoint.c: the breakpoint PMU, and accesses on the current CPU that trigger
 * breakpoints. */
int sim_breakpoints_register(struct tally_sim *sim);
void sim_access(struct tally_sim *sim, const struct tally_sim_access *access);

/* sim_pmu.c */
int sim_pmu_register(struct tally_sim *sim, uint32_t number, const struct tally_sim_pmu *desc);
void sim_pmu_interrupt(struct sim_pmu *driver, const struct tally_core_sample_data *sample_data);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Truth, counters and their driver. */
#ifndef TALLY_HOSTS_SIM_HARDWARE_H
#define TALLY_HOSTS_SIM_HARDWARE_H

#include "hosts/sim/sim_private.h"

/* truth.c: let the CPU's task and counters have done what they did up to now. */
void sim_settle(struct tally_sim *sim, struct sim_cpu *cpu);
void sim_note(struct tally_sim *sim, struct tally_sim_task *task, uint32_t cpu,
	      enum tally_sim_mode mode, unsigned signal, uint64_t nr);

/* Nanoseconds until the running task has `nr` more events of a signal; SIM_NEVER. */
uint64_t sim_time_to(const struct tally_sim_task *task, unsigned signal, unsigned __int128 nr);

/* hardware.c: what a driver can do with the counters of the CPU that it runs on. */
uint64_t sim_counter_read(struct tally_sim *sim, uint32_t bank, uint32_t index);
void sim_counter_write(struct tally_sim *sim, uint32_t bank, uint32_t index, uint64_t value);
void sim_counter_enable(struct tally_sim *sim, uint32_t bank, uint32_t index, uint8_t signal,
			uint32_t modes);
void sim_counter_disable(struct tally_sim *sim, uint32_t bank, uint32_t index);
bool sim_counter_overflowed(struct tally_sim *sim, uint32_t bank, uint32_t index);
void sim_bank_pause(struct tally_sim *sim, uint32_t bank, bool paused);

/* And what the machine does with them: events happened; when is the next interrupt; which banks
 * have one due now. */
void sim_bank_count(struct tally_sim *sim, struct sim_bank *bank, enum tally_sim_mode mode,
		    const uint64_t *events);
uint64_t sim_cpu_overflow_at(struct tally_sim *sim, struct sim_cpu *cpu);
bool sim_bank_interrupts(const struct tally_sim *sim, const struct sim_bank *bank);

/* assign.c: whether these events fit on counters that are all free; counters on this CPU for them
 * beside those that have one, who keep it, as they may be counting: 0, -ENOSPC, -EBUSY. */
bool sim_pmu_fits(struct tally_core_hw *const *hws, uint32_t nr);
int sim_pmu_assign(struct sim_pmu *driver, struct tally_core_hw *const *hws, uint32_t nr);

/* breakpoint.c: the PMU of breakpoints, and what sets them off on the CPU that runs. */
int sim_breakpoints_register(struct tally_sim *sim);
void sim_access(struct tally_sim *sim, const struct tally_sim_access *access);

/* pmu.c */
int sim_pmu_register(struct tally_sim *sim, uint32_t number, const struct tally_sim_pmu *desc);
void sim_pmu_interrupt(struct sim_pmu *driver, const struct tally_core_sample_data *sample_data);

#endif

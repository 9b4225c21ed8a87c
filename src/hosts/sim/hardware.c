/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters: registers that count modulo 2^width, and report a wrap. */
#include "base/arith.h"
#include "hosts/sim/hardware.h"
#include "hosts/sim/sim_private.h"

static uint64_t width_mask(const struct sim_bank *bank)
{
	return UINT64_MAX >> (64 - bank->width);
}

static bool counter_counts(const struct sim_bank *bank, const struct sim_counter *counter,
			   enum tally_sim_mode mode)
{
	return counter->enabled && !bank->paused && counter->modes & 1u << mode;
}

void sim_bank_count(struct tally_sim *sim, struct sim_bank *bank, enum tally_sim_mode mode,
		    const uint64_t *events)
{
	for (uint32_t i = 0; i < bank->nr; i++) {
		struct sim_counter *counter = &bank->counters[i];
		uint64_t left = width_mask(bank) - counter->value;

		if (!counter_counts(bank, counter, mode))
			continue;
		counter->value = (counter->value + events[counter->signal]) & width_mask(bank);
		if (events[counter->signal] > left && !counter->overflowed) {
			counter->overflowed = true;
			counter->interrupt_at = sim->now + bank->skid_ns;
		}
	}
}

/* Return the time at which the counter will interrupt if nothing else changes. */
static uint64_t counter_interrupt_at(const struct tally_sim *sim, const struct sim_cpu *cpu,
				     const struct sim_bank *bank, const struct sim_counter *counter)
{
	unsigned __int128 left = (unsigned __int128)width_mask(bank) + 1 - counter->value;
	uint64_t ns;

	if (counter->overflowed)
		return counter->interrupt_at;
	if (!counter_counts(bank, counter, cpu->current->segment->mode))
		return SIM_NEVER;
	ns = sim_time_to(cpu->current, counter->signal, left);
	return ns < SIM_NEVER - sim->now ? sim->now + ns : SIM_NEVER;
}

uint64_t sim_cpu_overflow_at(struct tally_sim *sim, struct sim_cpu *cpu)
{
	uint64_t first = SIM_NEVER;

	if (cpu->overflow_known)
		return cpu->overflow_at;
	sim_update_counts(sim, cpu);
	for (uint32_t i = 0; i < sim->config.nr_pmus; i++)
		for (uint32_t j = 0; j < cpu->banks[i].nr; j++) {
			uint64_t at = counter_interrupt_at(sim, cpu, &cpu->banks[i],
							   &cpu->banks[i].counters[j]);

			first = TALLY_MIN(first, at);
		}
	cpu->overflow_at = first;
	cpu->overflow_known = true;
	return first;
}

bool sim_bank_interrupts(const struct tally_sim *sim, const struct sim_bank *bank)
{
	for (uint32_t i = 0; i < bank->nr; i++)
		if (bank->counters[i].overflowed && bank->counters[i].interrupt_at <= sim->now)
			return true;
	return false;
}

/* Update a counter on this CPU, and invalidate the time of the next overflow, as the caller may
 * change the counter. */
static struct sim_counter *counter_touch(struct tally_sim *sim, uint32_t bank, uint32_t index)
{
	sim_update_counts(sim, sim_this(sim));
	sim_this(sim)->overflow_known = false;
	return &sim_this(sim)->banks[bank].counters[index];
}

uint64_t sim_counter_read(struct tally_sim *sim, uint32_t bank, uint32_t index)
{
	return counter_touch(sim, bank, index)->value;
}

void sim_counter_write(struct tally_sim *sim, uint32_t bank, uint32_t index, uint64_t value)
{
	counter_touch(sim, bank, index)->value = value & width_mask(&sim_this(sim)->banks[bank]);
}

void sim_counter_enable(struct tally_sim *sim, uint32_t bank, uint32_t index, uint8_t signal,
			uint32_t modes)
{
	struct sim_counter *counter = counter_touch(sim, bank, index);

	counter->signal = signal;
	counter->modes = modes;
	counter->enabled = true;
	counter->overflowed = false;
}

void sim_counter_disable(struct tally_sim *sim, uint32_t bank, uint32_t index)
{
	struct sim_counter *counter = counter_touch(sim, bank, index);

	counter->enabled = false;
	counter->overflowed = false;
}

bool sim_counter_overflowed(struct tally_sim *sim, uint32_t bank, uint32_t index)
{
	const struct sim_counter *counter = counter_touch(sim, bank, index);

	return counter->overflowed && counter->interrupt_at <= sim->now;
}

void sim_bank_pause(struct tally_sim *sim, uint32_t bank, bool paused)
{
	counter_touch(sim, bank, 0);
	sim_this(sim)->banks[bank].paused = paused;
}

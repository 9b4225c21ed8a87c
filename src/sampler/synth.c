/* SPDX-License-Identifier: BSD-2-Clause */
/* Encode synthesized records, including perf.data's own record types. */
#include <errno.h>
#include <string.h>

#include "abi/abi_sample.h"
#include "base/arith.h"
#include "sampler/synth.h"
#include "tally/perfdata.h"

void tally_synth_u32(struct tally_synth *synth, uint32_t value)
{
	tally_str_add_bytes(&synth->out, &value, sizeof(value));
}

void tally_synth_u64(struct tally_synth *synth, uint64_t value)
{
	tally_str_add_bytes(&synth->out, &value, sizeof(value));
}

void tally_synth_begin(struct tally_synth *synth, uint32_t type, uint16_t misc, size_t body)
{
	size_t trailer = tally_record_is_user(type) ? 0 : synth->trailer;
	struct perf_event_header header = {type, misc, (uint16_t)(sizeof(header) + body + trailer)};

	tally_str_add_bytes(&synth->out, &header, sizeof(header));
}

void tally_synth_string(struct tally_synth *synth, const char *text)
{
	static const char zeros[8];
	size_t len = strlen(text);

	tally_str_add_bytes(&synth->out, text, len);
	tally_str_add_bytes(&synth->out, zeros, tally_round_up(len + 1, 8) - len);
}

void tally_synth_end(struct tally_synth *synth)
{
	for (size_t i = 0; i < synth->trailer; i += 8)
		tally_synth_u64(synth, 0);
}

int tally_synth_thread_map(struct tally_synth *synth, const struct tally_threads *threads)
{
	enum { ENTRY = 24, MOST = 2000 };
	size_t nr = TALLY_MIN(threads->nr, MOST);

	tally_synth_begin(synth, TALLY_PERFDATA_THREAD_MAP, 0, 8 + nr * ENTRY);
	tally_synth_u64(synth, nr);
	for (size_t i = 0; i < nr; i++) {
		tally_synth_u64(synth, (uint64_t)(int64_t)threads->thread[i].tid);
		tally_synth_u64(synth, 0); /* comm[16] is empty: names are in COMM records */
		tally_synth_u64(synth, 0);
	}
	return tally_str_error(&synth->out);
}

int tally_synth_time_conv(struct tally_synth *synth, const struct tally_ring_clock *clock)
{
	const uint8_t capabilities[8] = {true, clock->is_short};

	tally_synth_begin(synth, TALLY_PERFDATA_TIME_CONV, 0, 5 * 8 + sizeof(capabilities));
	tally_synth_u64(synth, clock->shift);
	tally_synth_u64(synth, clock->mult);
	tally_synth_u64(synth, clock->zero);
	tally_synth_u64(synth, clock->cycles);
	tally_synth_u64(synth, clock->mask);
	tally_str_add_bytes(&synth->out, capabilities, sizeof(capabilities));
	return tally_str_error(&synth->out);
}

/* The CPUs are stored as a list of numbers (type 0). If the list does not fit, no record is
 * written. */
int tally_synth_cpu_map(struct tally_synth *synth, const struct tally_cpus *cpus)
{
	size_t list = tally_round_up(4 + 2 * cpus->nr, 8);

	if (list > UINT16_MAX - 16)
		return 0;
	tally_synth_begin(synth, TALLY_PERFDATA_CPU_MAP, 0, list);
	tally_synth_u32(synth, (uint32_t)(cpus->nr << 16)); /* u16 type 0, u16 nr */
	for (size_t i = 0; i < (list - 4) / 2; i++) {
		uint16_t cpu = i < cpus->nr ? (uint16_t)cpus->cpu[i].number : 0;

		tally_str_add_bytes(&synth->out, &cpu, sizeof(cpu));
	}
	return tally_str_error(&synth->out);
}

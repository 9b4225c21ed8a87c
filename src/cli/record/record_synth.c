/* SPDX-License-Identifier: BSD-2-Clause */
/* Synthesized records: event IDs, and existing tasks, maps and cgroups. */
#include "cli/record/record_synth.h"

#include "cli/record/record_state.h"
#include "cli/record/ring_scan.h"
#include "cli/record/unwinding.h"

/* Scan the synthesized records and pass them to the unwinder. Only the first file's records are
 * passed on, because the rings contain all later changes. */
static int feed_out(struct record *record, bool tail)
{
	const struct tally_str *out = &record->sampler.synth.out;
	int ret = record_scan_records(record, out->data, out->len);

	if (ret || tail || !record->unwinding || record->output.file.names.len)
		return ret;
	return record_unwinding_feed(record, out->data, out->len);
}

int record_synth_write(struct record *record)
{
	struct tally_str *out = &record->sampler.synth.out;
	int ret = tally_str_error(out);

	if (!ret && out->len)
		ret = tally_perfdata_writer_write(record->output.writer, out->data, out->len);
	tally_str_clear(out);
	return ret;
}

static int write_existing(struct record *record, bool tail, bool started)
{
	int ret = tally_sampler_add_existing(&record->sampler, &record->child, tail, started);

	if (!ret)
		ret = feed_out(record, tail);
	return ret ? ret : record_synth_write(record);
}

/* Write the state at the start of this file, or at its end. */
static int write_state(struct record *record, bool tail)
{
	int ret = tail ? record_state_refresh(record) : 0;

	return ret ? ret : record_state_write(record);
}

int record_synthesize(struct record *record, bool tail)
{
	bool started = tail || record->output.file.names.len;
	int ret;

	if (!tail) {
		ret = tally_sampler_add_clock(&record->sampler);
		if (!ret)
			ret = tally_sampler_add_ids(&record->sampler);
		if (!ret)
			ret = record_synth_write(record);
		if (ret)
			return ret;
	}
	if (tail == record->config->sampling.tail_synth) {
		ret = record->state && started ? write_state(record, tail)
					       : write_existing(record, tail, started);
		if (ret)
			return ret;
	}
	if (!tail)
		tally_synth_begin(&record->sampler.synth, TALLY_PERFDATA_FINISHED_INIT, 0, 0);
	ret = record_synth_write(record);
	if (!tail)
		record->output.bytes_begin = tally_perfdata_writer_bytes(record->output.writer);
	return ret;
}

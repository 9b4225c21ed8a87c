/* SPDX-License-Identifier: BSD-2-Clause */
/* Write ring contents to the file without copying them. */
#include "cli/record/record_drain.h"

#include "base/clock.h"
#include "cli/record/record_spool.h"
#include "cli/record/record_state.h"
#include "cli/record/ring_filter.h"
#include "cli/record/ring_scan.h"
#include "cli/record/unwinding.h"

static int add_piece(struct record *record, const void *data, size_t len)
{
	return len ? tally_vec_push(&record->pieces, (struct iovec){(void *)data, len}) : 0;
}

/* Append a record that ends the round. */
static int add_round(struct record *record)
{
	static const struct perf_event_header round = {TALLY_PERFDATA_FINISHED_ROUND, 0,
						       sizeof(round)};

	return add_piece(record, &round, sizeof(round));
}

/* Write the copies of the rings, which are older than their contents. */
static int write_copies(struct record *record)
{
	struct tally_ring_data data;
	int ret = 0;

	record->pieces.len = 0;
	for (size_t i = 0; !ret && i < tally_rings_nr(record->sampler.rings); i++) {
		if (record_spool_data(record, i, &data))
			ret = record_filter_ring(record, &data, add_piece);
	}
	if (!ret)
		ret = add_round(record);
	if (!ret)
		ret = tally_perfdata_writer_writev(record->output.writer, record->pieces.data,
						   (int)record->pieces.len);
	record_spool_free(record);
	return ret;
}

/* Gather the unwritten data in all rings, and append a record that ends the round. */
static int gather(struct record *record, bool overwrite)
{
	struct tally_ring_data data;
	int ret = 0;

	for (size_t i = 0; !ret && i < tally_rings_nr(record->sampler.rings); i++) {
		if ((tally_rings_is_overwrite(record->sampler.rings, i) && !overwrite) ||
		    !tally_ring_data(tally_rings_at(record->sampler.rings, i), &data))
			continue;
		ret = record_scan_ring(record, i, &data);
		if (!ret)
			ret = record_filter_ring(record, &data, add_piece);
	}
	record_state_round(record);
	return !ret && record->pieces.len ? add_round(record) : ret;
}

/* Write the contents of all rings with one writev, directly from ring memory. */
static int write_pieces(struct record *record, bool overwrite)
{
	int ret;

	record->pieces.len = 0;
	ret = gather(record, overwrite);
	if (!ret && record->pieces.len)
		ret = tally_perfdata_writer_writev(record->output.writer, record->pieces.data,
						   (int)record->pieces.len);
	if (ret)
		return ret;
	tally_rings_consume(record->sampler.rings, overwrite);
	record->drained = tally_clock_now();
	return 0;
}

int record_drain(struct record *record, bool is_all)
{
	int ret = 0;

	if (record->unwinding)
		return record_unwinding_drain(record, is_all);
	if (record_spool_has_data(record))
		ret = write_copies(record);
	if (ret)
		return ret;
	if (is_all)
		tally_rings_pause(record->sampler.rings, true);
	ret = write_pieces(record, is_all);
	if (is_all)
		tally_rings_pause(record->sampler.rings, false);
	return ret;
}

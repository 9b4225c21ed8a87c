/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/record_state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/clock.h"
#include "base/endian.h"
#include "cli/main/print.h"
#include "cli/record/record_drain.h"
#include "cli/record/record_synth.h"
#include "cli/record/ring_scan.h"
#include "sampler/system_state.h"

/* Limit on the memory of the state, in bytes. */
enum { STATE_MAX = 256 << 20 };

/* Interval at which the rings are drained while procfs is being read. */
enum { DRAIN_NS = 50000000 };

struct state_waiting {
	uint64_t time;
	size_t at; /* offset in `bytes` */
};

struct record_state {
	struct tally_system *system;
	bool is_tracked; /* the rings contain all later changes */
	bool is_scanned; /* a complete scan has been merged since records were last lost */
	bool has_warned;
	/* Records that wait, and the latest times in this round and in the previous one. */
	TALLY_VEC(uint8_t) bytes;
	TALLY_VEC(struct state_waiting) waiting;
	uint64_t newest, limit;
	size_t marked; /* size of `bytes` at the mark */
};

/* ---- records of the rings ------------------------------------------------------------------ */

static bool is_state(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT: return true;
	default: return false;
	}
}

/* Return the time in a record's trailer, or 0 if it has none. */
static uint64_t record_time(const struct record *record, const uint8_t *bytes, size_t len)
{
	int at = record->sampler.layout.trailer_time;

	return at && len >= (size_t)-at ? tally_get_u64(bytes + len + at) : 0;
}

int record_state_add(struct record *record, const void *bytes, size_t len)
{
	struct record_state *state = record->state;
	struct state_waiting waiting = {.at = state ? state->bytes.len : 0};
	uint32_t type = tally_record_header(bytes).type;

	if (!state || !state->is_tracked)
		return 0;
	state->is_scanned &= type != PERF_RECORD_LOST;
	if (!is_state(type))
		return 0;
	waiting.time = record_time(record, bytes, len);
	if (tally_vec_reserve(&state->bytes, state->bytes.len + len) ||
	    tally_vec_push(&state->waiting, waiting))
		return -ENOMEM;
	memcpy(state->bytes.data + state->bytes.len, bytes, len);
	state->bytes.len += len;
	state->newest = TALLY_MAX(state->newest, waiting.time);
	return 0;
}

/* Order by time. Records of the same time are in one ring, and keep their order. */
static int waiting_compare(const void *a, const void *b)
{
	const struct state_waiting *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

/* Keep the waiting records from number `first` on, in the order of time. */
static void waiting_keep(struct record_state *state, size_t first)
{
	__typeof__(state->bytes) kept = {0};
	size_t nr = 0;

	for (size_t i = first; i < state->waiting.len; i++) {
		struct state_waiting waiting = state->waiting.data[i];
		size_t len = tally_record_header(state->bytes.data + waiting.at).size;

		/* Without memory, the records are applied now. */
		if (tally_vec_reserve(&kept, kept.len + len)) {
			tally_system_record(state->system, state->bytes.data + waiting.at, len);
			continue;
		}
		memcpy(kept.data + kept.len, state->bytes.data + waiting.at, len);
		state->waiting.data[nr++] = (struct state_waiting){waiting.time, kept.len};
		kept.len += len;
	}
	state->waiting.len = nr;
	tally_vec_free(&state->bytes);
	state->bytes = kept;
}

void record_state_round(struct record *record)
{
	struct record_state *state = record->state;
	size_t nr = 0;

	if (!state || !state->waiting.len)
		return;
	qsort(state->waiting.data, state->waiting.len, sizeof(*state->waiting.data),
	      waiting_compare);
	for (; nr < state->waiting.len && state->waiting.data[nr].time <= state->limit; nr++) {
		const uint8_t *bytes = state->bytes.data + state->waiting.data[nr].at;

		tally_system_record(state->system, bytes, tally_record_header(bytes).size);
	}
	waiting_keep(state, nr);
	state->limit = state->newest;
}

/* ---- procfs -------------------------------------------------------------------------------- */

static bool process_is_gone(void *arg, int32_t pid)
{
	(void)arg;
	return kill(pid, 0) && errno == ESRCH;
}

/* Return true for zombies, too, because their EXIT records may have been lost. */
static bool process_has_exited(void *synth, int32_t pid)
{
	return process_is_gone(NULL, pid) || tally_synth_is_zombie(synth, pid);
}

/* Drain the rings while procfs is being read. `record` is a struct record. */
static int drain_if_due(void *record_)
{
	struct record *record = record_;

	return tally_clock_now() - record->drained < DRAIN_NS ? 0 : record_drain(record, false);
}

/* Apply the records of the rings, all but the newest. */
static int settle(struct record *record)
{
	int ret = record_scan_rings(record);

	return ret ? ret : record_scan_rings(record);
}

int record_state_refresh(struct record *record)
{
	struct record_state *state = record->state;
	struct tally_synth *synth = &record->sampler.synth;
	bool is_whole;
	int ret;

	if (!state)
		return 0;
	ret = settle(record);
	is_whole = !state->is_tracked || !state->is_scanned;
	state->is_scanned = true;
	if (ret)
		return ret;
	/* All records of these processes are in this file. */
	if (state->is_tracked && !record->config->sampling.transport)
		tally_system_expire(state->system, is_whole ? process_has_exited : process_is_gone,
				    synth);
	synth->known = is_whole ? NULL : tally_system_pids(state->system);
	synth->pause = drain_if_due;
	synth->arg = record;
	ret = tally_sampler_add_existing(&record->sampler, &record->child, true, true);
	synth->known = NULL;
	synth->pause = NULL;
	if (!ret)
		ret = record_scan_records(record, synth->out.data, synth->out.len);
	if (!ret)
		tally_system_merge(state->system, synth->out.data, synth->out.len,
				   state->is_tracked);
	tally_str_free(&synth->out);
	return ret ? ret : settle(record);
}

/* ---- output -------------------------------------------------------------------------------- */

static void warn_dropped(struct record *record)
{
	struct record_state *state = record->state;

	if (!tally_system_dropped(state->system) || state->has_warned ||
	    record->config->sampling.quiet)
		return;
	state->has_warned = true;
	tally_print_warning("the names and mappings of all processes need more than %u MiB: "
			    "later files will not contain all of them",
			    STATE_MAX >> 20);
}

static int write_synth(void *record)
{
	return record_synth_write(record);
}

void record_state_mark(struct record *record)
{
	if (record->state)
		record->state->marked = record->state->bytes.len;
}

int record_state_write(struct record *record)
{
	struct record_state *state = record->state;
	int ret = tally_system_emit(state->system, &record->sampler.synth, write_synth, record);

	if (!ret && state->marked)
		ret = tally_perfdata_writer_write(record->output.writer, state->bytes.data,
						  state->marked);
	state->marked = 0;
	warn_dropped(record);
	return ret;
}

/* ---- start and end ------------------------------------------------------------------------- */

int record_state_start(struct record *record)
{
	const struct tally_sampler *sampler = &record->sampler;
	const struct tally_str *before = &sampler->before;
	struct record_state *state;
	int ret;

	if (!record->config->sampling.is_synthesized_again)
		return 0;
	record->state = state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	/* A single file contains the changes itself. */
	state->is_tracked = record_switches_output(record->config) &&
			    !sampler->specs.data[sampler->tracking].attr.write_backward;
	ret = tally_system_new(tally_trailer_size(&sampler->layout), STATE_MAX, &state->system);
	if (!ret)
		tally_system_merge(state->system, before->data, before->len, false);
	return ret;
}

void record_state_free(struct record *record)
{
	struct record_state *state = record->state;

	if (!state)
		return;
	tally_system_free(state->system);
	tally_vec_free(&state->bytes);
	tally_vec_free(&state->waiting);
	free(state);
	record->state = NULL;
}

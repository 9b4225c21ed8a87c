/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Perfetto trace with one sequence of packets for each event. The first packets in a sequence
 * contain the tables that the later packets refer to; the tables are followed by a packet with a
 * PerfSample for each sample. The format has no weights. As in Perfetto's own recordings, a sample
 * contains the accumulated count for its CPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "export/formats.h"
#include "export/model.h"
#include "export/protobuf.h"
#include "export/stream.h"

/* Field numbers. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_PROCESS_TREE = 2,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_SYSTEM = 45,
	PACKET_DEFAULTS = 59,
	PACKET_PERF_SAMPLE = 66,
	PACKET_IS_FIRST = 87
};
enum { SYSTEM_SERVICE = 4 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { TREE_PROCESS = 1, TREE_THREAD };
enum { PROCESS_PID = 1, PROCESS_COMMAND = 3 };
enum { THREAD_TID = 1, THREAD_NAME, THREAD_PID };
enum {
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME,
	INTERNED_CALLSTACK,
	INTERNED_BUILD_ID = 16,
	INTERNED_PATH,
	INTERNED_SOURCE,
	INTERNED_MAPPING
};
enum { STRING_ID = 1, STRING_TEXT };
enum { MAPPING_ID = 1, MAPPING_BUILD_ID, MAPPING_LOAD_BIAS = 6, MAPPING_PATH };
enum { FRAME_ID = 1, FRAME_FUNCTION, FRAME_MAPPING, FRAME_ADDRESS, FRAME_SOURCE, FRAME_LINE };
enum { CALLSTACK_ID = 1, CALLSTACK_FRAME };
enum { DEFAULTS_PERF_SAMPLE = 12 };
enum { PERF_DEFAULTS_TIMEBASE = 1 };
enum { TIMEBASE_PERIOD = 1, TIMEBASE_FREQUENCY, TIMEBASE_NAME = 10 };
enum { SAMPLE_CPU = 1, SAMPLE_PID, SAMPLE_TID, SAMPLE_CALLSTACK, SAMPLE_MODE, SAMPLE_COUNT };

struct perfetto {
	const struct tally_export *export;
	const struct tally_profile *profile;
	struct tally_export_model model; /* functions and frames of the current event */
	struct tally_export_tree tree;   /* callchains of the current event */
	struct tally_map counts;         /* CPU -> accumulated count */
	struct tally_str name;           /* buffer for a name */
	struct tally_export_stream stream;
	size_t packet, interned; /* start offsets of the open packet and table message */
	uint64_t sequence;
	bool has_times; /* the current event's samples have timestamps */
};

static void open_packet(struct perfetto *perfetto, uint64_t flags)
{
	struct tally_str *out = &perfetto->stream.text;

	perfetto->packet = tally_protobuf_open(out, TRACE_PACKET);
	tally_protobuf_u64(out, PACKET_SEQUENCE, perfetto->sequence);
	tally_protobuf_u64(out, PACKET_FLAGS, flags);
}

static int close_packet(struct perfetto *perfetto)
{
	tally_protobuf_close(&perfetto->stream.text, perfetto->packet);
	return tally_export_flush_some(&perfetto->stream);
}

/* Write perfetto->name as a field, and clear it. */
static void add_name(struct perfetto *perfetto, unsigned field)
{
	struct tally_str *name = &perfetto->name;

	tally_str_escape(name, 0);
	tally_protobuf_bytes(&perfetto->stream.text, field, tally_str_text(name), name->len);
	perfetto->stream.text.failed |= name->failed;
	tally_str_clear(name);
}

/* ---- tables -------------------------------------------------------------------- */

/* Begin a packet for part of a table. Tables are split into packets of limited size. */
static void open_interned(struct perfetto *perfetto)
{
	open_packet(perfetto, FLAG_NEEDS_STATE);
	perfetto->interned = tally_protobuf_open(&perfetto->stream.text, PACKET_INTERNED);
}

static int close_interned(struct perfetto *perfetto)
{
	tally_protobuf_close(&perfetto->stream.text, perfetto->interned);
	return close_packet(perfetto);
}

static int next_interned(struct perfetto *perfetto)
{
	enum { PACKET_SIZE = 1 << 15 };
	int ret;

	if (perfetto->stream.text.len - perfetto->interned < PACKET_SIZE)
		return 0;
	ret = close_interned(perfetto);
	open_interned(perfetto);
	return ret;
}

static void add_string(struct perfetto *perfetto, unsigned field, uint64_t id)
{
	struct tally_str *out = &perfetto->stream.text;
	size_t message = tally_protobuf_open(out, field);

	tally_protobuf_u64(out, STRING_ID, id);
	add_name(perfetto, STRING_TEXT);
	tally_protobuf_close(out, message);
}

/* Add functions and their source files, if known. A source file has the same ID as its function. */
static int add_functions(struct perfetto *perfetto)
{
	int ret = 0;

	for (uint32_t i = 0; i < perfetto->model.functions.len && !ret; i++) {
		const struct tally_export_function *function = &perfetto->model.functions.data[i];

		tally_export_add_function(function, &perfetto->name);
		add_string(perfetto, INTERNED_FUNCTION, (uint64_t)i + 1);
		if (function->file) {
			tally_str_add(&perfetto->name, function->file);
			add_string(perfetto, INTERNED_SOURCE, (uint64_t)i + 1);
		}
		ret = next_interned(perfetto);
	}
	return ret;
}

/* Add a mapping. `bias` is the difference between addresses and file offsets. */
static void add_mapping(struct perfetto *perfetto, struct tally_dso *dso, uint64_t id,
			uint64_t bias)
{
	struct tally_str *out = &perfetto->stream.text;
	size_t message;

	tally_str_add(&perfetto->name, tally_dso_name(dso));
	add_string(perfetto, INTERNED_PATH, id);
	tally_export_add_build_id(dso, &perfetto->name);
	add_string(perfetto, INTERNED_BUILD_ID, id);
	message = tally_protobuf_open(out, INTERNED_MAPPING);
	tally_protobuf_u64(out, MAPPING_ID, id);
	tally_protobuf_u64(out, MAPPING_BUILD_ID, id);
	if (bias)
		tally_protobuf_u64(out, MAPPING_LOAD_BIAS, bias);
	tally_protobuf_u64(out, MAPPING_PATH, id);
	tally_protobuf_close(out, message);
}

static const struct tally_frame *frame_at(const struct perfetto *perfetto, size_t place)
{
	return &perfetto->profile->frames.all.data[perfetto->model.frames.data[place]];
}

/* Add the mappings. Their IDs are the DSO numbers plus 1. */
static int add_mappings(struct perfetto *perfetto)
{
	struct tally_map met = {0};
	int ret = 0;

	for (size_t i = 0; i < perfetto->model.frames.len && !ret; i++) {
		const struct tally_frame *frame = frame_at(perfetto, i);
		uint64_t key = (uintptr_t)frame->dso;

		if (!frame->dso || tally_map_get(&met, key) != TALLY_MAP_NONE)
			continue;
		ret = tally_map_set(&met, key, 1);
		add_mapping(perfetto, frame->dso, (uint64_t)tally_dso_number(frame->dso) + 1,
			    perfetto->model.addresses[i] - frame->addr);
		if (!ret)
			ret = next_interned(perfetto);
	}
	tally_map_free(&met);
	return ret;
}

static int add_frames(struct perfetto *perfetto)
{
	struct tally_str *out = &perfetto->stream.text;
	int ret = 0;

	for (size_t i = 0; i < perfetto->model.frames.len && !ret; i++) {
		const struct tally_frame *frame = frame_at(perfetto, i);
		uint32_t function = perfetto->model.function_of[perfetto->model.frames.data[i]];
		size_t message = tally_protobuf_open(out, INTERNED_FRAME);

		tally_protobuf_u64(out, FRAME_ID, (uint64_t)i + 1);
		tally_protobuf_u64(out, FRAME_FUNCTION, (uint64_t)function + 1);
		if (frame->dso) {
			tally_protobuf_u64(out, FRAME_MAPPING,
					   (uint64_t)tally_dso_number(frame->dso) + 1);
			tally_protobuf_u64(out, FRAME_ADDRESS, perfetto->model.addresses[i]);
		}
		if (perfetto->model.functions.data[function].file)
			tally_protobuf_u64(out, FRAME_SOURCE, (uint64_t)function + 1);
		if (frame->line && frame->line->line)
			tally_protobuf_u64(out, FRAME_LINE, frame->line->line);
		tally_protobuf_close(out, message);
		ret = next_interned(perfetto);
	}
	return ret;
}

/* Add the callstack for a path, outermost frame first. */
static int add_callstack(struct perfetto *perfetto, uint32_t path, uint32_t *frames)
{
	const struct tally_path *paths = perfetto->tree.paths.all.data;
	struct tally_str *out = &perfetto->stream.text;
	size_t message = tally_protobuf_open(out, INTERNED_CALLSTACK);
	uint32_t nr = 0;

	tally_protobuf_u64(out, CALLSTACK_ID, path);
	for (uint32_t at = path; at != TALLY_PATH_NONE; at = paths[at].parent)
		frames[nr++] = paths[at].frame;
	while (nr-- > 0)
		tally_protobuf_u64(out, CALLSTACK_FRAME, (uint64_t)frames[nr] + 1);
	tally_protobuf_close(out, message);
	return next_interned(perfetto);
}

/* Return the number of frames in the longest callchain. */
static uint32_t most_frames(const struct tally_profile *profile)
{
	uint32_t most = 0;

	tally_vec_for_each (bucket, &profile->buckets) {
		uint32_t depth = tally_export_depth(profile, &bucket->key);

		most = depth > most ? depth : most;
	}
	return most;
}

static int add_callstacks(struct perfetto *perfetto)
{
	size_t nr = perfetto->tree.paths.all.len;
	uint32_t *frames = calloc((size_t)most_frames(perfetto->profile) + 1, sizeof(*frames));
	uint8_t *ends = calloc(nr, 1);
	int ret = frames && ends ? 0 : -ENOMEM;

	for (size_t i = 0; i < perfetto->profile->buckets.len && !ret; i++) {
		uint32_t path = perfetto->tree.path_of[i];

		if (path == TALLY_PATH_NONE || ends[path])
			continue;
		ends[path] = 1;
		ret = add_callstack(perfetto, path, frames);
	}
	free(frames);
	free(ends);
	return ret;
}

static int add_tables(struct perfetto *perfetto)
{
	int ret;

	open_interned(perfetto);
	ret = add_functions(perfetto);
	if (!ret)
		ret = add_mappings(perfetto);
	if (!ret)
		ret = add_frames(perfetto);
	if (!ret)
		ret = add_callstacks(perfetto);
	return ret ? ret : close_interned(perfetto);
}

/* ---- threads -------------------------------------------------------------------- */

static void add_thread(struct perfetto *perfetto, const struct tally_bucket_key *key)
{
	const struct tally_machine *machine = perfetto->profile->machine;
	const struct tally_thread *thread = tally_machine_thread_at(machine, key->thread);
	const char *process = tally_machine_comm_of_tid(machine, thread->pid);
	struct tally_str *out = &perfetto->stream.text;
	size_t message;

	if (thread->pid < 0 || thread->tid < 0)
		return;
	message = tally_protobuf_open(out, TREE_PROCESS);
	tally_protobuf_u64(out, PROCESS_PID, (uint64_t)(int64_t)thread->pid);
	tally_str_add(&perfetto->name,
		      process ? process : tally_export_comm(perfetto->profile, key));
	add_name(perfetto, PROCESS_COMMAND);
	tally_protobuf_close(out, message);
	message = tally_protobuf_open(out, TREE_THREAD);
	tally_protobuf_u64(out, THREAD_TID, (uint64_t)(int64_t)thread->tid);
	tally_str_add(&perfetto->name, tally_export_comm(perfetto->profile, key));
	add_name(perfetto, THREAD_NAME);
	tally_protobuf_u64(out, THREAD_PID, (uint64_t)(int64_t)thread->pid);
	tally_protobuf_close(out, message);
}

static int add_threads(struct perfetto *perfetto, const struct tally_export_event *event)
{
	struct tally_export_strands strands;
	size_t tree;
	int ret = tally_export_strands_build(perfetto->profile, event->number, &strands);

	if (ret)
		return ret;
	open_packet(perfetto, 0);
	tree = tally_protobuf_open(&perfetto->stream.text, PACKET_PROCESS_TREE);
	tally_vec_for_each (strand, &strands.all)
		add_thread(perfetto, &perfetto->profile->buckets.data[strand->bucket].key);
	tally_protobuf_close(&perfetto->stream.text, tree);
	tally_export_strands_free(&strands);
	return close_packet(perfetto);
}

/* ---- samples -------------------------------------------------------------------- */

static uint64_t mode_of(const struct perfetto *perfetto, const struct tally_bucket_key *key)
{
	/* Perfetto's mode values, by PERF_RECORD_MISC_* mode. */
	static const uint8_t modes[] = {
		[PERF_RECORD_MISC_CPUMODE_UNKNOWN] = 0,
		[PERF_RECORD_MISC_KERNEL] = 1,
		[PERF_RECORD_MISC_USER] = 2,
		[PERF_RECORD_MISC_HYPERVISOR] = 3,
		[PERF_RECORD_MISC_GUEST_KERNEL] = 4,
		[PERF_RECORD_MISC_GUEST_USER] = 5,
	};
	uint32_t leaf = tally_export_frame(perfetto->profile, key, 0);
	uint8_t mode = perfetto->profile->frames.all.data[leaf].cpumode;

	return mode < sizeof(modes) ? modes[mode] : 0;
}

/* Add a sample's weight to its CPU's count. */
static int count(struct perfetto *perfetto, uint32_t cpu, uint64_t weight, uint64_t *ret_count)
{
	uint64_t before = tally_map_get(&perfetto->counts, cpu);

	*ret_count =
		tally_export_sum(perfetto->export, before == TALLY_MAP_NONE ? 0 : before, weight);
	return tally_map_set(&perfetto->counts, cpu, *ret_count);
}

static int add_sample(struct perfetto *perfetto, const struct tally_kept *kept)
{
	const struct tally_profile *profile = perfetto->profile;
	const struct tally_bucket_key *key = &profile->buckets.data[kept->bucket].key;
	const struct tally_thread *thread = tally_machine_thread_at(profile->machine, key->thread);
	struct tally_str *out = &perfetto->stream.text;
	uint64_t place = (uint64_t)(kept - profile->kept.data), counted = 0;
	uint64_t time = perfetto->has_times ? kept->time : place * TALLY_EXPORT_SAMPLE_GAP;
	size_t message;
	int ret = count(perfetto, key->cpu, tally_kept_weight(profile, kept), &counted);

	open_packet(perfetto, FLAG_NEEDS_STATE);
	tally_protobuf_u64(out, PACKET_TIME, time);
	message = tally_protobuf_open(out, PACKET_PERF_SAMPLE);
	if (key->cpu != UINT32_MAX)
		tally_protobuf_u64(out, SAMPLE_CPU, key->cpu);
	if (thread->pid >= 0)
		tally_protobuf_u64(out, SAMPLE_PID, (uint32_t)thread->pid);
	if (thread->tid >= 0)
		tally_protobuf_u64(out, SAMPLE_TID, (uint32_t)thread->tid);
	tally_protobuf_u64(out, SAMPLE_MODE, mode_of(perfetto, key));
	tally_protobuf_u64(out, SAMPLE_CALLSTACK, perfetto->tree.path_of[kept->bucket]);
	tally_protobuf_u64(out, SAMPLE_COUNT, counted);
	tally_protobuf_close(out, message);
	return ret ? ret : close_packet(perfetto);
}

static int add_head(struct perfetto *perfetto, const struct tally_export_event *event)
{
	struct tally_str *out = &perfetto->stream.text;
	size_t defaults, sample, timebase;

	open_packet(perfetto, FLAG_CLEARED);
	tally_protobuf_u64(out, PACKET_IS_FIRST, 1);
	defaults = tally_protobuf_open(out, PACKET_DEFAULTS);
	sample = tally_protobuf_open(out, DEFAULTS_PERF_SAMPLE);
	timebase = tally_protobuf_open(out, PERF_DEFAULTS_TIMEBASE);
	if (event->frequency)
		tally_protobuf_u64(out, TIMEBASE_FREQUENCY, event->frequency);
	else if (event->period)
		tally_protobuf_u64(out, TIMEBASE_PERIOD, event->period);
	tally_str_add(&perfetto->name, event->name);
	add_name(perfetto, TIMEBASE_NAME);
	tally_protobuf_close(out, timebase);
	tally_protobuf_close(out, sample);
	tally_protobuf_close(out, defaults);
	return close_packet(perfetto);
}

/* Check whether the samples have timestamps. Samples without timestamps cannot be placed in the
 * trace. */
static void times_find(struct perfetto *perfetto)
{
	bool has_samples = false;

	perfetto->has_times = false;
	tally_vec_for_each (kept, &perfetto->profile->kept) {
		if (perfetto->tree.path_of[kept->bucket] == TALLY_PATH_NONE)
			continue;
		has_samples = true;
		perfetto->has_times |= kept->time != 0;
	}
	perfetto->export->notes->has_no_times |= has_samples && !perfetto->has_times;
}

static int add_sequence(struct perfetto *perfetto, const struct tally_export_event *event)
{
	int ret = tally_export_tree_build(&perfetto->model, TALLY_EXPORT_FRAMES, event->number,
					  &perfetto->tree);

	if (ret)
		return ret;
	perfetto->sequence++;
	times_find(perfetto);
	ret = add_head(perfetto, event);
	if (!ret)
		ret = add_tables(perfetto);
	tally_vec_for_each (kept, &perfetto->profile->kept) {
		if (ret)
			break;
		if (perfetto->tree.path_of[kept->bucket] != TALLY_PATH_NONE)
			ret = add_sample(perfetto, kept);
	}
	tally_export_tree_free(&perfetto->tree);
	tally_map_free(&perfetto->counts);
	return ret;
}

/* Add a sequence for an event. Its tables contain only the data for the event's samples. */
static int add_event(struct perfetto *perfetto, const struct tally_export_event *event)
{
	struct tally_export one = *perfetto->export;
	int ret;

	one.events = event;
	one.nr_events = 1;
	ret = tally_export_model_build(&one, &perfetto->model);
	if (ret)
		return ret;
	ret = tally_export_model_link(&perfetto->model, TALLY_EXPORT_FROM_ZERO);
	if (!ret)
		ret = add_sequence(perfetto, event);
	tally_export_model_free(&perfetto->model);
	return ret;
}

/* Write the packet that identifies the file as written by tally. */
static int add_service(struct perfetto *perfetto)
{
	struct tally_str *out = &perfetto->stream.text;
	const char *version = perfetto->export->version;
	size_t system;

	perfetto->packet = tally_protobuf_open(out, TRACE_PACKET);
	system = tally_protobuf_open(out, PACKET_SYSTEM);
	tally_protobuf_bytes(out, SYSTEM_SERVICE, version, strlen(version));
	tally_protobuf_close(out, system);
	return close_packet(perfetto);
}

static int write_format(const struct tally_export *export)
{
	struct perfetto perfetto = {.export = export, .profile = export->profile};
	int ret = tally_export_stream_start(&perfetto.stream, export, export->packs);

	if (!ret)
		ret = add_service(&perfetto);
	for (size_t i = 0; i < export->nr_events && !ret; i++)
		ret = add_event(&perfetto, &export->events[i]);
	for (size_t i = 0; i < export->nr_events && !ret; i++)
		ret = add_threads(&perfetto, &export->events[i]);
	ret = tally_export_stream_end(&perfetto.stream, ret);
	tally_str_free(&perfetto.name);
	return ret;
}

const struct tally_export_format tally_export_perfetto = {
	.name = "perfetto",
	.help = "trace of PerfSamples: ui.perfetto.dev",
	.is_binary = true,
	.keeps_samples = true,
	.by = TALLY_BY_COMM | TALLY_BY_THREAD | TALLY_BY_CPU,
	.lines = TALLY_LINES_ALL | TALLY_LINES_APART,
	.write = write_format,
};

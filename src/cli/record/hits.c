/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Second pass over the finished recording, to find the number of samples, the timestamps of the
 * first and last samples, and the build IDs of the files that the samples hit. As in a report, an
 * address is resolved to a file through the mappings. No symbols are read.
 */
#include <errno.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/intern.h"
#include "base/map.h"
#include "cli/record/hits.h"
#include "cli/record/paths.h"
#include "cli/record/pinning.h"
#include "profile/process/feed.h"
#include "symbols/pins.h"

struct hits {
	struct tally_symbols *symbols;
	struct tally_feed feed;
	TALLY_VEC(bool) marks;       /* indexed by DSO number; true if a sample hit the DSO */
	struct tally_map spaces;     /* address spaces already fully marked; see mark_space() */
	struct tally_intern written; /* build IDs already written, with their file names */
	struct record_paths paths;
	bool names_maps; /* build IDs are requested */
	struct record_hits *result;
};

/* ---- samples ---------------------------------------------------------------- */

static void on_time(struct record_hits *result, uint64_t time)
{
	if (!time)
		return;
	if (!result->first_ns || time < result->first_ns)
		result->first_ns = time;
	if (time > result->last_ns)
		result->last_ns = time;
}

static int mark_dso(struct hits *hits, const struct tally_dso *dso)
{
	uint32_t number = tally_dso_number(dso);

	while (hits->marks.len <= number) {
		if (tally_vec_push(&hits->marks, false))
			return -ENOMEM;
	}
	hits->marks.data[number] = true;
	return 0;
}

static void mark_map(void *arg, struct tally_mapping *map)
{
	/* Ignore the out-of-memory error, because the next allocation fails as well and is
	 * reported. */
	(void)mark_dso(arg, map->dso);
}

/* Mark all mapped files, because a stack dump or a callchain may involve any of them. Do this only
 * once for each state of an address space. */
static int mark_space(struct hits *hits, struct tally_maps *maps)
{
	if (tally_map_get(&hits->spaces, maps->space) != TALLY_MAP_NONE)
		return 0;
	tally_maps_walk(maps, mark_map, hits);
	return tally_map_set(&hits->spaces, maps->space, 0);
}

/* Mark the files that a sample hits. `arg` is a struct hits. */
static int on_sample(void *arg, struct tally_feed_sample *from)
{
	const struct tally_sample *sample = &from->sample;
	struct hits *hits = arg;
	const struct tally_dso *dso =
		tally_machine_find_dso(hits->feed.machine, from->thread, from->cpumode, sample->ip);
	int ret = dso ? mark_dso(hits, dso) : 0;

	if (!ret && (sample->stack_user.len || sample->callchain.nr))
		ret = mark_space(hits, from->thread->process->maps);
	return ret;
}

static bool is_map(const struct tally_perfdata_record *record)
{
	return record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2;
}

/* Mark the file of a user-space mapping that the machine has already processed. */
static int on_map(struct hits *hits, const struct tally_perfdata_record *record)
{
	struct tally_machine *machine = hits->feed.machine;
	struct tally_mmap mmap;
	struct tally_thread *thread;
	const struct tally_dso *dso;

	if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER ||
	    tally_record_mmap(record->data, record->size, &mmap))
		return 0;
	thread = tally_machine_thread(machine, mmap.pid, mmap.tid);
	if (!thread)
		return -ENOMEM;
	dso = tally_machine_find_dso(machine, thread, PERF_RECORD_MISC_USER, mmap.start);
	/* If a file's code was moved to anonymous memory, the mapping has no path. */
	if (!dso || strcmp(mmap.filename, tally_dso_name(dso)))
		return 0;
	return record_paths_add(&hits->paths, dso, record);
}

static int on_record(struct hits *hits, const struct tally_perfdata_record *record)
{
	struct tally_feed_event event = {0};
	int ret;

	/* Data mappings are skipped, even with --buildid-all. */
	if (is_map(record) && record->misc & PERF_RECORD_MISC_MMAP_DATA)
		return 0;
	if (record->type == PERF_RECORD_SAMPLE)
		on_time(hits->result, record->time);
	if (record->event)
		event = (struct tally_feed_event){record->event->layout, &record->event->attr};
	ret = tally_feed_record(&hits->feed, &event, record->data, record->size);
	if (!ret && is_map(record) && hits->names_maps)
		ret = on_map(hits, record);
	return ret;
}

static int hits_read(struct hits *hits, struct tally_perfdata *data)
{
	const struct tally_feed_counts *counts = &hits->feed.counts;
	struct tally_perfdata_record one;
	int ret = 0;

	while (!ret && (ret = tally_perfdata_next_ordered(data, &one, NULL)) > 0)
		ret = on_record(hits, &one);
	hits->result->samples = counts->samples + counts->damaged_samples;
	/* A record that cannot be read back will be reported by the commands that read the file. */
	return ret == -EINVAL ? 0 : ret;
}

/* ---- build ids -------------------------------------------------------------- */

/* Return 1 if this build ID has not been written yet, 0 if it has been, or -ENOMEM. A file appears
 * twice if only some of its maps have a build ID, because the kernel had not read the build ID yet
 * when it wrote the other map records. */
static int is_new_id(struct hits *hits, const struct tally_perfdata_build_id *id)
{
	size_t nr = hits->written.strings.len;
	struct tally_str key = {0};
	uint32_t number;
	int ret;

	tally_str_add_bytes(&key, (const char *)id->bytes, sizeof(id->bytes));
	tally_str_addf(&key, "%u", id->misc);
	tally_str_add(&key, id->filename);
	ret = tally_str_error(&key);
	if (!ret)
		ret = tally_intern(&hits->written, key.data, key.len, &number);
	tally_str_free(&key);
	return ret ? ret : number == nr;
}

static uint16_t dso_cpumode(const struct tally_dso *dso)
{
	enum tally_dso_kind kind = tally_dso_kind(dso);
	bool is_kernel = kind == TALLY_DSO_KERNEL || kind == TALLY_DSO_MODULE;

	return is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

static int write_build_id(struct record *record, struct hits *hits, const struct tally_dso *dso)
{
	struct tally_perfdata_build_id id = {
		.pid = -1,
		.misc = dso_cpumode(dso),
		.filename = tally_dso_name(dso),
	};
	size_t size;
	int ret;

	ret = record_paths_allow(&hits->paths, dso);
	if (ret <= 0)
		return ret;
	if (tally_dso_running_build_id(dso, id.bytes, &size))
		return 0;
	id.size = (uint8_t)size;
	ret = is_new_id(hits, &id);
	return ret > 0 ? tally_perfdata_writer_build_id(record->output.writer, &id) : ret;
}

static int write_build_ids(struct record *record, struct hits *hits)
{
	struct tally_dso *dso;
	size_t pos = 0;
	int ret = 0;

	while (!ret && (dso = tally_dso_next(hits->symbols, &pos))) {
		size_t number = tally_dso_number(dso);

		bool is_hit = number < hits->marks.len && hits->marks.data[number];

		if (record->config->buildid_all || is_hit)
			ret = write_build_id(record, hits, dso);
		if (!ret && is_hit)
			tally_dso_index_pinned(dso);
	}
	return ret;
}

/* ---- the pass --------------------------------------------------------------- */

static int hits_init(struct hits *hits, const struct tally_symbols_options *options)
{
	struct tally_machine *machine = NULL;
	int ret = tally_symbols_new(options, &hits->symbols);

	if (!ret)
		ret = tally_machine_new(hits->symbols, &machine);
	if (!ret)
		tally_machine_show_paths(machine);
	tally_feed_init(&hits->feed, machine, on_sample, hits);
	return ret;
}

static void hits_free(struct hits *hits)
{
	tally_machine_free(hits->feed.machine);
	tally_symbols_free(hits->symbols);
	tally_vec_free(&hits->marks);
	tally_map_free(&hits->spaces);
	tally_intern_free(&hits->written);
	record_paths_free(&hits->paths);
}

int record_hits(struct record *record, struct record_hits *ret_hits)
{
	struct hits hits = {.result = ret_hits,
			    .paths.fd = record->output.file.fd,
			    .names_maps = !record->config->no_buildid};
	struct tally_perfdata *data;
	int ret = tally_perfdata_open_fd(record->output.file.fd, &data, NULL);

	if (ret)
		return ret;
	ret = hits_init(&hits, record_pins_options(record));
	if (!ret)
		ret = hits_read(&hits, data);
	if (!ret && !record->config->no_buildid)
		ret = write_build_ids(record, &hits);
	tally_perfdata_close(data);
	hits_free(&hits);
	return ret;
}

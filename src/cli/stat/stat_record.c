/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/stat_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/main/env_collect.h"
#include "cli/main/recording_file.h"
#include "cli/stat/stat_count.h"
#include "cli/stat/stat_perfdata.h"
#include "sampler/synth.h"
#include "tally/perfdata.h"

struct stat_recorder {
	struct tally_recording_file file;
	struct tally_perfdata_writer *writer;
	struct tally_synth synth; /* records of the current round */
	int argc;
	char **argv;
	bool has_round; /* the file has counts */
};

static int open_file(struct tally_recording_file *file)
{
	int ret;

	if (!file->path) {
		file->fd = STDOUT_FILENO;
		return tally_recording_file_check_stdout();
	}
	ret = file->is_pipe ? 0 : tally_recording_file_open(file);
	if (ret || (!file->is_pipe && !file->is_device))
		return ret;
	tally_print_error("%s: 'stat record' requires a regular file, or '-o -' for a pipe",
			  file->path);
	return -ENOTSUP;
}

int stat_record_open(const char *output, int argc, char **argv, struct stat_recorder **ret_recorder)
{
	struct stat_recorder *recorder = calloc(1, sizeof(*recorder));
	int ret;

	if (!recorder)
		return -ENOMEM;
	*recorder = (struct stat_recorder){.file = {.fd = -1}, .argc = argc, .argv = argv};
	tally_recording_file_choose(&recorder->file, output);
	ret = open_file(&recorder->file);
	if (ret) {
		stat_record_close(recorder);
		return ret;
	}
	*ret_recorder = recorder;
	return 0;
}

int stat_record_output_of_command(const struct stat_recorder *recorder)
{
	return recorder && !recorder->file.path ? STDERR_FILENO : STDOUT_FILENO;
}

/* ---- records ---------------------------------------------------------------- */

static void add_bytes(struct stat_recorder *recorder, const void *bytes, size_t len)
{
	tally_str_add_bytes(&recorder->synth.out, bytes, len);
}

/* Begin a record with `size` bytes after the header. */
static void begin(struct stat_recorder *recorder, uint32_t type, size_t size)
{
	tally_synth_begin(&recorder->synth, type, 0, size);
}

/* Add an EVENT_UPDATE record. `size` is the size of the data, which is padded. */
static void add_update(struct stat_recorder *recorder, uint64_t what, uint64_t id, const void *data,
		       size_t size)
{
	static const char zeros[8];
	const uint64_t words[] = {what, id};
	size_t padding = -size % 8;

	begin(recorder, TALLY_PERFDATA_EVENT_UPDATE, 16 + size + padding);
	add_bytes(recorder, words, sizeof(words));
	add_bytes(recorder, data, size);
	add_bytes(recorder, zeros, padding);
}

/* Add the unit and scale of an event. `id` is that of its first counter. */
static void add_unit(struct stat_recorder *recorder, const struct tally_event_spec *spec,
		     uint64_t id)
{
	if (spec->unit && *spec->unit)
		add_update(recorder, TALLY_PERFDATA_UPDATE_UNIT, id, spec->unit,
			   strlen(spec->unit) + 1);
	if (spec->scale != 0 && spec->scale != 1)
		add_update(recorder, TALLY_PERFDATA_UPDATE_SCALE, id, &spec->scale,
			   sizeof(spec->scale));
}

static void add_threads(struct stat_recorder *recorder, const struct stat_session *session)
{
	/* A record holds at most this many entries. */
	size_t nr = TALLY_MIN(session->threads->nr, (size_t)(UINT16_MAX - 16) / 24);

	begin(recorder, TALLY_PERFDATA_THREAD_MAP, 8 + 24 * nr);
	tally_synth_u64(&recorder->synth, nr);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t tid = (uint64_t)(int64_t)session->threads->thread[i].tid;
		char comm[32] = "";

		if (session->threads->thread[i].tid > 0)
			stat_thread_comm(session->threads->thread[i].tid, comm, sizeof(comm));
		comm[15] = '\0';
		add_bytes(recorder, &tid, sizeof(tid));
		add_bytes(recorder, comm, 16);
	}
}

static void add_config(struct stat_recorder *recorder, const struct stat_session *session)
{
	const struct stat_config *config = session->config;
	const uint64_t words[] = {
		3,
		STAT_PERFDATA_AGGR,
		stat_perfdata_of_mode(config->mode),
		STAT_PERFDATA_INTERVAL,
		config->interval_ms,
		STAT_PERFDATA_SCALE,
		!config->no_scale,
	};

	begin(recorder, TALLY_PERFDATA_STAT_CONFIG, sizeof(words));
	add_bytes(recorder, words, sizeof(words));
}

/* Add a count since the start to the current round. `cpu` is an index into the event's CPUs. */
static void record_count(struct stat_session *session, const struct stat_set *set, size_t event,
			 size_t cpu, size_t thread)
{
	const struct tally_cpus *cpus = tally_counters_cpus(set->counters, event);
	const uint32_t place[] = {(uint32_t)cpus->cpu[cpu].number, (uint32_t)thread};
	const struct tally_count *count = &set->now[event];
	const uint64_t words[] = {count->value, count->enabled, count->running};
	uint64_t id;

	if (tally_counters_id(set->counters, event, cpu, thread, &id))
		return;
	begin(session->recorder, TALLY_PERFDATA_STAT, 40);
	add_bytes(session->recorder, &id, sizeof(id));
	add_bytes(session->recorder, place, sizeof(place));
	add_bytes(session->recorder, words, sizeof(words));
}

/* ---- the beginning of the file ---------------------------------------------- */

/* Add an event with the IDs of its counters. An event that could not be opened has none. */
static int add_event(struct stat_recorder *recorder, const struct stat_session *session,
		     const struct stat_set *set, size_t event)
{
	const struct stat_row *row = &session->rows.data[set->rows[event]];
	size_t cpus = tally_counters_cpus(set->counters, event)->nr;
	size_t threads = tally_counters_nr_threads(set->counters);
	TALLY_VEC(uint64_t) ids = {0};
	uint64_t id;
	int ret = 0;

	for (size_t i = 0; !ret && i < cpus * threads; i++)
		if (!tally_counters_id(set->counters, event, i / threads, i % threads, &id))
			ret = tally_vec_push(&ids, id);
	if (!ret)
		ret = tally_perfdata_writer_add_event(recorder->writer,
						      tally_counters_attr(set->counters, event),
						      row->name, ids.data, ids.len);
	if (!ret && ids.len)
		add_unit(recorder, row->spec, ids.data[0]);
	tally_vec_free(&ids);
	return ret;
}

static int add_events(struct stat_recorder *recorder, const struct stat_session *session)
{
	int ret = 0;

	tally_vec_for_each (set, &session->sets)
		for (size_t event = 0; event < set->list.nr && !ret; event++)
			ret = add_event(recorder, session, set, event);
	return ret;
}

static int write_round(struct stat_recorder *recorder)
{
	struct tally_str *out = &recorder->synth.out;
	int ret = tally_str_error(out);

	if (!ret)
		ret = tally_perfdata_writer_write(recorder->writer, tally_str_text(out), out->len);
	tally_str_clear(out);
	if (ret)
		tally_print_error("cannot write %s: %s",
				  tally_recording_file_shown(&recorder->file), strerror(-ret));
	return ret;
}

static void warn_tools(const struct stat_session *session)
{
	tally_vec_for_each (row, &session->rows)
		if (row->spec->tool)
			tally_print_warning("%s is not a counter, and is not recorded", row->name);
}

int stat_record_start(struct stat_session *session)
{
	struct stat_recorder *recorder = session->recorder;
	int ret;

	if (tally_via_transport(&session->via)) {
		tally_print_error("'stat record' requires the kernel's counters");
		return -ENOTSUP;
	}
	ret = tally_perfdata_writer_new(
		recorder->file.fd,
		&(struct tally_perfdata_writer_options){.pipe = recorder->file.is_pipe},
		&recorder->writer);
	if (!ret)
		ret = add_events(recorder, session);
	if (!ret)
		ret = tally_env_collect(recorder->writer, recorder->argc, recorder->argv);
	if (!ret)
		ret = tally_perfdata_writer_feature(recorder->writer, TALLY_FEATURE_STAT, "", 0);
	if (!ret)
		ret = tally_perfdata_writer_start(recorder->writer);
	if (ret) {
		tally_print_error("cannot write %s: %s",
				  tally_recording_file_shown(&recorder->file), strerror(-ret));
		return ret;
	}
	session->on_count = record_count;
	warn_tools(session);
	add_threads(recorder, session);
	add_config(recorder, session);
	ret = tally_synth_cpu_map(&recorder->synth, session->cpus);
	return ret ? ret : write_round(recorder);
}

int stat_record_round(struct stat_session *session, bool is_last, uint64_t time)
{
	const uint64_t words[] = {is_last ? STAT_PERFDATA_LAST : STAT_PERFDATA_PERIODIC, time};

	begin(session->recorder, TALLY_PERFDATA_STAT_ROUND, 16);
	add_bytes(session->recorder, words, sizeof(words));
	session->recorder->has_round = true;
	return write_round(session->recorder);
}

int stat_record_close(struct stat_recorder *recorder)
{
	int ret = 0;

	if (!recorder)
		return 0;
	if (recorder->has_round) {
		ret = tally_perfdata_writer_finish(recorder->writer);
		if (ret)
			tally_print_error("cannot finish %s: %s",
					  tally_recording_file_shown(&recorder->file),
					  strerror(-ret));
	} else if (recorder->file.fd >= 0 && recorder->file.path) {
		tally_recording_file_discard(&recorder->file);
	}
	tally_perfdata_writer_free(recorder->writer);
	tally_recording_file_close(&recorder->file);
	tally_str_free(&recorder->synth.out);
	free(recorder);
	return ret;
}

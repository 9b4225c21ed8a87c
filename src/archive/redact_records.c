/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy a recording, one record at a time. Record types that are not listed in the tables below are
 * not known to be harmless, and are rejected. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/error.h"
#include "archive/redact.h"
#include "archive/redact_fields.h"
#include "profile/process/unwind.h"

enum { RECORD_MAX = UINT16_MAX & ~7, BATCH = 256 << 10 };

struct rewrite {
	struct tally_redactor *redactor;
	struct tally_perfdata *data;
	struct tally_perfdata_writer *writer;
	int (*between)(void *arg);
	void *arg;
	struct tally_error *err;
	uint32_t nr_cpus; /* from NRCPUS */
	struct tally_str record;
	struct tally_str batch; /* records to be written together */
};

static int refuse(struct rewrite *rewrite, const char *why, uint64_t offset)
{
	return tally_error_at(rewrite->err, -EOPNOTSUPP, why, offset);
}

/* ---- records -------------------------------------------------------------------- */

/* Copy the record unchanged, except for unused bytes after its fields. */
static int rewrite_unchanged(struct rewrite *rewrite, const struct tally_perfdata_record *record)
{
	struct tally_str *out = &rewrite->record;

	tally_str_add_bytes(out, record->data, record->size);
	if (out->failed)
		return -ENOMEM;
	return tally_redact_fields(record, (uint8_t *)out->data, rewrite->err);
}

/* Copy the record with its string replaced, and keep the trailer. */
static int string_replace(struct rewrite *rewrite, const struct tally_perfdata_record *record,
			  const char *(*show)(struct tally_redactor *redactor, const char *text))
{
	const struct tally_record_desc *desc = tally_perfdata_describe(record->type);
	size_t trailer = record->event ? tally_trailer_size(record->event->layout) : 0;
	struct tally_str *out = &rewrite->record, text = {0};
	struct tally_record_cursor cursor;
	struct tally_record_value value;
	size_t start = 0;
	int ret;

	tally_record_walk(&cursor, desc, record->data, record->size, trailer, 0);
	while ((ret = tally_record_next(&cursor, &value, NULL)) > 0 &&
	       value.field->kind != TALLY_FIELD_STRING)
		;
	if (ret <= 0)
		return refuse(rewrite, "a record has no name", record->offset);
	start = (size_t)(value.bytes.data - (const uint8_t *)record->data);
	ret = rewrite_unchanged(rewrite, record);
	if (ret)
		return ret;
	out->len = start;
	tally_str_add_bytes(&text, value.bytes.data, value.bytes.len);
	tally_str_add(out, show(rewrite->redactor, tally_str_text(&text)));
	do
		tally_str_add_char(out, '\0');
	while (out->len % 8);
	tally_str_add_bytes(out, (const uint8_t *)record->data + record->size - trailer, trailer);
	ret = tally_str_error(&text);
	tally_str_free(&text);
	return ret;
}

static const char *show_path(struct tally_redactor *redactor, const char *path)
{
	return tally_redact_path(redactor, path);
}

static int rewrite_path(struct rewrite *rewrite, const struct tally_perfdata_record *record)
{
	return string_replace(rewrite, record, show_path);
}

static int rewrite_comm(struct rewrite *rewrite, const struct tally_perfdata_record *record)
{
	return string_replace(rewrite, record, tally_redact_comm);
}

static int rewrite_cgroup(struct rewrite *rewrite, const struct tally_perfdata_record *record)
{
	return string_replace(rewrite, record, tally_redact_cgroup);
}

/* Replace the thread names. The record consists of an entry count, followed by a PID and 16 bytes
 * of comm per entry. */
static int rewrite_thread_map(struct rewrite *rewrite, const struct tally_perfdata_record *record)
{
	enum { FIRST = 16, ENTRY = 24, AT_COMM = 8, COMM = 16 };
	struct tally_str *out = &rewrite->record;
	int ret;

	if (record->size < FIRST || (record->size - FIRST) % ENTRY)
		return refuse(rewrite, "a THREAD_MAP record has an unknown format", record->offset);
	ret = rewrite_unchanged(rewrite, record);
	if (ret)
		return ret;
	for (size_t at = FIRST; !out->failed && at < out->len; at += ENTRY) {
		char comm[COMM + 1] = {0};
		const char *shown;

		memcpy(comm, out->data + at + AT_COMM, COMM);
		shown = *comm ? tally_redact_comm(rewrite->redactor, comm) : "";
		memset(out->data + at + AT_COMM, 0, COMM);
		memcpy(out->data + at + AT_COMM, shown, strnlen(shown, COMM - 1));
	}
	return 0;
}

/* In the copy, zero the bytes from which `words` were decoded. */
static void zero_words(struct rewrite *rewrite, const struct tally_perfdata_record *record,
		       struct tally_words words)
{
	size_t at = words.nr ? (size_t)(words.data - (const uint8_t *)record->data) : 0;

	if (at && !rewrite->record.failed)
		memset(rewrite->record.data + at, 0, 8 * words.nr);
}

/* As zero_words(), but keep the numbers and sizes of the registers. */
static void zero_simd(struct rewrite *rewrite, const struct tally_perfdata_record *record,
		      struct tally_words simd)
{
	if (!simd.nr)
		return;
	simd.data += 8 * TALLY_SIMD_HEAD;
	simd.nr -= TALLY_SIMD_HEAD;
	zero_words(rewrite, record, simd);
}

static int rewrite_sample(struct rewrite *rewrite, const struct tally_perfdata_record *record)
{
	struct tally_sample sample;
	enum tally_unwind_end end;

	if (!record->event || record->event->is_partial ||
	    tally_sample_decode(record->event->layout, record->data, record->size, &sample, NULL))
		return refuse(rewrite, "a sample cannot be decoded", record->offset);
	if (sample.present & PERF_SAMPLE_RAW && sample.raw.len)
		return refuse(rewrite,
			      "cannot redact tracepoint raw data, which may contain anything (file "
			      "names, arguments)",
			      record->offset);
	if (sample.aux.len)
		return refuse(rewrite, "cannot redact AUX data", record->offset);
	if (sample.stack_user.len && !tally_unwind_note_read(&sample, &end))
		return refuse(rewrite,
			      "cannot redact stack dumps, which may contain anything from a "
			      "program's memory; record without --keep-stacks to unwind them",
			      record->offset);
	if (sample.left >= 8)
		return refuse(rewrite, "cannot redact samples longer than their fields",
			      record->offset);
	tally_str_add_bytes(&rewrite->record, record->data, record->size);
	zero_words(rewrite, record, sample.regs_user.values);
	zero_words(rewrite, record, sample.regs_intr.values);
	zero_simd(rewrite, record, sample.regs_user.simd);
	zero_simd(rewrite, record, sample.regs_intr.simd);
	if (!rewrite->record.failed)
		memset(rewrite->record.data + record->size - sample.left, 0, sample.left);
	return 0;
}

/* Action for each record type; other types are rejected. */
static const struct {
	uint32_t type;
	int (*rewrite)(struct rewrite *rewrite, const struct tally_perfdata_record *record);
} rewrites[] = {
	{PERF_RECORD_SAMPLE, rewrite_sample},
	{PERF_RECORD_MMAP, rewrite_path},
	{PERF_RECORD_MMAP2, rewrite_path},
	{PERF_RECORD_COMM, rewrite_comm},
	{PERF_RECORD_CGROUP, rewrite_cgroup},
	{TALLY_PERFDATA_THREAD_MAP, rewrite_thread_map},
	/* These records contain only numbers and kernel function names. */
	{PERF_RECORD_LOST, rewrite_unchanged},
	{PERF_RECORD_EXIT, rewrite_unchanged},
	{PERF_RECORD_THROTTLE, rewrite_unchanged},
	{PERF_RECORD_UNTHROTTLE, rewrite_unchanged},
	{PERF_RECORD_FORK, rewrite_unchanged},
	{PERF_RECORD_READ, rewrite_unchanged},
	{PERF_RECORD_LOST_SAMPLES, rewrite_unchanged},
	{PERF_RECORD_SWITCH, rewrite_unchanged},
	{PERF_RECORD_SWITCH_CPU_WIDE, rewrite_unchanged},
	{PERF_RECORD_NAMESPACES, rewrite_unchanged},
	{PERF_RECORD_KSYMBOL, rewrite_unchanged},
	{PERF_RECORD_BPF_EVENT, rewrite_unchanged},
	{PERF_RECORD_TEXT_POKE, rewrite_unchanged},
	{PERF_RECORD_CALLCHAIN_DEFERRED, rewrite_unchanged},
	{TALLY_PERFDATA_EVENT_UPDATE, rewrite_unchanged}, /* units, scales, CPUs, event names */
	{TALLY_PERFDATA_FINISHED_ROUND, rewrite_unchanged},
	{TALLY_PERFDATA_FINISHED_INIT, rewrite_unchanged},
	{TALLY_PERFDATA_ID_INDEX, rewrite_unchanged},
	{TALLY_PERFDATA_CPU_MAP, rewrite_unchanged},
	{TALLY_PERFDATA_STAT_CONFIG, rewrite_unchanged},
	{TALLY_PERFDATA_STAT, rewrite_unchanged},
	{TALLY_PERFDATA_STAT_ROUND, rewrite_unchanged},
	{TALLY_PERFDATA_TIME_CONV, rewrite_unchanged},
};

static int batch_write(struct rewrite *rewrite)
{
	struct tally_str *batch = &rewrite->batch;
	int ret = tally_str_error(batch);

	if (!ret && rewrite->between)
		ret = rewrite->between(rewrite->arg);
	if (!ret && batch->len)
		ret = tally_perfdata_writer_write(rewrite->writer, batch->data, batch->len);
	tally_str_clear(batch);
	return ret;
}

static int rewrite_record(struct rewrite *rewrite, const struct tally_perfdata_record *record)
{
	struct tally_str *out = &rewrite->record;
	int ret = -ENOENT;
	uint16_t size;

	if (record->flags & TALLY_PERFDATA_CONTAINER)
		return 0; /* the records in the container follow separately */
	tally_str_clear(out);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rewrites); i++) {
		if (rewrites[i].type == record->type)
			ret = rewrites[i].rewrite(rewrite, record);
	}
	if (ret == -ENOENT || record->flags & TALLY_PERFDATA_DAMAGED)
		return refuse(rewrite,
			      "cannot redact a record type that is not known to be harmless",
			      record->offset);
	if (!ret)
		ret = tally_str_error(out);
	if (ret || out->len > RECORD_MAX)
		return ret ? ret
			   : refuse(rewrite, "a record would be too long with the replacement name",
				    record->offset);
	size = (uint16_t)out->len;
	memcpy(out->data + offsetof(struct perf_event_header, size), &size, sizeof(size));
	tally_str_add_bytes(&rewrite->batch, out->data, out->len);
	return rewrite->batch.len < BATCH ? 0 : batch_write(rewrite);
}

static int rewrite_records(struct rewrite *rewrite)
{
	struct tally_perfdata_record record;
	int ret = 0, got = 0;

	while (!ret && (got = tally_perfdata_next(rewrite->data, &record, rewrite->err)) > 0)
		ret = rewrite_record(rewrite, &record);
	if (!ret && !got)
		ret = batch_write(rewrite);
	return ret ? ret : got;
}

/* ---- features --------------------------------------------------------------------- */

/* Action for each feature. Features that the writer creates itself are not copied; neither are BPF
 * programs, which reports do not need. */
enum feature_action { FEATURE_REFUSED, FEATURE_KEPT, FEATURE_NOT_COPIED, FEATURE_REPLACED };

static const uint8_t feature_actions[TALLY_FEATURE_LIMIT] = {
	[TALLY_FEATURE_BUILD_ID] = FEATURE_REPLACED,
	[TALLY_FEATURE_HOSTNAME] = FEATURE_REPLACED,
	[TALLY_FEATURE_CMDLINE] = FEATURE_REPLACED,
	[TALLY_FEATURE_EMBEDDED_SYMBOLS] = FEATURE_REPLACED,
	[TALLY_FEATURE_REGIONS] = FEATURE_NOT_COPIED,
	[TALLY_FEATURE_EVENT_DESC] = FEATURE_NOT_COPIED,
	[TALLY_FEATURE_BRANCH_STACK] = FEATURE_NOT_COPIED,
	[TALLY_FEATURE_COMPRESSED] = FEATURE_NOT_COPIED,
	[TALLY_FEATURE_BPF_PROG_INFO] = FEATURE_NOT_COPIED,
	[TALLY_FEATURE_BPF_BTF] = FEATURE_NOT_COPIED,
	[TALLY_FEATURE_OSRELEASE] = FEATURE_KEPT,
	[TALLY_FEATURE_VERSION] = FEATURE_KEPT,
	[TALLY_FEATURE_ARCH] = FEATURE_KEPT,
	[TALLY_FEATURE_NRCPUS] = FEATURE_KEPT,
	[TALLY_FEATURE_CPUDESC] = FEATURE_KEPT,
	[TALLY_FEATURE_CPUID] = FEATURE_KEPT,
	[TALLY_FEATURE_TOTAL_MEM] = FEATURE_KEPT,
	[TALLY_FEATURE_CPU_TOPOLOGY] = FEATURE_KEPT,
	[TALLY_FEATURE_NUMA_TOPOLOGY] = FEATURE_KEPT,
	[TALLY_FEATURE_PMU_MAPPINGS] = FEATURE_KEPT,
	[TALLY_FEATURE_GROUP_DESC] = FEATURE_KEPT,
	[TALLY_FEATURE_STAT] = FEATURE_KEPT,
	[TALLY_FEATURE_CACHE] = FEATURE_KEPT,
	[TALLY_FEATURE_SAMPLE_TIME] = FEATURE_KEPT,
	[TALLY_FEATURE_MEM_TOPOLOGY] = FEATURE_KEPT,
	[TALLY_FEATURE_CLOCKID] = FEATURE_KEPT,
	[TALLY_FEATURE_CPU_PMU_CAPS] = FEATURE_KEPT,
	[TALLY_FEATURE_CLOCK_DATA] = FEATURE_KEPT,
	[TALLY_FEATURE_HYBRID_TOPOLOGY] = FEATURE_KEPT,
	[TALLY_FEATURE_PMU_CAPS] = FEATURE_KEPT,
	[TALLY_FEATURE_E_MACHINE] = FEATURE_KEPT,
	[TALLY_FEATURE_CLN_SIZE] = FEATURE_KEPT,
};

static int rewrite_build_ids(struct rewrite *rewrite)
{
	const struct tally_perfdata_build_id *id;
	int ret = 0;

	for (size_t i = 0; !ret && (id = tally_perfdata_build_id(rewrite->data, i)); i++) {
		struct tally_perfdata_build_id shown = *id;

		shown.filename = tally_redact_path(rewrite->redactor, id->filename);
		ret = tally_perfdata_writer_build_id(rewrite->writer, &shown);
	}
	return ret;
}

/* Copy the feature without its padding and without the bytes after its content. */
static int feature_keep(struct rewrite *rewrite, const struct tally_perfdata_feature *feature)
{
	struct tally_str *out = &rewrite->record;
	uint64_t len;
	int ret;

	tally_str_clear(out);
	tally_str_add_bytes(out, feature->bytes.data, feature->bytes.len);
	ret = tally_str_error(out);
	if (!ret && tally_redact_feature(feature->id, rewrite->nr_cpus, (uint8_t *)out->data,
					 out->len, &len))
		ret = refuse(rewrite, "a feature cannot be decoded", feature->offset);
	return ret ? ret
		   : tally_perfdata_writer_feature(rewrite->writer, feature->id, out->data, len);
}

static int rewrite_feature(struct rewrite *rewrite, const struct tally_perfdata_feature *feature)
{
	static const char *const cmdline[] = {"redacted"};
	struct tally_perfdata_writer *writer = rewrite->writer;

	if (feature_actions[feature->id] == FEATURE_REFUSED)
		return refuse(rewrite, "cannot redact a feature that is not known to be harmless",
			      feature->offset);
	if (feature_actions[feature->id] == FEATURE_KEPT)
		return feature_keep(rewrite, feature);
	switch (feature->id) {
	case TALLY_FEATURE_BUILD_ID: return rewrite_build_ids(rewrite);
	case TALLY_FEATURE_HOSTNAME:
		return tally_perfdata_writer_string(writer, TALLY_FEATURE_HOSTNAME, "host1");
	case TALLY_FEATURE_CMDLINE: return tally_perfdata_writer_cmdline(writer, 1, cmdline);
	default: return 0;
	}
}

static int rewrite_features(struct rewrite *rewrite, const struct tally_str *names)
{
	struct tally_perfdata_feature feature;
	int ret = 0;

	for (size_t i = 0; !ret && tally_perfdata_feature(rewrite->data, i, &feature); i++)
		ret = rewrite_feature(rewrite, &feature);
	return ret ? ret
		   : tally_perfdata_writer_feature(rewrite->writer, TALLY_FEATURE_EMBEDDED_SYMBOLS,
						   names->data, names->len);
}

/* ---- the file ------------------------------------------------------------------------ */

static int check_file(struct rewrite *rewrite)
{
	const struct tally_perfdata_info *info = tally_perfdata_info(rewrite->data);

	if (info->is_dir || info->is_pipe || info->is_stream || info->is_unfinished)
		return refuse(rewrite,
			      "cannot redact a stream, a directory or an unfinished recording", 0);
	if (info->is_foreign)
		return refuse(rewrite, "cannot redact a recording with foreign byte order", 0);
	return 0;
}

static int writer_begin(struct rewrite *rewrite, int to)
{
	struct tally_perfdata_writer_options options = {0};
	const struct tally_perfdata_event *event;
	const struct tally_perfdata_env *env;
	int ret = tally_perfdata_env(rewrite->data, &env);

	if (ret)
		return ret;
	rewrite->nr_cpus = env->nr_cpus_avail;
	options.compress_level = (int)TALLY_MIN(env->compress_level, 22u);
	ret = tally_perfdata_writer_new(to, &options, &rewrite->writer);
	for (size_t i = 0; !ret && (event = tally_perfdata_event(rewrite->data, i)); i++)
		ret = tally_perfdata_writer_add_event(rewrite->writer, &event->attr,
						      event->is_named ? event->name : NULL,
						      event->ids, event->nr_ids);
	return ret ? ret : tally_perfdata_writer_start(rewrite->writer);
}

int tally_redact_file(struct tally_redactor *redactor, int from, int to,
		      const struct tally_str *names, int (*between)(void *arg), void *arg,
		      struct tally_error *err)
{
	struct rewrite rewrite = {.redactor = redactor, .between = between, .arg = arg, .err = err};
	int ret = tally_perfdata_open_fd(from, &rewrite.data, err);

	if (ret)
		return ret;
	ret = check_file(&rewrite);
	if (!ret)
		ret = writer_begin(&rewrite, to);
	if (!ret)
		ret = rewrite_records(&rewrite);
	if (!ret)
		ret = rewrite_features(&rewrite, names);
	if (!ret)
		ret = tally_perfdata_writer_finish(rewrite.writer);
	if (!ret && redactor->failed)
		ret = -ENOMEM;
	tally_perfdata_writer_free(rewrite.writer);
	tally_perfdata_close(rewrite.data);
	tally_str_free(&rewrite.record);
	tally_str_free(&rewrite.batch);
	return ret;
}

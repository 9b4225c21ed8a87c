/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/data/data_json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "abi/attr.h"
#include "base/json.h"
#include "base/path.h"
#include "cli/main/output_stream.h"

/* A document in progress. The layout is perf's: one value a line, indented with tabs. */
struct data_json {
	struct tally_document *document;
	struct tally_str out;
	int depth;
	bool is_first; /* no value was written in the innermost array or object */
	bool has_header;
	uint64_t samples;
};

/* ---- layout --------------------------------------------------------------- */

/* Begin a line, and write the key unless it is NULL. */
static void begin(struct data_json *json, const char *key)
{
	if (json->depth)
		tally_str_add(&json->out, json->is_first ? "\n" : ",\n");
	for (int i = 0; i < json->depth; i++)
		tally_str_add_char(&json->out, '\t');
	json->is_first = false;
	if (!key)
		return;
	tally_json_quote(&json->out, key, strlen(key));
	tally_str_add(&json->out, ": ");
}

static void open_list(struct data_json *json, const char *key, char bracket)
{
	begin(json, key);
	tally_str_add_char(&json->out, bracket);
	json->depth++;
	json->is_first = true;
}

static void close_list(struct data_json *json, char bracket)
{
	tally_str_add_char(&json->out, '\n');
	json->depth--;
	for (int i = 0; i < json->depth; i++)
		tally_str_add_char(&json->out, '\t');
	tally_str_add_char(&json->out, bracket);
	json->is_first = false;
}

static void add_text(struct data_json *json, const char *key, const char *text)
{
	begin(json, key);
	tally_json_quote(&json->out, text, strlen(text));
}

static void add_number(struct data_json *json, const char *key, uint64_t value)
{
	begin(json, key);
	tally_str_add_u64(&json->out, value);
}

static void add_signed(struct data_json *json, const char *key, int64_t value)
{
	begin(json, key);
	tally_str_addf(&json->out, "%" PRId64, value);
}

static int flush(struct data_json *json, size_t limit)
{
	int ret = tally_str_error(&json->out);

	if (!ret && json->out.len >= limit) {
		ret = tally_document_write(json->document, json->out.data, json->out.len);
		tally_str_clear(&json->out);
	}
	return ret;
}

/* ---- header --------------------------------------------------------------- */

static void add_file(struct data_json *json, const struct tally_session *session)
{
	const struct tally_perfdata_info *info = tally_perfdata_info(session->data);
	char when[32];
	struct stat st;
	struct tm utc;

	/* perf counts its versions from 0. */
	add_number(json, "header-version", info->version - 1);
	if (info->is_stream)
		return;
	if (!stat(session->path, &st) && gmtime_r(&st.st_mtime, &utc) &&
	    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc))
		add_text(json, "captured-on", when);
	add_number(json, "data-offset", info->data_offset);
	add_number(json, "data-size", info->data_size);
	add_number(json, "feat-offset", info->data_offset + info->data_size);
}

static void add_strings(struct data_json *json, const struct tally_perfdata_env *env)
{
	const struct {
		uint32_t feature;
		const char *key, *text;
	} rows[] = {
		{TALLY_FEATURE_HOSTNAME, "hostname", env->hostname},
		{TALLY_FEATURE_OSRELEASE, "os-release", env->osrelease},
		{TALLY_FEATURE_ARCH, "arch", env->arch},
		{TALLY_FEATURE_CPUDESC, "cpu-desc", env->cpudesc},
		{TALLY_FEATURE_CPUID, "cpuid", env->cpuid},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (env->present >> rows[i].feature & 1)
			add_text(json, rows[i].key, rows[i].text);
	if (env->present >> TALLY_FEATURE_NRCPUS & 1) {
		add_number(json, "nrcpus-online", env->nr_cpus_online);
		add_number(json, "nrcpus-avail", env->nr_cpus_avail);
	}
	if (env->present >> TALLY_FEATURE_VERSION & 1)
		add_text(json, "perf-version", env->version);
}

static int add_header(struct data_json *json, struct tally_session *session)
{
	const struct tally_perfdata_env *env;
	int ret = tally_perfdata_env(session->data, &env);

	if (ret)
		return ret;
	json->has_header = true;
	open_list(json, NULL, '{');
	add_number(json, "linux-perf-json-version", 1);
	open_list(json, "headers", '{');
	add_file(json, session);
	add_strings(json, env);
	if (env->present >> TALLY_FEATURE_CMDLINE & 1) {
		open_list(json, "cmdline", '[');
		for (uint32_t i = 0; i < env->cmdline.nr; i++)
			add_text(json, NULL, env->cmdline.items[i]);
		close_list(json, ']');
	}
	close_list(json, '}');
	open_list(json, "samples", '[');
	return 0;
}

/* ---- samples --------------------------------------------------------------- */

static void add_place(struct data_json *json, struct tally_session *session,
		      const struct tally_feed_sample *sample, uint8_t cpumode, uint64_t ip)
{
	const struct tally_location *at =
		tally_machine_locate(session->machine, sample->thread, cpumode, ip);

	open_list(json, NULL, '{');
	begin(json, "ip");
	tally_str_addf(&json->out, "\"0x%" PRIx64 "\"", ip);
	if (at->symbol) {
		add_text(json, "symbol", tally_symbol_name(at->dso, at->symbol));
		add_text(json, "dso", tally_path_name(tally_dso_name(at->dso)));
	}
	close_list(json, '}');
}

/* As in perf, a sample without callers has a chain of one address. */
static void add_chain(struct data_json *json, struct tally_session *session,
		      const struct tally_feed_sample *sample)
{
	struct tally_words chain = sample->sample.callchain;
	uint8_t cpumode = sample->cpumode;

	open_list(json, "callchain", '[');
	for (uint64_t i = 0; i < chain.nr; i++) {
		uint64_t ip = tally_words_get(chain, i);
		int mode = tally_context_cpumode(ip);

		/* After an unknown context marker, the rest of the chain is invalid. */
		if (mode == -1)
			break;
		if (mode == -2)
			add_place(json, session, sample, cpumode, ip);
		else
			cpumode = (uint8_t)mode;
	}
	if (!chain.nr)
		add_place(json, session, sample, sample->cpumode, sample->sample.ip);
	close_list(json, ']');
}

static void add_sample(struct data_json *json, struct tally_session *session,
		       const struct tally_feed_sample *sample)
{
	const char *comm = tally_machine_comm_of_tid(session->machine, sample->thread->tid);

	open_list(json, NULL, '{');
	add_signed(json, "timestamp",
		   sample->sample.present & PERF_SAMPLE_TIME ? (int64_t)sample->sample.time : -1);
	add_signed(json, "pid", sample->thread->pid);
	add_signed(json, "tid", sample->thread->tid);
	if (sample->sample.present & PERF_SAMPLE_CPU)
		add_number(json, "cpu", sample->sample.cpu);
	if (comm)
		add_text(json, "comm", comm);
	add_chain(json, session, sample);
	close_list(json, '}');
}

static int on_record(void *arg, struct tally_session *session,
		     const struct tally_perfdata_record *record, struct tally_feed_sample *sample)
{
	struct data_json *json = arg;
	int ret = 0;

	(void)record;
	if (!sample)
		return 0;
	/* In a stream, the features precede the samples. */
	if (!json->has_header)
		ret = add_header(json, session);
	if (ret)
		return ret;
	json->samples++;
	add_sample(json, session, sample);
	return flush(json, TALLY_FLUSH_AT);
}

int data_json_write(struct tally_session *session, struct tally_document *document,
		    uint64_t *ret_samples)
{
	struct data_json json = {.document = document};
	int ret = tally_session_run(session, on_record, &json);

	/* The session prints its own errors, and -ENOMEM is printed by tally_document_close(). */
	if (ret && session->ended.code)
		ret = -ENODATA;
	if (!ret && !json.has_header)
		ret = add_header(&json, session);
	if (!ret) {
		close_list(&json, ']');
		close_list(&json, '}');
		tally_str_add_char(&json.out, '\n');
		ret = flush(&json, 0);
	}
	tally_str_free(&json.out);
	if (!ret)
		*ret_samples = json.samples;
	return ret;
}

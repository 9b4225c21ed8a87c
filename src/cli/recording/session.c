/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/str.h"
#include "cli/main/huge_heap.h"
#include "cli/main/print.h"
#include "cli/main/progress.h"
#include "cli/main/truncation.h"
#include "cli/recording/fetch.h"
#include "cli/recording/recording_filter.h"
#include "cli/recording/recording_index.h"
#include "cli/recording/session_chain.h"
#include "cli/recording/session_private.h"
#include "sampler/privileges.h"
#include "symbols/stored.h"

/* Return `input`, or a default if `input` is NULL: standard input if it is a pipe, otherwise
 * perf.data. */
static const char *session_input(const char *input)
{
	struct stat st;

	if (input)
		return input;
	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	return "perf.data";
}

const char *tally_session_name(const char *path)
{
	return strncmp(path, "/proc/self/fd/", 14) != 0 ? path : "this recording";
}

bool tally_session_has(const struct tally_session *session, uint64_t field)
{
	const struct tally_perfdata_event *event;

	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++) {
		if (event->attr.sample_type & field)
			return true;
	}
	return false;
}

int tally_session_share_kallsyms(int fd)
{
	int own = fd > 0 ? dup(fd) : 0;

	if (own > 0)
		(void)lseek(own, 0, SEEK_SET);
	return own > 0 ? own : 0;
}

/* Return the time at which the recording ended, in seconds, or 0 for a stream. The time is taken
 * from the file's modification time. */
static int64_t session_recorded(const struct tally_session *session)
{
	const char *path = session->path;
	struct stat st;

	if (session->options.fd)
		return fstat(session->options.fd, &st) ? 0 : st.st_mtime;
	return strcmp(path, "-") && !stat(path, &st) && !S_ISFIFO(st.st_mode) ? st.st_mtime : 0;
}

static int session_build_ids(struct tally_session *session)
{
	const struct tally_perfdata_build_id *id;
	int ret = 0;

	for (size_t i = 0; !ret && (id = tally_perfdata_build_id(session->data, i)); i++)
		ret = tally_machine_build_id(session->machine,
					     id->misc & PERF_RECORD_MISC_CPUMODE_MASK, id->filename,
					     id->bytes, id->size);
	return ret;
}

static int session_symbols(struct tally_session *session)
{
	struct tally_str dir = {0};
	int ret = tally_index_apply(session->options.no_index, &session->options.symbols, &dir);

	if (!ret)
		ret = tally_symbols_new(&session->options.symbols, &session->symbols);
	session->options.symbols.index_dir = NULL;
	tally_str_free(&dir);
	return ret;
}

static int session_explain_open(const char *path, int code, const struct tally_error *err)
{
	tally_print_parse_error(path, code, err);
	if (code == -ENOENT && !strcmp(path, "perf.data"))
		tally_print_hint("create one with 'tally record COMMAND', or specify another with "
				 "'-i FILE'");
	if (code == -EACCES)
		tally_print_hint("the file belongs to another user; copy it, or run as its owner");
	return code;
}

static int session_open_data(struct tally_session *session)
{
	struct tally_error err = {0};
	int ret;

	ret = session->options.fd
		      ? tally_perfdata_open_fd(session->options.fd, &session->data, &err)
		      : tally_perfdata_open(session->path, &session->data, &err);
	return ret && !session->options.is_own ? session_explain_open(session->path, ret, &err)
					       : ret;
}

/* Use the embedded symbols, if any. If they cannot be read, warn and continue without them. */
static int session_use_stored(struct tally_session *session)
{
	struct tally_perfdata_feature feature;
	struct tally_error err = {0};
	int ret = 0;

	for (size_t i = 0; tally_perfdata_feature(session->data, i, &feature); i++) {
		if (feature.id == TALLY_FEATURE_EMBEDDED_SYMBOLS && !session->options.no_stored)
			ret = tally_symbols_set_stored(session->symbols, feature.bytes.data,
						       feature.bytes.len, &err);
	}
	if (ret && ret != -ENOMEM)
		tally_print_warning("%s: ignoring its embedded symbols: %s", session->path,
				    err.text);
	return ret == -ENOMEM ? ret : 0;
}

int tally_session_open(const struct tally_session_options *options, struct tally_session *session)
{
	int ret;

	tally_heap_prepare();
	/* Ignore SIGXFSZ, so that a write beyond the file size limit fails and is reported. No
	 * child inherits this disposition, because no command is started. */
	signal(SIGXFSZ, SIG_IGN);
	*session = (struct tally_session){
		.options = *options, .time.last = UINT64_MAX, .is_again = options->is_own};
	session->path = session_input(options->input);
	session->options.symbols.recorded = session_recorded(session);
	if (!session->options.symbols.kallsyms_fd)
		session->options.symbols.kallsyms_fd = tally_privileges_kallsyms();
	ret = tally_privileges_drop(&tally_print_messages);
	if (ret)
		return ret;
	ret = tally_session_check_files(&session->options.symbols);
	if (ret)
		goto out;
	if (options->debuginfod)
		ret = tally_session_fetch(options, session->path, &session->fetched);
	if (!ret && session->fetched.len)
		session->options.symbols.fetched_dir = tally_str_text(&session->fetched);
	if (!ret)
		ret = session_open_data(session);
	if (!ret)
		ret = session_symbols(session);
	/* A recording made by this process was recorded on this machine, but its header does not
	 * contain the host name yet. */
	if (!ret && !options->is_own)
		ret = session_find_origin(session);
	if (!ret)
		ret = session_use_stored(session);
	if (!ret)
		ret = tally_machine_new(session->symbols, &session->machine);
	session->feed.machine = session->machine;
	session->feed.joins = true;
	if (!ret)
		ret = session_build_ids(session);
	if (!ret)
		ret = session_filter_init(session);
out:
	if (ret)
		tally_session_close(session);
	return ret;
}

void tally_session_close(struct tally_session *session)
{
	tally_feed_free(&session->feed);
	tally_machine_free(session->machine);
	tally_symbols_free(session->symbols);
	if (session->options.symbols.kallsyms_fd > 0)
		close(session->options.symbols.kallsyms_fd);
	session->options.symbols.kallsyms_fd = 0;
	tally_perfdata_close(session->data);
	tally_ranges_free(&session->cpus);
	tally_ranges_free(&session->pids);
	tally_ranges_free(&session->tids);
	tally_map_free(&session->counts);
	tally_traces_free(&session->traces);
	tally_intern_free(&session->comms);
	tally_query_free(session->query);
	tally_str_free(&session->fetched);
	tally_vec_free(&session->chain);
	tally_unwinder_free(&session->unwinder);
	session->machine = NULL;
	session->symbols = NULL;
	session->query = NULL;
	session->data = NULL;
}

/* Pass a sample with counter values (PERF_SAMPLE_READ) to `fn` as one sample per group member. The
 * period is the increase in the member's counter since its previous value. Members with an
 * unchanged counter are skipped. */
static int session_counts(struct tally_session *session, const struct tally_perfdata_record *record,
			  struct tally_session_sample *sample, tally_session_fn *fn, void *arg)
{
	const struct tally_read *read = &sample->sample.read;
	int ret = 0;

	for (uint64_t i = 0; i < read->nr && !ret; i++) {
		struct tally_read_value value = tally_read_get(read, i);
		uint64_t id = read->format & PERF_FORMAT_ID ? value.id : sample->sample.id;
		uint64_t before = tally_map_get(&session->counts, id);
		const struct tally_perfdata_event *event =
			tally_perfdata_event_by_id(session->data, id);

		if (before == TALLY_MAP_NONE)
			before = 0;
		if (event)
			sample->event = event;
		sample->period = value.value - before;
		ret = tally_map_set(&session->counts, id, value.value);
		if (!ret && sample->period)
			ret = fn(arg, session, record, sample);
	}
	return ret;
}

/* Return true if the filter rejects the sample. Without filters, which is the common case, the
 * filter function is not called. */
static bool is_filtered_out(struct tally_session *session,
			    const struct tally_session_sample *sample)
{
	return (session->filter_needs || session->has_comms || session->query) &&
	       !session_filter_passes(session, sample);
}

/* Pass a decoded sample to `fn` if the filter accepts it. */
static int session_sample(struct tally_session *session, const struct tally_perfdata_record *record,
			  const struct tally_feed_sample *facts,
			  struct tally_session_sample *sample, tally_session_fn *fn, void *arg)
{
	const struct perf_event_attr *attr = &record->event->attr;
	const struct tally_sample *decoded = &sample->sample;

	/* Padding after raw data accounts for up to 7 leftover bytes. More leftover bytes indicate
	 * a wrong record size, which hides the records that follow. */
	session->health.long_samples += decoded->left >= 8 && !record->event->is_partial;
	sample->record = record;
	sample->event = record->event;
	sample->cpumode = facts->cpumode;
	sample->period = facts->weight;
	sample->thread = facts->thread;
	if (is_filtered_out(session, sample))
		return fn(arg, session, record, NULL);
	session->health.branches +=
		decoded->branches.nr && !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	if (decoded->present & PERF_SAMPLE_CALLCHAIN &&
	    tally_session_chain(session, attr, facts->thread, &sample->sample))
		return -ENOMEM;
	if (decoded->present & PERF_SAMPLE_READ && decoded->read.nr)
		return session_counts(session, record, sample, fn, arg);
	return fn(arg, session, record, sample);
}

struct tally_session_lost tally_session_lost(const struct tally_session *session)
{
	const struct tally_feed_counts *counts = &session->feed.counts;
	const struct tally_perfdata_event *event;

	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++) {
		if (event->attr.read_format & PERF_FORMAT_LOST)
			return (struct tally_session_lost){
				.records = TALLY_MAX(counts->lost_records, counts->lost_samples)};
	}
	return (struct tally_session_lost){counts->lost_records, counts->lost_samples};
}

/* Pass on the samples that are no longer waiting for a deferred callchain. */
static int session_release(struct tally_session *session, tally_session_fn *fn, void *arg)
{
	struct tally_session_sample sample;
	struct tally_perfdata_record record;
	struct tally_feed_waited waited;
	struct tally_feed_sample facts;
	int ret = 0;

	while (!ret &&
	       (ret = tally_feed_next(&session->feed, &waited, &sample.sample, &facts)) > 0) {
		memcpy(&record, waited.tag, sizeof(record));
		record.data = waited.record;
		ret = session_sample(session, &record, &facts, &sample, fn, arg);
	}
	return ret;
}

static int session_record(struct tally_session *session, const struct tally_perfdata_record *record,
			  tally_session_fn *fn, void *arg)
{
	struct tally_session_sample sample; /* large; initialised by the decoder */
	bool is_first = !session->feed.counts.samples;
	struct tally_feed_event event = {0};
	struct tally_feed_sample facts;
	int ret;

	session->health.out_of_order += !!(record->flags & TALLY_PERFDATA_LATE);
	if (record->flags & TALLY_PERFDATA_DAMAGED) {
		tally_feed_damaged(&session->feed, record->type);
		return 0;
	}
	if (record->event)
		event = (struct tally_feed_event){record->event->layout, &record->event->attr,
						  record, sizeof(*record)};
	ret = session->is_again ? 0 : tally_traces_add(&session->traces, record);
	if (!ret)
		ret = tally_feed_release(&session->feed, &event, record->data, record->size);
	if (!ret)
		ret = session_release(session, fn, arg);
	if (ret)
		return ret;
	ret = tally_feed_record(&session->feed, &event, record->data, record->size, &sample.sample,
				&facts);
	if (ret >= 0 && is_first && session->feed.counts.samples &&
	    tally_perfdata_info(session->data)->is_pipe && session_find_origin(session))
		return -ENOMEM;
	if (ret < 0)
		return ret;
	return ret ? session_sample(session, record, &facts, &sample, fn, arg)
		   : fn(arg, session, record, NULL);
}

/* Warn about records that were skipped because they were too short. */
static void warn_damaged(const struct tally_session *session)
{
	uint64_t records = tally_machine_stats(session->machine)->damaged;

	if (session->feed.counts.damaged)
		tally_print_warning("%s: skipped %llu records that are shorter than their attr "
				    "requires, or have no attr",
				    session->path,
				    (unsigned long long)session->feed.counts.damaged);
	if (session->health.long_samples)
		tally_print_warning(
			"%s: %llu samples are longer than their fields; the extra data is ignored",
			session->path, (unsigned long long)session->health.long_samples);
	if (records)
		tally_print_warning("%s: skipped %llu task and mapping records that are too short, "
				    "or have a name over 4095 bytes",
				    session->path, (unsigned long long)records);
}

static void warn_note(const struct tally_session *session, const struct tally_perfdata_note *note)
{
	struct tally_str where = {0};

	/* Records inside compressed data have no file offset. */
	if (note->offset != UINT64_MAX)
		tally_str_addf(&where, "at byte %llu", (unsigned long long)note->offset);
	if (note->count > 1)
		tally_str_addf(&where, "%s%llu more times", where.len ? ", and " : "",
			       (unsigned long long)note->count - 1);
	if (where.len)
		tally_print_warning("%s: %s (%s)", session->path, note->text,
				    tally_str_text(&where));
	else
		tally_print_warning("%s: %s", session->path, note->text);
	tally_str_free(&where);
}

static void warn_traces(const struct tally_session *session)
{
	struct tally_str text = {0};

	tally_traces_text(&session->traces, &text);
	if (text.len)
		tally_print_warning("%s: %s", session->path, tally_str_text(&text));
	tally_str_free(&text);
}

void tally_session_warn(const struct tally_session *session)
{
	const struct tally_perfdata_note *note;

	for (size_t i = 0; (note = tally_perfdata_note(session->data, i)); i++)
		warn_note(session, note);
	warn_damaged(session);
	warn_traces(session);
}

/* Fail if there are samples but none of them can be decoded. */
static int check_samples(const struct tally_session *session)
{
	const struct tally_feed_counts *counts = &session->feed.counts;

	if (counts->samples || !counts->damaged_samples)
		return 0;
	tally_print_error("%s: none of its %llu samples can be decoded", session->path,
			  (unsigned long long)counts->damaged_samples);
	return -EINVAL;
}

static int ignore_record(void *arg, struct tally_session *session,
			 const struct tally_perfdata_record *record,
			 const struct tally_session_sample *sample)
{
	return 0;
}

/* Return true if the file was truncated while being read, in either pass. Any other error is then a
 * consequence of the truncation. */
static bool session_is_cut(struct tally_session *session, struct tally_error *err)
{
	if (session->is_cut || !tally_perfdata_check(session->data, err))
		return false;
	session->is_cut = true;
	(void)tally_truncation_pop(); /* reported by the caller */
	return true;
}

int tally_session_run(struct tally_session *session, tally_session_fn *fn, void *arg)
{
	struct tally_progress progress =
		tally_progress_start("reading", session->path, session->options.goes_elsewhere);
	struct tally_perfdata_record record;
	struct tally_error err = {0};
	int ret, done = 0;
	bool is_cut;

	while ((ret = tally_perfdata_next_ordered(session->data, &record, &err)) > 0) {
		done = session_record(session, &record, fn ? fn : ignore_record, arg);
		if (done)
			break;
		if (!(session->feed.counts.samples & 0xffff))
			tally_progress_at(&progress, record.offset,
					  tally_perfdata_info(session->data)->file_size);
	}
	tally_progress_end(&progress);
	tally_feed_end(&session->feed);
	if (!done)
		done = session_release(session, fn ? fn : ignore_record, arg);
	is_cut = session_is_cut(session, &err);
	ret = is_cut ? -EINVAL : ret;
	if (is_cut || (ret < 0 && !session->is_again))
		session->ended = (struct tally_error){ret, err.text, err.offset};
	if (!session->is_again)
		tally_session_warn(session);
	if (is_cut || (ret < 0 && !session->is_again))
		tally_print_parse_error(session->path, ret, err.text ? &err : NULL);
	if (done == -ENOMEM)
		tally_print_error("%s: out of memory", session->path);
	if (!done && !session->is_again)
		done = session_filter_finish(session);
	if (!ret && !done && fn && !session->is_again)
		ret = check_samples(session);
	return done ? done : ret;
}

int tally_session_rerun(struct tally_session *session, const uint64_t *wanted, uint64_t nr,
			tally_session_fn *fn, void *arg)
{
	struct tally_session_health health = session->health;
	struct tally_feed_counts counts = session->feed.counts;
	int ret = tally_perfdata_rewind(session->data);

	if (!ret)
		ret = tally_machine_restart(session->machine);
	if (ret)
		return ret;
	tally_map_free(&session->counts);
	session->is_again = true;
	tally_unwinder_restart(&session->unwinder);
	tally_perfdata_select(session->data, wanted, nr);
	ret = tally_session_run(session, fn, arg);
	tally_perfdata_select(session->data, NULL, 0);
	session->health = health;
	session->feed.counts = counts;
	return ret;
}

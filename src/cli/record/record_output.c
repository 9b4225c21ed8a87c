/* SPDX-License-Identifier: BSD-2-Clause */
/* Output files, including their headers and the messages about them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "cli/main/print.h"
#include "cli/record/record_drain.h"
#include "cli/record/ring_filter.h"
#include "cli/main/env_collect.h"
#include "cli/main/recording_file.h"
#include "cli/record/hits.h"
#include "cli/record/record_output.h"
#include "cli/record/record_progress.h"
#include "cli/record/record_spool.h"
#include "cli/record/record_state.h"
#include "cli/record/store.h"
#include "cli/record/record_stream.h"
#include "cli/record/record_synth.h"
#include "cli/record/record_tracing.h"
#include "cli/record/unwinding.h"
#include "sampler/stuck.h"

/* ---- choosing the output ---------------------------------------------------- */

static bool is_stamped(const struct record_config *config)
{
	return config->timestamp_name || record_switches_output(config);
}

int record_output_choose(struct record *record)
{
	const struct record_config *config = record->config;
	struct record_output *output = &record->output;
	struct stat st;
	bool is_there;

	tally_recording_file_choose(&output->file, config->output);
	is_there = output->file.path && !stat(output->file.path, &st);
	if (config->redact && output->file.is_pipe) {
		tally_print_error("a stream cannot be redacted: write to a file (-o FILE)");
		return -EINVAL;
	}
	if (!is_stamped(config) || (output->file.path && (!is_there || S_ISREG(st.st_mode))))
		return 0;
	tally_print_error("output to a pipe or a device cannot be switched or renamed");
	return -EINVAL;
}

int record_output_of_command(const struct record_output *output)
{
	struct stat ours, taken;

	if (!output->file.is_pipe)
		return STDOUT_FILENO;
	/* -o may name the same pipe, for example as /dev/stdout. */
	if (output->file.path && (fstat(STDOUT_FILENO, &ours) || stat(output->file.path, &taken) ||
				  ours.st_dev != taken.st_dev || ours.st_ino != taken.st_ino))
		return STDOUT_FILENO;
	return STDERR_FILENO;
}

static int open_output(struct record *record)
{
	struct record_output *output = &record->output;

	output->failed = 0;
	output->opened = tally_clock_now();
	if (!output->file.path)
		return record_stream_open_stdout(output);
	return output->file.is_pipe ? record_stream_open_fifo(record)
				    : tally_recording_file_open(&output->file);
}

/* ---- beginning of a file ---------------------------------------------------- */

static int add_ids(const struct record *record, size_t event)
{
	const struct tally_event_spec *spec = &record->sampler.specs.data[event];
	size_t nr_cpus = tally_counters_cpus(record->sampler.counters, event)->nr;
	size_t nr_threads = record->sampler.threads->nr;
	TALLY_VEC(uint64_t) ids = {0};
	struct tally_str name = {0};
	uint64_t id;
	int ret = 0;

	for (size_t i = 0; !ret && i < nr_cpus * nr_threads; i++) {
		if (!tally_counters_id(record->sampler.counters, event, i / nr_threads,
				       i % nr_threads, &id))
			ret = tally_vec_push(&ids, id);
	}
	tally_sampler_event_name(&record->sampler, event, &name);
	if (!ret)
		ret = tally_str_error(&name);
	if (!ret)
		ret = tally_perfdata_writer_add_event(record->output.writer, &spec->attr,
						      tally_str_text(&name), ids.data, ids.len);
	tally_str_free(&name);
	tally_vec_free(&ids);
	return ret;
}

static int add_groups(const struct record *record)
{
	TALLY_VEC(struct tally_perfdata_group) groups = {0};
	int ret = 0;

	for (size_t i = 0; !ret && i < record->sampler.specs.len; i++) {
		const struct tally_event_spec *spec = &record->sampler.specs.data[i];
		const char *name = spec->group_name ? spec->group_name : "{anon_group}";

		if (spec->in_braces && spec->leader == i && spec->nr_members > 1)
			ret = tally_vec_push(&groups,
					     (struct tally_perfdata_group){name, spec->leader,
									   spec->nr_members});
	}
	if (!ret && groups.len)
		ret = tally_perfdata_writer_groups(record->output.writer, groups.data,
						   (uint32_t)groups.len);
	tally_vec_free(&groups);
	return ret;
}

/* Write the clock's resolution, and the current time according to both that clock and the wall
 * clock. */
static int add_clock(const struct record *record)
{
	clockid_t clock = record->config->sampling.clockid;
	struct timespec resolution, now;
	struct timeval wall;
	int ret;

	if (!record->config->sampling.use_clockid)
		return 0;
	if (clock_getres(clock, &resolution) || clock_gettime(clock, &now) ||
	    gettimeofday(&wall, NULL))
		return 0;
	ret = tally_perfdata_writer_clockid(record->output.writer, (uint64_t)resolution.tv_nsec);
	if (ret)
		return ret;
	return tally_perfdata_writer_clock_data(
		record->output.writer, (uint32_t)clock,
		(uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_usec * 1000,
		(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

/* Record in VERSION that the user host took the samples, because the header has no field for it.
 * VERSION is free text that readers print. */
static int add_via(struct record *record)
{
	return record->via.user ? tally_perfdata_writer_string(
					  record->output.writer, TALLY_FEATURE_VERSION,
					  "tally " TALLY_VERSION
					  ", via user: estimated from procfs and ptrace")
				: 0;
}

/* Write all features that do not depend on the records. */
static int add_features(struct record *record)
{
	int ret = tally_env_collect(record->output.writer, record->argc, record->argv);

	if (!ret)
		ret = add_via(record);
	if (!ret)
		ret = add_groups(record);
	if (!ret)
		ret = add_clock(record);
	return ret ? ret : record_tracing(record);
}

static int writer_start(struct record *record)
{
	struct record_output *output = &record->output;
	struct tally_perfdata_writer_options options = {
		.pipe = output->file.is_pipe,
		.compress_level = record->config->compress_level,
		.writev = record_writev,
		.data = record,
	};
	int ret = tally_perfdata_writer_new(output->file.fd, &options, &output->writer);

	for (size_t i = 0; !ret && i < record->sampler.specs.len; i++)
		ret = add_ids(record, i);
	/* In a stream the features come first; in a file they come last. */
	if (!ret && output->file.is_pipe)
		ret = add_features(record);
	if (!ret)
		ret = tally_perfdata_writer_start(output->writer);
	/* A failed write is explained at the end. */
	if (ret && !output->failed)
		record_output_explain(record, ret);
	return ret;
}

int record_output_open(struct record *record)
{
	int ret = open_output(record);

	if (!ret)
		ret = writer_start(record);
	if (ret)
		record_output_discard(record);
	return ret;
}

/* ---- end of a file ---------------------------------------------------------- */

/* Write the kernel's count of lost records for each event. These are records of all types,
 * including samples, that were lost because a ring was full. */
static int add_lost(struct record *record)
{
	uint64_t before = record->lost;
	int ret = 0;

	for (size_t e = 0; !ret && e < record->sampler.specs.len; e++) {
		size_t nr_cpus = tally_counters_cpus(record->sampler.counters, e)->nr;
		uint64_t lost = 0;

		if (!(record->sampler.specs.data[e].attr.read_format & PERF_FORMAT_LOST) ||
		    record->sampler.specs.data[e].attr.read_format & PERF_FORMAT_GROUP)
			continue;
		for (size_t i = 0; i < nr_cpus * record->sampler.threads->nr; i++) {
			struct tally_count count;

			if (!tally_counters_read(record->sampler.counters, e,
						 i / record->sampler.threads->nr,
						 i % record->sampler.threads->nr, &count))
				lost += count.lost;
		}
		record->lost += lost;
		if (!lost)
			continue;
		tally_synth_begin(&record->sampler.synth, PERF_RECORD_LOST_SAMPLES, 0, 8);
		tally_synth_u64(&record->sampler.synth, lost);
		tally_synth_end(&record->sampler.synth);
	}
	if (record->lost != before)
		ret = tally_perfdata_writer_write(record->output.writer,
						  record->sampler.synth.out.data,
						  record->sampler.synth.out.len);
	tally_str_clear(&record->sampler.synth.out);
	return ret;
}

static int finish_features(struct record *record, struct record_hits *ret_hits)
{
	struct record_output *output = &record->output;
	int ret = 0;

	if (output->file.is_pipe)
		return 0;
	if (output->file.is_device)
		return add_features(record);
	if (!record->config->no_buildid || record->config->timestamp_boundary)
		ret = record_hits(record, ret_hits);
	if (!ret && ret_hits->last_ns)
		ret = tally_perfdata_writer_sample_time(output->writer, ret_hits->first_ns,
							ret_hits->last_ns);
	if (!ret)
		record_store(record);
	if (!ret)
		record_store_regions(record);
	return ret ? ret : add_features(record);
}

/* Write the data known only at the end, and finish the file, even after a failure. */
static int finish_file(struct record *record, bool last, struct record_hits *ret_hits)
{
	struct record_output *output = &record->output;
	int ret = 0, finish;

	/* Nothing can be appended after a failed write. */
	if (!output->failed && last)
		ret = add_lost(record);
	if (!output->failed && !ret && record->config->sampling.tail_synth)
		ret = record_synthesize(record, true);
	if (!ret || output->failed)
		ret = finish_features(record, ret_hits);
	finish = tally_perfdata_writer_finish(output->writer);
	return finish ? finish : ret;
}

/* ---- messages --------------------------------------------------------------- */

static void print_size_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		tally_print_detail("found: RLIMIT_FSIZE is %llu KiB (ulimit -f)",
				   (unsigned long long)limit.rlim_cur / 1024);
}

void record_output_explain(const struct record *record, int code)
{
	const char *name = tally_recording_file_shown(&record->output.file);

	switch (code) {
	case -EPIPE: tally_print_error("cannot write %s: the reader has closed it", name); break;
	case -ETIMEDOUT:
		tally_print_error("cannot write %s: the reader has stopped reading, and tally was "
				  "asked to stop",
				  name);
		break;
	case -EFBIG:
		tally_print_error("cannot write %s: %s", name, strerror(EFBIG));
		print_size_limit();
		break;
	default: tally_print_error("cannot write %s: %s", name, strerror(-code));
	}
}

static void print_size(const struct record *record, const char *name, uint64_t size,
		       const struct record_hits *hits)
{
	const struct tally_perfdata_writer *writer = record->output.writer;
	double raw = (double)tally_perfdata_writer_raw_bytes(writer);
	uint64_t bytes = tally_perfdata_writer_bytes(writer);

	fprintf(stderr, "[ tally record: Captured and wrote %.3f MB %s", (double)size / 1024 / 1024,
		name);
	if (hits->samples)
		fprintf(stderr, " (%llu samples)", (unsigned long long)hits->samples);
	if (record_filter_dropped(record))
		fprintf(stderr, ", %llu samples left out by filters",
			(unsigned long long)record_filter_dropped(record));
	if (record->config->compress_level && bytes)
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)", raw / 1024 / 1024,
			raw / (double)bytes);
}

/* Print the result of the recording. The message must be correct even after a failure. */
static void print_written(const struct record *record, const char *name, uint64_t size,
			  const struct record_hits *hits, int ret)
{
	const struct record_output *output = &record->output;
	bool is_finished = tally_perfdata_writer_is_finished(output->writer);

	if (!is_finished && !output->file.is_pipe) {
		tally_print_error(
			"%s is incomplete (%s): it can be read up to the last complete record",
			name, strerror(-ret));
		return;
	}
	if (record->config->progress && !ret && !output->failed) {
		record_progress_end(record, hits->samples, size);
		return;
	}
	if (record->config->sampling.quiet)
		return;
	fprintf(stderr, "[ tally record: Woken up %llu times to write data ]\n",
		(unsigned long long)record->wakeups);
	print_size(record, name, size, hits);
	if (output->failed)
		fputs(output->file.is_pipe ? ", truncated at that size"
					   : ", which can be read up to that size",
		      stderr);
	if (ret && is_finished)
		fputs(", without build IDs and other features", stderr);
	fputs(" ]\n", stderr);
}

/* Print the total number of unwound stacks in all files. */
static void print_stacks(const struct record *record)
{
	uint64_t unwound, whole, kept;

	if (!record->unwinding || record->config->sampling.quiet || record->config->progress)
		return;
	record_unwinding_counts(record, &unwound, &whole, &kept);
	fprintf(stderr, "[ tally record: %llu stacks unwound, %llu of them completely",
		(unsigned long long)unwound, (unsigned long long)whole);
	if (kept)
		fprintf(stderr, "; %llu kept as dumps, which reports can unwind",
			(unsigned long long)kept);
	fputs(" ]\n", stderr);
}

static void warn_lost(const struct record *record)
{
	size_t kib = record->sampler.pages * (size_t)sysconf(_SC_PAGESIZE) >> 10;

	if (record->lost && !record->config->sampling.quiet)
		tally_print_warning("%llu records (samples, tasks or maps) were lost, because the "
				    "ring buffers of %zu KiB were full; use larger buffers (-m "
				    "%zuK) or take fewer samples (-F)",
				    (unsigned long long)record->lost, kib, 4 * kib);
}

/* If there were no samples, warn about events that never occur on this machine. Breakpoints were
 * checked when they were opened. */
static void warn_stuck(const struct record *record)
{
	const struct tally_sampling *sampling = &record->config->sampling;

	if (sampling->quiet || sampling->transport)
		return;
	tally_vec_for_each (spec, &record->sampler.specs) {
		if (spec->attr.type != PERF_TYPE_BREAKPOINT)
			tally_stuck_warn(tally_transport_linux(), spec->name, &spec->attr,
					 "no samples were recorded", sampling->messages);
	}
}

/* Return the finished file's name, with a timestamp if requested. The caller frees the name. */
static char *final_name(struct record *record, int *ret_code)
{
	struct record_output *output = &record->output;
	int ret = 0;

	if (is_stamped(record->config))
		ret = tally_recording_file_stamp(&output->file, record->config->switch_files);
	/* If another process renamed or replaced the file, continue recording; record_file_name()
	 * prints a warning. */
	*ret_code = ret == -ESTALE ? 0 : ret;
	if (is_stamped(record->config) && !ret)
		return strdup(output->file.names.data[output->file.names.len - 1]);
	return tally_recording_file_name(&output->file);
}

static void output_close(struct record_output *output)
{
	tally_perfdata_writer_free(output->writer);
	output->writer = NULL;
	if (output->file.fd > STDERR_FILENO)
		close(output->file.fd);
	output->file.fd = -1;
}

int record_output_finish(struct record *record, bool last)
{
	struct record_output *output = &record->output;
	struct record_hits hits = {0};
	struct tally_str shown = {0};
	int had_failed = output->failed, ret, renamed;
	uint64_t size;
	char *name;

	if (!output->writer)
		return 0; /* opening the next file failed */
	ret = finish_file(record, last, &hits);
	if (output->failed && !had_failed)
		record_output_explain(record, output->failed);
	else if (ret && !had_failed && tally_perfdata_writer_is_finished(output->writer))
		tally_print_error("the features of %s are missing: %s",
				  tally_recording_file_shown(&output->file), strerror(-ret));
	size = tally_perfdata_writer_bytes(output->writer);
	output->bytes_total += size;
	name = final_name(record, &renamed);
	tally_str_add_escaped(&shown, name ? name : tally_recording_file_shown(&output->file));
	if (last || ret)
		print_written(record, tally_str_text(&shown), size, &hits, ret);
	else if (!record->config->sampling.quiet)
		fprintf(stderr, "[ tally record: Dump %s ]\n", tally_str_text(&shown));
	if (last)
		print_stacks(record);
	if (last)
		warn_lost(record);
	if (last && !ret && !hits.samples)
		warn_stuck(record);
	ret = record_redact(record, name ? name : tally_recording_file_shown(&output->file), ret);
	tally_str_free(&shown);
	free(name);
	output_close(output);
	return ret ? ret : renamed;
}

int record_output_switch(struct record *record)
{
	int ret = record_state_refresh(record), stopped;

	if (!ret)
		ret = record_drain(record, true);
	if (ret)
		return ret;
	record_state_mark(record);
	record_spool_start(record);
	ret = record_output_finish(record, false);
	if (!ret)
		ret = record_output_open(record);
	stopped = record_spool_stop(record);
	ret = ret ? ret : stopped;
	return ret ? ret : record_synthesize(record, false);
}

void record_output_discard(struct record *record)
{
	tally_recording_file_discard(&record->output.file);
	output_close(&record->output);
}

void record_output_free(struct record *record)
{
	struct record_output *output = &record->output;

	output_close(output);
	tally_recording_file_close(&output->file);
}

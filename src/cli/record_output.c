/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that are written, from their header to what is said about them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/env_collect.h"
#include "cli/record.h"
#include "cli/say.h"

static const char *output_name(const struct record_output *output)
{
	return output->path ? output->path : "-";
}

/* Standard output if it is asked for, or a pipe and nothing else was. */
static void choose(struct record *record)
{
	struct record_output *output = &record->output;
	struct stat st;

	output->path = record->config->output;
	if (output->path && !strcmp(output->path, "-"))
		output->path = NULL;
	else if (!output->path && (fstat(STDOUT_FILENO, &st) || !S_ISFIFO(st.st_mode)))
		output->path = "perf.data";
}

/* A file in the way becomes FILE.old. */
static void save_old(struct record_output *output)
{
	struct stat st;

	free(output->saved);
	output->saved = NULL;
	if (stat(output->path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	if (asprintf(&output->saved, "%s.old", output->path) < 0)
		output->saved = NULL;
	if (output->saved && rename(output->path, output->saved)) {
		free(output->saved);
		output->saved = NULL;
	}
}

static int open_file(struct record_output *output)
{
	struct stat st;

	if (!output->path) {
		output->fd = STDOUT_FILENO;
		output->is_pipe = true;
		return 0;
	}
	save_old(output);
	output->fd = open(output->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (output->fd < 0) {
		tally_say_error("cannot write %s: %s", output->path, strerror(errno));
		return -errno;
	}
	output->is_pipe = !fstat(output->fd, &st) && S_ISFIFO(st.st_mode);
	return 0;
}

static int add_ids(const struct record *record, size_t event)
{
	const struct tally_event_spec *spec = &record->specs.data[event];
	size_t nr_cpus = tally_counters_cpus(record->counters, event)->nr;
	size_t nr_threads = record->threads->nr;
	TALLY_VEC(uint64_t) ids = {0};
	struct tally_str name = {0};
	uint64_t id;
	int ret = 0;

	for (size_t i = 0; !ret && i < nr_cpus * nr_threads; i++) {
		if (!tally_counters_id(record->counters, event, i / nr_threads, i % nr_threads,
				       &id))
			ret = tally_vec_push(&ids, id);
	}
	record_event_name(record, event, &name);
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

	for (size_t i = 0; !ret && i < record->specs.len; i++) {
		const struct tally_event_spec *spec = &record->specs.data[i];
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

/* The resolution of the clock, and one moment on it and on the wall's. */
static int add_clock(const struct record *record)
{
	clockid_t clock = record->config->clockid;
	struct timespec resolution, now;
	struct timeval wall;
	int ret;

	if (!record->config->use_clockid)
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

/* Everything but what only the records can tell. */
static int add_features(struct record *record)
{
	int ret = tally_env_collect(record->output.writer, record->argc, record->argv);

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
		.pipe = output->is_pipe,
		.compress_level = record->config->compress_level,
	};
	int ret = tally_perfdata_writer_new(output->fd, &options, &output->writer);

	for (size_t i = 0; !ret && i < record->specs.len; i++)
		ret = add_ids(record, i);
	/* A stream wants them first; of a file they are the end. */
	if (!ret && output->is_pipe)
		ret = add_features(record);
	if (!ret)
		ret = tally_perfdata_writer_start(output->writer);
	if (ret)
		tally_say_error("cannot write %s: %s", output_name(output), strerror(-ret));
	return ret;
}

int record_output_open(struct record *record)
{
	int ret;

	choose(record);
	ret = open_file(&record->output);
	record->output.opened = record_now();
	return ret ? ret : writer_start(record);
}

/* ---- the end of a file ------------------------------------------------------ */

/* Records that a full ring had no room for, by event, as the kernel counted them: of samples and of
 * what else the event records. */
static int add_lost(struct record *record)
{
	uint64_t before = record->lost;
	int ret = 0;

	for (size_t e = 0; !ret && e < record->specs.len; e++) {
		size_t nr_cpus = tally_counters_cpus(record->counters, e)->nr;
		uint64_t lost = 0;

		if (!(record->specs.data[e].attr.read_format & PERF_FORMAT_LOST) ||
		    record->specs.data[e].attr.read_format & PERF_FORMAT_GROUP)
			continue;
		for (size_t i = 0; i < nr_cpus * record->threads->nr; i++) {
			struct tally_count count;

			if (!tally_counters_read(record->counters, e, i / record->threads->nr,
						 i % record->threads->nr, &count))
				lost += count.lost;
		}
		record->lost += lost;
		if (!lost)
			continue;
		tally_synth_begin(&record->synth, PERF_RECORD_LOST_SAMPLES, 0, 8);
		tally_synth_u64(&record->synth, lost);
		tally_synth_end(&record->synth);
	}
	if (record->lost != before)
		ret = tally_perfdata_writer_write(record->output.writer, record->synth.out.data,
						  record->synth.out.len);
	tally_str_clear(&record->synth.out);
	return ret;
}

static int finish_features(struct record *record, struct record_hits *ret_hits)
{
	struct record_output *output = &record->output;
	int ret = 0;

	if (output->is_pipe)
		return 0;
	if (!record->config->no_buildid || record->config->timestamp_boundary)
		ret = record_hits(record, ret_hits);
	if (!ret && ret_hits->last_ns)
		ret = tally_perfdata_writer_sample_time(output->writer, ret_hits->first_ns,
							ret_hits->last_ns);
	return ret ? ret : add_features(record);
}

static void say_written(const struct record *record, const char *name, uint64_t size,
			const struct record_hits *hits)
{
	const struct tally_perfdata_writer *writer = record->output.writer;
	double mb = (double)size / 1024 / 1024;
	double raw = (double)tally_perfdata_writer_raw_bytes(writer) / 1024 / 1024;
	char samples[64] = "";

	if (record->config->quiet)
		return;
	fprintf(stderr, "[ tally record: Woken up %llu times to write data ]\n",
		(unsigned long long)record->wakeups);
	if (hits->samples)
		snprintf(samples, sizeof(samples), " (%llu samples)",
			 (unsigned long long)hits->samples);
	fprintf(stderr, "[ tally record: Captured and wrote %.3f MB %s%s", mb, name, samples);
	if (record->config->compress_level && tally_perfdata_writer_bytes(writer))
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)", raw,
			raw * 1024 * 1024 / (double)tally_perfdata_writer_bytes(writer));
	fprintf(stderr, " ]\n");
	if (record->lost)
		tally_say_warning("%llu records were lost (samples, or starts, ends, names and "
				  "maps of tasks), as the ring buffers were full; larger ones (-m) "
				  "or fewer samples (-F) help",
				  (unsigned long long)record->lost);
}

/* "perf.data.2026112109274812": to hundredths of a second, `later` of them added. */
static int stamp(const struct record_output *output, unsigned later, char **ret_name)
{
	struct timeval now;
	struct tm tm;
	char when[32];

	gettimeofday(&now, NULL);
	now.tv_usec += (suseconds_t)later * 10000;
	now.tv_sec += now.tv_usec / 1000000;
	now.tv_usec %= 1000000;
	if (!localtime_r(&now.tv_sec, &tm) || !strftime(when, sizeof(when), "%Y%m%d%H%M%S", &tm))
		return -EINVAL;
	if (asprintf(ret_name, "%s.%s%02u", output->path, when, (unsigned)(now.tv_usec / 10000)) <
	    0)
		return -ENOMEM;
	return 0;
}

/* A name that no file has yet: two may be finished within a hundredth. */
static int fresh_name(const struct record_output *output, char **ret_name)
{
	enum { MOST = 1000 };
	int ret = -EEXIST;

	for (unsigned later = 0; ret == -EEXIST && later < MOST; later++) {
		char *name;

		ret = stamp(output, later, &name);
		if (!ret && !access(name, F_OK)) {
			free(name);
			ret = -EEXIST;
		} else if (!ret) {
			*ret_name = name;
		}
	}
	return ret;
}

static bool is_stamped(const struct record_config *config)
{
	return config->timestamp_name || config->switch_signal || config->switch_bytes ||
	       config->switch_ns;
}

/* Give the finished file its own name; of too many the oldest goes. */
static int rename_stamped(struct record *record)
{
	struct record_output *output = &record->output;
	char *name;
	int ret = fresh_name(output, &name);

	if (ret)
		return ret;
	if (rename(output->path, name)) {
		ret = -errno;
		tally_say_error("cannot rename %s to %s: %s", output->path, name, strerror(-ret));
		free(name);
		return ret;
	}
	ret = tally_vec_push(&output->names, name);
	if (ret) {
		free(name);
		return ret;
	}
	if (record->config->switch_files && output->names.len > record->config->switch_files) {
		unlink(output->names.data[0]);
		free(output->names.data[0]);
		memmove(output->names.data, output->names.data + 1,
			(output->names.len - 1) * sizeof(*output->names.data));
		output->names.len--;
	}
	return 0;
}

static void output_close(struct record_output *output)
{
	tally_perfdata_writer_free(output->writer);
	output->writer = NULL;
	if (output->fd > STDERR_FILENO)
		close(output->fd);
	output->fd = -1;
}

int record_output_finish(struct record *record, bool last)
{
	struct record_output *output = &record->output;
	struct record_hits hits = {0};
	const char *name = output_name(output);
	off_t size = 0;
	int ret, finish;

	ret = last ? add_lost(record) : 0;
	if (!ret && record->config->tail_synth)
		ret = record_synthesize(record, true);
	if (!output->is_pipe)
		size = lseek(output->fd, 0, SEEK_CUR);
	else
		size = (off_t)tally_perfdata_writer_bytes(output->writer);
	if (!ret)
		ret = finish_features(record, &hits);
	/* Even after a failure what is there is given its end. */
	finish = tally_perfdata_writer_finish(output->writer);
	ret = ret ? ret : finish;
	if (ret && ret != -EPIPE)
		tally_say_error("cannot finish %s: %s", name, strerror(-ret));
	output->bytes_total += tally_perfdata_writer_bytes(output->writer);
	if (output->path && is_stamped(record->config)) {
		int renamed = rename_stamped(record);

		ret = ret ? ret : renamed;
		if (!renamed)
			name = output->names.data[output->names.len - 1];
	}
	if (last)
		say_written(record, name, (uint64_t)size, &hits);
	else if (!record->config->quiet)
		fprintf(stderr, "[ tally record: Dump %s ]\n", name);
	output_close(output);
	return ret;
}

int record_output_switch(struct record *record)
{
	int ret = record_drain(record, true);

	if (!ret)
		ret = record_output_finish(record, false);
	if (!ret)
		ret = open_file(&record->output);
	if (ret)
		return ret;
	record->output.opened = record_now();
	ret = writer_start(record);
	return ret ? ret : record_synthesize(record, false);
}

void record_output_discard(struct record *record)
{
	struct record_output *output = &record->output;

	if (output->fd < 0 || !output->path || output->is_pipe)
		return;
	output_close(output);
	unlink(output->path);
	if (output->saved)
		rename(output->saved, output->path);
}

void record_output_free(struct record *record)
{
	struct record_output *output = &record->output;

	output_close(output);
	tally_vec_for_each (name, &output->names)
		free(*name);
	tally_vec_free(&output->names);
	free(output->saved);
}

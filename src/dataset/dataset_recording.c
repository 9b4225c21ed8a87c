/* SPDX-License-Identifier: BSD-2-Clause */
/* The row of the table of recordings. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arith.h"
#include "base/path.h"
#include "dataset/content_id.h"
#include "dataset/dataset_private.h"

#define NS_PER_SECOND UINT64_C(1000000000)

/* ---- clock ----------------------------------------------------------------------- */

/* Find the distance between recorded times and times since 1970. Without a recorded one, assume
 * that the file was written at the time of the last sample. `sample` is the first sample. */
static void clock_find(struct dataset_recording *recording, const struct tally_feed_sample *sample)
{
	const struct tally_perfdata_env *env = recording->env;
	uint64_t written = (uint64_t)recording->session->options.symbols.recorded, last;

	if (tally_perfdata_env_has(env, TALLY_FEATURE_CLOCK_DATA)) {
		recording->offset = env->clock_data_wall_ns - env->clock_data_clock_ns;
		recording->clock = "recorded";
	} else if (written && sample && sample->sample.present & PERF_SAMPLE_TIME) {
		last = tally_perfdata_env_has(env, TALLY_FEATURE_SAMPLE_TIME)
			       ? env->sample_time_last
			       : sample->sample.time;
		recording->offset = written * NS_PER_SECOND - last;
		recording->clock = "estimated";
	}
}

/* Set the day of the first sample, or else of the file. */
static void date_set(struct dataset_recording *recording, const struct tally_feed_sample *sample)
{
	time_t seconds = (time_t)recording->session->options.symbols.recorded;
	struct tm day = {0};

	if (sample && sample->sample.present & PERF_SAMPLE_TIME)
		seconds = (time_t)((sample->sample.time + recording->offset) / NS_PER_SECOND);
	if (!gmtime_r(&seconds, &day) ||
	    !strftime(recording->date, sizeof(recording->date), "%Y-%m-%d", &day))
		strcpy(recording->date, "1970-01-01");
}

/* ---- identity -------------------------------------------------------------------- */

/* The ID is made of the recording's beginning, not of the whole file, which need not be a regular
 * file. It is the same in each export, so that an export can be repeated. */
static int id_make(struct dataset_recording *recording, const struct tally_feed_sample *sample)
{
	const struct tally_perfdata_env *env = recording->env;
	struct tally_str bytes = {0};
	int ret;

	tally_content_add_text(&bytes, recording->host);
	tally_content_add_text(&bytes, env->osrelease);
	for (uint32_t i = 0; i < env->cmdline.nr; i++)
		tally_content_add_text(&bytes, env->cmdline.items[i]);
	tally_content_add(&bytes, env->clock_data_wall_ns);
	tally_content_add(&bytes, env->sample_time_last);
	if (sample) {
		tally_content_add(&bytes, sample->sample.time);
		tally_content_add(&bytes, sample->sample.ip);
		tally_content_add(&bytes, (uint32_t)sample->sample.pid);
		tally_content_add(&bytes, (uint32_t)sample->sample.tid);
		tally_content_add(&bytes, sample->sample.id);
	}
	tally_content_add(&bytes, tally_perfdata_info(recording->session->data)->data_size);
	recording->id = tally_content_id(tally_str_text(&bytes), bytes.len);
	ret = tally_str_error(&bytes);
	tally_str_free(&bytes);
	return ret;
}

int dataset_recording_begin(struct dataset_recording *recording,
			    const struct tally_feed_sample *sample)
{
	const char *host = recording->dataset->options.host;
	int ret = tally_perfdata_env(recording->session->data, &recording->env);

	if (ret)
		return ret;
	host = host ? host : recording->env->hostname;
	recording->host = *host ? host : "unknown";
	clock_find(recording, sample);
	date_set(recording, sample);
	return id_make(recording, sample);
}

/* ---- the row --------------------------------------------------------------------- */

static void number_add(const struct dataset_recording *recording, size_t column, uint64_t value)
{
	tally_parquet_add(recording->dataset->files[TALLY_DATASET_RECORDINGS].writer, column,
			  value);
}

/* Add a text, or null if it is empty because it was not recorded. */
static void text_add(const struct dataset_recording *recording, size_t column, const char *text)
{
	dataset_add_text(recording->dataset, TALLY_DATASET_RECORDINGS, column,
			 text && *text ? text : NULL);
}

static int command_add(const struct dataset_recording *recording)
{
	struct tally_str command = {0};
	int ret;

	for (uint32_t i = 0; i < recording->env->cmdline.nr; i++)
		tally_str_addf(&command, "%s%s", i ? " " : "", recording->env->cmdline.items[i]);
	text_add(recording, RECORDING_COMMAND, tally_str_text(&command));
	ret = tally_str_error(&command);
	tally_str_free(&command);
	return ret;
}

static int machine_add(const struct dataset_recording *recording)
{
	const struct tally_perfdata_env *env = recording->env;

	dataset_add_text(recording->dataset, TALLY_DATASET_RECORDINGS, RECORDING_FILE,
			 tally_path_name(recording->session->name));
	dataset_add_text(recording->dataset, TALLY_DATASET_RECORDINGS, RECORDING_HOSTNAME,
			 recording->host);
	text_add(recording, RECORDING_KERNEL, env->osrelease);
	text_add(recording, RECORDING_ARCH, env->arch);
	text_add(recording, RECORDING_CPU_MODEL, env->cpudesc);
	if (tally_perfdata_env_has(env, TALLY_FEATURE_NRCPUS))
		number_add(recording, RECORDING_CPUS, env->nr_cpus_online);
	else
		text_add(recording, RECORDING_CPUS, NULL);
	text_add(recording, RECORDING_RECORDER, env->version);
	return command_add(recording);
}

static void times_add(const struct dataset_recording *recording)
{
	if (recording->has_times) {
		number_add(recording, RECORDING_START, recording->first + recording->offset);
		number_add(recording, RECORDING_END, recording->last + recording->offset);
	} else {
		text_add(recording, RECORDING_START, NULL);
		text_add(recording, RECORDING_END, NULL);
	}
	number_add(recording, RECORDING_CLOCK_OFFSET, recording->offset);
	text_add(recording, RECORDING_CLOCK, recording->clock);
}

/* Return the number of samples without some of their callers. */
static uint64_t nr_truncated(const struct tally_session *session)
{
	uint64_t nr = session->feed.counts.unjoined;

	for (size_t i = 0; i < TALLY_UNWIND_NR_ENDS && session->has_chains; i++)
		nr += i == TALLY_UNWIND_BOTTOM ? 0 : session->chains.unwinder.counts.ends[i];
	return nr;
}

static void health_add(const struct dataset_recording *recording)
{
	const struct tally_session *session = recording->session;
	struct tally_session_lost lost = tally_session_lost(session);
	const struct tally_machine_stats *machine = tally_machine_stats(session->machine);

	number_add(recording, RECORDING_SAMPLES, recording->samples);
	number_add(recording, RECORDING_LOST_SAMPLES, lost.samples);
	number_add(recording, RECORDING_LOST_RECORDS, lost.records);
	number_add(recording, RECORDING_DAMAGED, session->feed.counts.damaged + machine->damaged);
	number_add(recording, RECORDING_TRUNCATED, nr_truncated(session));
	number_add(recording, RECORDING_UNNAMED, recording->unnamed);
	number_add(recording, RECORDING_RESOLVED, !recording->dataset->options.is_unresolved);
}

int dataset_recording_add(const struct dataset_recording *recording)
{
	const struct tally_dataset_options *options = &recording->dataset->options;
	struct tally_dataset *dataset = recording->dataset;
	int ret;

	number_add(recording, RECORDING_ID, recording->id);
	ret = machine_add(recording);
	times_add(recording);
	health_add(recording);
	for (size_t i = 0; i < options->nr_labels; i++) {
		dataset_add_text(dataset, TALLY_DATASET_RECORDINGS, RECORDING_LABEL_KEYS,
				 options->labels[i].key);
		dataset_add_text(dataset, TALLY_DATASET_RECORDINGS, RECORDING_LABEL_VALUES,
				 options->labels[i].value);
	}
	return ret ? ret : tally_parquet_end_row(dataset->files[TALLY_DATASET_RECORDINGS].writer);
}

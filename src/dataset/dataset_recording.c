/* SPDX-License-Identifier: BSD-2-Clause */
/* The row of the table of recordings. */
#include "base/path.h"
#include "dataset/dataset_private.h"

int dataset_recording_begin(struct dataset_recording *recording,
			    const struct tally_feed_sample *sample)
{
	int ret = tally_perfdata_env(recording->session->data, &recording->env);

	return ret ? ret
		   : tally_session_identify(recording->session, recording->dataset->options.host,
					    sample, &recording->identity);
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
			 recording->identity.host);
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
		number_add(recording, RECORDING_START,
			   recording->first + recording->identity.clock.offset);
		number_add(recording, RECORDING_END,
			   recording->last + recording->identity.clock.offset);
	} else {
		text_add(recording, RECORDING_START, NULL);
		text_add(recording, RECORDING_END, NULL);
	}
	number_add(recording, RECORDING_CLOCK_OFFSET, recording->identity.clock.offset);
	text_add(recording, RECORDING_CLOCK, recording->identity.clock.source);
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

	number_add(recording, RECORDING_ID, recording->identity.id);
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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/diff/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/attr.h"
#include "base/escape.h"
#include "base/json.h"
#include "cli/diff/diff_browse.h"
#include "cli/main/dump.h"
#include "cli/main/print.h"
#include "cli/main/symbol_index.h"
#include "session/session_profile.h"
#include "view/health.h"
#include "sampler/privileges.h"

/* A recording being read. */
struct compared {
	struct comparison *comparison;
	struct tally_session *session;
	struct tally_profile profile;
	struct tally_diff_clock clock;
	uint64_t nr; /* number of samples so far */
	uint32_t input, side;
};

/* ---- samples --------------------------------------------------------------------- */

static int compared_start(void *arg, struct tally_session *session,
			  struct tally_profile_options *options)
{
	const struct compared *compared = arg;
	const struct diff_config *config = compared->comparison->config;
	bool chains = tally_session_has(session, PERF_SAMPLE_CALLCHAIN);
	/* Callers are expensive to look up, and only these options use them. Callers also show
	 * where functions are inlined. */
	bool paths = chains && (config->is_inlined || config->children || config->json ||
				config->diff.by_path);

	options->by = TALLY_BY_FRAME | TALLY_BY_LABEL | (paths ? TALLY_BY_PATH : 0) |
		      (config->diff.keys & TALLY_KEY_COMM || config->comms ? TALLY_BY_COMM : 0);
	options->lines = config->is_inlined ? TALLY_LINES_APART : 0;
	tally_lines_inlined_only(session->symbols);
	options->raw_chains = config->raw_chains;
	return 0;
}

/* Return a sample's timestamp in ns. Samples without timestamps are assigned times about one
 * millisecond apart. */
static uint64_t sample_time(struct compared *compared, const struct tally_sample *sample)
{
	uint64_t nr = compared->nr++;

	return sample->present & PERF_SAMPLE_TIME ? sample->time : nr << 20;
}

/* Label the sample with its block of time. */
static int compared_sample(void *arg, const struct tally_perfdata_record *record,
			   struct tally_feed_sample *sample)
{
	struct compared *compared = arg;

	(void)record;
	sample->label =
		tally_diff_clock_label(&compared->clock, sample_time(compared, &sample->sample));
	return 0;
}

/* ---- events ---------------------------------------------------------------------- */

/* Set how samples are weighted. `*ret_scale` converts weights to absolute values. */
static int event_scale(const struct compared *compared, const struct tally_perfdata_event *event,
		       struct tally_diff_options *options, double *ret_scale)
{
	const struct diff_config *config = compared->comparison->config;

	*ret_scale = 1;
	options->by_nr = config->unit == DIFF_OF_SAMPLES;
	options->absolute = config->unit == DIFF_OF_TIME || config->unit == DIFF_OF_COUNT;
	if (config->unit == DIFF_OF_COUNT)
		*ret_scale = 1 / config->counts[compared->side];
	if (config->unit != DIFF_OF_TIME)
		return 0;
	if (tally_attr_is_clock(&event->attr)) {
		*ret_scale = 1e-9;
	} else if (event->attr.freq && event->attr.sample_freq) {
		options->by_nr = true;
		*ret_scale = 1 / (double)event->attr.sample_freq;
	} else {
		tally_print_error(
			"%s: '%s' was sampled with a fixed period, which does not measure time",
			compared->session->name, event->name);
		tally_print_hint("record with -F or -e task-clock, or compare shares");
		return -EINVAL;
	}
	return 0;
}

static const char *event_unit(const struct diff_config *config,
			      const struct tally_perfdata_event *event)
{
	if (config->unit == DIFF_OF_TIME)
		return "s";
	if (config->unit == DIFF_OF_COUNT)
		return tally_attr_is_clock(&event->attr) ? "ns" : "";
	return NULL;
}

/* Find or create the diff for the events that match this one. */
static int event_find(const struct compared *compared, const struct tally_perfdata_event *event,
		      const struct tally_diff_options *options, struct tally_diff **ret_diff)
{
	struct comparison *comparison = compared->comparison;
	struct comparison_event new = {.unit = event_unit(comparison->config, event)};
	const char *name;
	uint32_t number;
	int ret = tally_event_names_match(&comparison->matches, compared->session, event, &name);

	if (!ret)
		ret = tally_intern(&comparison->names, name, strlen(name), &number);

	if (!ret && number == comparison->events.len) {
		new.name = tally_intern_text(&comparison->names, number);
		ret = tally_diff_new(options, &new.diff);
		if (!ret)
			ret = tally_vec_push(&comparison->events, new);
		if (ret)
			tally_diff_free(new.diff);
	}
	if (!ret)
		*ret_diff = comparison->events.data[number].diff;
	return ret;
}

/* Return true if totals may be shown. */
static bool wants_totals(const struct diff_config *config)
{
	return config->children || config->json || config->diff.by_path ||
	       diff_wants_browser(config);
}

static int compared_event(struct compared *compared, const struct tally_perfdata_event *event)
{
	struct tally_diff_recording recording = {
		.side = compared->side, .input = compared->input, .clock = compared->clock};
	struct tally_diff_options options = compared->comparison->config->diff;
	struct tally_diff *diff;
	int ret = event_scale(compared, event, &options, &recording.scale);

	options.no_total = !wants_totals(compared->comparison->config);
	if (!ret)
		ret = event_find(compared, event, &options, &diff);
	if (!ret)
		ret = tally_diff_add(diff, &recording, &compared->profile, event->index);
	compared->comparison->has_samples[compared->side] = true;
	return ret;
}

static int compared_events(struct compared *compared)
{
	const struct tally_perfdata_event *event;
	int ret = 0;

	for (size_t i = 0; !ret && (event = tally_perfdata_event(compared->session->data, i));
	     i++) {
		if (i < compared->profile.totals.len && compared->profile.totals.data[i].nr)
			ret = compared_event(compared, event);
	}
	return ret;
}

/* ---- files ----------------------------------------------------------------------- */

/* Warn if CPUs or kernels differ, because the rows do not show these differences. */
static int warn_if_different(const struct compared *compared, const char *what, const char *is,
			     char **known)
{
	if (!is || !*is)
		return 0;
	if (!*known) {
		*known = strdup(is);
		return *known ? 0 : -ENOMEM;
	}
	if (strcmp(*known, is))
		tally_print_warning(
			"%s: recorded with a different %s (%s) than the previous recordings (%s)",
			compared->session->name, what, is, *known);
	return 0;
}

static int compared_warn(const struct compared *compared)
{
	const struct tally_perfdata_env *env;
	struct comparison *comparison = compared->comparison;
	int ret = tally_perfdata_env(compared->session->data, &env);

	if (!ret)
		ret = warn_if_different(compared, "CPU", env->cpudesc, &comparison->machine);
	if (!ret)
		ret = warn_if_different(compared, "kernel", env->osrelease, &comparison->release);
	if (!ret && !compared->session->feed.counts.samples)
		tally_session_warn_empty(compared->session);
	return ret;
}

static void compared_health(const struct compared *compared)
{
	struct comparison *comparison = compared->comparison;
	const char *side = compared->side == TALLY_SIDE_A ? "a" : "b";
	struct tally_str *json = &comparison->json;

	tally_str_add_line(&comparison->text, "# File on side %c: %s", *side - 'a' + 'A',
			   compared->session->name);
	tally_health_text(compared->session, &compared->profile, false, &comparison->text);
	tally_json_open(json, NULL, '{');
	tally_json_text(json, "file", compared->session->name);
	tally_json_text(json, "side", side);
	tally_health_json(compared->session, &compared->profile, json);
	tally_json_close(json, '}');
}

static int compared_session(struct compared *compared)
{
	const struct tally_session_profile_options options = {
		.start = compared_start, .sample = compared_sample, .arg = compared};
	int ret = tally_session_profile(compared->session, &options, &compared->profile);

	if (!ret)
		ret = compared_events(compared);
	if (!ret)
		ret = compared_warn(compared);
	if (!ret)
		compared_health(compared);
	return ret;
}

static int input_read(struct comparison *comparison, uint32_t input)
{
	const struct diff_config *config = comparison->config;
	struct tally_recording_options recording = config->recording;
	struct tally_session session;
	struct compared compared = {
		.comparison = comparison,
		.session = &session,
		.input = input,
		.side = input < config->nr_baselines ? TALLY_SIDE_A : TALLY_SIDE_B,
	};
	int ret;

	recording.session.input = config->inputs[input];
	recording.kallsyms_fd = comparison->kallsyms_fd;
	recording.session.symbols.index_dir = comparison->index.index_dir;
	recording.session.symbols.index_limit = comparison->index.index_limit;
	ret = tally_recording_open(&recording, &session);
	if (ret)
		return ret;
	ret = config->raw_dump ? tally_dump_text(&session) : compared_session(&compared);
	tally_profile_free(&compared.profile);
	tally_recording_close(&session);
	return ret;
}

int comparison_read(struct comparison *comparison, const struct diff_config *config)
{
	int ret = 0;

	*comparison =
		(struct comparison){.config = config, .kallsyms_fd = tally_privileges_kallsyms()};
	ret = tally_index_apply(config->recording.no_index, &comparison->index,
				&comparison->index_dir);
	tally_json_open(&comparison->json, NULL, '[');
	for (uint32_t i = 0; i < config->nr_inputs && !ret; i++)
		ret = input_read(comparison, i);
	tally_json_close(&comparison->json, ']');
	if (ret == -ENOMEM)
		tally_print_error("out of memory");
	return ret;
}

void comparison_free(struct comparison *comparison)
{
	tally_vec_for_each (event, &comparison->events)
		tally_diff_free(event->diff);
	tally_vec_free(&comparison->events);
	tally_intern_free(&comparison->names);
	tally_event_names_free(&comparison->matches);
	free(comparison->machine);
	free(comparison->release);
	if (comparison->kallsyms_fd > 0)
		close(comparison->kallsyms_fd);
	tally_str_free(&comparison->index_dir);
	tally_str_free(&comparison->text);
	tally_str_free(&comparison->json);
}

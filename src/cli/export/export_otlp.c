/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/export/export_otlp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "cli/main/print.h"
#include "export/export_events.h"
#include "export/formats.h"
#include "export/resource.h"
#include "session/session_identity.h"
#include "session/session_profile.h"

/* ---- reading --------------------------------------------------------------------- */

/* The recording that is being read. */
struct otlp_recording {
	struct export_otlp *otlp;
	struct tally_session *session;
	struct tally_session_identity identity;
	bool has_begun; /* the identity is set */
	struct tally_profile profile;
};

static int recording_start(void *arg, struct tally_session *session,
			   struct tally_profile_options *options)
{
	const struct otlp_recording *recording = arg;
	unsigned lines = tally_export_otlp.lines;

	(void)session;
	*options = (struct tally_profile_options){
		.by = tally_export_otlp.by | TALLY_BY_FRAME | TALLY_BY_PATH,
		.lines = recording->otlp->options->no_inline ? lines & ~TALLY_LINES_APART : lines,
		.keeps_samples = true,
		.whole_names = true,
	};
	return 0;
}

static int recording_begin(struct otlp_recording *recording, const struct tally_feed_sample *first)
{
	struct export_otlp *otlp = recording->otlp;
	int ret = tally_session_identify(recording->session, otlp->options->host, first,
					 &recording->identity);

	if (ret)
		return ret;
	recording->has_begun = true;
	if (tally_map_get(&otlp->recordings, recording->identity.id) != TALLY_MAP_NONE)
		return -EEXIST;
	return tally_map_set(&otlp->recordings, recording->identity.id, 0);
}

static int recording_sample(void *arg, const struct tally_perfdata_record *record,
			    struct tally_feed_sample *sample)
{
	struct otlp_recording *recording = arg;

	(void)record;
	return recording->has_begun ? 0 : recording_begin(recording, sample);
}

/* ---- writing --------------------------------------------------------------------- */

static int file_write(void *arg, const void *bytes, size_t len)
{
	return export_file_write(arg, &((struct export_files *)arg)->files[0], bytes, len);
}

static int format_write(struct otlp_recording *recording, const struct tally_export *export)
{
	int ret = tally_export_otlp.write(export);

	if (ret == -E2BIG) {
		tally_print_error("%s: too many samples for --format otlp",
				  recording->session->name);
		tally_print_hint("export a part with 'tally report --format otlp --time'");
	}
	if (!ret && export->notes->is_capped)
		tally_print_warning("%s: weights are limited to 2^63 - 1",
				    recording->session->name);
	return ret;
}

/* Write the events with the host's attributes. */
static int events_write(struct otlp_recording *recording, const struct tally_export_event *events,
			size_t nr, struct tally_export_attribute *attributes)
{
	const struct tally_dataset_options *options = recording->otlp->options;
	const struct tally_session *session = recording->session;
	const struct tally_session_identity *identity = &recording->identity;
	const struct tally_perfdata_env *env;
	struct tally_export_notes notes = {0};
	struct tally_export export = {
		.profile = &recording->profile,
		.events = events,
		.nr_events = nr,
		.title = tally_path_name(session->name),
		.version = "tally " TALLY_VERSION,
		.start = (uint64_t)session->options.symbols.recorded * 1000000000,
		.origin = {attributes, 0, identity->clock.source, identity->clock.offset,
			   identity->id},
		.sink = {file_write, recording->otlp->files},
		.notes = &notes,
	};
	int ret = tally_perfdata_env(session->data, &env);

	if (ret)
		return ret;
	for (size_t i = 0; i < options->nr_labels; i++)
		attributes[i] = (struct tally_export_attribute){options->labels[i].key,
								options->labels[i].value};
	export.origin.nr_attributes = tally_export_resource(env, options->host, attributes,
							    options->nr_labels, attributes);
	return format_write(recording, &export);
}

static int profile_write(struct otlp_recording *recording)
{
	const struct tally_perfdata *data = recording->session->data;
	size_t nr = tally_perfdata_nr_events(data);
	size_t most = TALLY_EXPORT_RECORDED_ATTRIBUTES + recording->otlp->options->nr_labels;
	struct tally_export_event *events = calloc(nr + 1, sizeof(*events));
	struct tally_export_attribute *attributes = calloc(most, sizeof(*attributes));
	int ret = -ENOMEM;

	if (events && attributes)
		ret = events_write(recording, events,
				   tally_export_events(data, &recording->profile, 0, events),
				   attributes);
	free(attributes);
	free(events);
	return ret;
}

static int recording_write(struct otlp_recording *recording)
{
	struct export_files *files = recording->otlp->files;
	struct export_file *file = &files->files[0];
	char name[TALLY_DECIMAL_MAX];
	int ret = export_file_begin(file, files->directory, recording->identity.date,
				    recording->identity.host);

	snprintf(name, sizeof(name), "%016" PRIx64, recording->identity.id);
	if (!ret)
		ret = profile_write(recording);
	if (!ret)
		ret = export_file_commit(file, name, "otlp");
	export_file_close(file);
	return ret;
}

static uint64_t nr_samples(const struct tally_profile *profile)
{
	uint64_t nr = 0;

	tally_vec_for_each (total, &profile->totals)
		nr += total->nr_shown;
	return nr;
}

int export_otlp_add(struct export_otlp *otlp, struct tally_session *session,
		    struct tally_dataset_counts *ret_counts)
{
	struct otlp_recording recording = {.otlp = otlp, .session = session};
	const struct tally_session_profile_options options = {
		.start = recording_start,
		.sample = recording_sample,
		.arg = &recording,
	};
	int ret = tally_session_profile(session, &options, &recording.profile), code = 0;

	if (recording.profile.machine && (!ret || ret == -EINVAL)) {
		if (!recording.has_begun)
			code = recording_begin(&recording, NULL);
		if (!code)
			code = recording_write(&recording);
		ret_counts->samples = nr_samples(&recording.profile);
	}
	if (recording.profile.machine)
		tally_profile_free(&recording.profile);
	return code ? code : ret;
}

void export_otlp_free(struct export_otlp *otlp)
{
	tally_map_free(&otlp->recordings);
}

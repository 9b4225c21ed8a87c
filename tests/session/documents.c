/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write a recording as folded stacks and as an HTML page, without any code of the command line.
 *
 * usage: documents RECORDING FOLDED PAGE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/path.h"
#include "export/export_events.h"
#include "page/page_build.h"
#include "session/session_profile.h"

static int file_write(void *file, const void *bytes, size_t len)
{
	return fwrite(bytes, 1, len, file) == len ? 0 : -1;
}

static int profile_start(void *arg, struct tally_session *session,
			 struct tally_profile_options *options)
{
	const struct tally_export_format *format = arg;

	(void)session;
	options->by = format->by | TALLY_BY_FRAME | TALLY_BY_PATH;
	options->lines = format->lines;
	return 0;
}

static int events_write(const struct tally_session *session, struct tally_profile *profile,
			const struct tally_export_format *format, FILE *file)
{
	struct tally_export_event events[64];
	struct tally_export_notes notes = {0};
	struct tally_export export = {.profile = profile,
				      .events = events,
				      .title = tally_path_name(session->path),
				      .version = "test",
				      .sink = {file_write, file},
				      .notes = &notes};

	if (tally_perfdata_nr_events(session->data) > sizeof(events) / sizeof(events[0]))
		return -E2BIG;
	export.nr_events = tally_export_events(session->data, profile, 0, events);
	return export.nr_events ? format->write(&export) : 0;
}

static int folded_write(const struct tally_session_options *session_options, FILE *file)
{
	const struct tally_export_format *format = tally_export_format_find("folded");
	const struct tally_session_profile_options options = {.start = profile_start,
							      .arg = (void *)format};
	struct tally_profile profile = {0};
	struct tally_session session;
	int ret = tally_session_open(session_options, &session);

	if (ret)
		return ret;
	tally_machine_show_hidden(session.machine);
	ret = tally_session_profile(&session, &options, &profile);
	if (profile.machine && events_write(&session, &profile, format, file))
		ret = -1;
	tally_profile_free(&profile);
	tally_session_close(&session);
	return ret;
}

static int page_write(const struct tally_session_options *options, FILE *file)
{
	const struct tally_html_request request = {
		.session = *options,
		.inputs = {options->input},
		.nr_inputs = 1,
		.code = TALLY_HTML_CODE_PUBLIC,
	};
	struct tally_html_built built;
	int ret = tally_html_build(&request, &built);

	if (built.page && tally_html_write(built.page, built.threads, file_write, file))
		ret = -1;
	tally_html_built_free(&built);
	return ret;
}

int main(int argc, char **argv)
{
	const struct tally_session_options options = {.input = argc > 1 ? argv[1] : NULL,
						      .symbols.bounds = true};
	int (*const writers[])(const struct tally_session_options *, FILE *) = {folded_write,
										page_write};
	int failed = argc != 4;

	for (int i = 0; i < 2 && argc == 4; i++) {
		FILE *file = fopen(argv[2 + i], "w");

		if (!file)
			return 2;
		failed |= writers[i](&options, file) != 0;
		failed |= fclose(file) != 0;
	}
	return failed;
}

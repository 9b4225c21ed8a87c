/* SPDX-License-Identifier: BSD-2-Clause */
/* tally data convert: write a recording in another format. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "cli/data/data_json.h"
#include "cli/main/arguments.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/recordings.h"

struct data_config {
	struct tally_recording_options recording;
	const char *json;
	bool force;
};

#define AT(member) offsetof(struct data_config, member)

static const struct tally_option data_options[] = {
	{0, "to-json", TALLY_OPTION_TEXT, AT(json), "file",
	 "write JSON in perf's layout to this file; - is standard output"},
	{'i', "input", TALLY_OPTION_TEXT, AT(recording.session.input), "file",
	 "read this recording (default: perf.data)"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL, "replace an existing file"},
	TALLY_OPTION_END,
};

static void print_done(const char *input, const struct tally_document *document, uint64_t samples)
{
	struct tally_str text = {0};

	tally_str_add(&text, "[ tally data convert: Converted '");
	tally_str_add_escaped(&text, input);
	tally_str_add(&text, "' into JSON data '");
	tally_str_add_escaped(&text, document->path ? document->path : "-");
	tally_str_addf(&text,
		       "' ]\n[ tally data convert: Converted and wrote %.3f MB (%" PRIu64
		       " samples) ]\n",
		       (double)document->bytes / 1024 / 1024, samples);
	fputs(tally_str_text(&text), stderr);
	tally_str_free(&text);
}

static int convert(struct tally_session *session, const struct tally_document_place *place)
{
	struct tally_document document;
	uint64_t samples = 0;
	int ret;

	tally_document_begin(place, &document);
	ret = tally_document_close(&document, data_json_write(session, &document, &samples));
	if (!ret)
		print_done(session->path, &document, samples);
	tally_session_warn_foreign(session);
	return ret;
}

static int data_convert(struct data_config *config)
{
	struct tally_document_place place = {
		.option = "--to-json", .path = config->json, .force = config->force};
	struct tally_session session;
	int ret = TALLY_EXIT_ERROR;

	config->recording.goes_elsewhere = strcmp(config->json, "-") != 0;
	if (tally_document_check(&place))
		return TALLY_EXIT_ERROR;
	if (tally_recording_open(&config->recording, &session))
		return TALLY_EXIT_ERROR;
	if (!tally_document_is(config->json, session.path) && !convert(&session, &place))
		ret = TALLY_EXIT_OK;
	tally_recording_close(&session);
	return ret;
}

static int data_usage(const char *what)
{
	tally_print_error("%s", what);
	tally_print_hint("for example: tally data convert --to-json perf.json");
	return TALLY_EXIT_USAGE;
}

static int data_run(int argc, char **argv)
{
	struct data_config config = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_data, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	if (first == argc || strcmp(argv[first], "convert") != 0)
		return data_usage("data requires 'convert'");
	ret = tally_words_parse(&tally_command_data, argc - first - 1, argv + first + 1,
				&config.recording.session.input, NULL);
	if (ret)
		return ret - 1;
	if (!config.json)
		return data_usage("data convert requires --to-json FILE");
	return data_convert(&config);
}

const struct tally_command tally_command_data = {
	.name = "data",
	.summary = "Convert a recording to JSON",
	.usage = "convert [OPTIONS] --to-json FILE",
	.about = " The JSON has perf's layout. 'tally report --format' and 'tally script "
		 "--dump-json' "
		 "write\n other formats.\n",
	.options = data_options,
	.run = data_run,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* tally inject: copy a recording, and add data to the copy. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/inject/inject_build_ids.h"
#include "cli/inject/inject_copy.h"
#include "cli/main/commands.h"
#include "cli/main/document.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "cli/main/replace.h"

struct inject_config {
	const char *input, *output;
	bool build_ids, force;
	int verbose;
};

#define AT(member) offsetof(struct inject_config, member)

static const struct tally_option inject_options[] = {
	{'b', "build-ids", TALLY_OPTION_FLAG, AT(build_ids), NULL,
	 "add the build IDs of the mapped files"},
	{0, "buildid-all", TALLY_OPTION_FLAG, AT(build_ids), NULL, "alias of --build-ids"},
	{'i', "input", TALLY_OPTION_TEXT, AT(input), "file",
	 "read this recording (default: standard input; perf.data if that is a terminal)"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file",
	 "write to this file; - is standard output (default)"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL, "replace any existing file"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL, "print what was added"},
	TALLY_OPTION_END,
};

static bool is_standard(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* Copy to the descriptor `to`. */
static int copy_to(const struct inject_config *config, struct tally_perfdata *data, int to,
		   struct tally_replacement *file, struct inject_build_ids *ids,
		   struct tally_error *err)
{
	struct inject_copy copy = {.data = data, .to = to, .is_stream = !file, .arg = ids};

	if (file) {
		copy.between = tally_replacement_check;
		copy.between_arg = file;
	}
	if (config->build_ids)
		copy.before = inject_build_ids_record;
	return inject_copy_run(&copy, err);
}

static int explain(const char *path, int code, const struct tally_error *err)
{
	if (code && code != -EINTR)
		tally_print_parse_error(path, code, err);
	return code;
}

static int copy_to_file(const struct inject_config *config, struct tally_perfdata *data,
			struct inject_build_ids *ids)
{
	struct tally_replacement file;
	struct tally_error err = {0};
	int ret = tally_replacement_open(config->output, &file);

	if (ret)
		return ret;
	ret = explain(config->input, copy_to(config, data, file.fd, &file, ids, &err), &err);
	if (!ret)
		ret = tally_replacement_commit(&file, -1);
	tally_replacement_close(&file);
	return ret;
}

static int copy_to_stream(const struct inject_config *config, struct tally_perfdata *data,
			  struct inject_build_ids *ids)
{
	struct tally_error err = {0};

	return explain(config->input, copy_to(config, data, STDOUT_FILENO, NULL, ids, &err), &err);
}

/* Warn about damage in the input. */
static void print_notes(const struct tally_perfdata *data, const char *path)
{
	enum { TOLD_MAX = 3 };
	const struct tally_perfdata_note *note;
	size_t nr = 0;

	for (; (note = tally_perfdata_note(data, nr)); nr++)
		if (nr < TOLD_MAX)
			tally_print_warning("%s: %s (at byte %" PRIu64 ")", path, note->text,
					    note->offset);
	if (nr > TOLD_MAX)
		tally_print_detail("%zu more problems", nr - TOLD_MAX);
}

static void print_build_ids(const struct inject_config *config, const struct inject_build_ids *ids)
{
	if (ids->is_elsewhere)
		tally_print_warning("%s was recorded on another machine or kernel: only recorded "
				    "build IDs are added",
				    config->input);
	if (ids->changed)
		tally_print_warning("no build IDs for %" PRIu64
				    " files, which were replaced after the recording",
				    ids->changed);
	if (config->verbose)
		fprintf(stderr, "[ tally inject: Added %" PRIu64 " build IDs ]\n", ids->added);
}

static int inject_data(const struct inject_config *config, struct tally_perfdata *data)
{
	struct inject_build_ids ids = {0};
	int ret = config->build_ids ? inject_build_ids_start(&ids, data) : 0;

	if (ret)
		tally_print_error("out of memory");
	else
		ret = is_standard(config->output) ? copy_to_stream(config, data, &ids)
						  : copy_to_file(config, data, &ids);
	if (!ret) {
		print_notes(data, config->input);
		if (config->build_ids)
			print_build_ids(config, &ids);
	}
	inject_build_ids_free(&ids);
	return ret;
}

static int inject_check(const struct inject_config *config)
{
	if (is_standard(config->output)) {
		if (!isatty(STDOUT_FILENO))
			return 0;
		tally_print_error("refusing to write binary data to a terminal");
		tally_print_hint("use -o FILE, or a pipe");
		return -EINVAL;
	}
	if (tally_document_is(config->output, config->input))
		return -EINVAL;
	return tally_overwrite_check("-o", config->output, TALLY_OVERWRITE_RECORDING,
				     config->force);
}

static int inject_run(int argc, char **argv)
{
	struct inject_config config = {0};
	struct tally_perfdata *data = NULL;
	struct tally_error err = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_inject, &config, argc, argv, 0, &first);
	if (ret)
		return ret - 1;
	if (!config.input)
		config.input = isatty(STDIN_FILENO) ? "perf.data" : "-";
	if (inject_check(&config))
		return TALLY_EXIT_ERROR;
	ret = tally_perfdata_open(config.input, &data, &err);
	if (ret)
		tally_print_parse_error(config.input, ret, &err);
	else
		ret = inject_data(&config, data);
	tally_perfdata_close(data);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_inject = {
	.name = "inject",
	.summary = "Copy a recording, and add build IDs",
	.usage = "[OPTIONS] -o FILE",
	.options = inject_options,
	.run = inject_run,
};

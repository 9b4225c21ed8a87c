/* SPDX-License-Identifier: BSD-2-Clause */
/* tally inject: copy a recording, and add data to the copy. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/inject/inject_build_ids.h"
#include "cli/inject/inject_copy.h"
#include "cli/inject/inject_jit.h"
#include "cli/main/commands.h"
#include "cli/main/document.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "cli/main/replace.h"
#include "session/session.h"

struct inject_config {
	const char *input, *output;
	bool build_ids, jit, force;
	int verbose;
};

#define AT(member) offsetof(struct inject_config, member)

static const struct tally_option inject_options[] = {
	{'b', "build-ids", TALLY_OPTION_FLAG, AT(build_ids), NULL,
	 "add the build IDs of the mapped files"},
	{0, "buildid-all", TALLY_OPTION_FLAG, AT(build_ids), NULL, "alias of --build-ids"},
	{'j', "jit", TALLY_OPTION_FLAG, AT(jit), NULL,
	 "write the functions in JIT compilers' dumps to ELF files in FILE.jit, and map those; "
	 "requires -o FILE"},
	{'i', "input", TALLY_OPTION_TEXT, AT(input), "file",
	 "read this recording (default: standard input; perf.data if that is a terminal)"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file",
	 "write to this file; - is standard output (default)"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "replace any existing file; accept dumps with any owner"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL, "print what was added"},
	TALLY_OPTION_END,
};

static bool is_standard(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* The additions to a copy. */
struct injection {
	const struct inject_config *config;
	struct inject_build_ids ids;
	struct inject_jit jit;
};

static int on_record(void *arg, struct inject_copy *copy,
		     const struct tally_perfdata_record *record)
{
	struct injection *injection = arg;
	int ret = injection->config->jit ? inject_jit_record(&injection->jit, copy, record) : 0;

	if (!ret && injection->config->build_ids)
		ret = inject_build_ids_record(&injection->ids, copy, record);
	return ret;
}

/* Copy to the descriptor `to`. */
static int copy_to(struct injection *injection, struct tally_perfdata *data, int to,
		   struct tally_replacement *file, struct tally_error *err)
{
	struct inject_copy copy = {.data = data,
				   .to = to,
				   .is_stream = !file,
				   .is_ordered = injection->config->jit,
				   .before = on_record,
				   .arg = injection};

	if (file) {
		copy.between = tally_replacement_check;
		copy.between_arg = file;
	}
	return inject_copy_run(&copy, err);
}

/* -ECANCELED means that an error was printed. */
static int explain(const char *path, int code, const struct tally_error *err)
{
	if (code && code != -EINTR && code != -ECANCELED)
		tally_print_parse_error(path, code, err);
	return code;
}

static int copy_to_file(struct injection *injection, struct tally_perfdata *data)
{
	const struct inject_config *config = injection->config;
	struct tally_replacement file;
	struct tally_error err = {0};
	int ret = tally_overwrite_open("-o", config->output, TALLY_OVERWRITE_RECORDING,
				       config->force, &file);

	if (ret)
		return ret;
	/* A new recording is private, as with record. */
	file.is_private = true;
	ret = explain(config->input, copy_to(injection, data, file.fd, &file, &err), &err);
	if (!ret)
		ret = tally_replacement_commit(&file, -1);
	tally_replacement_close(&file);
	return ret;
}

static int copy_to_stream(struct injection *injection, struct tally_perfdata *data)
{
	struct tally_error err = {0};

	return explain(injection->config->input,
		       copy_to(injection, data, STDOUT_FILENO, NULL, &err), &err);
}

/* Warn if the times in the recording are not those in dumps. */
static void warn_clock(const struct tally_perfdata *data, const char *path)
{
	const struct tally_perfdata_event *event = tally_perfdata_event(data, 0);

	if (!event || (event->attr.use_clockid && event->attr.clockid == CLOCK_MONOTONIC))
		return;
	tally_print_warning("%s: the times are not those of JIT compilers' dumps, so functions may "
			    "be missing",
			    path);
	tally_print_hint("record with -k mono");
}

static void print_added(const struct inject_config *config, const struct injection *injection)
{
	const struct inject_build_ids *ids = &injection->ids;

	if (config->build_ids && ids->is_elsewhere)
		tally_print_warning("%s was recorded on another machine or kernel: only recorded "
				    "build IDs are added",
				    config->input);
	if (ids->changed)
		tally_print_warning("no build IDs for %" PRIu64
				    " files, which were replaced after the recording",
				    ids->changed);
	if (config->verbose && config->build_ids)
		fprintf(stderr, "[ tally inject: Added %" PRIu64 " build IDs ]\n", ids->added);
	if (config->jit)
		fprintf(stderr, "[ tally inject: Wrote %" PRIu64 " functions to %s ]\n",
			injection->jit.nr_files, injection->jit.dir);
}

/* Set the directory for the ELF files of --jit: FILE.jit, as an absolute path, because it becomes
 * part of the copy. */
static int jit_dir(const char *output, struct tally_str *out)
{
	char here[4096];

	if (output[0] != '/') {
		if (!getcwd(here, sizeof(here)))
			return -errno;
		tally_str_addf(out, "%s/", here);
	}
	tally_str_addf(out, "%s.jit", output);
	return tally_str_error(out);
}

static int inject_data(const struct inject_config *config, struct tally_perfdata *data)
{
	struct injection injection = {.config = config};
	struct tally_str dir = {0};
	int ret = config->build_ids ? inject_build_ids_start(&injection.ids, data) : 0;

	if (!ret && config->jit)
		ret = jit_dir(config->output, &dir);
	injection.jit.dir = tally_str_text(&dir);
	injection.jit.any_owner = config->force;
	if (ret)
		tally_print_error("cannot prepare the copy: %s", strerror(-ret));
	else
		ret = is_standard(config->output) ? copy_to_stream(&injection, data)
						  : copy_to_file(&injection, data);
	if (!ret) {
		tally_notes_warn(data, config->input, &tally_print_messages);
		if (config->jit)
			warn_clock(data, config->input);
		print_added(config, &injection);
	}
	inject_jit_free(&injection.jit);
	inject_build_ids_free(&injection.ids);
	tally_str_free(&dir);
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
	if (config.jit && is_standard(config.output)) {
		tally_print_error("option '--jit' requires -o FILE");
		return TALLY_EXIT_USAGE;
	}
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
	.summary = "Copy a recording, and add build IDs or the functions of JIT compilers",
	.usage = "[OPTIONS] -o FILE",
	.options = inject_options,
	.run = inject_run,
};

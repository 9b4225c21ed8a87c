/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tally profile: record with suitable settings and show the result, by running record and report
 * with generated command lines.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/vec.h"
#include "cli/main/command_line.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/target_options.h"
#include "cli/main/via.h"
#include "cli/main/temporary_recording.h"
#include "cli/main/html_file.h"
#include "sampler/sampling.h"

struct profile_config {
	struct tally_target target;
	struct tally_option_list events;
	const char *via, *freq, *call_graph, *duration, *output, *mmap_size;
	const char *html;
	bool stdio, html_source, html_source_given, force;
};

#define AT(member) offsetof(struct profile_config, member)

static int option_frame_pointers(void *config_, const char *arg)
{
	struct profile_config *config = config_;

	config->call_graph = tally_sampling_choose_chain(config->call_graph, arg);
	return 0;
}

static const struct tally_option profile_options[] = {
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What to profile, in addition to a command:"},
	{'a', "all-cpus", TALLY_OPTION_FLAG, AT(target.all_cpus), NULL,
	 "profile all tasks on all CPUs"},
	{'C', "cpu", TALLY_OPTION_TEXT, AT(target.cpus), "list",
	 "profile all tasks on these CPUs (e.g. 0-3,5)"},
	TALLY_OPTIONS_TASKS(AT(target), 't'),
	TALLY_OPTION_USER(AT(target)),
	TALLY_OPTION_VIA(AT(via)),
	{0, "duration", TALLY_OPTION_TEXT, AT(duration), "seconds",
	 "stop recording, and the command, after this time"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "How:"},
	{'e', "event", TALLY_OPTION_LIST, AT(events), "event",
	 "sample this event (default: cycles, or cpu-clock without hardware counters)"},
	{'F', "freq", TALLY_OPTION_TEXT, AT(freq), "freq",
	 "set the samples per second (default: 999)"},
	{0, "call-graph", TALLY_OPTION_TEXT, AT(call_graph), "auto|fp|dwarf[,size]|lbr|no",
	 "select the method of recording callchains (default: auto)"},
	{'g', NULL, .kind = TALLY_OPTION_CALL,
	 .help = "use --call-graph fp, unless another method is selected",
	 .call = option_frame_pointers},
	{'m', "mmap-pages", TALLY_OPTION_TEXT, AT(mmap_size), "pages|size",
	 "set the size of each ring buffer in pages, or as a size such as 4M (default: 512K; more "
	 "for stack "
	 "dumps)"},
	{0, "stdio", TALLY_OPTION_FLAG, AT(stdio), NULL, "print text, even on a terminal"},
	{0, "html", TALLY_OPTION_TEXT, AT(html), "file",
	 "write a self-contained HTML page (default: tally-PROGRAM.html; -: stdout)",
	 TALLY_HTML_UNNAMED, .next_word = true, .fits = tally_html_is_name_before_command},
	{0, "html-source", TALLY_OPTION_FLAG, AT(html_source), NULL,
	 "with --html, include all source lines of the top functions (default: those of files that "
	 "all users may read)",
	 .given = AT(html_source_given)},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file",
	 "keep the recording in this file, for tally report and other commands"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "with --html, overwrite any existing file"},
	TALLY_OPTION_END,
};

/* ---- recording --------------------------------------------------------------------- */

static void add_recording(struct tally_command_line *line, const struct profile_config *config,
			  const char *path)
{
	const struct {
		const char *option, *value;
	} options[] = {
		{"-F", config->freq ? config->freq : "999"},
		{"--call-graph", config->call_graph ? config->call_graph : "auto"},
		{"--duration", config->duration},
		{"-m", config->mmap_size},
		{"--via", config->via},
		{"-C", config->target.cpus},
		{"-p", config->target.pids},
		{"-t", config->target.tids},
		{"-u", config->target.user},
		{"-o", path},
	};

	tally_command_line_add(line, "record");
	tally_command_line_add(line, "--progress");
	if (config->target.all_cpus)
		tally_command_line_add(line, "-a");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(options); i++)
		tally_command_line_option(line, options[i].option, options[i].value);
	for (size_t i = 0; i < config->events.nr; i++)
		tally_command_line_option(line, "-e", config->events.items[i]);
}

/* Signal settings that the recorder changes, saved in order to restore them afterwards. */
struct dispositions {
	sigset_t blocked;
	struct sigaction pipe;
};

static void dispositions_save(struct dispositions *dispositions)
{
	sigprocmask(SIG_BLOCK, NULL, &dispositions->blocked);
	sigaction(SIGPIPE, NULL, &dispositions->pipe);
}

static void dispositions_restore(const struct dispositions *dispositions)
{
	sigaction(SIGPIPE, &dispositions->pipe, NULL);
	sigprocmask(SIG_SETMASK, &dispositions->blocked, NULL);
}

/* Record the command. Return its exit status, or tally's if recording failed. */
static int profile_record(const struct profile_config *config, const char *path, char **command)
{
	struct tally_command_line line = {0};

	add_recording(&line, config, path);
	tally_command_line_add(&line, "--");
	for (; *command; command++)
		tally_command_line_add(&line, *command);
	return tally_command_line_run(&line);
}

/* ---- showing ----------------------------------------------------------------------- */

static int profile_show(const struct profile_config *config,
			const struct temporary_recording *recording)
{
	struct tally_command_line line = {0};

	tally_command_line_add(&line, "report");
	tally_command_line_option(&line, "-i", tally_str_text(&recording->open));
	tally_command_line_option(&line, "--html", config->html);
	if (config->html_source_given)
		tally_command_line_add(&line,
				       config->html_source ? "--html-source" : "--no-html-source");
	if (config->force)
		tally_command_line_add(&line, "--force");
	if (config->stdio)
		tally_command_line_add(&line, "--stdio");
	return tally_command_line_run(&line);
}

static void print_kept(const char *path)
{
	struct tally_str shown = {0};

	tally_str_add_escaped(&shown, path);
	fprintf(stderr, "[ tally profile: the recording is in %s ]\n", tally_str_text(&shown));
	tally_str_free(&shown);
}

/* Record, and show the result even if the command failed or the recording ended with an error. */
static int profile_all(const struct profile_config *config, struct temporary_recording *recording,
		       char **command)
{
	struct dispositions dispositions;
	int status, shown = TALLY_EXIT_OK, ret;

	dispositions_save(&dispositions);
	status = profile_record(config, tally_str_text(&recording->path), command);
	/* Unblocking a pending signal may kill the process, so remove the temporary file first. */
	ret = temporary_recording_end(recording);
	dispositions_restore(&dispositions);
	if (!ret && config->output)
		print_kept(config->output);
	if (!ret)
		shown = profile_show(config, recording);
	else if (!status)
		status = TALLY_EXIT_ERROR;
	return status ? status : shown;
}

static bool has_target(const struct profile_config *config)
{
	const struct tally_target *target = &config->target;

	return target->all_cpus || target->cpus || target->pids || target->tids || target->user;
}

/* Check the options. Return 0, or print an error and return an exit status. */
static int profile_check(const struct profile_config *config, bool has_command)
{
	if (tally_html_check(config->html, config->html_source))
		return TALLY_EXIT_USAGE;
	if (config->html && config->stdio) {
		tally_print_error("--html and --stdio cannot be used together");
		return TALLY_EXIT_USAGE;
	}
	if (!has_command && !has_target(config)) {
		tally_print_error("nothing to profile");
		tally_print_hint("specify a command, or -p PID, -t TID, -u USER, -C CPUS or -a; "
				 "see 'tally profile --help'");
		return TALLY_EXIT_USAGE;
	}
	if (has_command && config->html && !strcmp(config->html, "-")) {
		tally_print_error(
			"--html -: the output of the command would be mixed with the page");
		tally_print_hint("write the page to a file: --html FILE");
		return TALLY_EXIT_USAGE;
	}
	return config->html && tally_html_check_place(config->html, config->force)
		       ? TALLY_EXIT_ERROR
		       : 0;
}

/* If --html has no file name, name the page after the command. Without a command, the report
 * chooses the name. */
static int name_page(struct profile_config *config, const char *command, struct tally_str *name)
{
	if (!config->html || strcmp(config->html, TALLY_HTML_UNNAMED) != 0 || !command)
		return 0;
	tally_html_add_name(command, name);
	config->html = tally_str_text(name);
	return tally_str_error(name) ? TALLY_EXIT_ERROR : 0;
}

static int profile_run(int argc, char **argv)
{
	struct profile_config config = {0};
	struct temporary_recording recording;
	struct tally_str page = {0};
	int first, ret = tally_options_parse(&tally_command_profile, &config, argc, argv,
					     TALLY_PARSE_STOP, &first);

	if (ret)
		return ret - 1;
	ret = name_page(&config, first < argc ? argv[first] : NULL, &page);
	if (!ret)
		ret = profile_check(&config, first < argc);
	if (!ret) {
		ret = temporary_recording_begin(&recording, config.output)
			      ? TALLY_EXIT_ERROR
			      : profile_all(&config, &recording, argv + first);
		temporary_recording_free(&recording);
	}
	tally_options_free(&tally_command_profile, &config);
	tally_str_free(&page);
	return ret;
}

const struct tally_command tally_command_profile = {
	.name = "profile",
	.summary = "Record a command, tasks or CPUs, and show where time was spent",
	.usage =
		"[OPTIONS] [--] COMMAND [ARGS]\n[OPTIONS] -p PID | -t TID | -u USER | -a | -C LIST "
		"[[--] COMMAND [ARGS]]",
	.about = " Ctrl-C stops recording and shows the profile. The exit status is that of the "
		 "command.\n",
	.options = profile_options,
	.privileged = true,
	.run = profile_run,
};

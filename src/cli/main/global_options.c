/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/global_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/path.h"
#include "cli/main/pager.h"
#include "cli/main/perf_options.h"
#include "cli/main/print.h"

enum { DONE = -1 }; /* exit with status 0 */

static bool is_perf;

void tally_started_as(const char *argv0)
{
	is_perf = argv0 && !strcmp(tally_path_name(argv0), "perf");
}

bool tally_is_perf(void)
{
	return is_perf;
}

void tally_hint_real_perf(const char *message)
{
	if (is_perf && strstr(message, "perf"))
		tally_print_hint("the command 'perf' is tally here; perf itself is part of the "
				 "kernel's tools, such as Debian's package linux-perf");
}

int tally_perf_status(const struct tally_command *command, int status)
{
	/* The exit statuses of record and stat may be those of the program that they start. */
	static const char *const negative[] = {"annotate", "buildid-list", "data",   "diff",
					       "evlist",   "inject",       "report", "script"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(negative); i++)
		if (is_perf && status == TALLY_EXIT_ERROR && !strcmp(command->name, negative[i]))
			return 255;
	return status;
}

/* ---- actions ----------------------------------------------------------------- */

static int no_pager(const char *arg, bool *ret_paginate)
{
	(void)arg;
	(void)ret_paginate;
	tally_pager_disable();
	return 0;
}

static int paginate(const char *arg, bool *ret_paginate)
{
	(void)arg;
	*ret_paginate = true;
	return 0;
}

static int buildid_dir(const char *arg, bool *ret_paginate)
{
	(void)ret_paginate;
	return setenv("PERF_BUILDID_DIR", arg, 1) ? -1 - TALLY_EXIT_ERROR : 0;
}

static int ignored(const char *arg, bool *ret_paginate)
{
	(void)arg;
	(void)ret_paginate;
	return 0;
}

static int list_commands(const char *arg, bool *ret_paginate)
{
	(void)arg;
	(void)ret_paginate;
	for (const struct tally_command *const *c = tally_commands; *c; c++)
		printf("%s ", (*c)->name);
	putchar('\n');
	return DONE;
}

static int list_options(const char *arg, bool *ret_paginate);

/* Print the directory of the program. */
static int exec_path(const char *arg, bool *ret_paginate)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)arg;
	(void)ret_paginate;
	if (len < 0) {
		tally_print_error("cannot read /proc/self/exe: %s", strerror(errno));
		return -1 - TALLY_EXIT_ERROR;
	}
	path[len] = '\0';
	printf("%.*s\n", (int)(tally_path_name(path) - path - 1), path);
	return DONE;
}

static int refuse(const char *arg, bool *ret_paginate)
{
	(void)ret_paginate;
	tally_print_error("perf's option '%s' is not supported", arg);
	tally_print_hint(
		"tracefs is found without an option; 'tally help COMMAND' shows a manual page");
	return -1 - TALLY_EXIT_USAGE;
}

static const struct {
	const char *name;
	bool has_arg;
	int (*apply)(const char *arg, bool *ret_paginate);
} options[] = {
	{"--no-pager", false, no_pager},
	{"-p", false, paginate},
	{"--paginate", false, paginate},
	{"--buildid-dir", true, buildid_dir},
	{"--debug", true, ignored}, /* perf prints more; warnings are always printed here */
	{"--list-cmds", false, list_commands},
	{"--list-opts", false, list_options},
	{"--exec-path", false, exec_path},
	{"--html-path", false, refuse},
	{"--debugfs-dir", true, refuse},
	{"--tracefs-dir", true, refuse},
};

static int list_options(const char *arg, bool *ret_paginate)
{
	(void)arg;
	(void)ret_paginate;
	printf("--help --version ");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(options); i++)
		if (options[i].apply != refuse && options[i].name[1] == '-')
			printf("%s ", options[i].name);
	putchar('\n');
	return DONE;
}

/* Apply the option in argv[at]. Returns the number of words, 0 for any other word, or
 * as tally_global_options(). */
static int apply(int argc, char **argv, int at, bool *ret_paginate)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(options); i++) {
		size_t len = strlen(options[i].name);
		bool is_joined = options[i].has_arg && argv[at][len] == '=';
		const char *arg = options[i].name;
		int words = options[i].has_arg && !is_joined ? 2 : 1, ret;

		if (strncmp(argv[at], options[i].name, len) || (argv[at][len] && !is_joined))
			continue;
		if (at + words > argc) {
			tally_print_error("option '%s' requires an argument", argv[at]);
			return -1 - TALLY_EXIT_USAGE;
		}
		if (options[i].has_arg && options[i].apply != refuse)
			arg = is_joined ? argv[at] + len + 1 : argv[at + 1];
		ret = options[i].apply(arg, ret_paginate);
		return ret ? ret : words;
	}
	return 0;
}

int tally_global_options(int argc, char **argv, bool *ret_paginate)
{
	int at = 1;

	while (at < argc) {
		int words = apply(argc, argv, at, ret_paginate);

		if (words < 0)
			return words;
		if (!words)
			break;
		at += words;
	}
	return at - 1;
}

void tally_print_option_names(const struct tally_command *command)
{
	const struct tally_perf_option *theirs = tally_perf_options(command->name);

	for (const struct tally_option *o = command->options; o->letter || o->name || o->help; o++)
		if (o->name)
			printf("--%s ", o->name);
	for (; theirs && !tally_perf_option_ends(theirs); theirs++)
		if (theirs->name && theirs->taken)
			printf("--%s ", theirs->name);
	putchar('\n');
}

static bool has_words(const struct tally_command_words *words, const char *option)
{
	return !strcmp(words->option ? words->option : "-", option);
}

void tally_print_words(const struct tally_command *command, const char *option, const char *before)
{
	for (const struct tally_command_words *w = command->words; w && w->print; w++) {
		if (!option)
			puts(w->option ? w->option : "-");
		else if (has_words(w, option))
			w->print(before ? before : "");
	}
}

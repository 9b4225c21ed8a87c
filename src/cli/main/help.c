/* SPDX-License-Identifier: BSD-2-Clause */
/* tally help, and the --help output of all commands, generated from the option tables. */
#include <stdio.h>
#include <string.h>

#include "cli/main/commands.h"
#include "cli/main/global_options.h"
#include "cli/main/perf_options.h"

enum { HELP_COLUMN = 30 };

static int print_names(const struct tally_option *option)
{
	const char *dashes = option->name ? "--" : "";
	const char *name = option->name ? option->name : "";
	int len = printf("    ");

	len += option->letter ? printf("-%c%s", option->letter, option->name ? ", " : "")
			      : printf("    ");
	len += printf("%s%s", dashes, name);
	if (option->arg)
		len += printf(option->optional ? "[=<%s>]"
			      : option->name   ? "=<%s>"
					       : " <%s>",
			      option->arg);
	return len;
}

static void print_option(const struct tally_option *option)
{
	int len;

	if (option->kind == TALLY_OPTION_GROUP) {
		printf("\n %s\n", option->help);
		return;
	}
	len = print_names(option);
	if (len > HELP_COLUMN - 2) {
		putchar('\n');
		len = 0;
	}
	printf("%*s%s\n", HELP_COLUMN - len, "", option->help);
}

/* If `taken` is set, print the perf options that are accepted without effect. Otherwise, print the
 * perf options that are rejected. */
static void print_perf_options(const struct tally_perf_option *row, bool taken, const char *heading)
{
	static const char *const args[] = {
		[TALLY_PERF_ARG_NONE] = NULL,
		[TALLY_PERF_ARG_NEEDED] = "...",
		[TALLY_PERF_ARG_OPTIONAL] = "...",
	};
	bool is_first = true;

	for (; row && !tally_perf_option_ends(row); row++) {
		struct tally_option option = {
			.letter = row->letter,
			.name = row->name,
			.arg = args[row->arg],
			.optional = row->arg == TALLY_PERF_ARG_OPTIONAL ? "" : NULL,
			.help = row->why,
		};

		if (row->taken != taken)
			continue;
		if (is_first)
			printf("\n %s\n", heading);
		is_first = false;
		option.kind = TALLY_OPTION_FLAG;
		print_option(&option);
	}
}

static void print_usage(const struct tally_command *command)
{
	const char *line = command->usage;

	for (const char *head = " Usage:"; line; head = "    or:") {
		const char *end = strchr(line, '\n');
		int len = end ? (int)(end - line) : (int)strlen(line);

		printf("%s %s %s %.*s\n", head, tally_is_perf() ? "perf" : "tally", command->name,
		       len, line);
		line = end ? end + 1 : NULL;
	}
}

void tally_command_help(const struct tally_command *command)
{
	const struct tally_perf_option *theirs = tally_perf_options(command->name);
	const struct tally_option *option = command->options;

	print_usage(command);
	printf("\n %s.\n\n", command->summary);
	for (; option->letter || option->name || option->help; option++)
		print_option(option);
	printf("    -h, --help                show this help\n");
	print_perf_options(theirs, true, "perf options that have no effect in tally, and why:");
	print_perf_options(theirs, false,
			   "perf options that tally does not support, and what to use instead:");
	if (command->about)
		printf("\n%s", command->about);
}

static int help_overview(void)
{
	printf("\n usage: tally [--version] [--help] [--no-pager | -p] COMMAND [ARGS]\n\n"
	       " Counts and profiles programs with perf_events.\n\n");
	for (const struct tally_command *const *c = tally_commands; *c; c++)
		printf("   %-14s %s\n", (*c)->name, (*c)->summary);
	printf("\n See 'tally help COMMAND' for more information on a command.\n\n");
	return TALLY_EXIT_OK;
}

static const struct tally_option help_options[] = {TALLY_OPTION_END};

static int help_run(int argc, char **argv)
{
	const struct tally_command *command;
	int first, ret;

	ret = tally_options_parse(&tally_command_help_entry, NULL, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	if (first == argc)
		return help_overview();
	command = tally_command_find(argv[first]);
	if (!command) {
		tally_command_unknown(argv[first]);
		return TALLY_EXIT_ERROR;
	}
	tally_command_help(command);
	return TALLY_EXIT_OK;
}

static void print_commands(const char *before)
{
	for (const struct tally_command *const *c = tally_commands; *c && !*before; c++)
		puts((*c)->name);
}

static const struct tally_command_words help_words[] = {
	{NULL, print_commands},
	{NULL, NULL},
};

const struct tally_command tally_command_help_entry = {
	.name = "help",
	.summary = "List the commands, or show help for a command",
	.usage = "[COMMAND]",
	.options = help_options,
	.words = help_words,
	.run = help_run,
};

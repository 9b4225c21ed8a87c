/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/main/commands.h"
#include "cli/main/pager.h"
#include "cli/main/global_options.h"
#include "cli/main/perf_options.h"
#include "cli/main/print.h"
#include "cli/main/settings_apply.h"
#include "cli/main/truncation.h"
#include "sampler/privileges.h"

const struct tally_command *const tally_commands[] = {
	&tally_command_profile,
	&tally_command_stat,
	&tally_command_record,
	&tally_command_report,
	&tally_command_annotate,
	&tally_command_diff,
	&tally_command_script,
	&tally_command_archive,
	&tally_command_export,
	&tally_command_resolve,
	&tally_command_data,
	&tally_command_inject,
	&tally_command_top,
	&tally_command_ftrace,
	&tally_command_emulate,
	&tally_command_mem,
	&tally_command_c2c,
	&tally_command_bench,
	&tally_command_evlist,
	&tally_command_list,
	&tally_command_doctor,
	&tally_command_test,
	&tally_command_buildids,
	&tally_command_buildid_cache,
	&tally_command_version,
	&tally_command_check,
	&tally_command_config,
	&tally_command_help_entry,
	NULL,
};

const struct tally_command *tally_command_find(const char *name)
{
	for (const struct tally_command *const *c = tally_commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
	}
	return NULL;
}

void tally_command_unknown(const char *word)
{
	const char *instead = tally_perf_command(word);
	struct tally_suggest suggest;

	if (instead) {
		tally_print_error("perf's command '%s' is %s", word, instead);
		tally_hint_real_perf(instead);
		return;
	}
	tally_print_error("'%s' is not a tally command", word);
	tally_suggest_start(&suggest, word, strlen(word));
	for (const struct tally_command *const *c = tally_commands; *c; c++)
		tally_suggest_offer(&suggest, (*c)->name);
	if (!tally_print_typo(&suggest))
		tally_print_hint("'tally help' lists all commands");
}

/* Return 0, or the error that prevented output from being written. stdio does not keep the errno of
 * a failed write, so write a newline, which fails again with the same error. */
static int output_error(void)
{
	if (fflush(stdout))
		return errno;
	if (!ferror(stdout))
		return 0;
	clearerr(stdout);
	return putchar('\n') == EOF || fflush(stdout) ? errno : EIO;
}

/* Report an error if the output could not be written, unless stdout is a pipe without a reader. */
static int finish_output(int status)
{
	int error = output_error();

	if (!error || error == EPIPE)
		return status;
	tally_print_error("cannot write the output: %s", strerror(error));
	return status ? status : TALLY_EXIT_ERROR;
}

/* Warn about a file that was truncated while it was mapped, unless a more specific message was
 * printed. */
static int finish_files(int status)
{
	const char *path = tally_truncation_pop();

	if (path)
		tally_print_warning(
			"%s was truncated while it was being read: the results may be wrong", path);
	return status;
}

/* Return the command name. -v and -h are translated to the corresponding commands. */
static const char *command_name(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "help";

	if (!strcmp(name, "--version") || !strcmp(name, "-v"))
		return "version";
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return "help";
	return name;
}

static int run_with_settings(const struct tally_command *command, int argc, char **argv)
{
	struct tally_settings settings = {0};
	struct tally_arguments arguments;
	int status = TALLY_EXIT_ERROR;

	if (!tally_settings_read(&settings) &&
	    !tally_settings_apply(&settings, command, argc, argv, &arguments)) {
		status = command->run(arguments.nr, arguments.words.data);
		tally_arguments_free(&arguments);
	}
	tally_settings_free(&settings);
	return status;
}

static int run_command(const struct tally_command *command, int argc, char **argv, bool paginate)
{
	char *alone[] = {(char *)command->name, NULL};
	char **words = argc > 1 ? argv + 1 : alone;
	int nr = argc > 1 ? argc - 1 : 1;

	/* Privileged commands still hold capabilities here, and start the pager themselves if they
	 * use one. */
	if (paginate && !command->privileged)
		tally_pager_start();
	words[0] = alone[0];
	/* config shows the settings, and must work with any of them. */
	return command == &tally_command_config ? command->run(nr, words)
						: run_with_settings(command, nr, words);
}

int main(int argc, char **argv)
{
	char *verbose[] = {argv[0], (char *)"version", (char *)"--build-options", NULL};
	const struct tally_command *command;
	bool paginate = false;
	const char *name;
	int nr, status;

	/* The parent may have set SIGCHLD to SIG_IGN, but tally waits for its own children. */
	signal(SIGCHLD, SIG_DFL);
	tally_started_as(argv[0]);
	nr = tally_global_options(argc, argv, &paginate);
	if (nr < 0)
		return finish_output(-1 - nr);
	argc -= nr;
	argv += nr;
	/* As in perf, -vv also shows the build options. */
	if (argc == 2 && !strcmp(argv[1], "-vv")) {
		argc = 3;
		argv = verbose;
	}
	name = command_name(argc, argv);
	command = tally_command_find(name);
	if (!command) {
		tally_command_unknown(name);
		return TALLY_EXIT_ERROR;
	}
	if (tally_privileges_begin(command->privileged, &tally_print_messages))
		return TALLY_EXIT_ERROR;
	tally_truncation_survive();
	status = finish_files(finish_output(run_command(command, argc, argv, paginate)));
	tally_pager_finish();
	return tally_perf_status(command, status);
}

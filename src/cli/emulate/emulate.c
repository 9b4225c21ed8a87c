/* SPDX-License-Identifier: BSD-2-Clause */
/* tally emulate: a command whose perf_event_open is a machine's of ours. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/str.h"
#include "base/escape.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "emulate/run.h"
#include "emulate/script.h"
#include "sampler/child.h"

struct emulate_config {
	const char *host;
};

#define AT(member) offsetof(struct emulate_config, member)

static const struct tally_option emulate_options[] = {
	{0, "host", TALLY_OPTION_TEXT, AT(host), "sim:file",
	 "who answers: a simulated machine whose PMU does as the script in the file says"},
	TALLY_OPTION_END,
};

#undef AT

static int usage_error(const char *text)
{
	tally_print_error("%s", text);
	tally_print_hint("see 'tally emulate --help'");
	return TALLY_EXIT_USAGE;
}

/* Parse the script in a file; an exit status. */
static int script_read(const char *path, struct tally_script *script)
{
	struct tally_script_error error = {0};
	struct tally_str shown = {0};
	char *text = NULL;
	size_t len = 0;
	int ret = tally_file_read(path, TALLY_SCRIPT_BYTES, &text, &len);

	tally_str_add_escaped(&shown, path);
	if (ret) {
		tally_print_error("%s: %s", tally_str_text(&shown), strerror(-ret));
	} else {
		ret = tally_script_parse(text, len, script, &error);
		if (ret)
			tally_print_error("%s:%u:%u: %s", tally_str_text(&shown), error.line,
					  error.column, error.text ? error.text : strerror(-ret));
	}
	tally_str_free(&shown);
	free(text);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

/* The exit status of the command, as a shell has it. */
static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int command_failed(const char *command, int error)
{
	struct tally_str shown = {0};

	tally_str_add_escaped(&shown, command);
	if (error == -ENOSYS)
		tally_print_error("there is no library to preload on this processor");
	else
		tally_print_error("cannot run %s: %s", tally_str_text(&shown), strerror(-error));
	tally_str_free(&shown);
	return error == -ENOENT   ? TALLY_EXIT_NOT_FOUND
	       : error == -EACCES ? TALLY_EXIT_NOT_EXECUTABLE
				  : TALLY_EXIT_ERROR;
}

static int emulate_serve(const struct tally_script *script, char **command)
{
	struct tally_emulate_backend *backend;
	struct tally_emulate_server *server = NULL;
	int ret = tally_emulate_sim_new(script, &backend), status = 0;

	if (ret) {
		tally_print_error("cannot make the machine: %s", strerror(-ret));
		return TALLY_EXIT_ERROR;
	}
	ret = tally_emulate_server_new(backend, &server);
	if (!ret)
		ret = tally_emulate_run(server, command, &status);
	tally_emulate_server_free(server);
	tally_emulate_sim_free(backend);
	return ret ? command_failed(command[0], ret) : status_of(status);
}

static int emulate_run(int argc, char **argv)
{
	struct emulate_config config = {0};
	struct tally_script *script;
	int first, ret;

	ret = tally_options_parse(&tally_command_emulate, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret)
		return ret - 1;
	if (!config.host || strncmp(config.host, "sim:", 4))
		return usage_error("--host sim:FILE says who answers");
	if (first == argc)
		return usage_error("no command was given");
	script = malloc(sizeof(*script));
	if (!script)
		return TALLY_EXIT_ERROR;
	ret = script_read(config.host + 4, script);
	if (!ret)
		ret = emulate_serve(script, argv + first);
	free(script);
	return ret;
}

const struct tally_command tally_command_emulate = {
	.name = "emulate",
	.summary = "Run a command with a perf_event_open that a script describes",
	.usage = "--host sim:FILE [--] COMMAND [ARGUMENTS]",
	.about =
		" Programs that use counters can be tested where there are none, and get the same\n"
		" counts each time. The command's exit status is tally's. docs/emulate.md has the\n"
		" language of scripts.\n",
	.options = emulate_options,
	.run = emulate_run,
};

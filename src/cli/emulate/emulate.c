/* SPDX-License-Identifier: BSD-2-Clause */
/* tally emulate: run a command with an emulated perf_event_open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/str.h"
#include "base/escape.h"
#include "base/proc.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "emulate/protocol.h"
#include "emulate/run.h"
#include "emulate/emulate_script.h"
#include "sampler/child.h"

struct emulate_config {
	const char *host, *abi;
	char **command;
};

#define AT(member) offsetof(struct emulate_config, member)

static const struct tally_option emulate_options[] = {
	{0, "abi", TALLY_OPTION_TEXT, AT(abi), "linux|classic",
	 "select the ABI that the command uses: linux (default), as defined in linux/perf_event.h, "
	 "or classic, the attr and records declared in tally/classic.h"},
	{0, "host", TALLY_OPTION_TEXT, AT(host), "user|sim:file|kernel",
	 "select the implementation: user (default) measures software events without the kernel's "
	 "perf_event_open; sim:file simulates a machine whose PMU is controlled by the script in "
	 "the file; kernel uses the running kernel"},
	TALLY_OPTION_END,
};

#undef AT

static int usage_error(const char *text)
{
	tally_print_error("%s", text);
	tally_print_hint("see 'tally emulate --help'");
	return TALLY_EXIT_USAGE;
}

/* Parse the script file at `path`. Return an exit status. */
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

/* Convert a wait status to an exit status, as a shell would. */
static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int command_failed(const char *command, int error)
{
	struct tally_str shown = {0};

	tally_str_add_escaped(&shown, command);
	if (error == -ENOSYS)
		tally_print_error("emulation is not supported on this processor: there is no "
				  "library to preload");
	else if (error == -EOPNOTSUPP)
		tally_print_error("emulation requires Linux 5.3 or later, for pidfd_open(2)");
	else
		tally_print_error("cannot run %s: %s", tally_str_text(&shown), strerror(-error));
	tally_str_free(&shown);
	return error == -ENOENT   ? TALLY_EXIT_NOT_FOUND
	       : error == -EACCES ? TALLY_EXIT_NOT_EXECUTABLE
				  : TALLY_EXIT_ERROR;
}

static int no_machine(int error)
{
	tally_print_error("cannot create the emulated machine: %s", strerror(-error));
	return TALLY_EXIT_ERROR;
}

/* Run the command while `backend` serves its system calls. Return the command's exit status. */
static int command_serve(const struct emulate_config *config, struct tally_emulate_backend *backend)
{
	struct tally_emulate_server *server = NULL;
	int ret = tally_emulate_server_new(backend, &server), status = 0;

	if (!ret)
		ret = tally_emulate_run(server, config->command, &status);
	tally_emulate_server_free(server);
	return ret ? command_failed(config->command[0], ret) : status_of(status);
}

/* Run the command with the selected ABI. */
static int emulate_serve(const struct emulate_config *config, struct tally_emulate_backend *backend)
{
	struct tally_emulate_backend *classic;
	int ret;

	if (strcmp(config->abi, "classic"))
		return command_serve(config, backend);
	ret = tally_emulate_classic_new(backend, &classic);
	if (ret)
		return no_machine(ret);
	ret = command_serve(config, classic);
	tally_emulate_classic_free(classic);
	return ret;
}

static int emulate_sim(const struct emulate_config *config)
{
	struct tally_script *script = malloc(sizeof(*script));
	struct tally_emulate_backend *backend;
	int ret = script ? script_read(config->host + strlen("sim:"), script) : no_machine(-ENOMEM);
	int made;

	if (!ret) {
		made = tally_emulate_sim_new(script, &backend);
		ret = made ? no_machine(made) : emulate_serve(config, backend);
		if (!made)
			tally_emulate_sim_free(backend);
	}
	free(script);
	return ret;
}

static int emulate_user(const struct emulate_config *config)
{
	struct tally_emulate_backend *backend;
	int ret = tally_emulate_user_new(&backend);

	if (ret == -EXDEV) {
		tally_print_error(
			"cannot start the user host: /proc belongs to another PID namespace");
		tally_print_hint("%s", TALLY_PROC_FIX);
		return TALLY_EXIT_ERROR;
	}
	if (ret)
		return no_machine(ret);
	ret = emulate_serve(config, backend);
	tally_emulate_user_free(backend);
	return ret;
}

static int emulate_kernel(const struct emulate_config *config)
{
	struct tally_emulate_backend *backend;
	int ret = tally_emulate_linux_new(&backend);

	if (ret)
		return no_machine(ret);
	ret = emulate_serve(config, backend);
	tally_emulate_linux_free(backend);
	return ret;
}

static int emulate_run(int argc, char **argv)
{
	struct emulate_config config = {.host = "user", .abi = "linux"};
	int first, ret;

	ret = tally_options_parse(&tally_command_emulate, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret)
		return ret - 1;
	if (first == argc)
		return usage_error("no command was given");
	if (strcmp(config.abi, "linux") && strcmp(config.abi, "classic"))
		return usage_error("--abi must be linux or classic");
	config.command = argv + first;
	if (getenv(TALLY_EMULATE_VARIABLE)) {
		tally_print_error("this tally is running under another 'tally emulate', which "
				  "would intercept the command's calls");
		tally_print_hint("run the command outside the other 'tally emulate'");
		return TALLY_EXIT_ERROR;
	}
	if (!strcmp(config.host, "user"))
		return emulate_user(&config);
	if (!strcmp(config.host, "kernel"))
		return emulate_kernel(&config);
	if (!strncmp(config.host, "sim:", strlen("sim:")) && config.host[strlen("sim:")])
		return emulate_sim(&config);
	return usage_error("--host must be user, kernel or sim:FILE");
}

const struct tally_command tally_command_emulate = {
	.name = "emulate",
	.summary = "Run a command with an emulated perf_event_open",
	.usage = "[--host HOST] [--abi ABI] [--] COMMAND [ARGUMENTS]",
	.about = " With --host user, programs can measure themselves and others even if the "
		 "kernel does\n not permit it. With --host sim:FILE, programs that use counters "
		 "can be "
		 "tested on machines\n without counters, and get the same counts in each run; "
		 "docs/emulate.md describes the\n script language. The exit status is that of the "
		 "command.\n",
	.options = emulate_options,
	.run = emulate_run,
};

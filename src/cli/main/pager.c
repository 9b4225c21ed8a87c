/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "sampler/child.h"

static const int keys[] = {SIGINT, SIGQUIT};

/* A single instance, because stdout and stderr belong to the process. */
static struct {
	bool is_refused;
	struct tally_child child;
	/* Duplicates of the terminal descriptors for stdout and stderr; `errors` is -1 if stderr
	 * was not a terminal. */
	int output, errors;
	struct sigaction actions[TALLY_ARRAY_SIZE(keys)];
} pager;

/* ---- choosing the pager -------------------------------------------------------- */

/* Return the pager's command, or NULL for no pager. `*ret_asked` is set if the user chose the
 * pager. */
static const char *pager_command(bool *ret_asked)
{
	static const char *const names[] = {"TALLY_PAGER", "PERF_PAGER", "PAGER"};
	const char *command = NULL;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names) && !command; i++)
		command = getenv(names[i]);
	*ret_asked = command != NULL;
	if (!command)
		return "less";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static bool terminal_pages(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!term || strcmp(term, "dumb") != 0);
}

/* ---- start ---------------------------------------------------------------------- */

/* Start the pager with `input` as its standard input. A single word is executed directly, so a
 * failure to execute it is detected. A longer command is run by a shell, which hides such a
 * failure. Do not start a pager if tally has no standard input. */
static int pager_run(const char *command, int input)
{
	bool is_word = !strpbrk(command, " \t\n|&;<>()$`\\\"'*?[#~=%");
	char *const word[] = {(char *)command, NULL};
	char *const line[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	int ours = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), ret;

	if (ours < 0)
		return -errno;
	dup2(input, STDIN_FILENO);
	ret = tally_child_start(&pager.child, is_word ? word : line, STDOUT_FILENO);
	dup2(ours, STDIN_FILENO);
	close(ours);
	if (!ret)
		ret = tally_child_exec(&pager.child);
	if (!ret)
		ret = tally_child_exec_error(&pager.child);
	if (ret)
		tally_child_free(&pager.child);
	return ret;
}

/* Describe the terminal in the environment, because the terminal can no longer be queried through
 * stdout. Set git's defaults for less: exit if the text fits on one screen, show colours, do not
 * clear the screen. */
static void environment_set(void)
{
	char columns[16];

	snprintf(columns, sizeof(columns), "%d", tally_output_size().columns);
	setenv("COLUMNS", columns, 1);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
}

static int replace_stream(int fd, int to)
{
	int was = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	dup2(to, fd);
	return was;
}

static void redirect_streams(int output)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	fflush(stdout);
	pager.output = replace_stream(STDOUT_FILENO, output);
	pager.errors = isatty(STDERR_FILENO) ? replace_stream(STDERR_FILENO, output) : -1;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++)
		sigaction(keys[i], &ignore, &pager.actions[i]);
}

void tally_pager_disable(void)
{
	pager.is_refused = true;
}

void tally_pager_start(void)
{
	bool is_asked;
	const char *command = pager_command(&is_asked);
	void (*on_size)(int);
	int ends[2], ret;

	if (pager.is_refused || pager.child.pid || !command || !terminal_pages())
		return;
	if (pipe2(ends, O_CLOEXEC))
		return;
	environment_set();
	/* Commands that read recordings ignore SIGXFSZ (session.c); the pager must not. */
	on_size = signal(SIGXFSZ, SIG_DFL);
	ret = pager_run(command, ends[0]);
	signal(SIGXFSZ, on_size);
	if (!ret)
		redirect_streams(ends[1]);
	else if (is_asked)
		tally_print_warning("cannot run the pager '%s': %s", command, strerror(-ret));
	close(ends[0]);
	close(ends[1]);
}

bool tally_pager_runs(void)
{
	return pager.child.pid;
}

/* ---- end -------------------------------------------------------------------------- */

static void restore_stream(int was, int fd)
{
	if (was < 0)
		return;
	dup2(was, fd);
	close(was);
}

void tally_pager_finish(void)
{
	if (!pager.child.pid)
		return;
	fflush(stdout);
	restore_stream(pager.output, STDOUT_FILENO);
	restore_stream(pager.errors, STDERR_FILENO);
	tally_child_wait(&pager.child, true);
	tally_child_free(&pager.child);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++)
		sigaction(keys[i], &pager.actions[i], NULL);
}

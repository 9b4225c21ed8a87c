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
#include "cli/main/output.h"
#include "cli/main/print.h"
#include "sampler/child.h"

static const int keys[] = {SIGINT, SIGQUIT};

/* stdout and stderr are the process's, and so is what they lead to. */
static struct {
	bool is_refused;
	struct tally_child child;
	int output, errors; /* the terminal, of stdout, and of stderr if that was one; else -1 */
	struct sigaction actions[TALLY_ARRAY_SIZE(keys)];
} pager;

/* ---- which one ----------------------------------------------------------------- */

/* NULL: there is none; `*ret_asked`: somebody asked for it. */
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

/* ---- its start ------------------------------------------------------------------ */

/* Start it with `input` in the place of our standard input. One word is a program: whether it can
 * be run is known then, and of what a shell runs it is not. Who has no standard input has no pager.
 */
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
		ret = tally_child_go(&pager.child);
	if (!ret)
		ret = tally_child_exec_error(&pager.child);
	if (ret)
		tally_child_free(&pager.child);
	return ret;
}

/* What is asked of the terminal from now on is told by the environment, and less by what git tells
 * it: end if all fits the screen, show colours, leave the screen as it is. */
static void environment_set(void)
{
	char columns[16];

	snprintf(columns, sizeof(columns), "%d", tally_output_size().columns);
	setenv("COLUMNS", columns, 1);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
}

static int moved(int fd, int to)
{
	int was = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	dup2(to, fd);
	return was;
}

static void streams_take(int output)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	fflush(stdout);
	pager.output = moved(STDOUT_FILENO, output);
	pager.errors = isatty(STDERR_FILENO) ? moved(STDERR_FILENO, output) : -1;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++)
		sigaction(keys[i], &ignore, &pager.actions[i]);
}

void tally_pager_refuse(void)
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
	/* Reading recordings ignores it (session.c); the pager shall not. */
	on_size = signal(SIGXFSZ, SIG_DFL);
	ret = pager_run(command, ends[0]);
	signal(SIGXFSZ, on_size);
	if (!ret)
		streams_take(ends[1]);
	else if (is_asked)
		tally_print_warning("cannot run the pager '%s': %s", command, strerror(-ret));
	close(ends[0]);
	close(ends[1]);
}

bool tally_pager_runs(void)
{
	return pager.child.pid;
}

/* ---- its end ---------------------------------------------------------------------- */

static void give_back(int was, int fd)
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
	give_back(pager.output, STDOUT_FILENO);
	give_back(pager.errors, STDERR_FILENO);
	tally_child_wait(&pager.child, true);
	tally_child_free(&pager.child);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++)
		sigaction(keys[i], &pager.actions[i], NULL);
}

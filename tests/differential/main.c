/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * differential SYSTEM FOLDER [--record]: run the scripts of FOLDER/cases on a system, each in a
 * process of its own, and compare the answers with those that Linux 6.18 gave
 * (FOLDER/linux-6.18.txt) and, for the core, with the differences that are known
 * (FOLDER/differences.txt). With --record the answers are printed as such a file instead.
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cases.h"
#include "script.h"

enum { ANSWER_MAX = 65536, SECONDS_MAX = 30 };

static struct case_rows cases, golden, differences;
static struct system *(*system_new)(bool root);
static int tries = 1;
static char *answer; /* shared with the process that runs a case */

static void run_here(const struct case_row *row)
{
	static struct script script;
	struct system *system;
	int error;

	setpgid(0, 0);
	alarm(SECONDS_MAX);
	system = system_new(row->root);
	error = system ? script_run(&script, system, row->text) : -1;
	snprintf(answer, ANSWER_MAX, "%s%s%s", error ? "NO SCRIPT: " : "",
		 script.wrong ? script.wrong : "", error ? "" : tally_str_text(&script.answer));
	_exit(0);
}

/* What the system answers to a case. */
static const char *run_case(const struct case_row *row)
{
	int status;
	pid_t pid;

	fflush(stdout);
	snprintf(answer, ANSWER_MAX, "NO ANSWER");
	pid = fork();
	if (!pid)
		run_here(row);
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status))
		snprintf(answer, ANSWER_MAX, "KILLED BY SIGNAL %d", WTERMSIG(status));
	return answer;
}

/* The running kernel's tasks share their CPUs with others; what those spoil is tried again. */
static void check_case(void **state)
{
	const struct case_row *row = *state, *expected = case_rows_find(&golden, row->name);
	const struct case_row *difference = case_rows_find(&differences, row->name);
	int left = tries;

	if (!expected)
		fail_msg("no answer is known; script: %s", row->text);
	if (difference && !strcmp(difference->text, expected->text))
		fail_msg("listed as a difference, but it is none");
	if (difference)
		expected = difference;
	while (strcmp(run_case(row), expected->text) && --left)
		;
	if (strcmp(answer, expected->text))
		print_error("script: %s\n", row->text);
	assert_string_equal(answer, expected->text);
}

static int check_all(void)
{
	struct CMUnitTest *tests = calloc(cases.nr, sizeof(*tests));
	int failed;

	if (!tests)
		return 1;
	for (size_t i = 0; i < cases.nr; i++)
		tests[i] = (struct CMUnitTest){
			.name = cases.rows[i].name,
			.test_func = check_case,
			.initial_state = &cases.rows[i],
		};
	failed = _cmocka_run_group_tests("tests", tests, cases.nr, NULL, NULL);
	free(tests);
	return failed;
}

static int record_all(void)
{
	for (size_t i = 0; i < cases.nr; i++)
		printf("%s: %s\n", cases.rows[i].name, run_case(&cases.rows[i]));
	return 0;
}

/* Every answer is that of one case. */
static bool answers_match(const struct case_rows *answers, const char *what)
{
	bool ok = true;

	for (size_t i = 0; i < answers->nr; i++) {
		const char *name = answers->rows[i].name;

		if (case_rows_find(&cases, name) &&
		    case_rows_find(answers, name) == &answers->rows[i])
			continue;
		fprintf(stderr, "%s: no case, or twice: %s\n", what, name);
		ok = false;
	}
	return ok;
}

static bool load(const char *folder, bool core)
{
	char path[4096];
	struct dirent **names;
	int nr;
	bool ok = true;

	snprintf(path, sizeof(path), "%s/cases", folder);
	nr = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/cases/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			ok &= case_rows_load(&cases, path, true);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	snprintf(path, sizeof(path), "%s/linux-6.18.txt", folder);
	ok &= case_rows_load(&golden, path, false);
	snprintf(path, sizeof(path), "%s/differences.txt", folder);
	if (core)
		ok &= case_rows_load(&differences, path, false);
	return ok && cases.nr && answers_match(&cases, "cases") &&
	       answers_match(&differences, "differences");
}

/* Why not, or NULL. */
static const char *choose(const char *name)
{
	if (!strcmp(name, "sim")) {
		system_new = sim_system_new;
		return NULL;
	}
	system_new = linux_system_new;
	tries = 3;
	return linux_system_prepare();
}

int main(int argc, char **argv)
{
	const char *why;
	int failed = 1;

	linux_system_executed(argc, argv);
	if (argc < 3)
		return 2;
	why = choose(argv[1]);
	if (why) {
		printf("1..0 # SKIP %s\n", why);
		return 0;
	}
	answer = mmap(NULL, ANSWER_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (answer != MAP_FAILED && load(argv[2], !strcmp(argv[1], "sim"))) {
		if (argc > 3)
			failed = record_all();
		else
			failed = !answers_match(&golden, "answers") || check_all();
	}
	case_rows_free(&cases);
	case_rows_free(&golden);
	case_rows_free(&differences);
	return failed;
}

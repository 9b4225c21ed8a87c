/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * differential SYSTEM FOLDER ANSWERS [DIFFERENCES]: run the scripts in FOLDER/cases on a system and
 * compare the answers with Linux's (FOLDER/ANSWERS). For systems other than Linux, known
 * differences are taken into account (FOLDER/differences.txt, or the file DIFFERENCES).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linux_probe.h"
#include "suite.h"
#include "tier.h"

static struct suite suite;
static struct case_rows golden, differences;
static int tries = 1;
static bool is_emulated, breakpoints_fire = true;

/* Return true for cases that tally emulate cannot run on the user host. These cases use
 * tracepoints, which the user host lacks, or trace task 1, which some machines do not allow. */
static bool is_left_out(const struct case_row *row)
{
	static const char *const words[] = {" tp ", " tp;", "hit ", "pid=1 ", "pid=1;"};
	char text[4096];

	snprintf(text, sizeof(text), " %s ", row->text);
	for (size_t i = 0; is_emulated && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strstr(text, words[i]))
			return true;
	}
	return false;
}

/* Remove "=0" after enabled and running. The user host's times are only as recent as its last
 * update, so they might not advance between two calls. */
static void take_out_no_times(char *answer)
{
	static const char *const names[] = {"enabled=0", "running=0"};
	char *at;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		while ((at = strstr(answer, names[i])))
			memmove(at + 7, at + 9, strlen(at + 9) + 1);
	}
}

/* Run a case and return true if the answer is as expected. The answer is in suite.answer. */
static bool answers(const struct case_row *row, const char *expected)
{
	char text[4096];

	suite_run(&suite, row);
	if (!is_emulated)
		return !strcmp(suite.answer, expected);
	snprintf(text, sizeof(text), "%s", expected);
	take_out_no_times(text);
	take_out_no_times(suite.answer);
	return !strcmp(suite.answer, text);
}

/* Return true if the script triggers a breakpoint. */
static bool is_about_firing(const struct case_row *row)
{
	static const char *const commands[] = {"store", "load", "execute"};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strstr(row->text, commands[i]) && strstr(row->text, "breakpoint"))
			return true;
	}
	return false;
}

/* Check one case. Other tasks on the running kernel share the CPUs and can affect the answer, so
 * failed cases are retried. */
static void check_case(void **state)
{
	const struct case_row *row = *state, *expected = case_rows_find(&golden, row->name);
	const struct case_row *difference = case_rows_find(&differences, row->name);
	int left = tries;
	bool is_right = false;

	if (!expected)
		fail_msg("no answer is known; script: %s", row->text);
	if (difference && !strcmp(difference->text, "?"))
		return;
	if (!breakpoints_fire && is_about_firing(row)) {
		print_message("# skipped: stores to a watched variable are not counted here\n");
		skip();
	}
	if (difference && !strcmp(difference->text, expected->text))
		fail_msg("listed as a difference, but it is none");
	if (difference)
		expected = difference;
	while (left-- && !is_right)
		is_right = answers(row, expected->text);
	if (is_right)
		return;
	print_error("script: %s\n", row->text);
	assert_string_equal(suite.answer, expected->text);
}

static int check_all(void)
{
	struct CMUnitTest *tests = calloc(suite.cases.nr, sizeof(*tests));
	size_t nr = 0;
	int failed;

	if (!tests)
		return 1;
	for (size_t i = 0; i < suite.cases.nr; i += tier_step(13)) {
		if (is_left_out(&suite.cases.rows[i]))
			continue;
		tests[nr++] = (struct CMUnitTest){
			.name = suite.cases.rows[i].name,
			.test_func = check_case,
			.initial_state = &suite.cases.rows[i],
		};
	}
	failed = _cmocka_run_group_tests("tests", tests, nr, NULL, NULL);
	free(tests);
	return failed;
}

/* Check that every answer belongs to a case, and that no case has two answers. */
static bool answers_match(const struct case_rows *answers, const char *what)
{
	bool ok = true;

	for (size_t i = 0; i < answers->nr; i++) {
		const char *name = answers->rows[i].name;

		if (case_rows_find(&suite.cases, name) &&
		    case_rows_find(answers, name) == &answers->rows[i])
			continue;
		fprintf(stderr, "%s: no case, or twice: %s\n", what, name);
		ok = false;
	}
	return ok;
}

static bool load(const char *folder, const char *answers, bool differs, const char *known)
{
	char path[4096];
	bool ok = suite_load(&suite, folder);

	snprintf(path, sizeof(path), "%s/%s", folder, answers);
	ok &= case_rows_load(&golden, path, false);
	snprintf(path, sizeof(path), "%s/differences.txt", folder);
	if (known)
		snprintf(path, sizeof(path), "%s", known);
	if (differs)
		ok &= case_rows_load(&differences, path, false);
	return ok && answers_match(&suite.cases, "cases") && answers_match(&golden, "answers") &&
	       answers_match(&differences, "differences");
}

int main(int argc, char **argv)
{
	const char *why;
	int failed = 1;
	bool differs;

	linux_system_executed(argc, argv);
	if (argc != 4 && argc != 5)
		return 2;
	differs = strcmp(argv[1], "linux") != 0;
	is_emulated = !strcmp(argv[1], "emulated");
	tries = differs && !is_emulated ? 1 : 3;
	why = suite_choose(&suite, argv[1], "6.18.");
	if (why) {
		printf("1..0 # SKIP %s\n", why);
		return 0;
	}
	if (!strcmp(argv[1], "linux"))
		breakpoints_fire = linux_probe_breakpoints();
	if (load(argv[2], argv[3], differs, argv[4]))
		failed = check_all();
	suite_free(&suite);
	case_rows_free(&golden);
	case_rows_free(&differences);
	return failed;
}

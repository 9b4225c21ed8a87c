/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * differential SYSTEM FOLDER ANSWERS: put the scripts of FOLDER/cases to a system, and compare the
 * answers with those that Linux gave (FOLDER/ANSWERS) and, for the core, with the differences that
 * are known (FOLDER/differences.txt).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite.h"

static struct suite suite;
static struct case_rows golden, differences;
static int tries = 1;

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
	while (strcmp(suite_run(&suite, row), expected->text) && --left)
		;
	if (strcmp(suite.answer, expected->text))
		print_error("script: %s\n", row->text);
	assert_string_equal(suite.answer, expected->text);
}

static int check_all(void)
{
	struct CMUnitTest *tests = calloc(suite.cases.nr, sizeof(*tests));
	int failed;

	if (!tests)
		return 1;
	for (size_t i = 0; i < suite.cases.nr; i++)
		tests[i] = (struct CMUnitTest){
			.name = suite.cases.rows[i].name,
			.test_func = check_case,
			.initial_state = &suite.cases.rows[i],
		};
	failed = _cmocka_run_group_tests("tests", tests, suite.cases.nr, NULL, NULL);
	free(tests);
	return failed;
}

/* Every answer is that of one case. */
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

static bool load(const char *folder, const char *answers, bool core)
{
	char path[4096];
	bool ok = suite_load(&suite, folder);

	snprintf(path, sizeof(path), "%s/%s", folder, answers);
	ok &= case_rows_load(&golden, path, false);
	snprintf(path, sizeof(path), "%s/differences.txt", folder);
	if (core)
		ok &= case_rows_load(&differences, path, false);
	return ok && answers_match(&suite.cases, "cases") && answers_match(&golden, "answers") &&
	       answers_match(&differences, "differences");
}

int main(int argc, char **argv)
{
	const char *why;
	int failed = 1;
	bool core;

	linux_system_executed(argc, argv);
	if (argc != 4)
		return 2;
	core = strcmp(argv[1], "linux") != 0;
	tries = core ? 1 : 3;
	why = suite_choose(&suite, argv[1], "6.18.");
	if (why) {
		printf("1..0 # SKIP %s\n", why);
		return 0;
	}
	if (load(argv[2], argv[3], core))
		failed = check_all();
	suite_free(&suite);
	case_rows_free(&golden);
	case_rows_free(&differences);
	return failed;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * differential-record SYSTEM FOLDER: print a system's answers to the cases in FOLDER in the format
 * of an answer file. This program needs no libraries, so it runs on any kernel.
 */
#include <stdio.h>

#include "suite.h"

int main(int argc, char **argv)
{
	static struct suite suite;
	const char *why;
	bool ok;

	linux_system_executed(argc, argv);
	if (argc != 3)
		return 2;
	why = suite_choose(&suite, argv[1], NULL);
	if (why) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	ok = suite_load(&suite, argv[2]);
	for (size_t i = 0; ok && i < suite.cases.nr; i++)
		printf("%s: %s\n", suite.cases.rows[i].name,
		       suite_run(&suite, &suite.cases.rows[i]));
	suite_free(&suite);
	return !ok;
}

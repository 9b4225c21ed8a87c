/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of rows "name: text", with "#" comments and blank lines. Case files have two things more:
 * "as root", "as user" or "as both" says who runs the rows below it (a name then begins with
 * "root " or "user "), and "{0..63}" or "{a,b}" in a name makes a row of each, with "{}" in the
 * text standing for it.
 */
#ifndef TALLY_TESTS_DIFFERENTIAL_CASES_H
#define TALLY_TESTS_DIFFERENTIAL_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct case_row {
	char *name, *text;
	bool root;
};

struct case_rows {
	struct case_row *rows;
	size_t nr;
};

/* Append the rows of a file; `expand`: it is a case file. False, with a message, if it cannot be
 * read or is none. */
bool case_rows_load(struct case_rows *rows, const char *path, bool expand);

/* By name; NULL if there is none. */
const struct case_row *case_rows_find(const struct case_rows *rows, const char *name);

void case_rows_free(struct case_rows *rows);

#endif

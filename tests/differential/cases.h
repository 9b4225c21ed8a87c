/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files with rows of the form "name: text", "#" comments and blank lines. Case files have two
 * additional features. "as root", "as user" or "as both" selects the user for the following rows
 * and adds the prefix "root " or "user " to their names. "{0..63}" or "{a,b}" in a name makes one
 * row per value, and the value replaces "{}" in the text.
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

/* Append the rows of a file, which is parsed as a case file if `expand` is set. If the file cannot
 * be read or is invalid, prints a message and returns false. */
bool case_rows_load(struct case_rows *rows, const char *path, bool expand);

/* Find a row by name. Returns NULL if it does not exist. */
const struct case_row *case_rows_find(const struct case_rows *rows, const char *name);

void case_rows_free(struct case_rows *rows);

#endif

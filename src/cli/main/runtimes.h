/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs with a JIT compiler, and how to make them write down the names of their code. */
#ifndef TALLY_CLI_MAIN_RUNTIMES_H
#define TALLY_CLI_MAIN_RUNTIMES_H

#include <stddef.h>

struct tally_runtime {
	const char *name;     /* name for messages */
	const char *files[3]; /* prefixes of the names of its programs and libraries */
	const char *hint;     /* the option to use, and its effect */
};

/* Return the runtime that the program or library at `path` belongs to, of any version; NULL if it
 * belongs to none. The results point into one array that is ordered by precedence: if a process has
 * several runtimes, use the one with the lowest address. */
const struct tally_runtime *tally_runtime_of(const char *path);

#endif

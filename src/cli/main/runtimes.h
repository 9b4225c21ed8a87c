/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that make code while they run, and how they are told to write down what it is called. */
#ifndef TALLY_CLI_MAIN_RUNTIMES_H
#define TALLY_CLI_MAIN_RUNTIMES_H

#include <stddef.h>

struct tally_runtime {
	const char *name;     /* what people call it */
	const char *files[3]; /* how the names of programs and libraries begin that are it */
	const char *hint;     /* the option, and what it does */
};

/* The runtime that a path is the program or a library of, whatever its version is; NULL: none that
 * is known. All are in one array, and what others are built into comes first: of several that a
 * process has, the one with the lower address is it. */
const struct tally_runtime *tally_runtime_of(const char *path);

#endif

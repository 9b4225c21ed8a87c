/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs with a JIT compiler, and how to make them write symbol files for their generated
 * code. */
#ifndef TALLY_VIEW_RUNTIMES_H
#define TALLY_VIEW_RUNTIMES_H

#include <stdbool.h>
#include <stddef.h>

struct tally_runtime {
	const char *name;     /* name for messages */
	const char *files[3]; /* name prefixes of the runtime's programs and libraries */
	const char *hint;     /* the option to use, and its effect */
	bool is_interpreter;  /* its programs run in its own code */
};

/* Return the runtime to which the program or library at `path` belongs, regardless of its version,
 * or NULL. The results point into one array in order of precedence: if a process has several
 * runtimes, use the one with the lowest address. */
const struct tally_runtime *tally_runtime_of(const char *path);

#endif

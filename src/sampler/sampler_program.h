/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the program file for a command. */
#ifndef TALLY_SAMPLER_PROGRAM_H
#define TALLY_SAMPLER_PROGRAM_H

/* Return the absolute path, without symbolic links, of the program that execvp(3) would run. The
 * caller frees it. Returns NULL if there is no such program, or on memory allocation failure. */
char *tally_program_find(const char *name);

/* Check that the program exists. Returns 0; -ENOENT; -EACCES if the file cannot be executed; or
 * another error from stat(2). */
int tally_program_check(const char *name);

#endif

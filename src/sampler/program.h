/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that a command's name stands for. */
#ifndef TALLY_SAMPLER_PROGRAM_H
#define TALLY_SAMPLER_PROGRAM_H

/* The absolute path, without links, of what execvp(3) would run, with $PATH; to be freed. NULL:
 * there is no such program, or no memory. */
char *tally_program_find(const char *name);

/* Whether there is one: 0; -ENOENT; -EACCES: what is there may not be executed; or another error of
 * stat(2). */
int tally_program_check(const char *name);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that a command's name stands for. */
#ifndef TALLY_SAMPLER_PROGRAM_H
#define TALLY_SAMPLER_PROGRAM_H

/* The absolute path, without links, of what execvp(3) would run, with $PATH; to be freed. NULL: there
 * is no such program, or no memory. */
char *tally_program_find(const char *name);

#endif

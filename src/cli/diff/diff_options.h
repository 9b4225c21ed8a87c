/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of tally diff's options. */
#ifndef TALLY_CLI_DIFF_DIFF_OPTIONS_H
#define TALLY_CLI_DIFF_DIFF_OPTIONS_H

/* Print the words of --sort, --compute and --normalize for shells. */
void diff_print_keys(const char *before);
void diff_print_computes(const char *before);
void diff_print_units(const char *before);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for shell completion that several commands take. */
#ifndef TALLY_CLI_MAIN_CGROUP_WORDS_H
#define TALLY_CLI_MAIN_CGROUP_WORDS_H

/* Print the names of all cgroups. */
void tally_print_cgroups(const char *before);

#endif

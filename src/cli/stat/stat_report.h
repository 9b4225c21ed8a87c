/* SPDX-License-Identifier: BSD-2-Clause */
/* tally stat report: print the counts in a recording of 'stat record' of tally or perf. */
#ifndef TALLY_CLI_STAT_REPORT_H
#define TALLY_CLI_STAT_REPORT_H

/* Run the command; argv[0] is its name. Returns the exit status. */
int stat_report_run(int argc, char **argv);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of benchmarks, in perf's layout. */
#ifndef TALLY_CLI_BENCH_TEXT_H
#define TALLY_CLI_BENCH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Print the elapsed time: as a number of seconds if `is_simple` is set, otherwise as "Total
 * time". */
void bench_print_time(uint64_t ns, bool is_simple);

/* Print the time per operation, and the operations per second. */
void bench_print_rate(uint64_t ns, uint64_t operations);

/* Print that an operation failed because of the error `code` (-errno), and how to fix the error if
 * that is known. Returns `code`. */
int bench_print_failure(const char *what, int code);

/* Print that option `name` requires a number of at least 1. Returns -EINVAL. */
int bench_print_zero(const char *name);

#endif

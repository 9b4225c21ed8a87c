/* SPDX-License-Identifier: BSD-2-Clause */
/* Benchmarks: each parses its own options, runs, and prints its result. */
#ifndef TALLY_CLI_BENCH_H
#define TALLY_CLI_BENCH_H

#include <stdbool.h>

#include "cli/main/command.h"

struct benchmark {
	const char *name;
	/* Names the benchmark as "bench COLLECTION NAME", for --help and usage errors. */
	const struct tally_command *command;
	const char *summary; /* one line of the list of benchmarks, in perf's words */
	const void *defaults;
	size_t size; /* bytes of `defaults`, which begins the benchmark's configuration */
	/* Run once with the parsed configuration. Returns 0, or -errno after printing an
	 * error: -EINVAL if an option is wrong. */
	int (*run)(const void *config, bool is_simple);
};

/* Upper limit for the size of a benchmark's configuration. */
enum { BENCH_CONFIG_MAX = 64 };

extern const struct benchmark bench_messaging;
extern const struct benchmark bench_pipe;
extern const struct benchmark bench_syscall;
extern const struct benchmark bench_memcpy;
extern const struct benchmark bench_memset;
extern const struct benchmark bench_futex_hash;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* tally bench syscall basic: the cost of a system call that does nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_text.h"

struct syscall_config {
	uint64_t loops;
};

static const struct syscall_config syscall_defaults = {.loops = 10000000};

static const struct tally_option syscall_options[] = {
	{'l', "loop", TALLY_OPTION_U64, offsetof(struct syscall_config, loops), "n",
	 "call getppid this many times (default: 10000000)"},
	TALLY_OPTION_END,
};

static int syscall_run(const void *of, bool is_simple)
{
	const struct syscall_config *config = of;
	uint64_t start, ns;

	if (!config->loops)
		return bench_print_zero("loop");
	start = tally_clock_now();
	for (uint64_t i = 0; i < config->loops; i++)
		syscall(SYS_getppid);
	ns = tally_clock_now() - start;
	if (!is_simple)
		printf("# Executed %" PRIu64 " getppid() calls\n", config->loops);
	bench_print_time(ns, is_simple);
	if (!is_simple)
		bench_print_rate(ns, config->loops);
	return 0;
}

static const struct tally_command command = {
	.name = "bench syscall basic",
	.summary = "Measure the cost of a system call",
	.usage = "[OPTIONS]",
	.options = syscall_options,
};

const struct benchmark bench_syscall = {
	.name = "basic",
	.summary = "Benchmark for basic getppid(2) calls",
	.command = &command,
	.defaults = &syscall_defaults,
	.size = sizeof(syscall_defaults),
	.run = syscall_run,
};

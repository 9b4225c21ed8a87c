/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/bench/bench_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/main/print.h"

enum { NS_PER_MS = 1000000, MS_PER_S = 1000 };

void bench_print_time(uint64_t ns, bool is_simple)
{
	uint64_t ms = ns / NS_PER_MS;

	if (is_simple)
		printf("%" PRIu64 ".%03" PRIu64 "\n", ms / MS_PER_S, ms % MS_PER_S);
	else
		printf(" %14s: %" PRIu64 ".%03" PRIu64 " [sec]\n", "Total time", ms / MS_PER_S,
		       ms % MS_PER_S);
}

void bench_print_rate(uint64_t ns, uint64_t operations)
{
	double seconds = (double)(ns ? ns : 1) / 1e9;

	printf("\n %14f usecs/op\n", seconds * 1e6 / (double)operations);
	printf(" %14.0f ops/sec\n", (double)operations / seconds);
}

int bench_print_failure(const char *what, int code)
{
	tally_print_error("cannot %s: %s", what, strerror(-code));
	if (code == -EMFILE)
		tally_print_hint("increase the limit on open files: ulimit -n 65536");
	if (code == -EAGAIN)
		tally_print_hint("increase the limit on processes (ulimit -u), or run fewer");
	return code;
}

int bench_print_zero(const char *name)
{
	tally_print_error("option '--%s' requires a number greater than 0", name);
	return -EINVAL;
}

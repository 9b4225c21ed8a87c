/* SPDX-License-Identifier: BSD-2-Clause */
/* tally bench mem memcpy, tally bench mem memset: the speed of functions that copy or fill
 * memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/size.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_cycles.h"
#include "cli/bench/bench_text.h"
#include "cli/main/print.h"

struct mem_bench_config {
	const char *size, *function;
	uint64_t loops;
	bool cycles;
};

static const struct mem_bench_config mem_defaults = {.size = "1MB", .function = "all", .loops = 1};

#define AT(member) offsetof(struct mem_bench_config, member)

static const struct tally_option mem_options[] = {
	{'s', "size", TALLY_OPTION_TEXT, AT(size), "1MB",
	 "use buffers of this size; the units are B, KB, MB, GB and TB (default: 1MB)"},
	{'f', "function", TALLY_OPTION_TEXT, AT(function), "name",
	 "run this function, or all; help lists them (default: all)"},
	{'l', "nr_loops", TALLY_OPTION_U64, AT(loops), "n", "repeat this many times (default: 1)"},
	{'c', "cycles", TALLY_OPTION_FLAG, AT(cycles), NULL,
	 "measure cycles per byte instead of bytes per second"},
	TALLY_OPTION_END,
};

struct mem_function {
	const char *name, *about;
	void (*run)(void *to, const void *from, size_t size);
};

/* Keep the compiler from removing or merging accesses to the buffer. */
static void use(void *buffer)
{
	__asm__ volatile("" : : "r"(buffer) : "memory");
}

static void copy_default(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	use(to);
}

static void fill_default(void *to, const void *from, size_t size)
{
	(void)from;
	memset(to, 1, size);
	use(to);
}

#ifdef __x86_64__
static void copy_movsq(void *to, const void *from, size_t size)
{
	size_t words = size / 8, rest = size % 8;

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(rest) : : "memory");
}

static void copy_movsb(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void fill_stosq(void *to, const void *from, size_t size)
{
	size_t words = size / 8, rest = size % 8;

	(void)from;
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(0x0101010101010101) : "memory");
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(rest) : "a"(1) : "memory");
}

static void fill_stosb(void *to, const void *from, size_t size)
{
	(void)from;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(1) : "memory");
}
#endif

static const struct mem_function copy_functions[] = {
	{"default", "Default memcpy() provided by glibc", copy_default},
#ifdef __x86_64__
	{"x86-64-movsq", "rep movsq", copy_movsq},
	{"x86-64-movsb", "rep movsb", copy_movsb},
#endif
	{0},
};

static const struct mem_function fill_functions[] = {
	{"default", "Default memset() provided by glibc", fill_default},
#ifdef __x86_64__
	{"x86-64-stosq", "rep stosq", fill_stosq},
	{"x86-64-stosb", "rep stosb", fill_stosb},
#endif
	{0},
};

/* Parse "64KB" as well as "64K". */
static int parse_size(const char *text, uint64_t *ret_size)
{
	char copy[32];
	size_t len = strlen(text);

	if (len < sizeof(copy)) {
		memcpy(copy, text, len + 1);
		if (len > 2 && (copy[len - 1] | 0x20) == 'b' && strchr("kmgtKMGT", copy[len - 2]))
			copy[len - 1] = '\0';
		if (tally_size_parse(copy, 1, ret_size) && *ret_size)
			return 0;
	}
	tally_print_error("option '--size' requires a size such as 64KB or 1MB, not '%s'", text);
	return -EINVAL;
}

static void print_speed(double bytes, uint64_t ns, bool is_simple)
{
	static const char *const units[] = {"bytes", "KB", "MB", "GB"};
	double speed = bytes * 1e9 / (double)(ns ? ns : 1);
	size_t unit = 0;

	if (is_simple) {
		printf("%f\n", speed);
		return;
	}
	for (; speed >= 1024 && unit + 1 < TALLY_ARRAY_SIZE(units); unit++)
		speed /= 1024;
	printf(" %14f %s/sec\n", speed, units[unit]);
}

struct mem_buffers {
	void *to, *from;
	size_t size;
};

static int measure(const struct mem_bench_config *config, const struct mem_function *function,
		   const struct mem_buffers *buffers, bool is_simple)
{
	double bytes = (double)buffers->size * (double)config->loops;
	struct bench_cycles cycles = {0};
	uint64_t start, ns, nr_cycles = 0;
	int ret = config->cycles ? bench_cycles_start(&cycles) : 0;

	if (ret)
		return ret;
	printf("# function '%s' (%s)\n", function->name, function->about);
	if (!is_simple)
		printf("# Copying %s bytes ...\n\n", config->size);
	start = tally_clock_now();
	for (uint64_t i = 0; i < config->loops; i++)
		function->run(buffers->to, buffers->from, buffers->size);
	ns = tally_clock_now() - start;
	if (!config->cycles) {
		print_speed(bytes, ns, is_simple);
		return 0;
	}
	ret = bench_cycles_finish(&cycles, &nr_cycles);
	if (!ret)
		printf(is_simple ? "%f\n" : " %14f cycles/byte\n", (double)nr_cycles / bytes);
	return ret;
}

static int print_functions(const struct mem_function *functions)
{
	printf("Available functions:\n");
	for (; functions->name; functions++)
		printf("\t%s ... %s\n", functions->name, functions->about);
	return 0;
}

static int measure_functions(const struct mem_bench_config *config,
			     const struct mem_function *functions,
			     const struct mem_buffers *buffers, bool is_simple)
{
	bool all = !strcmp(config->function, "all"), found = false;
	int ret = 0;

	for (const struct mem_function *one = functions; one->name && !ret; one++) {
		if (!all && strcmp(config->function, one->name))
			continue;
		found = true;
		/* Touch all pages before time is measured. */
		memset(buffers->from, 1, buffers->size);
		one->run(buffers->to, buffers->from, buffers->size);
		ret = measure(config, one, buffers, is_simple);
	}
	if (found)
		return ret;
	tally_print_error("unknown function '%s'", config->function);
	tally_print_hint("'-f help' lists the functions");
	return -EINVAL;
}

static uint64_t memory_size(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int mem_run(const struct mem_bench_config *config, const struct mem_function *functions,
		   bool is_simple)
{
	struct mem_buffers buffers = {0};
	uint64_t size;
	int ret;

	if (!config->loops)
		return bench_print_zero("nr_loops");
	if (!strcmp(config->function, "help"))
		return print_functions(functions);
	ret = parse_size(config->size, &size);
	if (ret)
		return ret;
	if (size > memory_size() / 2)
		return bench_print_failure("use two buffers of that size", -ENOMEM);
	buffers = (struct mem_buffers){malloc(size), malloc(size), size};
	if (buffers.to && buffers.from)
		ret = measure_functions(config, functions, &buffers, is_simple);
	else
		ret = bench_print_failure("use two buffers of that size", -ENOMEM);
	free(buffers.to);
	free(buffers.from);
	return ret;
}

/* Complete a configuration with options that were negated, such as --no-size. */
static struct mem_bench_config complete(const void *of)
{
	struct mem_bench_config config = *(const struct mem_bench_config *)of;

	config.size = config.size ? config.size : mem_defaults.size;
	config.function = config.function ? config.function : mem_defaults.function;
	return config;
}

static int copy_run(const void *of, bool is_simple)
{
	const struct mem_bench_config config = complete(of);

	return mem_run(&config, copy_functions, is_simple);
}

static int fill_run(const void *of, bool is_simple)
{
	const struct mem_bench_config config = complete(of);

	return mem_run(&config, fill_functions, is_simple);
}

static const struct tally_command copy_command = {
	.name = "bench mem memcpy",
	.summary = "Measure how fast memory is copied",
	.usage = "[OPTIONS]",
	.options = mem_options,
};

const struct benchmark bench_memcpy = {
	.name = "memcpy",
	.summary = "Benchmark for memcpy() functions",
	.command = &copy_command,
	.defaults = &mem_defaults,
	.size = sizeof(mem_defaults),
	.run = copy_run,
};

static const struct tally_command fill_command = {
	.name = "bench mem memset",
	.summary = "Measure how fast memory is filled",
	.usage = "[OPTIONS]",
	.options = mem_options,
};

const struct benchmark bench_memset = {
	.name = "memset",
	.summary = "Benchmark for memset() functions",
	.command = &fill_command,
	.defaults = &mem_defaults,
	.size = sizeof(mem_defaults),
	.run = fill_run,
};

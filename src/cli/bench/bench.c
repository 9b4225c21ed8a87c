/* SPDX-License-Identifier: BSD-2-Clause */
/* tally bench: run benchmarks of the system, with perf's names and output. */
#include "cli/bench/bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"

struct bench_config {
	const char *format;
	uint64_t repeat;
};

static const struct tally_option bench_options[] = {
	{'f', "format", TALLY_OPTION_TEXT, offsetof(struct bench_config, format), "default|simple",
	 "select the output format; simple prints only numbers"},
	{'r', "repeat", TALLY_OPTION_U64, offsetof(struct bench_config, repeat), "n",
	 "run each benchmark this many times, and print each result (default: 1)"},
	TALLY_OPTION_END,
};

static const struct collection {
	const char *name, *summary, *all;
	const struct benchmark *benchmarks[3]; /* NULL-terminated */
	const char *only_perf;                 /* names of perf's other benchmarks */
} collections[] = {
	{"sched",
	 "Scheduler and IPC benchmarks",
	 "Run all scheduler benchmarks",
	 {&bench_messaging, &bench_pipe},
	 NULL},
	{"syscall", "System call benchmarks", "Run all syscall benchmarks", {&bench_syscall}, NULL},
	{"mem",
	 "Memory access benchmarks",
	 "Run all memory access benchmarks",
	 {&bench_memcpy, &bench_memset},
	 "find_bit"},
	{"futex",
	 "Futex stressing benchmarks",
	 "Run all futex benchmarks",
	 {&bench_futex_hash},
	 "wake wake-parallel requeue lock-pi"},
	{"all", "All benchmarks", NULL, {NULL}, NULL},
};

/* Collections that only perf has. */
#define ONLY_PERF "numa epoll internals breakpoint uprobe"

/* Return true if `list`, of words separated by spaces, contains `word`. `list` may be NULL. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == len && !memcmp(list, word, len))
			return true;
	return false;
}

static int list_collections(void)
{
	printf("Usage: \n"
	       "\ttally bench [<common options>] <collection> <benchmark> [<options>]\n\n"
	       "        # List of all available benchmark collections:\n\n");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(collections); i++)
		printf("%14s: %s\n", collections[i].name, collections[i].summary);
	printf("\n");
	return TALLY_EXIT_OK;
}

static int list_benchmarks(const struct collection *collection)
{
	printf("\n        # List of available benchmarks for collection '%s':\n\n",
	       collection->name);
	for (const struct benchmark *const *one = collection->benchmarks; *one; one++)
		printf("%14s: %s\n", (*one)->name, (*one)->summary);
	printf("%14s: %s\n\n", "all", collection->all);
	return TALLY_EXIT_OK;
}

/* Print the line before a benchmark's result, which in perf differs if `is_one_of_all`. */
static void print_heading(const struct benchmark *benchmark, bool is_one_of_all)
{
	const char *name = benchmark->command->name + strlen("bench ");
	const char *quote = is_one_of_all ? "" : "'";

	printf("# Running %s%.*s/%s%s benchmark%s\n", quote, (int)strcspn(name, " "), name,
	       benchmark->name, quote, is_one_of_all ? "..." : ":");
}

/* Run a benchmark as often as requested. `argv` begins with its name. Returns an exit status. */
static int run_benchmark(const struct bench_config *config, const struct benchmark *benchmark,
			 bool is_one_of_all, int argc, char **argv)
{
	bool is_simple = config->format && !strcmp(config->format, "simple");
	_Alignas(max_align_t) unsigned char own[BENCH_CONFIG_MAX];
	int first, ret;

	memcpy(own, benchmark->defaults, benchmark->size);
	ret = tally_options_parse(benchmark->command, own, argc, argv, 0, &first);
	if (ret)
		return ret - 1;
	for (uint64_t i = 0; i < config->repeat; i++) {
		if (!is_simple)
			print_heading(benchmark, is_one_of_all);
		/* Processes that are forked must not inherit buffered output. */
		fflush(stdout);
		ret = benchmark->run(own, is_simple);
		if (ret)
			return ret == -EINVAL ? TALLY_EXIT_USAGE : TALLY_EXIT_ERROR;
	}
	return TALLY_EXIT_OK;
}

static int run_collection(const struct bench_config *config, const struct collection *collection)
{
	int ret = TALLY_EXIT_OK;

	for (const struct benchmark *const *one = collection->benchmarks; *one && !ret; one++) {
		char *words[] = {(char *)(*one)->name, NULL};

		ret = run_benchmark(config, *one, true, 1, words);
		printf("\n");
	}
	return ret;
}

static int run_everything(const struct bench_config *config)
{
	int ret = TALLY_EXIT_OK;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(collections) && !ret; i++)
		ret = run_collection(config, &collections[i]);
	return ret;
}

/* Report a benchmark or a collection that does not exist. `of` is the collection, or "". */
static int unknown(const char *kind, const char *of, const char *word, const char *only_perf)
{
	const char *space = *of ? " " : "";

	if (has_word(only_perf, word)) {
		tally_print_error("perf's %s '%s%s%s' is not supported", kind, of, space, word);
		tally_print_hint("use 'perf bench %s%s%s'", of, space, word);
	} else {
		tally_print_error("unknown %s '%s%s%s'", kind, of, space, word);
		tally_print_hint("'tally bench%s%s' lists them", *of ? " " : "", of);
	}
	return TALLY_EXIT_ERROR;
}

static int run_in(const struct bench_config *config, const struct collection *collection, int argc,
		  char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return list_benchmarks(collection);
	if (!strcmp(argv[1], "all"))
		return run_collection(config, collection);
	for (const struct benchmark *const *one = collection->benchmarks; *one; one++)
		if (!strcmp((*one)->name, argv[1]))
			return run_benchmark(config, *one, false, argc - 1, argv + 1);
	return unknown("benchmark", collection->name, argv[1], collection->only_perf);
}

static int check_config(const struct bench_config *config)
{
	if (config->format && strcmp(config->format, "default") && strcmp(config->format, "simple"))
		tally_print_error("option '--format' requires default or simple, not '%s'",
				  config->format);
	else if (!config->repeat)
		tally_print_error("option '--repeat' requires a number greater than 0");
	else
		return 0;
	return TALLY_EXIT_USAGE;
}

static int bench_run(int argc, char **argv)
{
	struct bench_config config = {.repeat = 1};
	int first, ret;

	ret = tally_options_parse(&tally_command_bench, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret)
		return ret - 1;
	ret = check_config(&config);
	if (ret)
		return ret;
	if (first == argc)
		return list_collections();
	if (!strcmp(argv[first], "all"))
		return run_everything(&config);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(collections); i++)
		if (!strcmp(collections[i].name, argv[first]))
			return run_in(&config, &collections[i], argc - first, argv + first);
	return unknown("collection", "", argv[first], ONLY_PERF);
}

static void print_names(const char *before)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(collections); i++) {
		const struct collection *one = &collections[i];

		if (!*before)
			puts(one->name);
		for (int b = 0; !strcmp(before, one->name) && one->benchmarks[b]; b++)
			puts(one->benchmarks[b]->name);
	}
}

static const struct tally_command_words bench_words[] = {
	{NULL, print_names},
	{NULL, NULL},
};

const struct tally_command tally_command_bench = {
	.name = "bench",
	.summary = "Run benchmarks of the scheduler, system calls, memory and futexes",
	.usage = "[OPTIONS] COLLECTION BENCHMARK [BENCHMARK-OPTIONS]\n"
		 "[OPTIONS] all",
	.about = " 'tally bench' lists the collections, 'tally bench COLLECTION' the benchmarks, "
		 "and\n"
		 " 'tally bench COLLECTION BENCHMARK --help' the options of a benchmark.\n",
	.options = bench_options,
	.words = bench_words,
	.run = bench_run,
};

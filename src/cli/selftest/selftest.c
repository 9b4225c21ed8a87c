/* SPDX-License-Identifier: BSD-2-Clause */
/* tally test: check on this machine that this program counts, samples, records and reads. */
#include "cli/selftest/selftest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "cli/main/arguments.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/selftest/selftest_run.h"
#include "cli/selftest/selftest_work.h"

struct selftest_config {
	const char *skip, *workload;
	int verbose;
	bool no_fork;
};

#define AT(member) offsetof(struct selftest_config, member)

static const struct tally_option selftest_options[] = {
	{'F', "dont-fork", TALLY_OPTION_FLAG, AT(no_fork), NULL,
	 "run the tests in this process, for debuggers"},
	{'s', "skip", TALLY_OPTION_TEXT, AT(skip), "tests", "skip the tests with these numbers"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL,
	 "print why a test failed or was skipped, and what it prints"},
	{'w', "workload", TALLY_OPTION_TEXT, AT(workload), "work",
	 "run no test, but a workload: noploop (uses CPU time) or faults (64 page faults)"},
	TALLY_OPTION_END,
};

static const struct selftest_case *const tables[] = {selftest_parse_cases, selftest_count_cases,
						     selftest_sample_cases,
						     selftest_recording_cases};

/* Return the case with this number, counted from 1, or NULL. */
static const struct selftest_case *find_case(unsigned number)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(tables); i++)
		for (const struct selftest_case *one = tables[i]; one->name; one++)
			if (!--number)
				return one;
	return NULL;
}

static bool is_number(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word);
}

/* Return true if `word` is the number of a case, or a part of its name. */
static bool selects(const char *word, unsigned number, const struct selftest_case *one)
{
	return is_number(word) ? strtoul(word, NULL, 10) == number
			       : strcasestr(one->name, word) != NULL;
}

static bool is_selected(char *const *words, unsigned number)
{
	if (!*words)
		return true;
	for (; *words; words++)
		if (selects(*words, number, find_case(number)))
			return true;
	return false;
}

static int name_width(void)
{
	size_t width = 0;

	for (unsigned i = 1; find_case(i); i++)
		if (strlen(find_case(i)->name) > width)
			width = strlen(find_case(i)->name);
	return (int)width;
}

/* Check that each word selects a case. */
static int check_words(char *const *words)
{
	for (; *words; words++) {
		unsigned i = 1;

		while (find_case(i) && !selects(*words, i, find_case(i)))
			i++;
		if (find_case(i))
			continue;
		tally_print_error("no test has the number or name '%s'", *words);
		tally_print_hint("'tally test list' lists the tests");
		return TALLY_EXIT_ERROR;
	}
	return TALLY_EXIT_OK;
}

static int list_cases(char *const *words)
{
	for (unsigned i = 1; find_case(i); i++)
		if (is_selected(words, i))
			printf("%3u: %s\n", i, find_case(i)->name);
	return TALLY_EXIT_OK;
}

static void print_result(const struct selftest *test, enum selftest_result result)
{
	struct tally_str why = {0};

	tally_str_add_escaped(&why, tally_str_text(&test->why));
	if (result == SELFTEST_OK)
		printf(" Ok\n");
	else if (result == SELFTEST_SKIPPED)
		printf(" Skip (%s)\n", tally_str_text(&why));
	else
		printf(" FAILED!\n      %s\n", tally_str_text(&why));
	fflush(stdout);
	tally_str_free(&why);
}

/* Run a case and print its line. With -v, as in perf, the result follows the test's output. */
static enum selftest_result run_case(const struct selftest_config *config, unsigned number,
				     int width)
{
	const struct selftest_case *one = find_case(number);
	struct selftest test = {.verbose = config->verbose > 0};
	enum selftest_result result;

	printf("%3u: %-*s:", number, width, one->name);
	fflush(stdout);
	if (test.verbose)
		printf("\n--- start ---\n");
	result = selftest_run(one, &test, config->no_fork);
	if (test.verbose)
		printf("---- end ----\n%s:", one->name);
	print_result(&test, result);
	tally_str_free(&test.why);
	return result;
}

/* Return true if --skip lists the number. */
static bool is_skipped(const struct tally_word_list *skip, unsigned number)
{
	for (size_t i = 0; i < skip->nr; i++)
		if (strtoul(skip->items[i], NULL, 10) == number)
			return true;
	return false;
}

static int run_cases(const struct selftest_config *config, char *const *words,
		     const struct tally_word_list *skip)
{
	int width = name_width(), status = TALLY_EXIT_OK;

	for (unsigned i = 1; find_case(i); i++) {
		if (!is_selected(words, i))
			continue;
		if (is_skipped(skip, i))
			printf("%3u: %-*s: Skip (user override)\n", i, width, find_case(i)->name);
		else if (run_case(config, i, width) == SELFTEST_FAILED)
			status = TALLY_EXIT_ERROR;
	}
	return status;
}

static int check_skip(const struct tally_word_list *skip)
{
	for (size_t i = 0; i < skip->nr; i++) {
		if (is_number(skip->items[i]))
			continue;
		tally_print_error("option '--skip' requires numbers of tests, not '%s'",
				  skip->items[i]);
		return TALLY_EXIT_USAGE;
	}
	return TALLY_EXIT_OK;
}

static const struct {
	const char *name;
	void (*run)(void);
} workloads[] = {{"noploop", selftest_spin}, {"faults", selftest_faults}};

static void print_workloads(const char *before)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(workloads); i++)
		puts(workloads[i].name);
}

static int run_workload(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(workloads); i++) {
		if (strcmp(workloads[i].name, name))
			continue;
		workloads[i].run();
		return TALLY_EXIT_OK;
	}
	tally_print_error("unknown workload '%s'", name);
	tally_print_hint("the workloads are noploop and faults; 'tally bench' has others");
	return TALLY_EXIT_ERROR;
}

static int run_selected(const struct selftest_config *config, char *const *words)
{
	struct tally_word_list skip = {0};
	int ret;

	if (tally_word_list_split(config->skip, &skip)) {
		tally_print_error("out of memory");
		return TALLY_EXIT_ERROR;
	}
	ret = check_skip(&skip);
	if (!ret)
		ret = run_cases(config, words, &skip);
	tally_word_list_free(&skip);
	return ret;
}

static int selftest_main(int argc, char **argv)
{
	struct selftest_config config = {0};
	int first, ret;
	bool lists;

	ret = tally_options_parse(&tally_command_test, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	if (config.workload)
		return run_workload(config.workload);
	lists = first < argc && !strcmp(argv[first], "list");
	first += lists;
	ret = check_words(argv + first);
	if (ret)
		return ret;
	return lists ? list_cases(argv + first) : run_selected(&config, argv + first);
}

static const struct tally_command_words selftest_words[] = {
	{"workload", print_workloads},
	{NULL, NULL},
};

const struct tally_command tally_command_test = {
	.name = "test",
	.summary = "Test this program on this machine",
	.usage = "[OPTIONS] [NUMBER|NAME]...\n"
		 "list [NAME]...",
	.about = " A test that this machine cannot run is skipped, with the reason. The exit "
		 "status is 1\n"
		 " if a test fails.\n",
	.options = selftest_options,
	.words = selftest_words,
	.privileged = true,
	.run = selftest_main,
};

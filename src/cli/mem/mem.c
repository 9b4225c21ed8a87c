/* SPDX-License-Identifier: BSD-2-Clause */
/* tally mem: tally record and tally report with the options for memory accesses. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/mem_events.h"

struct mem_config {
	const char *type;
	uint64_t ldlat;
	bool phys, data_page, raw;
	/* Options of tally report or tally record, before the word. */
	const char *input, *separator, *cpus;
	bool hide_unresolved, force;
};

#define AT(member) offsetof(struct mem_config, member)

static const struct tally_option mem_options[] = {
	{'t', "type", TALLY_OPTION_TEXT, AT(type), "load|store|load,store",
	 "mem record: record loads, stores or both (default)"},
	{0, "ldlat", TALLY_OPTION_U64, AT(ldlat), "cycles",
	 "mem record: record only loads that take at least this long (default: 30)"},
	{'p', "phys-data", TALLY_OPTION_FLAG, AT(phys), NULL,
	 "record and show physical addresses, too"},
	{0, "data-page-size", TALLY_OPTION_FLAG, AT(data_page), NULL,
	 "record and show the sizes of pages, too"},
	{'D', "dump-raw-samples", TALLY_OPTION_FLAG, AT(raw), NULL,
	 "mem report: show each sample on a line"},
	{'i', "input", TALLY_OPTION_TEXT, AT(input), "file", "mem report: read this recording"},
	{'x', "field-separator", TALLY_OPTION_TEXT, AT(separator), "string",
	 "mem report: print values separated by this string"},
	{'C', "cpu", TALLY_OPTION_TEXT, AT(cpus), "list", "record or show only these CPUs"},
	{'U', "hide-unresolved", TALLY_OPTION_FLAG, AT(hide_unresolved), NULL,
	 "mem report: leave out samples without a symbol"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "mem report: use symbol files of any owner"},
	TALLY_OPTION_END,
};

/* The arguments of the command that is run in place of this one. */
struct mem_arguments {
	TALLY_VEC(char *) words;
	struct tally_str events;
};

static int add_words(struct mem_arguments *to, const char *const *words, int nr)
{
	int ret = 0;

	for (int i = 0; i < nr && !ret; i++)
		ret = tally_vec_push(&to->words, (char *)words[i]);
	return ret;
}

/* Add the options before the word that belong to the other command. */
static int add_passed(const struct mem_config *config, bool reports, struct mem_arguments *to)
{
	const struct {
		const char *option, *value;
		bool given, records;
	} rows[] = {
		{"-i", config->input, config->input != NULL, false},
		{"-x", config->separator, config->separator != NULL, false},
		{"-C", config->cpus, config->cpus != NULL, true},
		{"-U", NULL, config->hide_unresolved, false},
		{"-f", NULL, config->force, false},
	};
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows) && !ret; i++) {
		if (!rows[i].given || (!reports && !rows[i].records))
			continue;
		ret = add_words(to, &rows[i].option, 1);
		if (!ret && rows[i].value)
			ret = add_words(to, &rows[i].value, 1);
	}
	return ret;
}

static int run_as(const struct tally_command *command, struct mem_arguments *to, char **words,
		  int nr)
{
	int ret = add_words(to, (const char *const *)words, nr);

	if (!ret)
		ret = tally_vec_push(&to->words, NULL);
	if (ret) {
		tally_print_error("out of memory");
		return TALLY_EXIT_ERROR;
	}
	return command->run((int)to->words.len - 1, to->words.data);
}

static int mem_record(const struct mem_config *config, struct mem_arguments *to, char **words,
		      int nr)
{
	const char *first[7] = {"record", "-d", "-W", "-e"};
	int len = 5;

	if (!mem_add_events(config->type, config->ldlat, &to->events))
		return TALLY_EXIT_ERROR;
	first[4] = tally_str_text(&to->events);
	if (config->phys)
		first[len++] = "--phys-data";
	if (config->data_page)
		first[len++] = "--data-page-size";
	if (add_words(to, first, len) || add_passed(config, false, to))
		return TALLY_EXIT_ERROR;
	return run_as(&tally_command_record, to, words, nr);
}

/* As in perf, the flags may also follow the word "report". */
static bool take_option(struct mem_config *config, const char *word)
{
	bool is_long = !strncmp(word, "--", 2);

	for (const struct tally_option *option = mem_options; option->name; option++) {
		if (option->kind != TALLY_OPTION_FLAG)
			continue;
		if (is_long ? strcmp(word + 2, option->name)
			    : word[0] != '-' || !word[1] || word[1] != option->letter || word[2])
			continue;
		*(bool *)((char *)config + option->offset) = true;
		return true;
	}
	return false;
}

static int mem_report(struct mem_config *config, struct mem_arguments *to, char **words, int nr)
{
	static const char *const raw[] = {"script", "-F", "pid,tid,ip,addr,weight,data_src,sym"};
	const char *first[5] = {"report", "--mem-mode", "-n"};
	int left = 0, len = 3;

	for (int i = 0; i < nr; i++)
		if (!take_option(config, words[i]))
			words[left++] = words[i];
	if (config->phys)
		first[len++] = "--sort=+phys_daddr";
	if (config->data_page)
		first[len++] = config->phys ? "--sort=+phys_daddr,data_page_size"
					    : "--sort=+data_page_size";
	if ((config->raw ? add_words(to, raw, 3) : add_words(to, first, len)) ||
	    add_passed(config, true, to))
		return TALLY_EXIT_ERROR;
	return run_as(config->raw ? &tally_command_script : &tally_command_report, to, words, left);
}

static int mem_run(int argc, char **argv)
{
	struct mem_arguments to = {0};
	struct mem_config config = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_mem, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret)
		return ret - 1;
	if (first < argc && !strcmp(argv[first], "report")) {
		ret = mem_report(&config, &to, argv + first + 1, argc - first - 1);
	} else if (first < argc && !strcmp(argv[first], "record")) {
		ret = mem_record(&config, &to, argv + first + 1, argc - first - 1);
	} else {
		tally_print_error("mem requires 'record' or 'report'");
		tally_print_hint("for example: tally mem record COMMAND; tally mem report");
		ret = TALLY_EXIT_USAGE;
	}
	tally_vec_free(&to.words);
	tally_str_free(&to.events);
	return ret;
}

const struct tally_command tally_command_mem = {
	.name = "mem",
	.summary = "Record and report memory accesses",
	.usage = "[OPTIONS] record [RECORD-OPTIONS] [--] COMMAND [ARGS]\n"
		 "[OPTIONS] report [REPORT-OPTIONS]",
	.options = mem_options,
	.privileged = true,
	.run = mem_run,
};

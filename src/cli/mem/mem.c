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

struct mem_config {
	const char *type;
	uint64_t ldlat;
	bool phys;
};

#define AT(member) offsetof(struct mem_config, member)

static const struct tally_option mem_options[] = {
	{'t', "type", TALLY_OPTION_TEXT, AT(type), "load|store|load,store",
	 "mem record: record loads, stores or both (default)"},
	{0, "ldlat", TALLY_OPTION_U64, AT(ldlat), "cycles",
	 "mem record: record only loads that take at least this long (default: 30)"},
	{'p', "phys-data", TALLY_OPTION_FLAG, AT(phys), NULL,
	 "mem record: record physical addresses, too"},
	TALLY_OPTION_END,
};

/* The arguments of the command that is run in place of this one. */
struct mem_arguments {
	TALLY_VEC(char *) words;
	struct tally_str events;
};

/* Events that sample memory accesses. `file` exists if the machine has the event. */
static const struct mem_event {
	const char *file;
	const char *text; /* %llu: ldlat */
	bool loads, stores;
} mem_events[] = {
	{"cpu/events/mem-loads", "cpu/mem-loads,ldlat=%llu/P", true, false},
	{"cpu/events/mem-stores", "cpu/mem-stores/P", false, true},
	{"cpu_core/events/mem-loads", "cpu_core/mem-loads,ldlat=%llu/P", true, false},
	{"cpu_core/events/mem-stores", "cpu_core/mem-stores/P", false, true},
	{"cpu_atom/events/mem-loads", "cpu_atom/mem-loads,ldlat=%llu/P", true, false},
	{"cpu_atom/events/mem-stores", "cpu_atom/mem-stores/P", false, true},
	{"ibs_op/type", "ibs_op//", true, true},
};

static bool has_file(const char *name)
{
	struct tally_str path = {0};
	bool is_there;

	tally_str_addf(&path, "/sys/bus/event_source/devices/%s", name);
	is_there = !tally_str_error(&path) && !access(tally_str_text(&path), F_OK);
	tally_str_free(&path);
	return is_there;
}

/* Append the events of this machine, separated by commas. Returns false, after printing an error,
 * if there are none or the type is unknown. */
static bool add_events(const struct mem_config *config, struct tally_str *out)
{
	const char *type = config->type ? config->type : "load,store";
	bool loads = strstr(type, "load"), stores = strstr(type, "store");
	unsigned long long ldlat = config->ldlat ? config->ldlat : 30;

	if (strcmp(type, "load") && strcmp(type, "store") && strcmp(type, "load,store") &&
	    strcmp(type, "store,load")) {
		tally_print_error("option '--type' requires load, store or both, not '%s'", type);
		return false;
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(mem_events); i++) {
		const struct mem_event *event = &mem_events[i];

		if (!((event->loads && loads) || (event->stores && stores)) ||
		    !has_file(event->file))
			continue;
		tally_str_add(out, out->len ? "," : "");
		tally_str_addf(out, event->text, ldlat);
	}
	if (out->len)
		return true;
	tally_print_error("this machine has no events that sample memory accesses");
	tally_print_hint("they are cpu/mem-loads/ and cpu/mem-stores/ on Intel, and ibs_op// on "
			 "AMD; virtual machines often have neither");
	return false;
}

static int add_words(struct mem_arguments *to, const char *const *words, int nr)
{
	int ret = 0;

	for (int i = 0; i < nr && !ret; i++)
		ret = tally_vec_push(&to->words, (char *)words[i]);
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
	const char *first[] = {"record", "-d", "-W", "-e", NULL, "--phys-data"};

	if (!add_events(config, &to->events))
		return TALLY_EXIT_ERROR;
	first[4] = tally_str_text(&to->events);
	if (add_words(to, first, config->phys ? 6 : 5))
		return TALLY_EXIT_ERROR;
	return run_as(&tally_command_record, to, words, nr);
}

static int mem_report(struct mem_arguments *to, char **words, int nr)
{
	const char *first[] = {"report", "--mem-mode"};

	if (add_words(to, first, 2))
		return TALLY_EXIT_ERROR;
	return run_as(&tally_command_report, to, words, nr);
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
		ret = mem_report(&to, argv + first + 1, argc - first - 1);
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
		 "report [REPORT-OPTIONS]",
	.options = mem_options,
	.privileged = true,
	.run = mem_run,
};

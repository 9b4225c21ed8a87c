/* SPDX-License-Identifier: BSD-2-Clause */
/* tally c2c: record memory accesses, and report the cache lines that several CPUs access. */
#include "cli/c2c/c2c.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"
#include "cli/main/arguments.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/symbol_options.h"
#include "cli/main/mem_events.h"

#define AT(member) offsetof(struct c2c_config, member)

static const struct tally_option c2c_options[] = {
	{'l', "ldlat", TALLY_OPTION_U64, AT(ldlat), "cycles",
	 "c2c record: record only loads that take at least this long (default: 30)"},
	{'i', "input", TALLY_OPTION_TEXT, AT(recording.session.input), "file",
	 "read this recording (default: perf.data; -: standard input)"},
	{'d', "display", TALLY_OPTION_TEXT, AT(display_name), "tot|lcl|rmt|peer",
	 "select and sort lines by loads of lines that another CPU had modified (HITM): all "
	 "(default), those from this node, or those from other nodes; or by loads from a peer"},
	{'c', "coalesce", TALLY_OPTION_TEXT, AT(coalesce), "list",
	 "distinguish the accesses of a line by pid, tid, iaddr, dso (default: iaddr)"},
	{'N', "node-info", TALLY_OPTION_COUNT, AT(node_info), NULL,
	 "show the shares of each node; twice: the CPUs of each node"},
	{0, "stats", TALLY_OPTION_FLAG, AT(stats_only), NULL, "show only the counts"},
	{0, "show-all", TALLY_OPTION_FLAG, AT(show_all), NULL,
	 "show all lines, even without such loads"},
	{0, "no-source", TALLY_OPTION_FLAG, AT(no_source), NULL, "do not show source lines"},
	{0, "full-symbols", TALLY_OPTION_FLAG, AT(full_symbols), NULL,
	 "do not shorten the names of functions"},
	{0, "stdio", TALLY_OPTION_FLAG, AT(stdio), NULL, "print text (default)"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "accept /tmp/perf-PID.map owned by any user"},
	TALLY_OPTIONS_KERNEL_SYMBOLS(AT(recording.session.symbols)),
	TALLY_OPTION_SYMFS(AT(recording.session.symbols)),
	TALLY_OPTION_NO_INDEX(AT(recording.no_index)),
	TALLY_OPTION_END,
};

static int parse_display(struct c2c_config *config)
{
	static const char *const names[] = {"tot", "lcl", "rmt", "peer"};

	for (size_t i = 0; config->display_name && i < TALLY_ARRAY_SIZE(names); i++) {
		if (strcmp(config->display_name, names[i]) != 0)
			continue;
		config->display = (enum c2c_display)i;
		return 0;
	}
	if (!config->display_name)
		return 0;
	tally_print_error("option '--display' requires tot, lcl, rmt or peer, not '%s'",
			  config->display_name);
	return -EINVAL;
}

static int parse_coalesce(struct c2c_config *config)
{
	static const struct {
		const char *name;
		unsigned by;
	} keys[] = {
		{"pid", TALLY_SHARING_BY_PID},
		{"tid", TALLY_SHARING_BY_TID},
		{"iaddr", TALLY_SHARING_BY_CODE},
		{"dso", TALLY_SHARING_BY_FILE},
	};
	const char *word;

	config->coalesce = config->coalesce ? config->coalesce : "iaddr";
	for (word = config->coalesce; *word;) {
		size_t len = strcspn(word, ","), i = 0;

		while (i < TALLY_ARRAY_SIZE(keys) &&
		       (strlen(keys[i].name) != len || strncmp(keys[i].name, word, len) != 0))
			i++;
		if (i == TALLY_ARRAY_SIZE(keys)) {
			tally_print_error("option '--coalesce' requires pid, tid, iaddr or dso, "
					  "not '%.*s'",
					  (int)len, word);
			return -EINVAL;
		}
		config->by |= keys[i].by;
		word += len + (word[len] == ',');
	}
	return 0;
}

static int run_report(struct c2c_config *config)
{
	if (parse_display(config) || parse_coalesce(config))
		return TALLY_EXIT_USAGE;
	config->recording.session.symbols.any_owner = config->force;
	return c2c_report(config) ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

/* Run tally record with these arguments, which resite the command's. */
static int run_record(const struct c2c_config *config, int argc, char **argv)
{
	static const char *const first[] = {"record",      "-d",           "-W",
					    "--phys-data", "--sample-cpu", "-e"};
	TALLY_VEC(char *) words = {0};
	struct tally_str events = {0};
	int ret = 0;

	if (!mem_add_events(NULL, config->ldlat, &events)) {
		tally_str_free(&events);
		return TALLY_EXIT_ERROR;
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(first) && !ret; i++)
		ret = tally_vec_push(&words, (char *)first[i]);
	if (!ret)
		ret = tally_vec_push(&words, (char *)tally_str_text(&events));
	for (int i = 1; i <= argc && !ret; i++)
		ret = tally_vec_push(&words, i < argc ? argv[i] : NULL);
	if (ret)
		tally_print_error("out of memory");
	ret = ret ? TALLY_EXIT_ERROR : tally_command_record.run((int)words.len - 1, words.data);
	tally_vec_free(&words);
	tally_str_free(&events);
	return ret;
}

static int c2c_run(int argc, char **argv)
{
	struct c2c_config config = {0};
	int first, rest, ret;

	ret = tally_options_parse(&tally_command_c2c, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret)
		return ret - 1;
	if (first < argc && !strcmp(argv[first], "record"))
		return run_record(&config, argc - first, argv + first);
	if (first == argc || strcmp(argv[first], "report") != 0) {
		tally_print_error("c2c requires 'record' or 'report'");
		tally_print_hint("for example: tally c2c record COMMAND; tally c2c report");
		return TALLY_EXIT_USAGE;
	}
	ret = tally_options_parse(&tally_command_c2c, &config, argc - first, argv + first,
				  TALLY_PARSE_WORDS, &rest);
	if (!ret)
		ret = tally_words_parse(&tally_command_c2c, argc - first - rest,
					argv + first + rest, &config.recording.session.input, NULL);
	return ret ? ret - 1 : run_report(&config);
}

const struct tally_command tally_command_c2c = {
	.name = "c2c",
	.summary = "Record memory accesses, and show cache lines that CPUs share",
	.usage = "[--ldlat=CYCLES] record [RECORD-OPTIONS] [--] COMMAND [ARGS]\n"
		 "report [OPTIONS]",
	.options = c2c_options,
	.privileged = true,
	.run = c2c_run,
};

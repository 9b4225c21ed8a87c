/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_exports.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"

struct script_export {
	const char *name, *about;
	const char *option, *value; /* of tally report */
};

static const struct script_export exports[] = {
	{"flamegraph", "write a page with flame graphs: flamegraph.html", "--html",
	 "flamegraph.html"},
	{"gecko", "print a profile for profiler.firefox.com", "--format", "firefox"},
	{"stackcollapse", "print folded stacks with numbers of samples, for FlameGraph", "--format",
	 "folded-samples"},
};

const struct script_export *script_export_find(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(exports); i++)
		if (!strcmp(exports[i].name, name))
			return &exports[i];
	return NULL;
}

void script_exports_print(void)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(exports); i++)
		puts(exports[i].name);
}

void script_exports_list(void)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(exports); i++)
		printf("  %-24s %s\n", exports[i].name, exports[i].about);
}

int script_export_run(const struct script_export *export,
		      const struct tally_session_options *session)
{
	const struct tally_session_filter *filter = &session->filter;
	const struct {
		const char *option, *value;
	} given[] = {
		{export->option, export->value}, {"-i", session->input},
		{"--cpu", filter->cpus},         {"--pid", filter->pids},
		{"--tid", filter->tids},         {"--comms", filter->comms},
		{"--time", filter->time},
	};
	TALLY_VEC(char *) words = {0};
	int ret = tally_vec_push(&words, (char *)"report");

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(given) && !ret; i++) {
		if (!given[i].value)
			continue;
		ret = tally_vec_push(&words, (char *)given[i].option);
		if (!ret)
			ret = tally_vec_push(&words, (char *)given[i].value);
	}
	if (!ret)
		ret = tally_vec_push(&words, NULL);
	if (ret) {
		tally_print_error("out of memory");
		ret = TALLY_EXIT_ERROR;
	} else {
		ret = tally_command_report.run((int)words.len - 1, words.data);
	}
	tally_vec_free(&words);
	return ret;
}

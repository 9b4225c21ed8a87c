/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/trace_reports.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/command.h"
#include "cli/main/print.h"

static const struct trace_report_kind *const families[] = {
	trace_count_reports,      trace_netdev_reports, trace_futex_reports,  trace_drop_reports,
	trace_compaction_reports, trace_memory_reports, trace_sample_reports,
};

const struct trace_report_kind *trace_reports_find(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(families); i++)
		for (const struct trace_report_kind *kind = families[i]; kind->name; kind++)
			if (!strcmp(kind->name, name))
				return kind;
	return NULL;
}

void trace_reports_print(void)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(families); i++)
		for (const struct trace_report_kind *kind = families[i]; kind->name; kind++)
			puts(kind->name);
}

/* Return true if the argument is in the report's flags: " -a -b ". */
static bool is_flag(const struct trace_report_kind *kind, const char *arg)
{
	size_t len = strlen(arg);

	if (*arg != '-')
		return false;
	for (const char *at = kind->flags; (at = strstr(at, arg)); at++)
		if (at[-1] == ' ' && at[len] == ' ')
			return true;
	return false;
}

int trace_arguments_take(struct trace_arguments *arguments, int *argc, char **argv)
{
	const struct trace_report_kind *kind = NULL;

	for (int i = 1; i < *argc; i++) {
		if (!strcmp(argv[i], "--"))
			return 0;
		if (kind && kind->flags && is_flag(kind, argv[i])) {
			if (tally_vec_push(&arguments->words, argv[i])) {
				tally_print_error("out of memory");
				return TALLY_EXIT_ERROR + 1;
			}
			memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof(*argv));
			i--;
			--*argc;
		} else if (!kind) {
			kind = trace_reports_find(argv[i]);
		}
	}
	return 0;
}

int trace_arguments_add(struct trace_arguments *arguments, int nr, char **words)
{
	const struct trace_report_kind *kind = trace_reports_find(words[0]);

	for (int i = 1; i < nr; i++) {
		if (tally_vec_push(&arguments->words, words[i])) {
			tally_print_error("out of memory");
			return -ENOMEM;
		}
	}
	if (nr - 1 > kind->max_args) {
		tally_print_error("%s takes %s, not also '%s'", kind->name,
				  kind->max_args ? kind->usage : "no arguments",
				  words[1 + kind->max_args]);
		return -EINVAL;
	}
	arguments->kind = kind;
	return 0;
}

void trace_arguments_free(struct trace_arguments *arguments)
{
	tally_vec_free(&arguments->words);
}

void trace_reports_list(void)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(families); i++)
		for (const struct trace_report_kind *kind = families[i]; kind->name; kind++)
			printf("  %-24s %s\n%s%s%s", kind->name, kind->about,
			       *kind->usage ? "                             " : "", kind->usage,
			       *kind->usage ? "\n" : "");
}

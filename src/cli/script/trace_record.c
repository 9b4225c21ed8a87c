/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/trace_record.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/command.h"
#include "cli/main/print.h"
#include "cli/script/script_exports.h"
#include "cli/script/trace_reports.h"

/* perf's scripts that do not exist in tally. */
static const struct {
	const char *name, *why, *instead;
} refused[] = {
	{"sctop", "it redraws the screen while it records",
	 "'tally script record syscall-counts -- sleep 5', then 'tally script syscall-counts'"},
	{"rwtop", "it redraws the screen while it records",
	 "'tally script record rw-by-pid -- sleep 5', then 'tally script rw-by-pid'"},
	{"sched-migration", "it draws the CPUs' queues in a window",
	 "'tally record -a -e sched:sched_migrate_task,sched:sched_switch', then 'tally script'"},
	{"task-analyzer", "tally has no report about single tasks",
	 "'tally record -a -e sched:sched_switch', then 'tally script'"},
	{"export-to-sqlite", "tally does not write databases",
	 "'tally script --dump-json', which prints all records for an import"},
	{"export-to-postgresql", "tally does not write databases",
	 "'tally script --dump-json', which prints all records for an import"},
	{"intel-pt-events", "tally does not decode Intel PT", "'perf script intel-pt-events'"},
	{"powerpc-hcalls", "it is only about the hypervisor calls of PowerPC",
	 "'tally record -a -e powerpc:hcall_entry,powerpc:hcall_exit', then 'tally script'"},
};

bool trace_script_is_refused(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(refused); i++) {
		if (strcmp(refused[i].name, name))
			continue;
		tally_print_error("perf's script '%s' does not exist in tally: %s", name,
				  refused[i].why);
		tally_print_hint("use %s", refused[i].instead);
		return true;
	}
	return false;
}

struct record_words {
	TALLY_VEC(char *) items;
};

static int add_words(struct record_words *words, size_t nr, const char *const *more)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = tally_vec_push(&words->items, (char *)more[i]);
	return ret;
}

/* Add the command that records, with its options. */
static int add_command(struct record_words *words, const struct trace_report_kind *kind)
{
	static const char *const record[] = {"record", "-e"}, *const graphs[] = {"record", "-g"};
	int ret;

	if (!kind)
		return add_words(words, 2, graphs);
	if (kind->record) {
		size_t nr = 0;

		while (kind->record[nr])
			nr++;
		return add_words(words, nr, kind->record);
	}
	ret = add_words(words, 1, record);
	for (const struct trace_handler *at = kind->handlers; at->event && !ret; at++) {
		ret = add_words(words, 1, &record[1]);
		if (!ret)
			ret = add_words(words, 1, &at->event);
	}
	return ret;
}

int trace_record_run(int nr, char **words)
{
	const struct trace_report_kind *kind = nr ? trace_reports_find(words[0]) : NULL;
	struct record_words to = {0};
	int ret;

	if (nr && trace_script_is_refused(words[0]))
		return TALLY_EXIT_USAGE;
	if (!kind && !(nr && script_export_find(words[0]))) {
		tally_print_error("'record' requires the name of a report, not '%s'",
				  nr ? words[0] : "");
		tally_print_hint("see 'tally script --help'; 'tally script -l' lists the reports");
		return TALLY_EXIT_USAGE;
	}
	ret = add_command(&to, kind);
	if (!ret)
		ret = add_words(&to, (size_t)nr - 1, (const char *const *)words + 1);
	if (!ret)
		ret = tally_vec_push(&to.items, NULL);
	if (ret) {
		tally_print_error("out of memory");
		ret = TALLY_EXIT_ERROR;
	} else {
		ret = tally_command_find(to.items.data[0])
			      ->run((int)to.items.len - 1, to.items.data);
	}
	tally_vec_free(&to.items);
	return ret;
}

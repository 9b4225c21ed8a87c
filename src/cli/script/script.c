/* SPDX-License-Identifier: BSD-2-Clause */
/* tally script: every sample as text, or every record as data. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/main/commands.h"
#include "cli/main/output.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"
#include "cli/main/words.h"
#include "cli/script/dump.h"
#include "cli/script/print.h"
#include "cli/script/stat.h"

struct script_config {
	struct tally_session_options session;
	struct tally_option_list fields;
	uint64_t max_stack;
	bool is_inlined, inlined_given, has_paths; /* of source */
	bool hide_chains, nanoseconds, raw_dump, dump_json, force;
	const char *symfs, *kallsyms, *vmlinux;
	bool no_demangle;
};

#define AT(member) offsetof(struct script_config, member)

static const struct tally_option script_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(session.input), "file",
	 "recording to read (perf.data; - for standard input)"},
	{'F', "fields", TALLY_OPTION_LIST, AT(fields), "list",
	 "fields to show: [hw|sw|trace|raw:]name,... or +name,-name"},
	{'G', "hide-call-graph", TALLY_OPTION_FLAG, AT(hide_chains), NULL, "leave out callchains"},
	{0, "max-stack", TALLY_OPTION_U64, AT(max_stack), "n", "callchain entries shown (127)"},
	{0, "inline", TALLY_OPTION_FLAG, AT(is_inlined), NULL,
	 "inlined functions in callchains (the default)", NULL, NULL, AT(inlined_given)},
	{0, "full-source-path", TALLY_OPTION_FLAG, AT(has_paths), NULL,
	 "-F srcline with directories"},
	{0, "ns", TALLY_OPTION_FLAG, AT(nanoseconds), NULL, "times in nanoseconds"},
	{'D', "dump-raw-trace", TALLY_OPTION_FLAG, AT(raw_dump), NULL,
	 "every record, in file order, with its fields"},
	{0, "dump-json", TALLY_OPTION_FLAG, AT(dump_json), NULL,
	 "every record, in file order, as one JSON object a line"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Which samples:"},
	{'C', "cpu", TALLY_OPTION_TEXT, AT(session.filter.cpus), "list", "of these CPUs: 0-3,5"},
	{'c', "comms", TALLY_OPTION_TEXT, AT(session.filter.comms), "list",
	 "of threads with these names"},
	{0, "pid", TALLY_OPTION_TEXT, AT(session.filter.pids), "list", "of these processes"},
	{0, "tid", TALLY_OPTION_TEXT, AT(session.filter.tids), "list", "of these threads"},
	{0, "time", TALLY_OPTION_TEXT, AT(session.filter.time), "start,end",
	 "between these seconds; either may be left out; or 10%-20%"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Names:"},
	{'k', "vmlinux", TALLY_OPTION_TEXT, AT(vmlinux), "file", "kernel image with symbols"},
	{0, "kallsyms", TALLY_OPTION_TEXT, AT(kallsyms), "file", "kernel symbols as text"},
	{0, "symfs", TALLY_OPTION_TEXT, AT(symfs), "dir", "look for files below this directory"},
	{0, "debuginfod", TALLY_OPTION_TEXT, AT(session.debuginfod), "urls",
	 "fetch debug information from these servers, or those of $DEBUGINFOD_URLS", ""},
	{0, "no-demangle", TALLY_OPTION_FLAG, AT(no_demangle), NULL, "raw C++, Rust and D names"},
	{0, "no-index", TALLY_OPTION_FLAG, AT(session.no_index), NULL,
	 "read symbols anew, and keep no index of them (see TALLY_INDEX)"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "take /tmp/perf-PID.map of any owner; recordings are not asked for theirs"},
	TALLY_OPTION_END,
};

struct script {
	const struct script_config *config;
	struct tally_session *session;
	struct tally_script_fields fields;
	struct tally_script_printer printer;
	struct script_stat stat;
	TALLY_VEC(uint32_t) event_fields; /* by event + 1; 0: not asked yet */
};

/* Fields of an event, found out once. */
static int script_fields(struct script *script, const struct tally_perfdata_event *event,
			 uint32_t *ret_fields)
{
	enum { KNOWN = 1u << 31 };
	uint32_t *slot;
	int ret;

	while (script->event_fields.len <= event->index) {
		if (tally_vec_push(&script->event_fields, 0))
			return -ENOMEM;
	}
	slot = &script->event_fields.data[event->index];
	if (!*slot) {
		if (!script->config->hide_chains)
			tally_script_fields_chains(&script->fields, script->session->data);
		ret = tally_script_fields_of(&script->fields, event, slot);
		if (ret)
			return ret;
		*slot |= KNOWN;
	}
	*ret_fields = *slot & ~KNOWN;
	return 0;
}

static int script_record(void *arg, struct tally_session *session,
			 const struct tally_perfdata_record *record,
			 const struct tally_session_sample *sample)
{
	struct script *script = arg;
	uint32_t fields;
	int ret;

	if (!sample)
		return script_stat_record(&script->stat, session, record, &script->printer.out);
	ret = script_fields(script, sample->event, &fields);
	if (ret || !fields)
		return ret;
	tally_script_print(&script->printer, sample, fields);
	return script->printer.out.len >= TALLY_FLUSH_AT ? tally_output_flush(&script->printer.out)
							 : 0;
}

static int script_samples(const struct script_config *config, struct tally_session *session)
{
	struct script script = {.config = config, .session = session};
	int ret = 0;

	tally_script_fields_default(&script.fields);
	for (size_t i = 0; i < config->fields.nr && !ret; i++)
		ret = tally_script_fields_parse(&script.fields, config->fields.items[i]);
	if (!ret)
		ret = tally_script_printer_init(&script.printer, session);
	if (ret)
		return ret;
	script.printer.hide_chains = config->hide_chains;
	script.printer.places.is_inlined = !config->inlined_given || config->is_inlined;
	script.printer.places.has_paths = config->has_paths;
	script.printer.nanoseconds = config->nanoseconds;
	if (config->max_stack)
		script.printer.max_stack = (uint32_t)config->max_stack;
	ret = tally_session_run(session, script_record, &script);
	if (session->feed.counts.unjoined)
		tally_print_warning("%" PRIu64 " samples lack their callers in user space: the "
				    "records that bring them are missing",
				    session->feed.counts.unjoined);
	if (session->unwinder.counts.foreign)
		tally_print_warning("%" PRIu64
				    " samples have stack dumps that are not unwound, as they are "
				    "not of a 64-bit program of x86-64 or AArch64",
				    session->unwinder.counts.foreign);
	if (script_stat_finish(&script.stat, session, &script.printer.out) && !ret)
		ret = -ENOMEM;
	if (tally_output_flush(&script.printer.out) && !ret)
		ret = -EIO;
	tally_session_warn_foreign(session);
	tally_script_printer_free(&script.printer);
	script_stat_free(&script.stat);
	tally_vec_free(&script.event_fields);
	return ret;
}

/* To perf, a word is the name of a script that comes with it. */
static int script_words(struct script_config *config, int nr, char **words)
{
	int ret = tally_words_parse(&tally_command_script, nr, words, &config->session.input, NULL);

	if (ret)
		tally_print_hint(
			"perf's scripts are not part of tally; programs that read what 'perf "
			"script' "
			"prints, as FlameGraph's stackcollapse-perf.pl, can read 'tally script'");
	return ret;
}

static int script_run(int argc, char **argv)
{
	struct script_config config = {0};
	struct tally_session session;
	int first, ret;

	ret = tally_options_parse(&tally_command_script, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (!ret)
		ret = script_words(&config, argc - first, argv + first);
	if (ret)
		return ret - 1;
	config.session.symbols = (struct tally_symbols_options){
		.symfs = config.symfs,
		.vmlinux = config.vmlinux,
		.kallsyms = config.kallsyms,
		.no_demangle = config.no_demangle,
		.any_owner = config.force,
	};
	ret = tally_session_open(&config.session, &session);
	if (!ret) {
		tally_pager_start();
		if (config.dump_json)
			ret = tally_dump_json(&session);
		else if (config.raw_dump)
			ret = tally_dump_text(&session);
		else
			ret = script_samples(&config, &session);
		tally_session_close(&session);
	}
	tally_options_free(&tally_command_script, &config);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_script = {
	.name = "script",
	.summary = "Show every sample of a recording as text",
	.usage = "[OPTIONS] [FILE]",
	.about = " Without -F, what perf script shows by default for each kind of event.\n",
	.options = script_options,
	.privileged = true,
	.run = script_run,
};

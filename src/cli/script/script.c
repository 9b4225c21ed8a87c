/* SPDX-License-Identifier: BSD-2-Clause */
/* tally script: print every sample as text, or every record as structured data. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/main/commands.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"
#include "cli/main/recordings.h"
#include "cli/main/arguments.h"
#include "cli/main/symbol_options.h"
#include "view/recording_header.h"
#include "cli/main/dump.h"
#include "cli/script/event_dump.h"
#include "cli/script/script_exports.h"
#include "cli/script/script_print.h"
#include "cli/script/script_records.h"
#include "cli/script/script_sample.h"
#include "cli/script/script_stat.h"
#include "cli/script/script_thread.h"
#include "cli/script/script_select.h"
#include "cli/script/trace_live.h"
#include "cli/script/trace_record.h"
#include "cli/script/trace_reports.h"

struct script_config {
	struct tally_recording_options recording;
	struct tally_option_list fields;
	uint64_t max_stack, max_blocks;
	bool is_inlined, has_paths; /* `has_paths` is for source files */
	bool hide_chains, nanoseconds, raw_dump, dump_json;
	bool reltime, deltatime, header, header_only, show_info;
	bool show[SCRIPT_NR_SHOWN];
	const char *symbols, *dsos, *stop_at;
	uint64_t addr_range;
	bool list, per_event_dump;
	struct trace_arguments report;      /* report to print in place of the samples */
	const struct script_export *export; /* document to make in place of the samples, or NULL */
};

#define AT(member) offsetof(struct script_config, member)

static const struct tally_option script_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(recording.session.input), "file",
	 "read this recording (default: perf.data; -: standard input)"},
	{'F', "fields", TALLY_OPTION_LIST, AT(fields), "list",
	 "show fields: [hw|sw|trace|raw:]name,... or +name,-name"},
	{'G', "hide-call-graph", TALLY_OPTION_FLAG, AT(hide_chains), NULL, "leave out callchains"},
	{0, "max-blocks", TALLY_OPTION_U64, AT(max_blocks), "n",
	 "with brstackinsn, show at most this many blocks of code for each sample"},
	{0, "max-stack", TALLY_OPTION_U64, AT(max_stack), "n",
	 "limit the callchain entries shown (default: 127)"},
	{0, "stop-bt", TALLY_OPTION_TEXT, AT(stop_at), "list", "end callchains at these functions"},
	{0, "inline", TALLY_OPTION_FLAG, AT(is_inlined), NULL,
	 "show inlined functions in callchains (default)"},
	{0, "full-source-path", TALLY_OPTION_FLAG, AT(has_paths), NULL,
	 "show directories in -F srcline"},
	{0, "ns", TALLY_OPTION_FLAG, AT(nanoseconds), NULL, "show times in nanoseconds"},
	{0, "reltime", TALLY_OPTION_FLAG, AT(reltime), NULL, "show times since the first sample"},
	{0, "deltatime", TALLY_OPTION_FLAG, AT(deltatime), NULL,
	 "show times since the previous sample"},
	{'I', "show-info", TALLY_OPTION_FLAG, AT(show_info), NULL,
	 "print the file header first, with CPUs, caches and memory"},
	{0, "header", TALLY_OPTION_FLAG, AT(header), NULL, "print the file header first"},
	{0, "header-only", TALLY_OPTION_FLAG, AT(header_only), NULL, "print only the file header"},
	{0, "show-task-events", TALLY_OPTION_FLAG, AT(show[0]), NULL,
	 "also show task creation, exit and name changes"},
	{0, "show-mmap-events", TALLY_OPTION_FLAG, AT(show[1]), NULL, "also show memory mappings"},
	{0, "show-switch-events", TALLY_OPTION_FLAG, AT(show[2]), NULL,
	 "also show context switches, if recorded"},
	{0, "show-cgroup-events", TALLY_OPTION_FLAG, AT(show[3]), NULL,
	 "also show cgroups, if recorded"},
	{0, "show-lost-events", TALLY_OPTION_FLAG, AT(show[4]), NULL, "also show lost records"},
	{0, "show-bpf-events", TALLY_OPTION_FLAG, AT(show[5]), NULL,
	 "also show BPF programs and their symbols, if recorded"},
	{0, "show-text-poke-events", TALLY_OPTION_FLAG, AT(show[6]), NULL,
	 "also show changes of kernel code, if recorded"},
	{0, "show-namespace-events", TALLY_OPTION_FLAG, AT(show[7]), NULL,
	 "also show namespaces, if recorded"},
	{0, "show-round-events", TALLY_OPTION_FLAG, AT(show[8]), NULL,
	 "also show where the recorder finished a round"},
	{'l', "list", TALLY_OPTION_FLAG, AT(list), NULL, "list the reports and their arguments"},
	{'D', "dump-raw-trace", TALLY_OPTION_FLAG, AT(raw_dump), NULL,
	 "print every record in file order, with its fields"},
	{0, "dump-unsorted-raw-trace", TALLY_OPTION_FLAG, AT(raw_dump), NULL, "alias for -D"},
	{0, "per-event-dump", TALLY_OPTION_FLAG, AT(per_event_dump), NULL,
	 "write the samples of each event to a file INPUT.EVENT.dump"},
	{0, "dump-json", TALLY_OPTION_FLAG, AT(dump_json), NULL,
	 "print every record in file order, as one JSON object per line"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Filters:"},
	{'C', "cpu", TALLY_OPTION_TEXT, AT(recording.session.filter.cpus), "list",
	 "select samples on these CPUs (e.g. 0-3,5)"},
	{'c', "comms", TALLY_OPTION_TEXT, AT(recording.session.filter.comms), "list",
	 "select samples of threads with these names"},
	{'S', "symbols", TALLY_OPTION_TEXT, AT(symbols), "list",
	 "select samples in these functions or at these addresses"},
	{0, "addr-range", TALLY_OPTION_U64, AT(addr_range), "n",
	 "extend each address of -S to a range of n bytes"},
	{0, "dsos", TALLY_OPTION_TEXT, AT(dsos), "list", "select samples in these files"},
	{0, "pid", TALLY_OPTION_TEXT, AT(recording.session.filter.pids), "list",
	 "select samples of these processes"},
	{0, "tid", TALLY_OPTION_TEXT, AT(recording.session.filter.tids), "list",
	 "select samples of these threads"},
	{0, "time", TALLY_OPTION_TEXT, AT(recording.session.filter.time), "start,end",
	 "select samples in this time range: start,end in seconds (either may be omitted), "
	 "+start,+end since the first sample, or 10%-20%"},
	{0, "switch-on", TALLY_OPTION_TEXT, AT(recording.session.filter.switches.on), "event",
	 "leave out samples until the first sample of this event"},
	{0, "switch-off", TALLY_OPTION_TEXT, AT(recording.session.filter.switches.off), "event",
	 "leave out samples from a sample of this event on, until the next of --switch-on"},
	{0, "show-on-off-events", TALLY_OPTION_FLAG, AT(recording.session.filter.switches.shows),
	 NULL, "show the samples of --switch-on and --switch-off as well"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Symbols:"},
	TALLY_OPTIONS_KERNEL_SYMBOLS(AT(recording.session.symbols)),
	TALLY_OPTION_SYMFS(AT(recording.session.symbols)),
	TALLY_OPTION_DEBUGINFOD(AT(recording)),
	TALLY_OPTION_NO_DEMANGLE(AT(recording.session.symbols)),
	TALLY_OPTION_NO_INDEX(AT(recording.no_index)),
	TALLY_OPTION_JOBS(AT(recording)),
	{'f', "force", TALLY_OPTION_FLAG, AT(recording.session.symbols.any_owner), NULL,
	 "accept /tmp/perf-PID.map owned by any user; replace any file with --per-event-dump"},
	TALLY_OPTION_END,
};

struct script {
	const struct script_config *config;
	struct tally_session *session;
	struct tally_script_fields fields;
	struct tally_script_printer printer;
	struct script_thread *thread;    /* prints samples, or NULL */
	struct script_event_dumps dumps; /* with --per-event-dump */
	struct script_stat stat;
	struct script_selection selection;
	struct tally_word_list stop_at;   /* functions at which callchains end */
	unsigned shown;                   /* SCRIPT_SHOW_*: records other than samples */
	TALLY_VEC(uint64_t) event_fields; /* indexed by event number; 0 if not determined yet */
};

/* Get an event's fields, which are determined only once. */
static int script_fields(struct script *script, uint32_t event, uint64_t *ret_fields)
{
	static const uint64_t known = UINT64_C(1) << 63;
	uint64_t *slot;
	int ret;

	while (script->event_fields.len <= event) {
		if (tally_vec_push(&script->event_fields, 0))
			return -ENOMEM;
	}
	slot = &script->event_fields.data[event];
	if (!*slot) {
		if (!script->config->hide_chains)
			tally_script_fields_chains(&script->fields, script->session->data);
		ret = tally_script_fields_of(
			&script->fields, tally_perfdata_event(script->session->data, event), slot);
		if (!ret && *slot & SCRIPT_TOD)
			ret = tally_script_check_clock(&script->printer);
		if (ret)
			return ret;
		*slot |= known;
	}
	*ret_fields = *slot & ~known;
	return 0;
}

/* Process a record other than a sample. Print the record if its type is to be shown, and pass it to
 * script_stat_record(), which processes counts. */
static int script_non_sample(struct script *script, const struct tally_perfdata_record *record)
{
	uint64_t fields;
	int ret = 0;

	if (record->type == TALLY_PERFDATA_FINISHED_ROUND && script->shown & SCRIPT_SHOW_ROUNDS)
		tally_str_add(&script->printer.out, "PERF_RECORD_FINISHED_ROUND\n");
	if (record->event && script->shown & script_record_kind(record->type)) {
		ret = script_fields(script, record->event->index, &fields);
		if (!ret)
			script_print_record(&script->printer, record, fields);
	}
	/* Processing a round of counts may write them out, so write the previous output first. */
	if (!ret && record->type == TALLY_PERFDATA_STAT_ROUND) {
		script_thread_stop(script->thread);
		ret = tally_script_flush(&script->printer, true);
	}
	return ret ? ret
		   : script_stat_record(&script->stat, script->session, record,
					&script->printer.out);
}

/* Copy options to the printer. */
static void script_prepare(struct script *script, struct tally_script_printer *printer)
{
	const struct script_config *config = script->config;

	printer->hide_chains = config->hide_chains;
	printer->stop_at = &script->stop_at;
	printer->places.is_inlined = config->is_inlined;
	printer->places.has_paths = config->has_paths;
	printer->nanoseconds = config->nanoseconds;
	printer->times = config->reltime     ? SCRIPT_TIMES_RELATIVE
			 : config->deltatime ? SCRIPT_TIMES_DELTA
					     : SCRIPT_TIMES_ABSOLUTE;
	printer->max_blocks = config->max_blocks;
	if (config->max_stack)
		printer->max_stack = (uint32_t)config->max_stack;
}

/* Print a sample to the file of its event. */
static int script_dump(struct script *script, const struct tally_feed_sample *sample,
		       uint64_t fields)
{
	struct script_event_dump *dump;
	bool is_new;
	int ret = script_event_dump_get(&script->dumps, script->session, sample->event, &dump,
					&is_new);

	if (ret)
		return ret;
	if (is_new)
		script_prepare(script, &dump->printer);
	dump->samples++;
	tally_script_print(&dump->printer, sample, fields);
	return tally_script_flush(&dump->printer, false);
}

static int script_record(void *arg, struct tally_session *session,
			 const struct tally_perfdata_record *record,
			 struct tally_feed_sample *sample)
{
	struct script *script = arg;
	uint64_t fields;
	int ret;

	(void)session;
	if (!sample)
		return script_non_sample(script, record);
	if (!script_selection_has(&script->selection, script->session->machine, sample))
		return 0;
	ret = script_fields(script, sample->event, &fields);
	if (ret || !fields)
		return ret;
	if (script->config->per_event_dump)
		return script_dump(script, sample, fields);
	if (fields & ~SCRIPT_TAKEN_FIELDS)
		script_thread_stop(script->thread);
	if (script->thread)
		return script_thread_print(script->thread, sample, fields);
	tally_script_print(&script->printer, sample, fields);
	return tally_script_flush(&script->printer, false);
}

static void script_warn(const struct tally_session *session)
{
	if (session->feed.counts.unjoined)
		tally_print_warning("%" PRIu64 " samples have no user callers, because the records "
				    "that contain the callers are missing",
				    session->feed.counts.unjoined);
	if (session->chains.unwinder.counts.foreign)
		tally_print_warning("%" PRIu64
				    " samples have stack dumps that cannot be unwound, because "
				    "they are not from a 64-bit program for x86-64 or AArch64",
				    session->chains.unwinder.counts.foreign);
}

/* Return true if source lines or code may be shown. */
static bool fields_have_lines(const struct script_config *config)
{
	for (size_t i = 0; i < config->fields.nr; i++) {
		if (strstr(config->fields.items[i], "src"))
			return true;
	}
	return false;
}

/* Initialise fields, filters and the printer. The caller must free them even if this fails. */
static int script_start(struct script *script)
{
	const struct script_config *config = script->config;
	int ret = 0;

	script->dumps.force = config->recording.session.symbols.any_owner;
	tally_script_fields_default(&script->fields);
	if (!fields_have_lines(config))
		tally_lines_inlined_only(script->session->symbols);
	for (size_t i = 0; i < config->fields.nr && !ret; i++)
		ret = tally_script_fields_parse(&script->fields, config->fields.items[i]);
	if (!ret)
		ret = tally_script_fields_check(&script->fields, script->session->data);
	if (!ret)
		ret = script_selection_init(&script->selection, config->symbols, config->dsos,
					    config->addr_range);
	if (!ret)
		ret = tally_word_list_split(config->stop_at, &script->stop_at);
	if (!ret)
		ret = tally_script_printer_init(&script->printer, script->session);
	if (!ret)
		script_prepare(script, &script->printer);
	for (int i = 0; i < SCRIPT_NR_SHOWN; i++)
		script->shown |= config->show[i] ? 1u << i : 0;
	return ret;
}

/* Print samples in another thread if the thread that reads needs neither symbols nor the
 * printer. */
static void script_split(struct script *script)
{
	const struct script_config *config = script->config;

	if (!script->shown && !script->stop_at.nr && !config->symbols && !config->dsos &&
	    !config->per_event_dump && tally_session_split(script->session))
		script->thread = script_thread_start(&script->printer);
}

/* Called when a stream has no data. Show what there is. */
static void script_idle(void *arg)
{
	struct script *script = arg;

	script_thread_stop(script->thread);
	tally_script_idle(&script->printer);
}

/* Print what is left. */
static int script_end(struct script *script)
{
	struct tally_script_printer *printer = &script->printer;
	int ret, more;

	script_thread_free(script->thread);
	ret = tally_script_flush(printer, true);
	if (script_stat_finish(&script->stat, script->session, &printer->out))
		ret = -ENOMEM;
	more = tally_script_flush(printer, true);
	ret = ret ? ret : more;
	return ret && ret != -ENOMEM ? -EIO : ret;
}

static int script_samples(const struct script_config *config, struct tally_session *session)
{
	struct script script = {.config = config, .session = session};
	int ret = 0, ended = script_start(&script);

	if (ended)
		goto out;
	script_split(&script);
	tally_perfdata_on_idle(session->data, script_idle, &script);
	ret = tally_session_run(session, script_record, &script);
	tally_perfdata_on_idle(session->data, NULL, NULL);
	script_warn(session);
	ended = script_end(&script);
	/* The samples before damage are kept. The session or the printer has reported any other
	 * error. */
	if (ret && ret != -EINVAL)
		(void)script_event_dumps_finish(&script.dumps, -ENODATA);
	else
		ended = script_event_dumps_finish(&script.dumps, ended);
	tally_session_warn_foreign(session);
	tally_session_warn_lines(session);
	tally_script_printer_free(&script.printer);
	script_stat_free(&script.stat);
	tally_vec_free(&script.event_fields);
out:
	/* The session has reported its own failures. */
	if (ended == -ENOMEM && ret != -ENOMEM)
		tally_session_out_of_memory(session);
	ret = ret ? ret : ended;
	script_selection_free(&script.selection);
	tally_word_list_free(&script.stop_at);
	return ret;
}

static int script_header(const struct script_config *config, struct tally_session *session)
{
	struct tally_str out = {0};
	int ret = config->header_only ? tally_header_read_stream(session) : 0;

	if (!ret)
		ret = tally_header_text(session, config->show_info, &out);
	if (!ret)
		ret = tally_output_flush(&out);
	tally_str_free(&out);
	return ret;
}

static int script_session(const struct script_config *config, struct tally_session *session)
{
	bool wants_header = config->header || config->header_only || config->show_info;
	int ret = wants_header ? script_header(config, session) : 0;

	if (config->header_only)
		tally_session_warn(session);
	if (ret || config->header_only)
		return ret;
	if (config->dump_json)
		return tally_dump_json(session);
	return config->raw_dump ? tally_dump_text(session) : script_samples(config, session);
}

/* Print a hint after a usage error, because in perf, an argument is the name of a script. */
static void hint_scripts(void)
{
	tally_print_hint("'tally script -l' lists the reports; programs that read the output of "
			 "'perf script', such as FlameGraph's stackcollapse-perf.pl, can read "
			 "'tally script'");
}

/* Parse the arguments: a recording, or the name of a report and a thread name. As in perf, "report"
 * may precede the name of a report. */
static int script_words(struct script_config *config, int nr, char **words)
{
	bool is_report = nr > 1 && !strcmp(words[0], "report");

	if (nr && trace_script_is_refused(words[is_report]))
		return TALLY_EXIT_USAGE + 1;
	if (is_report && (trace_reports_find(words[1]) || script_export_find(words[1]))) {
		words++;
		nr--;
	}
	config->export = nr ? script_export_find(words[0]) : NULL;
	if (config->export && nr > 1) {
		tally_print_error("%s takes no arguments, such as '%s'", words[0], words[1]);
		return TALLY_EXIT_USAGE + 1;
	}
	if (config->export)
		return 0;
	if (!nr || !trace_reports_find(words[0])) {
		int ret = tally_words_parse(&tally_command_script, nr, words,
					    &config->recording.session.input, NULL);

		if (ret)
			hint_scripts();
		return ret;
	}
	return trace_arguments_add(&config->report, nr, words) ? TALLY_EXIT_USAGE + 1 : 0;
}

static bool script_options_agree(const struct script_config *config)
{
	if (config->reltime && config->deltatime)
		tally_print_error("options '--reltime' and '--deltatime' cannot be used together");
	else if (config->addr_range && !config->symbols)
		tally_print_error("option '--addr-range' requires addresses: -S 0x401000");
	else
		return true;
	return false;
}

/* Print what the options and arguments ask for. Returns the exit status. */
static int script_show(const struct script_config *config)
{
	struct tally_session session;
	int ret;

	if (config->list) {
		trace_reports_list();
		script_exports_list();
		return TALLY_EXIT_OK;
	}
	if (!script_options_agree(config))
		return TALLY_EXIT_USAGE;
	if (config->export)
		return script_export_run(config->export, &config->recording.session);
	if (config->report.kind)
		return trace_report_run(&config->report, &config->recording) < 0 ? TALLY_EXIT_ERROR
										 : TALLY_EXIT_OK;
	ret = tally_recording_open(&config->recording, &session);
	if (!ret) {
		tally_pager_start();
		ret = script_session(config, &session);
		tally_recording_close(&session);
	}
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

static int script_run(int argc, char **argv)
{
	struct script_config config = {.is_inlined = true};
	int first, ret;

	if (argc > 1 && !strcmp(argv[1], "record"))
		return trace_record_run(argc - 2, argv + 2);
	if (trace_is_live(argc - 1, argv + 1))
		return trace_live_run(argc - 1, argv + 1);
	ret = trace_arguments_take(&config.report, &argc, argv);
	if (!ret)
		ret = tally_options_parse(&tally_command_script, &config, argc, argv,
					  TALLY_PARSE_WORDS, &first);
	if (!ret)
		ret = script_words(&config, argc - first, argv + first);
	ret = ret ? ret - 1 : script_show(&config);
	trace_arguments_free(&config.report);
	tally_options_free(&tally_command_script, &config);
	return ret;
}

/* "record" is followed by the name of a report that is recorded; exports have no recording. */
static void print_names(const char *before)
{
	bool is_record = !strcmp(before, "record");

	if (*before && !is_record && strcmp(before, "report"))
		return;
	trace_reports_print();
	if (!is_record)
		script_exports_print();
}

static const struct tally_command_words script_command_words[] = {
	{"fields", tally_script_fields_print},
	{NULL, print_names},
	{NULL, NULL},
};

const struct tally_command tally_command_script = {
	.name = "script",
	.summary = "Show every sample of a recording as text",
	.usage = "[OPTIONS] [FILE]\n"
		 "[OPTIONS] [report] NAME [ARGUMENTS]\n"
		 "record NAME [RECORD OPTIONS] [COMMAND]\n"
		 "NAME [RECORD OPTIONS] COMMAND",
	.about = " Without -F, shows what perf script shows by default for each kind of event.\n",
	.options = script_options,
	.words = script_command_words,
	.privileged = true,
	.run = script_run,
};

/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/annotate/annotate.h"
#include "cli/main/output.h"
#include "cli/main/print.h"

#define AT(member) offsetof(struct annotate_config, member)

const struct tally_option annotate_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(session.input), "file",
	 "recording to read (perf.data; - for standard input)"},
	{'s', "symbol", TALLY_OPTION_TEXT, AT(symbol), "name", "the function, as SYMBOL"},
	{'d', "dsos", TALLY_OPTION_TEXT, AT(dsos), "list", "functions of these files only"},
	{0, "percent-limit", TALLY_OPTION_TEXT, AT(percent_limit), "percent",
	 "leave out functions with less of all samples"},
	{0, "skip-missing", TALLY_OPTION_FLAG, AT(is_missing_skipped), NULL,
	 "say nothing of functions whose code is not here"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What is shown:"},
	{0, "source", TALLY_OPTION_FLAG, AT(has_source), NULL,
	 "lines of source between instructions (the default)"},
	{0, "asm-raw", TALLY_OPTION_FLAG, AT(has_bytes), NULL, "the bytes of instructions"},
	{'l', "print-line", TALLY_OPTION_FLAG, AT(has_lines), NULL,
	 "the heaviest lines first, and the line behind heavy instructions"},
	{'P', "full-paths", TALLY_OPTION_FLAG, AT(has_paths), NULL,
	 "names of files with their directories"},
	{'M', "disassembler-style", TALLY_OPTION_TEXT, AT(style), "style",
	 "of x86: att (the default) or intel"},
	{'n', "show-nr-samples", TALLY_OPTION_FLAG, AT(show_samples), NULL,
	 "samples in place of shares"},
	{0, "show-total-period", TALLY_OPTION_FLAG, AT(show_period), NULL,
	 "sums of periods in place of shares"},
	{0, "total", TALLY_OPTION_FLAG, AT(has_totals), NULL,
	 "one more column: with what was called from there"},
	{0, "percent-type", TALLY_OPTION_TEXT, AT(percent_type), "type",
	 "local-period, local-hits, global-period or global-hits: shares of the function's or of "
	 "all, of periods or of samples"},
	{0, "group", TALLY_OPTION_FLAG, AT(is_grouped), NULL,
	 "all events beside each other, not only those of a group"},
	{0, "json", TALLY_OPTION_FLAG, AT(is_json), NULL,
	 "all of it as JSON (docs/commands/annotate.md)"},
	{'q', "quiet", TALLY_OPTION_FLAG, AT(is_quiet), NULL, "no line of health at the end"},
	{0, "stdio-color", TALLY_OPTION_TEXT, AT(colour), "mode",
	 "heavy instructions in colours: always, never or auto (on a terminal)"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Which samples:"},
	{'C', "cpu", TALLY_OPTION_TEXT, AT(session.filter.cpus), "list", "of these CPUs: 0-3,5"},
	{0, "time", TALLY_OPTION_TEXT, AT(session.filter.time), "start,end",
	 "between these seconds; either may be left out; or 10%-20%"},
	{0, "comms", TALLY_OPTION_TEXT, AT(session.filter.comms), "list",
	 "of threads with these names"},
	{0, "pid", TALLY_OPTION_TEXT, AT(session.filter.pids), "list", "of these processes"},
	{0, "tid", TALLY_OPTION_TEXT, AT(session.filter.tids), "list", "of these threads"},
	{0, "max-stack", TALLY_OPTION_U64, AT(max_stack), "n", "callchain entries looked at (127)"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Names, code and source:"},
	{'k', "vmlinux", TALLY_OPTION_TEXT, AT(vmlinux), "file", "kernel image with symbols"},
	{0, "kallsyms", TALLY_OPTION_TEXT, AT(kallsyms), "file", "kernel symbols as text"},
	{0, "ignore-vmlinux", TALLY_OPTION_FLAG, AT(ignore_vmlinux), NULL,
	 "take no kernel image that was not named"},
	{0, "symfs", TALLY_OPTION_TEXT, AT(symfs), "dir", "look for files below this directory"},
	{0, "prefix", TALLY_OPTION_TEXT, AT(source.prefix), "dir",
	 "goes before absolute paths of source"},
	{0, "prefix-strip", TALLY_OPTION_U64, AT(prefix_strip), "n",
	 "directories of these paths left out before that"},
	{0, "debuginfod", TALLY_OPTION_TEXT, AT(session.debuginfod), "urls",
	 "fetch debug information from these servers, or those of $DEBUGINFOD_URLS", ""},
	{0, "no-demangle", TALLY_OPTION_FLAG, AT(no_demangle), NULL, "raw C++, Rust and D names"},
	{0, "no-index", TALLY_OPTION_FLAG, AT(session.no_index), NULL,
	 "read symbols anew, and keep no index of them (see TALLY_INDEX)"},
	{'f', "force", TALLY_OPTION_FLAG, AT(is_force), NULL,
	 "take files of JIT compilers of any owner; recordings are not asked for theirs"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Accepted for perf's sake:"},
	{0, "stdio", TALLY_OPTION_FLAG, AT(is_stdio), NULL, "it is text anyway"},
	{0, "tui", TALLY_OPTION_FLAG, AT(is_tui), NULL, "there is no browser here: text is shown"},
	{'m', "modules", TALLY_OPTION_FLAG, AT(has_modules), NULL, "modules have symbols anyway"},
	{0, "objdump", TALLY_OPTION_TEXT, AT(objdump), "path", "no other program is started"},
	TALLY_OPTION_END,
};

static int config_percent_type(struct annotate_config *config)
{
	static const struct {
		const char *name;
		bool is_global, by_hits;
	} types[] = {
		{"local-period", false, false},
		{"local-hits", false, true},
		{"global-period", true, false},
		{"global-hits", true, true},
	};

	for (size_t i = 0; config->percent_type && i < TALLY_ARRAY_SIZE(types); i++) {
		if (strcmp(config->percent_type, types[i].name))
			continue;
		config->is_global = types[i].is_global;
		config->by_hits = types[i].by_hits;
		return 0;
	}
	if (!config->percent_type)
		return 0;
	tally_print_error("option '--percent-type' takes local-period, local-hits, global-period "
			  "or global-hits, not '%s'",
			  config->percent_type);
	return -EINVAL;
}

static int config_style(struct annotate_config *config)
{
	const char *style = config->style ? config->style : "att";

	config->is_intel = !strcmp(style, "intel");
	if (config->is_intel || !strcmp(style, "att"))
		return 0;
	tally_print_error("option '-M' takes att or intel, not '%s'", style);
	return -EINVAL;
}

static int config_colour(struct annotate_config *config)
{
	const char *mode = config->colour ? config->colour : "auto";

	config->has_colours = !strcmp(mode, "always");
	if (!strcmp(mode, "auto"))
		config->has_colours = tally_output_colours();
	else if (!config->has_colours && strcmp(mode, "never")) {
		tally_print_error("option '--stdio-color' takes always, never or auto, not '%s'",
				  mode);
		return -EINVAL;
	}
	return 0;
}

static int config_limit(struct annotate_config *config)
{
	const char *text = config->percent_limit;
	char *end;

	if (!text)
		return 0;
	config->limit = strtod(text, &end);
	if (end != text && (!*end || !strcmp(end, "%")) && config->limit >= 0 &&
	    config->limit <= 100)
		return 0;
	tally_print_error("option '--percent-limit' takes a percentage, not '%s'", text);
	return -EINVAL;
}

static int config_prefix(struct annotate_config *config)
{
	if (config->prefix_strip && !config->source.prefix) {
		tally_print_error("option '--prefix-strip' means nothing without '--prefix'");
		return -EINVAL;
	}
	config->source.prefix_strip = (unsigned)TALLY_MIN(config->prefix_strip, UINT64_C(4096));
	config->source.symfs = config->symfs;
	return 0;
}

static int config_dsos(struct annotate_config *config)
{
	size_t nr = 0;
	char *rest;

	if (!config->dsos)
		return 0;
	config->dso_text = rest = strdup(config->dsos);
	config->dso_list = calloc(strlen(config->dsos) + 2, sizeof(*config->dso_list));
	if (!config->dso_text || !config->dso_list)
		return -ENOMEM;
	for (char *word; (word = strsep(&rest, ","));) {
		if (*word)
			config->dso_list[nr++] = word;
	}
	return 0;
}

int annotate_config_finish(struct annotate_config *config)
{
	int ret = tally_disasm_available() ? config_percent_type(config) : -ENOSYS;

	if (ret == -ENOSYS && tally_disasm_library()) {
		tally_print_error("%s is not here, which decodes instructions",
				  tally_disasm_library());
		tally_print_hint("Debian's package libcapstone4 has it");
	} else if (ret == -ENOSYS) {
		tally_print_error("this tally was built without a disassembler (libcapstone)");
	}
	if (!ret)
		ret = config_style(config);
	if (!ret)
		ret = config_colour(config);
	if (!ret)
		ret = config_limit(config);
	if (!ret)
		ret = config_prefix(config);
	if (!ret)
		ret = config_dsos(config);
	if (config->show_samples)
		config->measure = TALLY_ANNOTATE_SAMPLES;
	else if (config->show_period)
		config->measure = TALLY_ANNOTATE_PERIOD;
	if (!ret && config->is_tui)
		tally_print_warning("there is no browser for annotated functions here: text "
				    "follows");
	return ret;
}

void annotate_config_free(struct annotate_config *config)
{
	free(config->dso_list);
	free(config->dso_text);
}

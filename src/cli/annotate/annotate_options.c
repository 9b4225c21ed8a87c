/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/annotate/annotate.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/main/symbol_options.h"

#define AT(member) offsetof(struct annotate_config, member)

const struct tally_option annotate_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(recording.session.input), "file",
	 "read this recording (default: perf.data; -: standard input)"},
	{'s', "symbol", TALLY_OPTION_TEXT, AT(symbol), "name",
	 "show this function; same as SYMBOL"},
	{'d', "dsos", TALLY_OPTION_TEXT, AT(dsos), "list", "show only functions in these files"},
	{0, "percent-limit", TALLY_OPTION_TEXT, AT(percent_limit), "percent",
	 "leave out functions below this percentage of all samples"},
	{0, "skip-missing", TALLY_OPTION_FLAG, AT(is_missing_skipped), NULL,
	 "do not warn about functions without available code"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Output:"},
	{0, "source", TALLY_OPTION_FLAG, AT(has_source), NULL,
	 "show source lines between instructions (default)"},
	{0, "data-type", TALLY_OPTION_TEXT, AT(data_type), "type",
	 "show the C types that the sampled instructions access, with their members (default: all "
	 "types)",
	 ""},
	{0, "type-stat", TALLY_OPTION_FLAG, AT(has_type_stat), NULL,
	 "count the samples for which types were found, and the reasons for the others"},
	{0, "asm-raw", TALLY_OPTION_FLAG, AT(has_bytes), NULL, "show instruction bytes"},
	{'l', "print-line", TALLY_OPTION_FLAG, AT(has_lines), NULL,
	 "list the heaviest lines first, and print the source line after each heavy instruction"},
	{'P', "full-paths", TALLY_OPTION_FLAG, AT(has_paths), NULL,
	 "show file names with directories"},
	{'M', "disassembler-style", TALLY_OPTION_TEXT, AT(style), "style",
	 "select the x86 assembly syntax: att (default) or intel"},
	{'n', "show-nr-samples", TALLY_OPTION_FLAG, AT(show_samples), NULL,
	 "show sample counts instead of percentages"},
	{0, "show-total-period", TALLY_OPTION_FLAG, AT(show_period), NULL,
	 "show periods instead of percentages"},
	{0, "total", TALLY_OPTION_FLAG, AT(has_totals), NULL,
	 "add a column with totals that include callees"},
	{0, "percent-type", TALLY_OPTION_TEXT, AT(percent_type), "type",
	 "compute percentages by local-period, local-hits, global-period or global-hits (local: of "
	 "the function, global: of the total; period: by period, hits: by sample count)"},
	{0, "group", TALLY_OPTION_FLAG, AT(is_grouped), NULL,
	 "show all events side by side, not only those of a group"},
	{0, "json", TALLY_OPTION_FLAG, AT(is_json), NULL, "print JSON (docs/commands/annotate.md)"},
	{'q', "quiet", TALLY_OPTION_FLAG, AT(is_quiet), NULL, "do not print the health summary"},
	{0, "stdio-color", TALLY_OPTION_TEXT, AT(colour), "mode",
	 "color heavy instructions: always, never or auto (on a terminal)"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Filters:"},
	{'C', "cpu", TALLY_OPTION_TEXT, AT(recording.session.filter.cpus), "list",
	 "select samples on these CPUs (e.g. 0-3,5)"},
	{0, "time", TALLY_OPTION_TEXT, AT(recording.session.filter.time), "start,end",
	 "select samples in this time range: start,end in seconds (either may be omitted), "
	 "+start,+end since the first sample, or 10%-20%"},
	{0, "comms", TALLY_OPTION_TEXT, AT(recording.session.filter.comms), "list",
	 "select samples of threads with these names"},
	{0, "pid", TALLY_OPTION_TEXT, AT(recording.session.filter.pids), "list",
	 "select samples of these processes"},
	{0, "tid", TALLY_OPTION_TEXT, AT(recording.session.filter.tids), "list",
	 "select samples of these threads"},
	{0, "max-stack", TALLY_OPTION_U64, AT(max_stack), "n",
	 "limit the callchain entries used (default: 127)"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Symbols, code and source:"},
	TALLY_OPTIONS_KERNEL_SYMBOLS(AT(recording.session.symbols)),
	{0, "ignore-vmlinux", TALLY_OPTION_FLAG, AT(recording.session.symbols.ignore_vmlinux), NULL,
	 "do not search for a kernel image"},
	TALLY_OPTION_SYMFS(AT(recording.session.symbols)),
	{0, "prefix", TALLY_OPTION_TEXT, AT(source.prefix), "dir",
	 "prepend this to absolute source paths"},
	{0, "prefix-strip", TALLY_OPTION_U64, AT(prefix_strip), "n",
	 "strip this many leading directories from source paths before applying --prefix"},
	TALLY_OPTION_DEBUGINFOD(AT(recording)),
	TALLY_OPTION_NO_DEMANGLE(AT(recording.session.symbols)),
	TALLY_OPTION_NO_INDEX(AT(recording.no_index)),
	TALLY_OPTION_JOBS(AT(recording)),
	{'f', "force", TALLY_OPTION_FLAG, AT(recording.session.symbols.any_owner), NULL,
	 "accept JIT files owned by any user; ownership of recordings is never checked"},
	{'D', "dump-raw-trace", TALLY_OPTION_FLAG, AT(raw_dump), NULL,
	 "print every record in file order, with its fields"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Accepted for perf compatibility:"},
	{0, "stdio", TALLY_OPTION_FLAG, AT(is_stdio), NULL, "print text, even on a terminal"},
	{0, "stdio2", TALLY_OPTION_FLAG, AT(is_stdio), NULL, "same as --stdio"},
	{0, "tui", TALLY_OPTION_FLAG, AT(is_tui), NULL,
	 "use the browser, if there is a terminal (default)"},
	{'m', "modules", TALLY_OPTION_FLAG, AT(has_modules), NULL, "ignored"},
	{0, "objdump", TALLY_OPTION_TEXT, AT(objdump), "path",
	 "ignored; no external program is used"},
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
	tally_print_error("option '--percent-type' requires local-period, local-hits, "
			  "global-period or global-hits, not '%s'",
			  config->percent_type);
	return -EINVAL;
}

static int config_style(struct annotate_config *config)
{
	const char *style = config->style ? config->style : "att";

	config->is_intel = !strcmp(style, "intel");
	if (config->is_intel || !strcmp(style, "att"))
		return 0;
	tally_print_error("option '-M' requires att or intel, not '%s'", style);
	return -EINVAL;
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
	tally_print_error("option '--percent-limit' requires a percentage, not '%s'", text);
	return -EINVAL;
}

static int config_prefix(struct annotate_config *config)
{
	if (config->prefix_strip && !config->source.prefix) {
		tally_print_error("option '--prefix-strip' requires '--prefix'");
		return -EINVAL;
	}
	config->source.prefix_strip = (unsigned)TALLY_MIN(config->prefix_strip, UINT64_C(4096));
	config->source.symfs = config->recording.session.symbols.symfs;
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

/* Return 0, or -EINVAL if the options about types contradict others. */
static int config_types(const struct annotate_config *config)
{
	const char *name = config->data_type ? "--data-type" : "--type-stat";

	if (!config->data_type && !config->has_type_stat)
		return 0;
	if (config->is_json || config->raw_dump) {
		tally_print_error("%s and %s select different outputs: use only one of them", name,
				  config->is_json ? "--json" : "--dump-raw-trace");
		return -EINVAL;
	}
	if (config->has_totals) {
		tally_print_error("%s does not show totals that include callees: omit --total",
				  name);
		return -EINVAL;
	}
	return 0;
}

int annotate_config_finish(struct annotate_config *config)
{
	int ret = tally_disasm_available() ? config_percent_type(config) : -ENOSYS;

	if (ret == -ENOSYS && tally_disasm_library()) {
		tally_print_error("%s, needed to decode instructions, is not installed",
				  tally_disasm_library());
		tally_print_hint("install Debian's libcapstone4 package");
	} else if (ret == -ENOSYS) {
		tally_print_error("this tally was built without a disassembler (libcapstone)");
	}
	if (!ret && config->raw_dump && config->is_json) {
		tally_print_error("--dump-raw-trace and --json select different outputs: use only "
				  "one of them");
		ret = -EINVAL;
	}
	if (!ret)
		ret = config_types(config);
	if (!ret)
		ret = config_style(config);
	if (!ret)
		ret = tally_output_colour_mode(config->colour, &config->has_colours);
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
		tally_print_warning(
			"--tui: printing text, because there is no terminal or other options "
			"ask for it");
	return ret;
}

void annotate_config_free(struct annotate_config *config)
{
	free(config->dso_list);
	free(config->dso_text);
}

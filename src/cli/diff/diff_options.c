/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally diff, and its input files. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/diff/diff.h"
#include "cli/diff/diff_options.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/html_file.h"
#include "cli/main/symbol_options.h"

#define AT(member) offsetof(struct diff_config, member)

const struct tally_option diff_options[] = {
	{0, "stdio", TALLY_OPTION_FLAG, AT(stdio), NULL, "print text, even on a terminal"},
	{0, "json", TALLY_OPTION_FLAG, AT(json), NULL, "print JSON"},
	{'D', "dump-raw-trace", TALLY_OPTION_FLAG, AT(raw_dump), NULL,
	 "print every record in file order, with its fields, of each recording"},
	{0, "html", TALLY_OPTION_TEXT, AT(html), "file",
	 "write a self-contained HTML page (default: tally-PROGRAM.html; -: stdout)",
	 TALLY_HTML_UNNAMED, .next_word = true, .fits = tally_html_is_page_name},
	{0, "html-source", TALLY_OPTION_FLAG, AT(html_source), NULL,
	 "with --html, include all source lines of the top functions (default: those of files that "
	 "all users may read)",
	 .given = AT(html_source_given)},
	{0, "folded", TALLY_OPTION_FLAG, AT(recording.session.imports), NULL,
	 "the files contain folded stacks (data sets and Parquet files need no option)"},
	{'t', "field-separator", TALLY_OPTION_TEXT, AT(separator), "string",
	 "print values separated by this string"},
	{'x', NULL, TALLY_OPTION_TEXT, AT(separator), "string", "alias for -t, as in tally report"},
	{'q', "quiet", TALLY_OPTION_FLAG, AT(quiet), NULL,
	 "print only rows, without comment lines"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What to compare:"},
	{0, "by", TALLY_OPTION_TEXT, AT(by), "what",
	 "compare functions, as grouped by the sort keys (default), or paths (complete "
	 "callchains)"},
	{'s', "sort", TALLY_OPTION_TEXT, AT(sort), "keys",
	 "sort by these keys: comm, dso, symbol (default: dso,symbol)"},
	{0, "children", TALLY_OPTION_FLAG, AT(children), NULL,
	 "compare total values of functions (with callees) instead of self values"},
	{0, "normalize", TALLY_OPTION_TEXT, AT(normalize), "how",
	 "normalize values by total (share of the period, default), samples (share of the "
	 "samples), time (CPU time), count (per unit of --count-a or --count-b) or count=N (per "
	 "unit, with N units on both sides)"},
	{0, "count-a", TALLY_OPTION_U64, AT(count_a), "n",
	 "set the number of requests, rounds or other units of work in each recording on side A"},
	{0, "count-b", TALLY_OPTION_U64, AT(count_b), "n",
	 "set the number of units of work in each recording on side B"},
	{0, "percentage", TALLY_OPTION_TEXT, AT(percentage), "of",
	 "with -C, -d or -S, compute percentages of all samples (absolute, default) or of the "
	 "selection (relative)"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Output:"},
	{'c', "compute", TALLY_OPTION_TEXT, AT(compute), "how",
	 "compute delta-abs (default), delta, ratio or wdiff:W1,W2"},
	{'o', "order", TALLY_OPTION_TEXT, AT(order), "column",
	 "order by the baseline (0) or by the computed value (1, default; or the number of any "
	 "compared file)"},
	{'p', "period", TALLY_OPTION_FLAG, AT(has_periods), NULL, "show period columns"},
	{'F', "formula", TALLY_OPTION_FLAG, AT(has_formula), NULL,
	 "show a column with the formula"},
	{'b', "baseline-only", TALLY_OPTION_FLAG, AT(matched), NULL,
	 "show only rows present on both sides"},
	{0, "changed", TALLY_OPTION_FLAG, AT(changed), NULL, "show only changed rows"},
	{0, "no-verdicts", TALLY_OPTION_FLAG, AT(no_verdicts), NULL,
	 "show only perf's columns, without noise and verdict"},
	{0, "same-work", TALLY_OPTION_FLAG, AT(diff.same_work), NULL,
	 "with one recording per side: both runs do the same work, so phases are not noise"},
	{0, "same", TALLY_OPTION_TEXT, AT(same), "percent",
	 "report a row as unchanged if it differs by at most this percentage (default: 10)"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Samples to compare:"},
	{'C', "comms", TALLY_OPTION_TEXT, AT(comms), "list",
	 "select samples of threads with these names"},
	{'d', "dsos", TALLY_OPTION_TEXT, AT(dsos), "list", "select samples in these files"},
	{'S', "symbols", TALLY_OPTION_TEXT, AT(symbols), "list",
	 "select samples in these functions"},
	{0, "cpu", TALLY_OPTION_TEXT, AT(recording.session.filter.cpus), "list",
	 "select samples on these CPUs (e.g. 0-3,5)"},
	{0, "pid", TALLY_OPTION_TEXT, AT(recording.session.filter.pids), "list",
	 "select samples of these processes"},
	{0, "tid", TALLY_OPTION_TEXT, AT(recording.session.filter.tids), "list",
	 "select samples of these threads"},
	{0, "time", TALLY_OPTION_TEXT, AT(recording.session.filter.time), "start,end",
	 "select this time range of each recording, in seconds, +2,+3 since the "
	 "first sample, or 10%-20%"},
	{0, "inline", TALLY_OPTION_FLAG, AT(is_inlined), NULL,
	 "show inlined functions in callchains (default)"},
	{0, "raw-chains", TALLY_OPTION_FLAG, AT(raw_chains), NULL,
	 "use callchains as recorded, without validating return addresses"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Names:"},
	TALLY_OPTIONS_KERNEL_SYMBOLS(AT(recording.session.symbols)),
	TALLY_OPTION_SYMFS(AT(recording.session.symbols)),
	TALLY_OPTION_NO_BOUNDS(AT(no_bounds)),
	TALLY_OPTION_NO_DEMANGLE(AT(recording.session.symbols)),
	TALLY_OPTION_NO_INDEX(AT(recording.no_index)),
	TALLY_OPTION_JOBS(AT(recording)),
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "overwrite any existing file; accept /tmp/perf-PID.map owned by any user"},
	{'v', "verbose", TALLY_OPTION_FLAG, AT(verbose), NULL,
	 "ignored; accepted for perf compatibility; use --json or -p instead"},
	TALLY_OPTION_END,
};

struct word {
	const char *text;
	unsigned value;
};

/* Find the value of `text` in a NULL-terminated table; NULL selects the first entry. */
static int word_find(const struct word *words, const char *option, const char *text,
		     unsigned *ret_value)
{
	struct tally_str known = {0};

	for (const struct word *word = words; word->text; word++) {
		if (!text || !strcmp(word->text, text)) {
			*ret_value = word->value;
			return 0;
		}
	}
	for (const struct word *word = words; word->text; word++)
		tally_str_addf(&known, "%s%s", known.len ? ", " : "", word->text);
	tally_print_error("option '%s': unknown value '%s'", option, text);
	tally_print_hint("valid values: %s", tally_str_text(&known));
	tally_str_free(&known);
	return -EINVAL;
}

static const struct word sort_words[] = {{"comm", TALLY_KEY_COMM},
					 {"dso", TALLY_KEY_DSO},
					 {"symbol", TALLY_KEY_SYMBOL},
					 {"sym", TALLY_KEY_SYMBOL},
					 {NULL, 0}};

static int config_keys(struct diff_config *config)
{
	struct tally_word_list words = {0};
	int ret = tally_word_list_split(config->sort ? config->sort : "dso,symbol", &words);

	for (size_t i = 0; i < words.nr && !ret; i++) {
		unsigned key;

		ret = word_find(sort_words, "--sort", words.items[i], &key);
		if (!ret)
			config->diff.keys |= key;
	}
	if (!ret && !words.nr) {
		tally_print_error("option '--sort' requires at least one key");
		ret = -EINVAL;
	}
	tally_word_list_free(&words);
	return ret;
}

/* Parse the weights in "wdiff:W1,W2" as perf does: W1 is the baseline's weight, W2 the other
 * side's. */
static int config_weights(struct diff_config *config, const char *text)
{
	long weights[TALLY_SIDES];
	char *end;

	for (int side = 0; side < TALLY_SIDES; side++) {
		weights[side] = strtol(text, &end, 10);
		if (end == text || *end != (side ? '\0' : ',')) {
			tally_print_error(
				"'--compute wdiff' requires two numbers, as in wdiff:1,2");
			return -EINVAL;
		}
		text = end + 1;
		config->weights[side] = (double)weights[side];
	}
	return 0;
}

static const struct word compute_words[] = {{"delta-abs", TALLY_COMPUTE_DELTA_ABS},
					    {"delta", TALLY_COMPUTE_DELTA},
					    {"ratio", TALLY_COMPUTE_RATIO},
					    {NULL, 0}};

static int config_compute(struct diff_config *config)
{
	unsigned value = 0;
	int ret;

	if (config->compute && !strncmp(config->compute, "wdiff:", 6)) {
		config->computes = TALLY_COMPUTE_WDIFF;
		ret = config_weights(config, config->compute + 6);
	} else {
		ret = word_find(compute_words, "--compute", config->compute, &value);
		config->computes = value;
	}
	if (ret == -EINVAL)
		tally_print_hint(
			"wdiff:W1,W2 is the period times W2, minus the baseline's period times W1");
	return ret;
}

/* As in perf, the order is the number of a column: 0 is the baseline. Each comparison has only one
 * other column, so that all other numbers mean the same. */
static int config_order(struct diff_config *config)
{
	unsigned long most = config->one_by_one ? config->nr_inputs - 1 : 1, number;
	char *end;

	if (!config->order)
		return 0;
	number = strtoul(config->order, &end, 10);
	config->by_baseline = !number;
	if (isdigit((unsigned char)*config->order) && !*end && number <= most)
		return 0;
	tally_print_error("option '--order' takes a number from 0 to %lu, not '%s'", most,
			  config->order);
	return -EINVAL;
}

static const struct word unit_words[] = {{"total", DIFF_OF_TOTAL},
					 {"samples", DIFF_OF_SAMPLES},
					 {"time", DIFF_OF_TIME},
					 {"count", DIFF_OF_COUNT},
					 {NULL, 0}};

static int config_normalize(struct diff_config *config)
{
	const char *how = config->normalize;
	uint64_t both = 0;
	unsigned value = 0;
	char *end = NULL;
	int ret;

	if (how && !strncmp(how, "count=", 6)) {
		both = strtoull(how + 6, &end, 10);
		how = *end || how[6] == '-' ? how : "count";
	} else if (!how && (config->count_a || config->count_b)) {
		how = "count";
	}
	ret = word_find(unit_words, "--normalize", how, &value);
	if (ret)
		return ret;
	config->unit = value;
	config->counts[TALLY_SIDE_A] = (double)(config->count_a ? config->count_a : both);
	config->counts[TALLY_SIDE_B] = (double)(config->count_b ? config->count_b : both);
	if (value != DIFF_OF_COUNT || (config->counts[0] > 0 && config->counts[1] > 0))
		return 0;
	tally_print_error("'--normalize count' requires the work done on each side");
	tally_print_hint("use --count-a N --count-b M, or --normalize count=N");
	return -EINVAL;
}

static int config_same(struct diff_config *config)
{
	char *end;
	double percent = config->same ? strtod(config->same, &end) : 10;

	if (config->same && (end == config->same || *end || !(percent >= 0 && percent <= 100))) {
		tally_print_error("option '--same' takes a percentage, not '%s'", config->same);
		return -EINVAL;
	}
	config->diff.same = percent / 100;
	return 0;
}

static int config_derive(struct diff_config *config)
{
	static const struct word by[] = {{"function", 0}, {"path", 1}, {NULL, 0}};
	static const struct word of[] = {{"absolute", 0}, {"relative", 1}, {NULL, 0}};
	unsigned value = 0;
	int ret = word_find(by, "--by", config->by, &value);

	config->diff.by_path = value;
	if (!ret)
		ret = word_find(of, "--percentage", config->percentage, &value);
	config->diff.relative = value;
	if (!ret)
		ret = config_keys(config);
	if (!ret)
		ret = config_compute(config);
	if (!ret)
		ret = config_normalize(config);
	if (!ret)
		ret = config_same(config);
	if (!ret)
		ret = tally_word_list_split(config->comms, &config->comm_list);
	if (!ret)
		ret = tally_word_list_split(config->dsos, &config->dso_list);
	if (!ret)
		ret = tally_word_list_split(config->symbols, &config->symbol_list);
	config->diff.filter = (struct tally_profile_filter){
		.comms = config->comm_list.items,
		.dsos = config->dso_list.items,
		.symbols = config->symbol_list.items,
	};
	config->recording.session.symbols.bounds = !config->no_bounds;
	config->recording.session.symbols.any_owner = config->force;
	if (config->separator && !strcmp(config->separator, "\\t"))
		config->separator = "\t";
	return ret;
}

/* ---- input files ---------------------------------------------------------------- */

/* Placeholder for the "--" between the sides, to keep the option parser from treating it as an
 * option. */
static char divider[] = "";

static int sides_unclear(uint32_t nr)
{
	tally_print_error("cannot determine which of the %u recordings belong to each side", nr);
	tally_print_hint("separate the sides with '--': tally diff A1 A2 A3 -- B1 B2 B3");
	return -EINVAL;
}

/* Set perf's default inputs: perf.data.old and perf.data or, if only one file is given,
 * perf.data.old and that file. */
static int default_inputs(struct diff_config *config)
{
	static const char before[] = "perf.data.old";

	config->nr_baselines = 1;
	if (config->nr_inputs == 2)
		return 0;
	config->inputs[1] = config->nr_inputs ? config->inputs[0] : "perf.data";
	config->inputs[0] = before;
	config->nr_inputs = 2;
	if (!access(before, F_OK) || errno != ENOENT)
		return 0;
	tally_print_error("there is no previous recording %s to compare %s with", before,
			  config->inputs[1]);
	tally_print_hint("specify both: tally diff BASELINE FILE");
	return -ENOENT;
}

static int config_inputs(struct diff_config *config, int nr, char **words)
{
	bool is_divided = false;

	config->inputs = calloc((size_t)nr + 2, sizeof(*config->inputs));
	if (!config->inputs)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		if (words[i] == divider) {
			is_divided = true;
			config->nr_baselines = config->nr_inputs;
		} else {
			config->inputs[config->nr_inputs++] = words[i];
		}
	}
	if (!is_divided && config->nr_inputs > 2) {
		config->nr_baselines = 1;
		config->one_by_one = true;
		return config->json || config->html ? sides_unclear(config->nr_inputs) : 0;
	}
	if (!is_divided)
		return default_inputs(config);
	if (config->nr_baselines && config->nr_baselines < config->nr_inputs)
		return 0;
	tally_print_error("there is no recording %s '--'",
			  config->nr_baselines ? "after" : "before");
	return -EINVAL;
}

int diff_config_parse(struct diff_config *config, int argc, char **argv)
{
	int first, ret;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			argv[i] = divider;
			break;
		}
	}
	ret = tally_options_parse(&tally_command_diff, config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret;
	ret = config_derive(config);
	if (!ret)
		ret = config_inputs(config, argc - first, argv + first);
	if (!ret)
		ret = config_order(config);
	if (ret == -ENOENT)
		return TALLY_EXIT_ERROR + 1;
	return ret ? TALLY_EXIT_USAGE + 1 : 0;
}

void diff_config_free(struct diff_config *config)
{
	free(config->inputs);
	tally_word_list_free(&config->comm_list);
	tally_word_list_free(&config->dso_list);
	tally_word_list_free(&config->symbol_list);
}

static void print_words(const struct word *words)
{
	for (; words->text; words++)
		puts(words->text);
}

void diff_print_keys(const char *before)
{
	print_words(sort_words);
}

void diff_print_computes(const char *before)
{
	print_words(compute_words);
}

void diff_print_units(const char *before)
{
	print_words(unit_words);
}

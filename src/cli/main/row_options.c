/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/row_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/print.h"
#include "cli/main/row_columns.h"

/* Call `each` for every word in a comma-separated list. */
static int for_each_word(struct tally_row_options *options, const char *list, const char *option,
			 int (*each)(struct tally_row_options *options, const char *word,
				     size_t len))
{
	while (list && *list) {
		size_t len = strcspn(list, ",");
		int ret = each(options, list, len);

		if (ret) {
			if (ret == -EINVAL)
				tally_print_error("option '--%s': unknown value '%.*s'", option,
						  (int)len, list);
			return ret;
		}
		list += len + (list[len] == ',');
	}
	return 0;
}

static bool word_is(const char *word, size_t len, const char *text)
{
	return strlen(text) == len && !strncmp(word, text, len);
}

/* ---- --call-graph -------------------------------------------------------- */

static const struct {
	const char *name;
	enum tally_graph_style style;
} styles[] = {
	{"graph", TALLY_STYLE_GRAPH}, {"fractal", TALLY_STYLE_FRACTAL},
	{"flat", TALLY_STYLE_FLAT},   {"folded", TALLY_STYLE_FOLDED},
	{"none", TALLY_STYLE_NONE},   {"no", TALLY_STYLE_NONE},
};

static const struct {
	const char *name;
	enum tally_graph_value value;
} values[] = {
	{"percent", TALLY_GRAPH_PERCENT},
	{"period", TALLY_GRAPH_PERIOD},
	{"count", TALLY_GRAPH_COUNT},
};

static bool call_graph_value(struct tally_row_options *options, const char *word, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(values); i++) {
		if (word_is(word, len, values[i].name)) {
			options->show.graph_value = values[i].value;
			return true;
		}
	}
	return false;
}

static bool call_graph_key(struct tally_row_options *options, const char *word, size_t len)
{
	static const char *const names[] = {
		[TALLY_GRAPH_FUNCTION] = "function",
		[TALLY_GRAPH_LINE] = "srcline",
		[TALLY_GRAPH_ADDRESS] = "address",
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (word_is(word, len, names[i])) {
			options->show.graph_key = (enum tally_graph_key)i;
			return true;
		}
	}
	return false;
}

/* Parse a word of --call-graph. Words may appear in any order: a style; "caller" or "callee"; the
 * value to show for each branch; a key; and numbers. The first number
 * is the minimum percentage, the second is the maximum number of lines. */
static int call_graph_word(struct tally_row_options *options, const char *word, size_t len)
{
	char *end;
	double number;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(styles); i++) {
		if (word_is(word, len, styles[i].name)) {
			options->show.style = styles[i].style;
			return 0;
		}
	}
	if (word_is(word, len, "caller") || word_is(word, len, "callee")) {
		options->show.order =
			word_is(word, len, "caller") ? TALLY_GRAPH_CALLER : TALLY_GRAPH_CALLEE;
		options->order_given = true;
		return 0;
	}
	if (call_graph_key(options, word, len) || call_graph_value(options, word, len))
		return 0;
	number = strtod(word, &end);
	if (end != word + len || end == word || number < 0)
		return -EINVAL;
	if (options->show.graph_min_percent < 0)
		options->show.graph_min_percent = number;
	else
		options->show.graph_limit = (uint64_t)number;
	return 0;
}

static int config_call_graph(struct tally_row_options *options, bool has_chains)
{
	int ret;

	options->show.style = has_chains ? TALLY_STYLE_GRAPH : TALLY_STYLE_NONE;
	options->show.graph_min_percent = -1;
	/* --no-call-graph */
	if (options->call_graph ? !strcmp(options->call_graph, "no")
				: options->call_graph_given && !options->inverted)
		options->call_graph = "none";
	ret = for_each_word(options, options->call_graph, "call-graph", call_graph_word);
	options->graph_min_given = options->show.graph_min_percent >= 0;
	if (!options->graph_min_given)
		options->show.graph_min_percent = 0.5;
	if (!options->children_given)
		options->show.children = has_chains;
	if (!has_chains) {
		options->show.children = false;
		options->show.style = TALLY_STYLE_NONE;
	}
	if (!options->order_given)
		options->show.order = options->show.children || options->inverted
					      ? TALLY_GRAPH_CALLER
					      : TALLY_GRAPH_CALLEE;
	return ret;
}

/* ---- numbers ------------------------------------------------------------- */

static int config_percent(const char *text, double *ret_percent)
{
	char *end;

	if (!text)
		return 0;
	*ret_percent = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%")) || *ret_percent < 0 || *ret_percent > 100) {
		tally_print_error("option '--percent-limit' requires a percentage, not '%s'", text);
		return -EINVAL;
	}
	return 0;
}

/* Parse a list of column widths such as "8,0,30". An empty entry means 0. */
static int config_widths(struct tally_row_options *options)
{
	enum { MOST = 4096 };
	const char *at = options->column_widths;

	for (int i = 0; at && *at; i++) {
		bool is_number = *at == ',' || (*at >= '0' && *at <= '9');
		char *end;
		unsigned long width = strtoul(at, &end, 10);

		if (!is_number || (*end && *end != ',') || width > MOST) {
			tally_print_error("option '--column-widths' requires comma-separated "
					  "numbers up to %d, not '%s'",
					  MOST, options->column_widths);
			return -EINVAL;
		}
		if (i < TALLY_VIEW_MAX_COLUMNS)
			options->show.widths[i] = (int)width;
		at = *end ? end + 1 : end;
	}
	options->show.asked = options->column_widths ? options->show.widths : NULL;
	return 0;
}

int tally_row_percentage(const char *word, bool *ret_relative)
{
	if (word && strcmp(word, "relative") && strcmp(word, "absolute")) {
		tally_print_error("option '--percentage' requires 'relative' or 'absolute', not "
				  "'%s'",
				  word);
		return -EINVAL;
	}
	*ret_relative = word && !strcmp(word, "relative");
	return 0;
}

int tally_row_options_lists(struct tally_row_options *options)
{
	int ret = tally_word_list_split(options->comms, &options->comm_list);

	if (!ret)
		ret = tally_word_list_split(options->dsos, &options->dso_list);
	if (!ret)
		ret = tally_word_list_split(options->symbols, &options->symbol_list);
	return ret;
}

/* Complete the options of --hierarchy: the limit applies to the nodes of the tree, and the tree
 * does not sum up additional columns. */
static int config_tree(struct tally_row_options *options)
{
	const struct tally_show *show = &options->show;

	for (int i = 0; i < show->nr_columns && options->hierarchy; i++) {
		if (!show->columns[i]->part)
			continue;
		tally_print_error("the tree of --hierarchy cannot show the column '%s'",
				  show->columns[i]->name);
		return -EINVAL;
	}
	if (options->hierarchy) {
		options->node_min_percent = show->row_min_percent;
		options->show.row_min_percent = 0;
	}
	return 0;
}

int tally_row_options_finish(struct tally_row_options *options, bool has_chains)
{
	int ret;

	/* A level of the tree has no callees of its own. */
	if (options->hierarchy) {
		options->show.children = false;
		options->children_given = true;
	}
	ret = config_call_graph(options, has_chains);
	if (!ret)
		ret = tally_row_options_columns(options);
	if (!ret)
		ret = config_percent(options->percent_limit, &options->show.row_min_percent);
	/* As in perf, it also limits the branches of call graphs. */
	if (options->percent_limit && !options->graph_min_given)
		options->show.graph_min_percent = options->show.row_min_percent;
	if (!ret)
		ret = config_widths(options);
	if (!ret)
		ret = tally_row_options_lists(options);
	return ret ? ret : config_tree(options);
}

int tally_row_options_check(const struct tally_row_options *options)
{
	struct tally_row_options trial = *options;
	int ret = tally_row_options_finish(&trial, true);

	tally_row_options_free(&trial);
	return ret;
}

void tally_row_options_remove_single(struct tally_row_options *options, struct tally_str *out)
{
	const struct {
		unsigned key;
		const char *label;
		const struct tally_word_list *list;
	} rows[] = {
		{TALLY_KEY_COMM, "comm", &options->comm_list},
		{TALLY_KEY_DSO, "dso", &options->dso_list},
		{TALLY_KEY_SYMBOL, "symbol", &options->symbol_list},
	};
	unsigned alone = 0, keys = 0;
	int kept = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		alone |= rows[i].list->nr == 1 ? rows[i].key : 0;
	for (int at = 0; at < options->show.nr_columns; at++)
		keys |= options->show.columns[at]->key;
	if (!(keys & ~alone))
		return;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows) && out; i++)
		if (alone & keys & rows[i].key)
			tally_str_add_line(out, "# %s: %s", rows[i].label, rows[i].list->items[0]);
	for (int at = 0; at < options->show.nr_columns; at++)
		if (!(options->show.columns[at]->key & alone))
			options->show.columns[kept++] = options->show.columns[at];
	options->show.nr_columns = kept;
}

int tally_ignore_callees_option(const char *pattern, struct tally_ignore_callees *ignore)
{
	int ret = pattern ? tally_ignore_callees_set(ignore, pattern) : 0;

	if (ret == -EINVAL)
		tally_print_error("option '--ignore-callees': invalid regular expression '%s'",
				  pattern);
	return ret;
}

void tally_row_options_free(struct tally_row_options *options)
{
	tally_word_list_free(&options->comm_list);
	tally_word_list_free(&options->dso_list);
	tally_word_list_free(&options->symbol_list);
	tally_vec_for_each (field, &options->fields_found)
		free(*field);
	tally_vec_free(&options->fields_found);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/row_columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cli/main/print.h"

/* Return the name that the option accepts for a column, or NULL. --sort accepts only keys. */
static const char *name_known(const struct tally_view_column *column, bool is_sort)
{
	/* "self" is only the heading of "overhead" when "overhead_children" is also shown. */
	if (!strcmp(column->name, "self") || (is_sort && !column->key))
		return NULL;
	return column->name;
}

void tally_row_print_words(bool is_sort, unsigned no_keys)
{
	for (const struct tally_view_column *c = tally_view_columns; c->name; c++)
		if (name_known(c, is_sort) && !(c->key & no_keys))
			puts(c->name);
}

#define NO_BRANCH_PARTS "'tally report --branch-history' shows the branches of callchains"

/* Sort keys of perf that tally does not have. */
static const struct {
	const char *name, *reason;
} other_keys[] = {
	{"simd", "it is decoded from Arm SPE traces, which tally does not read"},
	{"ipc_lbr", "'tally report --total-cycles' shows the cycles of basic blocks"},
	{"ipc_null", "'tally report --total-cycles' shows the cycles of basic blocks"},
	{"callchain_branch_predicted", NO_BRANCH_PARTS},
	{"callchain_branch_abort", NO_BRANCH_PARTS},
	{"callchain_branch_cycles", NO_BRANCH_PARTS},
};

/* Print why a sort key of perf is not available. Return false if perf has no such key. */
static bool explain_other(const char *option, const char *word, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(other_keys); i++) {
		if (strlen(other_keys[i].name) != len || strncmp(other_keys[i].name, word, len))
			continue;
		tally_print_error("option '--%s': key '%s' is not supported", option,
				  other_keys[i].name);
		tally_print_hint("%s", other_keys[i].reason);
		return true;
	}
	return false;
}

static int unknown_column(const char *option, const char *word, size_t len)
{
	bool is_sort = !strcmp(option, "sort");
	struct tally_suggest suggest;
	struct tally_str known = {0};

	if (explain_other(option, word, len))
		return -EINVAL;
	tally_suggest_start(&suggest, word, len);
	for (const struct tally_view_column *c = tally_view_columns; c->name; c++) {
		const char *name = name_known(c, is_sort);

		if (!name)
			continue;
		tally_suggest_offer(&suggest, name);
		tally_str_addf(&known, "%s%s", known.len ? "," : "", name);
	}
	tally_print_error("option '--%s': unknown key '%.*s'", option, (int)len, word);
	(void)tally_print_typo(&suggest);
	tally_print_hint("known keys: %s", tally_str_text(&known));
	tally_str_free(&known);
	return -EINVAL;
}

static bool is_same_field(const struct tally_view_field *x, const struct tally_view_field *y)
{
	return x == y || (x && y && !strcmp(x->name, y->name) && x->raw == y->raw &&
			  !strcmp(x->event ? x->event : "", y->event ? y->event : ""));
}

static bool has_column(const struct tally_row_options *options,
		       const struct tally_view_column *column)
{
	for (int i = 0; i < options->show.nr_columns; i++) {
		if (options->show.columns[i]->text == column->text &&
		    options->show.columns[i]->cell == column->cell &&
		    options->show.columns[i]->part == column->part &&
		    is_same_field(options->show.columns[i]->field, column->field))
			return true;
	}
	return false;
}

/* Add a column unless it is already present, possibly under its other name. */
static int add_column(struct tally_row_options *options, const struct tally_view_column *column)
{
	if (has_column(options, column))
		return 0;
	if (options->show.nr_columns == TALLY_VIEW_MAX_COLUMNS) {
		tally_print_error("option '--sort': more than %d columns", TALLY_VIEW_MAX_COLUMNS);
		return -E2BIG;
	}
	options->show.columns[options->show.nr_columns++] = column;
	options->show.keys |= column->key;
	return 0;
}

/* A column for a field of a tracepoint. */
struct tally_row_field {
	struct tally_view_column column;
	struct tally_view_field field;
	char text[]; /* name of the field, and of the event */
};

int tally_row_options_field(struct tally_row_options *options, const struct tally_view_field *field)
{
	size_t len = strlen(field->name) + 1;
	size_t event_len = field->event ? strlen(field->event) + 1 : 0;
	struct tally_row_field *made = calloc(1, sizeof(*made) + len + event_len);
	int ret = made ? tally_vec_push(&options->fields_found, made) : -ENOMEM;

	if (ret) {
		free(made);
		tally_print_error("out of memory");
		return ret;
	}
	memcpy(made->text, field->name, len);
	if (event_len)
		memcpy(made->text + len, field->event, event_len);
	made->field = (struct tally_view_field){event_len ? made->text + len : NULL, made->text,
						field->raw};
	made->column = tally_view_field_column(&made->field);
	return add_column(options, &made->column);
}

/* Add the columns for a word that is not a known key. */
static int add_fields(struct tally_row_options *options, const char *option, const char *word,
		      size_t len)
{
	int ret = options->find_field ? options->find_field(options->find_arg, options, word, len)
				      : -ENOENT;

	return ret == -ENOENT ? unknown_column(option, word, len) : ret;
}

static int add_list(struct tally_row_options *options, const char *option, const char *list)
{
	int ret = 0;

	while (*list && !ret) {
		size_t len = strcspn(list, ",");
		const struct tally_view_column *column = tally_view_column_find(list, len);

		ret = column ? add_column(options, column) : add_fields(options, option, list, len);
		list += len + (list[len] == ',');
	}
	return ret;
}

static int add_measures(struct tally_row_options *options)
{
	const struct {
		bool is_shown;
		const char *name;
	} measures[] = {
		{options->latency, "latency"},
		{options->show.children, "overhead_children"},
		{true, options->show.children ? "self" : "overhead"},
		{options->cpu_modes, "overhead_sys,overhead_us"},
		{options->show_samples, "sample"},
		{options->show_period, "period"},
	};
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(measures) && !ret; i++) {
		if (measures[i].is_shown)
			ret = add_list(options, "fields", measures[i].name);
	}
	return ret;
}

/* Return the part of `list` after a leading '+', or NULL if there is no leading '+'. */
static const char *list_added(const char *list)
{
	return list && *list == '+' ? list + 1 : NULL;
}

/* Reject a list that consists only of "+". */
static int check_added(const char *option, const char *list)
{
	return list_added(list) && !list[1] ? unknown_column(option, list, 1) : 0;
}

static const char *default_keys(const struct tally_row_options *options)
{
	return options->default_sort ? options->default_sort : "comm,dso,symbol";
}

void tally_row_options_sort_order(const struct tally_row_options *options, struct tally_str *out)
{
	const char *added = list_added(options->sort);

	if (added || !options->sort)
		tally_str_add(out, default_keys(options));
	if (added)
		tally_str_add_char(out, ',');
	if (options->sort)
		tally_str_add_escaped(out, added ? added : options->sort);
}

/* Add the sort keys. Default keys are not added if --fields gives an exact list of columns. */
static int add_keys(struct tally_row_options *options)
{
	const char *added = list_added(options->sort);
	bool is_exact = options->fields && !list_added(options->fields);
	int ret = 0;

	if (added || (!options->sort && !is_exact))
		ret = add_list(options, "sort", default_keys(options));
	if (!ret && options->sort)
		ret = add_list(options, "sort", added ? added : options->sort);
	if (!ret && options->show.parent)
		ret = add_list(options, "sort", "parent");
	return ret;
}

int tally_row_options_columns(struct tally_row_options *options)
{
	const char *added = list_added(options->fields);
	int ret = check_added("sort", options->sort);

	options->show.in_order = options->fields && !added;
	/* As in perf, it depends on how the keys are written. */
	options->show.after_row =
		options->sort && !strncmp(options->sort, "sym", 3) && !options->fields;

	if (!ret)
		ret = check_added("fields", options->fields);
	if (!ret && (!options->fields || added))
		ret = add_measures(options);
	if (!ret && options->fields)
		ret = add_list(options, "fields", added ? added : options->fields);
	return ret ? ret : add_keys(options);
}

int tally_row_options_sort(struct tally_row_options *options, const char *sort)
{
	struct tally_row_options with = *options;
	int ret;

	with.show.keys = 0;
	with.show.nr_columns = 0;
	with.sort = sort;
	ret = tally_row_options_columns(&with);
	if (!ret)
		*options = with;
	return ret;
}

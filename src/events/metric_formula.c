/* SPDX-License-Identifier: BSD-2-Clause */
/* Build formulas over events from metric expressions. Constants are evaluated, and the formulas of
 * other metrics are included. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "events/metric.h"
#include "events/names.h"
#include "events/pmu.h"
#include "events/events_error.h"

enum { MAX_DEPTH = 16 }; /* maximum nesting of metrics that refer to other metrics */

struct formula_builder {
	struct tally_metric_maker *maker;
	struct tally_metric_draft *draft;
	struct tally_formula *formula;
	double *values; /* value of each node, valid only for constant nodes */
	bool *constant, *needed;
	int depth;
};

void tally_formula_free(struct tally_formula *formula)
{
	if (!formula)
		return;
	tally_expr_free(formula->expr);
	tally_vec_free(&formula->operands);
	free(formula);
}

static struct tally_word node_word(const struct tally_expr *expr, uint32_t node)
{
	return (struct tally_word){expr->text + expr->nodes[node].text, expr->nodes[node].len};
}

/* ---- names ---------------------------------------------------------------------- */

/* Return true for events that depend on the kind of core. Software events and times, such as
 * duration_time, do not depend on it. */
static bool is_of_cores(const char *name)
{
	const struct tally_generic_event *event = tally_generic_find(name, strlen(name));

	return !strchr(name, '/') && !(event && event->type == PERF_TYPE_SOFTWARE);
}

/* Return the string for an event as passed to the parser, including the kind of core if there are
 * several. Returns NULL if out of memory. */
static const char *event_text(struct formula_builder *making, struct tally_word word)
{
	const char *core = making->draft->core, *copy;
	struct tally_str text = {0}, name = {0};

	tally_expr_name_decode(word.text, word.len, &name);
	if (core && is_of_cores(tally_str_text(&name)))
		tally_str_addf(&text, "%s/%s/", core, tally_str_text(&name));
	else
		tally_str_add(&text, tally_str_text(&name));
	copy = tally_str_error(&text) || tally_str_error(&name)
		       ? NULL
		       : tally_arena_strndup(making->maker->arena, text.data, text.len);
	tally_str_free(&text);
	tally_str_free(&name);
	return copy;
}

static bool event_exists(struct formula_builder *making, struct tally_word word)
{
	const char *text = event_text(making, word);
	struct tally_event_list *list;

	if (!text || tally_events_parse(making->maker->events_of, text, strlen(text), &list, NULL))
		return false;
	tally_event_list_free(list);
	return true;
}

static int draft_note(struct tally_metric_draft *draft, uint32_t event)
{
	tally_vec_for_each (noted, &draft->events) {
		if (*noted == event)
			return 0;
	}
	return tally_vec_push(&draft->events, event);
}

/* Find the counters that an event needs. If the event does not exist, the metric is not
 * available. */
static int event_counters_find(struct formula_builder *making, struct tally_metric_event *event)
{
	struct tally_metric_maker *maker = making->maker;
	struct tally_event_counters all;
	struct tally_event_error err;
	struct tally_event_list *list;
	int ret =
		tally_events_parse(maker->events_of, event->text, strlen(event->text), &list, &err);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		tally_metric_fail(maker, -EINVAL, "the metric needs an event that is not available",
				  maker->word);
		snprintf(maker->err->fix, sizeof(maker->err->fix), "%.64s: %s", event->text,
			 err.text);
		return -EINVAL;
	}
	ret = tally_events_counters(maker->events_of, &all);
	if (!ret && list->nr) {
		event->needs = tally_event_counters_of(maker->events_of, &list->specs[0], all);
		event->part = tally_event_is_topdown_part(maker->events_of, &list->specs[0]);
		event->grouped = event->part || event->needs.generic || event->needs.fixed;
		event->nr_specs = (uint32_t)list->nr;
	}
	tally_event_list_free(list);
	return ret;
}

static int event_add(struct formula_builder *making, struct tally_word word, uint32_t *ret_index)
{
	struct tally_metric_maker *maker = making->maker;
	struct tally_metric_event event = {.text = event_text(making, word),
					   .core = making->draft->core};
	size_t i;
	int ret;

	if (!event.text)
		return -ENOMEM;
	for (i = 0; i < maker->events.len; i++)
		if (!strcmp(maker->events.data[i].text, event.text))
			break;
	if (i == maker->events.len) {
		ret = event_counters_find(making, &event);
		if (!ret)
			ret = tally_vec_push(&maker->events, event);
		if (ret)
			return ret;
	}
	*ret_index = (uint32_t)i;
	return draft_note(making->draft, (uint32_t)i);
}

static int formula_make(struct formula_builder *making, const char *text);

/* Resolve a name. Events in the table take precedence over metrics, which take precedence over
 * other events. */
static int name_make(struct formula_builder *making, struct tally_word word,
		     struct tally_operand *operand)
{
	const struct tally_model *model = making->draft->table->model;
	struct tally_str name = {0};
	const struct tally_model_metric *metric = NULL;
	struct formula_builder inner = {making->maker, making->draft, .depth = making->depth + 1};
	uint32_t pos = 0;
	int ret;

	tally_expr_name_decode(word.text, word.len, &name);
	ret = tally_str_error(&name);
	if (!ret && !tally_model_event_find(model, -1, name.data, name.len, &pos))
		metric = tally_model_metric_find(model, making->draft->row->pmu, name.data);
	tally_str_free(&name);
	if (ret)
		return ret;
	if (!metric) {
		operand->kind = TALLY_OPERAND_EVENT;
		return event_add(making, word, &operand->event);
	}
	if (inner.depth == MAX_DEPTH)
		return tally_metric_fail(making->maker, -EINVAL, "metrics are nested too deeply",
					 making->maker->word);
	ret = formula_make(&inner, tally_model_text(model, metric->expr));
	operand->kind = TALLY_OPERAND_FORMULA;
	operand->formula = inner.formula;
	return ret;
}

/* ---- constants ------------------------------------------------------------------------ */

static double function_value(struct formula_builder *making, uint32_t node)
{
	const struct tally_expr *expr = making->formula->expr;
	struct tally_word word = node_word(expr, expr->nodes[node].operands[0]);
	char pattern[128];

	switch (expr->nodes[node].op) {
	case TALLY_EXPR_HAS_EVENT: return event_exists(making, word);
	case TALLY_EXPR_CPUID:
		snprintf(pattern, sizeof(pattern), "%.*s", (int)word.len, word.text);
		return tally_cpuid_match(pattern, making->maker->events_of->tables.cpuid);
	default: return 1; /* source_count() */
	}
}

static int scope_value(void *context, enum tally_expr_op op, const char *text, size_t len,
		       double *ret_value)
{
	*ret_value = 0;
	return 0;
}

/* Evaluate an operator with constant operands in a temporary expression. */
static double operator_value(struct formula_builder *making, uint32_t node)
{
	const struct tally_expr_node *of = &making->formula->expr->nodes[node];
	static const struct tally_expr_scope scope = {scope_value, NULL};
	struct tally_expr_node nodes[4];
	struct tally_expr expr = {making->formula->expr->text, nodes, 4};
	double value = NAN;

	for (uint32_t i = 0; i < 3; i++)
		nodes[i] = (struct tally_expr_node){.op = TALLY_EXPR_NUMBER,
						    .number = making->values[of->operands[i]]};
	nodes[3] = (struct tally_expr_node){.op = of->op, .operands = {0, 1, 2}};
	return tally_expr_evaluate(&expr, &scope, &value) ? NAN : value;
}

static int operands_of(enum tally_expr_op op)
{
	switch (op) {
	case TALLY_EXPR_NUMBER:
	case TALLY_EXPR_NAME:
	case TALLY_EXPR_LITERAL:
	case TALLY_EXPR_HAS_EVENT:
	case TALLY_EXPR_SOURCE_COUNT:
	case TALLY_EXPR_CPUID: return 0;
	case TALLY_EXPR_NEG: return 1;
	case TALLY_EXPR_IF: return 3;
	default: return 2;
	}
}

static void constants_find(struct formula_builder *making)
{
	const struct tally_expr *expr = making->formula->expr;

	for (uint32_t i = 0; i < expr->nr; i++) {
		const struct tally_expr_node *node = &expr->nodes[i];
		struct tally_word word = node_word(expr, i);
		bool constant = node->op != TALLY_EXPR_NAME;

		for (int o = 0; o < operands_of(node->op); o++)
			constant &= making->constant[node->operands[o]];
		making->constant[i] = constant;
		if (!constant)
			continue;
		if (node->op == TALLY_EXPR_NUMBER)
			making->values[i] = node->number;
		else if (node->op == TALLY_EXPR_LITERAL)
			making->values[i] =
				tally_literal_value(making->maker->events_of, word.text, word.len);
		else
			making->values[i] = operands_of(node->op) ? operator_value(making, i)
								  : function_value(making, i);
	}
}

/* Mark the nodes that the result needs. If a condition is constant, only the selected branch is
 * needed. */
static void needed_find(struct formula_builder *making)
{
	const struct tally_expr *expr = making->formula->expr;

	making->needed[expr->nr - 1] = true;
	for (uint32_t i = expr->nr; i-- > 0;) {
		const struct tally_expr_node *node = &expr->nodes[i];

		if (!making->needed[i] || making->constant[i])
			continue;
		if (node->op == TALLY_EXPR_IF && making->constant[node->operands[1]]) {
			bool yes = making->values[node->operands[1]] != 0;

			making->needed[node->operands[yes ? 0 : 2]] = true;
			continue;
		}
		for (int o = 0; o < operands_of(node->op); o++)
			making->needed[node->operands[o]] = true;
	}
}

/* ---- formulas ---------------------------------------------------------------------------- */

static bool is_leaf(enum tally_expr_op op)
{
	return op != TALLY_EXPR_NUMBER && !operands_of(op);
}

static int operands_make(struct formula_builder *making)
{
	const struct tally_expr *expr = making->formula->expr;
	int ret = 0;

	for (uint32_t i = 0; i < expr->nr && !ret; i++) {
		enum tally_expr_op op = expr->nodes[i].op;
		struct tally_operand operand = {.op = op, .constant = making->values[i]};

		if (!is_leaf(op) || tally_expr_is_argument(expr, i))
			continue;
		operand.text = op == TALLY_EXPR_NAME || op == TALLY_EXPR_LITERAL
				       ? expr->nodes[i].text
				       : expr->nodes[expr->nodes[i].operands[0]].text;
		if (op == TALLY_EXPR_NAME && making->needed[i])
			ret = name_make(making, node_word(expr, i), &operand);
		if (!ret)
			ret = tally_vec_push(&making->formula->operands, operand);
	}
	return ret;
}

static int formula_make(struct formula_builder *making, const char *text)
{
	struct tally_metric_maker *maker = making->maker;
	struct tally_error err;
	int ret;

	making->formula = calloc(1, sizeof(*making->formula));
	ret = making->formula ? tally_vec_push(&maker->formulas, making->formula) : -ENOMEM;
	if (ret) {
		tally_formula_free(making->formula);
		return ret;
	}
	ret = tally_expr_parse(text, strlen(text), &making->formula->expr, &err);
	if (ret)
		return ret == -ENOMEM ? ret
				      : tally_metric_fail(maker, -EINVAL, err.text, maker->word);
	making->values = calloc(making->formula->expr->nr, sizeof(*making->values));
	making->constant = calloc(making->formula->expr->nr, sizeof(*making->constant));
	making->needed = calloc(making->formula->expr->nr, sizeof(*making->needed));
	ret = making->values && making->constant && making->needed ? 0 : -ENOMEM;
	if (!ret) {
		constants_find(making);
		needed_find(making);
		ret = operands_make(making);
	}
	free(making->values);
	free(making->constant);
	free(making->needed);
	return ret;
}

int tally_formula_build(struct tally_metric_maker *maker, struct tally_metric_draft *draft)
{
	struct formula_builder making = {maker, draft, .depth = 0};
	int ret = formula_make(&making, tally_model_text(draft->table->model, draft->row->expr));

	draft->formula = making.formula;
	return ret;
}

/* ---- evaluation --------------------------------------------------------------------------- */

struct evaluator {
	const struct tally_metric_list *list;
	const struct tally_metric *metric;
	const struct tally_formula *formula;
	tally_metric_count_fn *count;
	void *data;
};

static int formula_value(const struct evaluator *computing, double *ret_value);

static double event_value(const struct evaluator *computing, uint32_t event)
{
	const struct tally_event_spec *spec = &computing->list->events->specs[event];

	/* Metrics expect times in seconds. */
	return computing->count(computing->data, event) *
	       (tally_tool_is_time(spec->tool) ? 1e-9 : spec->scale);
}

static int operand_value(void *context, enum tally_expr_op op, const char *text, size_t len,
			 double *ret_value)
{
	struct evaluator *computing = context;
	uint32_t at = (uint32_t)(text - computing->formula->expr->text);

	tally_vec_for_each (operand, &computing->formula->operands) {
		struct evaluator inner = *computing;

		if (operand->text != at || operand->op != op)
			continue;
		if (operand->kind == TALLY_OPERAND_CONSTANT)
			*ret_value = operand->constant;
		else if (operand->kind == TALLY_OPERAND_EVENT)
			*ret_value =
				event_value(computing, computing->metric->places[operand->event]);
		inner.formula = operand->formula;
		return operand->kind == TALLY_OPERAND_FORMULA ? formula_value(&inner, ret_value)
							      : 0;
	}
	*ret_value = NAN;
	return 0;
}

static int formula_value(const struct evaluator *computing, double *ret_value)
{
	struct evaluator copy = *computing;
	struct tally_expr_scope scope = {operand_value, &copy};

	return tally_expr_evaluate(computing->formula->expr, &scope, ret_value);
}

int tally_metric_evaluate(const struct tally_metric_list *list, const struct tally_metric *metric,
			  tally_metric_count_fn *count, void *data, double *ret_value)
{
	struct evaluator computing = {list, metric, metric->formula, count, data};
	double value;
	int ret = formula_value(&computing, &value);

	if (!ret)
		*ret_value = value * metric->scale;
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: functions that build metrics from the expressions in the tables. */
#ifndef TALLY_EVENTS_METRIC_H
#define TALLY_EVENTS_METRIC_H

#include "base/str.h"
#include "events/parse.h"
#include "jevents/expr.h"

struct tally_formula;

enum tally_operand_kind { TALLY_OPERAND_CONSTANT, TALLY_OPERAND_EVENT, TALLY_OPERAND_FORMULA };

/* Meaning of a leaf node in an expression. */
struct tally_operand {
	enum tally_operand_kind kind;
	uint32_t text; /* offset of the node's name in the expression's text */
	enum tally_expr_op op;
	double constant;
	uint32_t event; /* index into the maker's events, later into the event list */
	struct tally_formula *formula;
};

/* An expression that is ready for evaluation. */
struct tally_formula {
	struct tally_expr *expr;
	TALLY_VEC(struct tally_operand) operands;
};

/* An event used by metrics. Each event string occurs only once. */
struct tally_metric_event {
	const char *text; /* string passed to the parser: "cpu_core/INST_RETIRED.ANY/" */
	const char *core; /* kind of core in the draft that first used the event */
	struct tally_event_counters needs;
	bool grouped;      /* needs a counter */
	bool part;         /* topdown event, read together with the slots counter */
	uint32_t nr_specs; /* number of specs that the parser creates from the string */
};

/* A metric under construction. */
struct tally_metric_draft {
	const struct tally_table *table;
	const struct tally_model_metric *row;
	const char *core; /* prefix of the event names, or NULL */
	struct tally_formula *formula;
	TALLY_VEC(uint32_t) events; /* indexes into tally_metric_maker.events */
	TALLY_VEC(uint32_t) places; /* for each event: its group at first, its list index later */
	bool together, hidden;
};

struct tally_metric_maker {
	struct tally_events *events_of;
	struct tally_arena *arena; /* the list's arena */
	struct tally_event_error *err;
	struct tally_word word; /* name of the current metric, for errors */
	const char *text;
	unsigned flags;
	TALLY_VEC(struct tally_metric_event) events;
	TALLY_VEC(struct tally_metric_draft) drafts;
	TALLY_VEC(struct tally_formula *) formulas; /* all formulas, to be freed */
};

/* Build a draft's formula, including the formulas of the metrics it refers to, and add its events
 * to the draft. Returns 0, -EINVAL with the error filled in, or -ENOMEM. */
int tally_formula_build(struct tally_metric_maker *maker, struct tally_metric_draft *draft);
/* Get the next name in an expression that refers to metrics, and advance `*at`. Returns false at
 * the end. */
bool tally_metric_name_next(const char **at, struct tally_word *ret_name);
void tally_formula_free(struct tally_formula *formula);

/* Return the value of a literal such as "#num_cpus", or NaN if unknown. */
double tally_literal_value(struct tally_events *events, const char *text, size_t len);

/* Distribute the events of all drafts among groups that fit the counters. Sets the event string,
 * and the index of each event in the string. Returns 0 or -ENOMEM. */
int tally_metrics_group(struct tally_metric_maker *maker, struct tally_str *out);

#endif

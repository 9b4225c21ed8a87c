/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: metrics between their text and the events they are made of. */
#ifndef TALLY_EVENTS_METRIC_H
#define TALLY_EVENTS_METRIC_H

#include "base/str.h"
#include "events/parse.h"
#include "jevents/expr.h"

struct tally_formula;

enum tally_operand_kind { TALLY_OPERAND_CONSTANT, TALLY_OPERAND_EVENT, TALLY_OPERAND_FORMULA };

/* What a node of an expression that is no operator stands for. */
struct tally_operand {
	enum tally_operand_kind kind;
	uint32_t text; /* of the node's name, in the expression's text */
	enum tally_expr_op op;
	double constant;
	uint32_t event; /* index of a metric_event, later of a place in the list */
	struct tally_formula *formula;
};

/* An expression, ready to be computed. */
struct tally_formula {
	struct tally_expr *expr;
	TALLY_VEC(struct tally_operand) operands;
};

/* An event that metrics are made of, once for each text. */
struct tally_metric_event {
	const char *text; /* as it is parsed, "cpu_core/INST_RETIRED.ANY/" */
	const char *core; /* of the draft that brought it */
	struct tally_event_counters needs;
	bool grouped;      /* takes a counter */
	bool part;         /* of the register that is read with the slots */
	uint32_t nr_specs; /* that the parser makes of it */
};

/* A metric while the list is made. */
struct tally_metric_draft {
	const struct tally_table *table;
	const struct tally_model_metric *row;
	const char *core; /* prefix of its events; NULL: none */
	struct tally_formula *formula;
	TALLY_VEC(uint32_t) events; /* of tally_metric_maker.events */
	TALLY_VEC(uint32_t) places; /* of the same events: their groups, then indices in the list */
	bool together, hidden;
};

struct tally_metric_maker {
	struct tally_events *events_of;
	struct tally_arena *arena; /* of the list */
	struct tally_event_error *err;
	struct tally_word word; /* of the metric that is being made, for errors */
	const char *text;
	unsigned flags;
	TALLY_VEC(struct tally_metric_event) events;
	TALLY_VEC(struct tally_metric_draft) drafts;
	TALLY_VEC(struct tally_formula *) formulas; /* all, to free */
};

/* Make the formula of a draft, with those of the metrics it refers to; its events are noted in
 * the draft. 0, -EINVAL (told) or -ENOMEM. */
int tally_formula_make(struct tally_metric_maker *maker, struct tally_metric_draft *draft);
/* The `at`-th name of an expression over metrics. False at the end. */
bool tally_metric_name_next(const char **at, struct tally_word *ret_name);
void tally_formula_free(struct tally_formula *formula);

/* Value of "#num_cpus" and the like; NaN for what is not known here. */
double tally_literal_value(struct tally_events *events, const char *text, size_t len);

/* Put the drafts' events into groups that fit the counters: the event string, and every draft's
 * places in it. 0 or -ENOMEM. */
int tally_metrics_group(struct tally_metric_maker *maker, struct tally_str *out);

/* Fill the error. */
int tally_metric_fail(struct tally_metric_maker *maker, int code, const char *text,
		      struct tally_word word);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of the parser: what is wrong and where, similar names, and a fix. */
#ifndef TALLY_EVENTS_ERROR_H
#define TALLY_EVENTS_ERROR_H

#include "events/metric.h"
#include "events/parse.h"

/* Fill in the error and return `code`. If `word` is not part of p->text because it is in the terms
 * of an alias, the offset is p->at. */
int tally_parser_fail(struct tally_event_parser *p, int code, const char *text,
		      struct tally_word word);

/* Fill in the error if the tables cannot be opened. */
int tally_table_fail(struct tally_event_parser *p, int code, struct tally_word word);

/* Fill in the error and return `code`. */
int tally_metric_fail(struct tally_metric_maker *maker, int code, const char *text,
		      struct tally_word word);

/* Copy the suggested names to err->near. */
void tally_error_near(struct tally_event_error *err, const struct tally_suggest *suggest);

/* Copy `text` to err->fix, truncated if necessary. */
void tally_error_fix(struct tally_event_error *err, const char *text);

#endif

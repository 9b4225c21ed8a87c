/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of data with the cost of their members, as text. */
#ifndef TALLY_VIEW_TYPES_VIEW_H
#define TALLY_VIEW_TYPES_VIEW_H

#include "base/str.h"
#include "profile/annotate/type_costs.h"

struct tally_types_view {
	const struct tally_type_costs *costs;
	const char *event; /* event's name */
	/* Total of the event, and whether percentages are those of this total, not of the type; and
	 * whether they are computed from sample counts, not from weights. */
	struct tally_type_sum total;
	bool is_global, by_hits;
	bool has_samples, has_periods; /* columns after the percentage */
};

/* Return a type's share of all samples, in percent. */
double tally_types_view_share(const struct tally_types_view *view, const struct tally_typed *typed);

/* Append a type with its members. */
void tally_types_view_type(const struct tally_types_view *view, const struct tally_typed *typed,
			   struct tally_str *out);

/* Append how many samples were resolved, and why the others were not. */
void tally_types_view_results(const struct tally_types_view *view, struct tally_str *out);

#endif

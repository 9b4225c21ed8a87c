/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "view/types_view.h"

enum { INDENT = 4 };

static double percent(const struct tally_types_view *view, const struct tally_type_sum *part,
		      const struct tally_type_sum *whole)
{
	uint64_t all = view->by_hits ? whole->nr : whole->weight;

	return all ? 100.0 * (double)(view->by_hits ? part->nr : part->weight) / (double)all : 0;
}

double tally_types_view_share(const struct tally_types_view *view, const struct tally_typed *typed)
{
	return percent(view, &typed->sum, &view->total);
}

/* Append the columns of a type or member, before its name. */
static void add_columns(const struct tally_types_view *view, const struct tally_typed *typed,
			const struct tally_type_sum *sum, uint64_t offset, uint64_t size,
			struct tally_str *out)
{
	tally_str_addf(out, "%8.2f",
		       percent(view, sum, view->is_global ? &view->total : &typed->sum));
	if (view->has_samples)
		tally_str_addf(out, " %10" PRIu64, sum->nr);
	if (view->has_periods)
		tally_str_addf(out, " %12" PRIu64, sum->weight);
	tally_str_addf(out, " %10" PRIu64 " %10" PRIu64 "  ", offset, size);
}

/* Append `depth` levels of indentation, below the columns if `is_alone` is set. */
static void add_indent(const struct tally_types_view *view, uint32_t depth, bool is_alone,
		       struct tally_str *out)
{
	uint32_t columns = depth * INDENT;

	if (is_alone)
		columns += 32 + (view->has_samples ? 11 : 0) + (view->has_periods ? 13 : 0);
	tally_str_addf(out, "%*s", (int)columns, "");
}

static void add_heading(const struct tally_types_view *view, const struct tally_typed *typed,
			struct tally_str *out)
{
	tally_str_add(out, "Annotate type: '");
	tally_str_add_escaped(out, typed->type->name);
	tally_str_addf(out, "' (%" PRIu64 " samples of ", typed->sum.nr);
	tally_str_add_escaped(out, view->event);
	tally_str_addf(out, ", %.2f%% of all)\n", tally_types_view_share(view, typed));
	tally_str_addf(out, "%8s", "Percent");
	if (view->has_samples)
		tally_str_addf(out, " %10s", "Samples");
	if (view->has_periods)
		tally_str_addf(out, " %12s", "Period");
	tally_str_addf(out, " %10s %10s  %s\n", "Offset", "Size", "Member");
}

static void add_member_name(const struct tally_type_member *member, struct tally_str *out)
{
	size_t len = strlen(member->type);
	bool is_pointer = len && member->type[len - 1] == '*';

	tally_str_add_escaped(out, member->type);
	if (member->name && !is_pointer)
		tally_str_add_char(out, ' ');
	if (member->name)
		tally_str_add_escaped(out, member->name);
	if (member->element && member->size)
		tally_str_addf(out, "[%" PRIu64 "]", member->size / member->element);
	else if (member->element)
		tally_str_add(out, "[]");
}

/* Return true if the type's next entry is a member of this one. */
static bool has_members(const struct tally_type *type, uint32_t i)
{
	return i + 1 < type->nr && type->members[i + 1].depth > type->members[i].depth;
}

/* Append the ends of the types from depth `from` down to `to`. */
static void add_ends(const struct tally_types_view *view, uint32_t from, uint32_t to,
		     struct tally_str *out)
{
	while (from-- > to) {
		add_indent(view, from, true, out);
		tally_str_add(out, "};\n");
	}
}

void tally_types_view_type(const struct tally_types_view *view, const struct tally_typed *typed,
			   struct tally_str *out)
{
	const struct tally_type *type = typed->type;

	add_heading(view, typed, out);
	add_columns(view, typed, &typed->sum, 0, type->size, out);
	tally_str_add_escaped(out, type->name);
	tally_str_add(out, type->nr ? " {\n" : "\n");
	for (uint32_t i = 0; i < type->nr; i++) {
		const struct tally_type_member *member = &type->members[i];
		uint32_t next = i + 1 < type->nr ? type->members[i + 1].depth : 0;

		add_columns(view, typed, &typed->members[i], member->offset, member->size, out);
		add_indent(view, member->depth + 1, false, out);
		add_member_name(member, out);
		tally_str_add(out, has_members(type, i) ? " {\n" : ";\n");
		if (!has_members(type, i))
			add_ends(view, member->depth + 1, next + 1, out);
	}
	if (type->nr)
		add_ends(view, 1, 0, out);
	tally_str_add_char(out, '\n');
}

void tally_types_view_results(const struct tally_types_view *view, struct tally_str *out)
{
	uint64_t all = tally_type_costs_nr(view->costs);
	uint64_t found = view->costs->results[TALLY_DATA_FOUND].nr;
	double share = all ? 100.0 * (double)found / (double)all : 0;

	tally_str_add(out, "Data types of ");
	tally_str_add_escaped(out, view->event);
	tally_str_addf(out,
		       ": %" PRIu64 " samples, %" PRIu64 " resolved (%.1f%%), %" PRIu64
		       " not resolved\n",
		       all, found, share, all - found);
	for (int i = 0; i < TALLY_DATA_RESULTS; i++) {
		if (view->costs->results[i].nr && i != TALLY_DATA_FOUND)
			tally_str_addf(out, "%10" PRIu64 "  %s\n", view->costs->results[i].nr,
				       tally_data_result_text((enum tally_data_result)i));
	}
	tally_str_add_char(out, '\n');
}

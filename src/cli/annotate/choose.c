/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/annotate/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/path.h"
#include "cli/main/print.h"
#include "symbols/short_name.h"
#include "view/view.h"

static bool has_samples(const void *arg, uint32_t event)
{
	const struct tally_annotate *annotate = arg;

	return tally_annotate_total(annotate, event).nr;
}

int annotate_groups_find(const struct annotate_config *config, struct tally_session *session,
			 const struct tally_annotate *annotate,
			 struct tally_event_groups *ret_groups)
{
	const struct tally_event_groups_options options = {
		.joins_all = config->is_grouped,
		.has_samples = has_samples,
		.arg = annotate,
	};

	return tally_event_groups_find(session, &options, ret_groups);
}

struct weighed_function {
	const struct tally_annotate_function *function;
	uint64_t weight, nr, total_nr;
	double share; /* percentage of the event's samples; maximum over the group */
};

static struct weighed_function function_weigh(const struct tally_annotate *annotate,
					      const struct tally_annotate_function *function,
					      const uint32_t *events, size_t nr)
{
	struct weighed_function weighed = {.function = function};

	for (size_t i = 0; i < nr; i++) {
		struct tally_annotate_cost sum = tally_annotate_sum(annotate, function, events[i]);
		uint64_t all = tally_annotate_total(annotate, events[i]).weight;
		double share = all ? 100.0 * (double)sum.weight / (double)all : 0;

		weighed.nr += sum.nr;
		weighed.weight += sum.weight;
		weighed.total_nr += sum.total_nr;
		weighed.share = share > weighed.share ? share : weighed.share;
	}
	return weighed;
}

static int compare_weighed(const void *a, const void *b)
{
	const struct weighed_function *left = a, *right = b;
	uint32_t left_dso = tally_dso_number(left->function->dso);
	uint32_t right_dso = tally_dso_number(right->function->dso);

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	if (left_dso != right_dso)
		return left_dso < right_dso ? -1 : 1;
	return left->function->symbol->start < right->function->symbol->start ? -1 : 1;
}

int annotate_functions_find(const struct annotate_config *config,
			    const struct tally_annotate *annotate,
			    const struct tally_event_groups *groups,
			    const struct tally_event_group *group,
			    struct annotate_functions *ret_functions)
{
	TALLY_VEC(struct weighed_function) found = {0};
	int ret = 0;

	for (size_t i = 0; i < tally_annotate_nr_functions(annotate) && !ret; i++) {
		const struct tally_annotate_function *function =
			tally_annotate_function(annotate, i);
		struct weighed_function weighed = function_weigh(
			annotate, function, groups->events.data + group->first, group->nr);

		if (function->is_wanted && weighed.share >= config->limit &&
		    (config->symbol ? weighed.total_nr : weighed.nr))
			ret = tally_vec_push(&found, weighed);
	}
	if (found.len)
		qsort(found.data, found.len, sizeof(*found.data), compare_weighed);
	ret_functions->all.len = 0;
	ret_functions->match = TALLY_MATCH_NONE;
	tally_vec_for_each (weighed, &found)
		ret_functions->match = TALLY_MAX(ret_functions->match, weighed->function->match);
	tally_vec_for_each (weighed, &found) {
		if (!ret && weighed->function->match == ret_functions->match)
			ret = tally_vec_push(&ret_functions->all, weighed->function);
	}
	tally_vec_free(&found);
	return ret;
}

enum { LISTED_MAX = 20 };

static void add_short(struct tally_dso *dso, const struct tally_symbol *symbol,
		      struct tally_str *line)
{
	const char *name = tally_symbol_name(dso, symbol);

	(void)tally_short_name(line, name, strlen(name));
}

/* Print a match, with its share; `inlined` is NULL for a function of its own. */
static void print_match(const struct tally_annotate_function *function,
			const struct tally_symbol *inlined, uint64_t weight, uint64_t all)
{
	struct tally_str line = {0};
	size_t start;

	tally_view_percent(weight, all, &line);
	tally_str_add(&line, "  ");
	start = line.len;
	if (inlined) {
		add_short(function->dso, inlined, &line);
		tally_str_add(&line, ", inlined in ");
	}
	add_short(function->dso, function->symbol, &line);
	tally_str_add(&line, "  ");
	tally_str_add(&line, tally_path_name(tally_dso_name(function->dso)));
	tally_str_escape(&line, start);
	tally_print_detail("%s", tally_str_text(&line));
	tally_str_free(&line);
}

static void print_more(size_t nr)
{
	if (nr > LISTED_MAX)
		tally_print_detail("and %zu more", nr - LISTED_MAX);
	tally_print_hint("use a whole or short name, or more of it");
}

void annotate_functions_list(const struct annotate_config *config,
			     const struct tally_annotate *annotate, uint32_t event,
			     const struct annotate_functions *functions)
{
	uint64_t all = tally_annotate_total(annotate, event).weight;

	tally_print_error("'%s' matches %zu functions", config->symbol, functions->all.len);
	for (size_t i = 0; i < TALLY_MIN(functions->all.len, (size_t)LISTED_MAX); i++) {
		const struct tally_annotate_function *function = functions->all.data[i];

		print_match(function, NULL, tally_annotate_sum(annotate, function, event).weight,
			    all);
	}
	print_more(functions->all.len);
}

bool annotate_inlined_are_mixed(const struct tally_inlined_uses *uses)
{
	const struct tally_inlined_use *first = uses->all.data;

	tally_vec_for_each (use, &uses->all) {
		if (uses->match < TALLY_MATCH_WHOLE &&
		    strcmp(tally_symbol_name(use->function->dso, use->symbol),
			   tally_symbol_name(first->function->dso, first->symbol)) != 0)
			return true;
	}
	return false;
}

void annotate_inlined_list(const struct annotate_config *config,
			   const struct tally_annotate *annotate, uint32_t event,
			   const struct tally_inlined_uses *uses)
{
	uint64_t all = tally_annotate_total(annotate, event).weight;

	tally_print_error("'%s' matches several inlined functions", config->symbol);
	for (size_t i = 0; i < TALLY_MIN(uses->all.len, (size_t)LISTED_MAX); i++) {
		const struct tally_inlined_use *use = &uses->all.data[i];

		print_match(use->function, use->symbol, use->weight, all);
	}
	print_more(uses->all.len);
}

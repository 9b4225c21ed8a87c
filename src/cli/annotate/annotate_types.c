/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/annotate/annotate_types.h"

#include <string.h>

#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "view/types_view.h"

/* Return true if the user selected this type, with or without the word before its name. */
static bool is_selected(const struct annotate_config *config, const struct tally_type *type)
{
	static const char *const words[] = {"", "struct ", "union ", "class ", "enum "};

	if (!*config->data_type)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i]);

		if (!strncmp(type->name, words[i], len) &&
		    !strcmp(type->name + len, config->data_type))
			return true;
	}
	return false;
}

static int show_types(const struct annotate_config *config, const struct tally_types_view *view,
		      struct tally_str *out, uint64_t *nr)
{
	int ret = 0;

	tally_vec_for_each (typed, &view->costs->all) {
		if (ret || !is_selected(config, typed->type) ||
		    tally_types_view_share(view, typed) < config->limit)
			continue;
		tally_types_view_type(view, typed, out);
		++*nr;
		if (out->len >= TALLY_FLUSH_AT)
			ret = tally_output_flush(out);
	}
	return ret;
}

static int show_event(const struct annotate_config *config, struct tally_data_types *types,
		      const struct tally_annotate *samples, uint32_t event, const char *name,
		      struct tally_str *out, uint64_t *nr)
{
	struct tally_annotate_total total = tally_annotate_total(samples, event);
	struct tally_type_costs costs;
	struct tally_types_view view = {
		.costs = &costs,
		.event = name,
		.total = {total.nr, total.weight},
		.is_global = config->is_global,
		.by_hits = config->by_hits,
		.has_samples = config->show_samples,
		.has_periods = config->show_period,
	};
	int ret = tally_type_costs_find(types, samples, event, &costs);

	if (ret)
		return ret;
	if (!config->symbol && !config->dsos)
		costs.results[TALLY_DATA_NO_FILE].nr += total.nr_unnamed;
	if (config->has_type_stat) {
		tally_types_view_results(&view, out);
		++*nr;
	}
	if (config->data_type)
		ret = show_types(config, &view, out, nr);
	tally_type_costs_free(&costs);
	return ret;
}

int annotate_types_show(const struct annotate_config *config, const struct tally_annotate *samples,
			const struct tally_event_groups *groups, struct tally_str *out,
			uint64_t *ret_nr)
{
	struct tally_data_types *types;
	int ret = tally_data_types_new(&types);

	if (ret)
		return ret;
	tally_vec_for_each (group, &groups->all) {
		for (size_t i = 0; i < group->nr && !ret; i++) {
			uint32_t event = groups->events.data[group->first + i];

			ret = show_event(config, types, samples, event, groups->names.data[event],
					 out, ret_nr);
		}
	}
	tally_data_types_free(types);
	return ret;
}

void annotate_types_explain(const struct annotate_config *config)
{
	if (config->data_type && *config->data_type) {
		tally_print_error("no sample is known to access the type '%s'", config->data_type);
		tally_print_hint("--data-type without a name shows all types that were found");
		return;
	}
	tally_print_error("no sample is known to access a variable with a type");
	tally_print_hint("--type-stat counts the reasons");
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/annotate/type_costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

struct finding {
	struct tally_data_types *types;
	struct tally_type_costs *costs;
	struct tally_map known; /* type's address -> index in `costs` */
};

static void add(struct tally_type_sum *sum, const struct tally_annotate_cost *cost)
{
	sum->nr += cost->nr;
	sum->weight += cost->weight;
}

/* Return the index of an equal type of another file, or of a new one. */
static int type_add(struct finding *finding, const struct tally_type *type, size_t *ret_index)
{
	struct tally_typed typed = {.type = type};

	for (size_t i = 0; i < finding->costs->all.len; i++) {
		const struct tally_type *other = finding->costs->all.data[i].type;

		if (other->size == type->size && other->nr == type->nr &&
		    !strcmp(other->name, type->name)) {
			*ret_index = i;
			return 0;
		}
	}
	typed.members = calloc(type->nr + 1u, sizeof(*typed.members));
	*ret_index = finding->costs->all.len;
	if (!typed.members || tally_vec_push(&finding->costs->all, typed)) {
		free(typed.members);
		return -ENOMEM;
	}
	return 0;
}

/* Get the entry for a type. The pointer is valid until the next call. */
static int type_entry(struct finding *finding, const struct tally_type *type,
		      struct tally_typed **ret_typed)
{
	uint64_t known = tally_map_get(&finding->known, (uintptr_t)type);
	size_t index = (size_t)known;
	int ret = 0;

	if (known == TALLY_MAP_NONE) {
		ret = type_add(finding, type, &index);
		if (!ret)
			ret = tally_map_set(&finding->known, (uintptr_t)type, index);
	}
	if (!ret)
		*ret_typed = &finding->costs->all.data[index];
	return ret;
}

struct member_add {
	struct tally_typed *typed;
	const struct tally_annotate_cost *cost;
};

static void member_visit(void *arg, uint32_t member, uint64_t rest)
{
	const struct member_add *adding = arg;

	(void)rest;
	add(&adding->typed->members[member], adding->cost);
}

static int add_place(struct finding *finding, const struct tally_annotate_function *function,
		     const struct tally_annotate_place *place)
{
	struct tally_data_type found;
	struct tally_typed *typed;
	int ret = tally_data_types_find(finding->types, function->dso, function->symbol,
					place->addr, &found);

	if (ret)
		return ret;
	add(&finding->costs->results[found.result], &place->cost);
	if (found.result != TALLY_DATA_FOUND)
		return 0;
	ret = type_entry(finding, found.type, &typed);
	if (!ret) {
		struct member_add adding = {typed, &place->cost};

		add(&typed->sum, &place->cost);
		tally_type_visit_members(typed->type, found.offset, member_visit, &adding);
	}
	return ret;
}

static int add_function(struct finding *finding, const struct tally_annotate *annotate,
			const struct tally_annotate_function *function, uint32_t event)
{
	const struct tally_annotate_place *places = tally_annotate_places(annotate, function);
	int ret = 0;

	for (uint32_t i = 0; i < function->nr && !ret; i++) {
		if (places[i].event == event && places[i].cost.nr)
			ret = add_place(finding, function, &places[i]);
	}
	return ret;
}

static int by_weight(const void *a, const void *b)
{
	const struct tally_typed *x = a, *y = b;

	if (x->sum.weight != y->sum.weight)
		return x->sum.weight > y->sum.weight ? -1 : 1;
	return strcmp(x->type->name, y->type->name);
}

int tally_type_costs_find(struct tally_data_types *types, const struct tally_annotate *annotate,
			  uint32_t event, struct tally_type_costs *ret_costs)
{
	struct finding finding = {.types = types, .costs = ret_costs};
	int ret = 0;

	*ret_costs = (struct tally_type_costs){0};
	for (size_t i = 0; i < tally_annotate_nr_functions(annotate) && !ret; i++)
		ret = add_function(&finding, annotate, tally_annotate_function(annotate, i), event);
	if (!ret && ret_costs->all.len)
		qsort(ret_costs->all.data, ret_costs->all.len, sizeof(*ret_costs->all.data),
		      by_weight);
	tally_map_free(&finding.known);
	if (ret)
		tally_type_costs_free(ret_costs);
	return ret;
}

void tally_type_costs_free(struct tally_type_costs *costs)
{
	tally_vec_for_each (typed, &costs->all)
		free(typed->members);
	tally_vec_free(&costs->all);
}

uint64_t tally_type_costs_nr(const struct tally_type_costs *costs)
{
	uint64_t nr = 0;

	for (int i = 0; i < TALLY_DATA_RESULTS; i++)
		nr += costs->results[i].nr;
	return nr;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/demangle_cxx.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/*
 * A name's substitutions make its tree a graph: n parts, 2^n ways through them. Ways that print
 * something end with the text that the caller is ready to take. Two kinds print nothing:
 *  - libiberty looks for the parameter pack of an expansion (Dp, sp) or of a size (sZ, sP) down all
 *    ways, each time it prints one;
 *  - a template parameter stands for an argument, and that for parameters of the template around,
 *    and so on, down to packs that are empty.
 * The graph itself has two parts a byte, so both can be counted before they are walked.
 */
enum {
	NAME_MAX_LEN = 1024, /* libiberty takes no longer one: two parts a byte, 2048 calls deep */
	SEARCH_MAX = 4096,   /* parts, expanded, in which a pack is looked for */
	SEARCHES_MAX = 1 << 18, /* in all searches together */
	SEARCH_PER_BYTE = 64,   /* of these, in the time of printing a byte */
	PARAMS_MAX = 1 << 16,   /* ways from a parameter through the templates around */
	REFS_MAX = 8,           /* references in a name that is not worth measuring, */
	SEARCHED_REFS_MAX = 4,  /* if it looks for packs, */
	UNPARSED_REFS_MAX = 12, /* and in one that cannot be measured */
};

/* What a part comes to, with all parts below it, each as often as there are ways to it. */
struct part {
	struct demangle_component *component;
	uint64_t parts, params, searched;
	unsigned scopes; /* templates around each other */
	bool is_done;
};

struct part_graph {
	uint64_t search_max; /* parts below one expansion */
	uint64_t params_max; /* parameters in one template's arguments */
	size_t nr, max;
	struct part parts[]; /* the first is for none */
};

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t multiply_saturated(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* The one or two components below `of`, NULL where there is none. */
static void find_below(const struct demangle_component *of, struct demangle_component *ret_below[2])
{
	ret_below[0] = ret_below[1] = NULL;
	switch (of->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE: return;
	case DEMANGLE_COMPONENT_CTOR: ret_below[0] = of->u.s_ctor.name; return;
	case DEMANGLE_COMPONENT_DTOR: ret_below[0] = of->u.s_dtor.name; return;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		ret_below[0] = of->u.s_extended_operator.name;
		return;
	case DEMANGLE_COMPONENT_FIXED_TYPE: ret_below[0] = of->u.s_fixed.length; return;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG: ret_below[0] = of->u.s_unary_num.sub; return;
	default: ret_below[0] = of->u.s_binary.left; ret_below[1] = of->u.s_binary.right;
	}
}

static bool is_search(const struct demangle_component *of)
{
	return of->type == DEMANGLE_COMPONENT_PACK_EXPANSION ||
	       of->type == DEMANGLE_COMPONENT_UNARY;
}

static bool is_scope(const struct demangle_component *of)
{
	return of->type == DEMANGLE_COMPONENT_TYPED_NAME ||
	       of->type == DEMANGLE_COMPONENT_CONVERSION;
}

/* What `part` comes to, from the two below it. */
static void sum_part(struct part_graph *graph, struct part *part, const struct part *left,
		     const struct part *right)
{
	const struct demangle_component *of = part->component;

	part->parts = add_saturated(add_saturated(left->parts, right->parts), 1);
	part->params = add_saturated(left->params, right->params);
	part->searched = add_saturated(left->searched, right->searched);
	part->scopes = TALLY_MAX(left->scopes, right->scopes) + is_scope(of);
	part->is_done = true;
	if (of->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM)
		part->params = 1;
	if (of->type == DEMANGLE_COMPONENT_TEMPLATE)
		graph->params_max = TALLY_MAX(graph->params_max, right->params);
	if (is_search(of)) {
		graph->search_max = TALLY_MAX(graph->search_max, part->parts);
		part->searched = add_saturated(part->searched, part->parts);
	}
}

/* Each component once: while the graph is measured, d_counting says which part it is. -E2BIG when
 * there are more than there can be, or one is below itself. */
static int part_measure(struct part_graph *graph, struct demangle_component *of,
			const struct part **ret_part)
{
	struct demangle_component *below[2];
	const struct part *left, *right;
	struct part *part;
	int err;

	if (!of) {
		*ret_part = &graph->parts[0];
		return 0;
	}
	part = &graph->parts[of->d_counting];
	if (!of->d_counting) {
		if (graph->nr >= graph->max)
			return -E2BIG;
		of->d_counting = (int)++graph->nr;
		part = &graph->parts[graph->nr];
		*part = (struct part){.component = of};
		find_below(of, below);
		err = part_measure(graph, below[0], &left);
		if (!err)
			err = part_measure(graph, below[1], &right);
		if (err)
			return err;
		sum_part(graph, part, left, right);
	}
	*ret_part = part;
	return part->is_done ? 0 : -E2BIG;
}

/* 0 and `name`'s work, or -E2BIG. */
static int measure_work(struct part_graph *graph, struct tally_cxx_name *name)
{
	const struct part *root;
	uint64_t ways = 1;
	int err = part_measure(graph, name->tree, &root);

	for (size_t i = 1; i <= graph->nr; i++)
		graph->parts[i].component->d_counting = 0;
	if (err)
		return err;
	for (unsigned i = 1; i < root->scopes && graph->params_max > 1; i++)
		ways = multiply_saturated(ways, graph->params_max);
	if (graph->search_max > SEARCH_MAX || root->searched > SEARCHES_MAX || ways > PARAMS_MAX)
		return -E2BIG;
	name->work = graph->nr + root->searched + ways;
	name->work_per_byte = graph->search_max / SEARCH_PER_BYTE;
	return 0;
}

/* "sr" and one of these can be two things: libiberty tries one, then the other, but not when it is
 * asked for the tree, where it may begin with either. */
static bool is_ambiguous(const char *at)
{
	return at[0] == 's' && at[1] == 'r' &&
	       ((at[2] >= '0' && at[2] <= '9') || (at[2] >= 'a' && at[2] <= 'z') || at[2] == 'C' ||
		at[2] == 'U' || at[2] == 'L');
}

/* True if the two bytes at `at` are in an identifier. */
static bool is_in_identifier(const struct part_graph *graph, const char *at)
{
	for (size_t i = 1; i <= graph->nr; i++) {
		const struct demangle_component *name = graph->parts[i].component;
		uintptr_t from = (uintptr_t)name->u.s_name.s;

		if (name->type == DEMANGLE_COMPONENT_NAME && (uintptr_t)at >= from &&
		    (uintptr_t)at + 2 - from <= (uintptr_t)name->u.s_name.len)
			return true;
	}
	return false;
}

static bool has_ambiguous(const struct part_graph *graph, const char *raw)
{
	for (const char *at = raw; (at = strstr(at, "sr")); at++) {
		if (is_ambiguous(at) && !is_in_identifier(graph, at))
			return true;
	}
	return false;
}

/* What a name's bytes say before they are parsed: in an identifier they may mean nothing. */
struct glance {
	size_t refs;   /* to substitutions and template parameters: each doubles the ways at most */
	size_t scopes; /* names of functions in names */
	bool is_search; /* for a pack */
};

static void look_at(const char *raw, struct glance *ret_glance)
{
	struct glance glance = {0};

	for (const char *at = raw; *at; at++) {
		char next = at[1];

		glance.refs += (*at == 'S' || *at == 'T') &&
			       (next == '_' || (next >= '0' && next <= '9') ||
				(next >= 'A' && next <= 'Z'));
		glance.scopes += *at == 'Z' || (*at == 'c' && next == 'v');
		if ((*at == 'D' && next == 'p') ||
		    (*at == 's' && (next == 'p' || next == 'Z' || next == 'P')))
			glance.is_search = true;
	}
	*ret_glance = glance;
}

/* Most names need no graph. */
static bool is_harmless(const struct glance *glance)
{
	return glance->refs <= (glance->is_search ? SEARCHED_REFS_MAX : REFS_MAX);
}

/* A name that cannot be measured as a graph: 0 when it has few references, or -E2BIG. */
static int estimate_work(const struct glance *glance, struct tally_cxx_name *name)
{
	if (glance->refs > UNPARSED_REFS_MAX && (glance->is_search || glance->scopes > 2))
		return -E2BIG;
	free(name->memory);
	*name = (struct tally_cxx_name){.work = 1 << UNPARSED_REFS_MAX};
	if (glance->is_search)
		name->work_per_byte = (1 << UNPARSED_REFS_MAX) / SEARCH_PER_BYTE;
	return 0;
}

/* Parses and measures the name that `glance` is of. */
static int parse(const char *raw, int options, const struct glance *glance,
		 struct tally_cxx_name *name)
{
	size_t max = 2 * strlen(raw);
	struct part_graph *graph = malloc(sizeof(*graph) + (max + 1) * sizeof(graph->parts[0]));
	int err;

	if (!graph)
		return -ENOMEM;
	*graph = (struct part_graph){.max = max};
	graph->parts[0] = (struct part){.is_done = true};
	name->tree = cplus_demangle_v3_components(raw, options, &name->memory);
	err = name->tree ? measure_work(graph, name) : -EINVAL;
	if ((!err || !name->tree) && has_ambiguous(graph, raw))
		err = estimate_work(glance, name);
	free(graph);
	return err;
}

int tally_cxx_name_parse(const char *raw, int options, struct tally_cxx_name *ret_name)
{
	struct tally_cxx_name name = {0};
	struct glance glance;
	int err = 0;

	if (strnlen(raw, NAME_MAX_LEN + 1) > NAME_MAX_LEN)
		return -E2BIG;
	look_at(raw, &glance);
	if (!is_harmless(&glance))
		err = raw[0] == '_' && raw[1] == 'Z' ? parse(raw, options, &glance, &name)
						     : estimate_work(&glance, &name);
	if (err) {
		free(name.memory);
		return err;
	}
	*ret_name = name;
	return 0;
}

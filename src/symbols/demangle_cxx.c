/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/demangle_cxx.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/*
 * Substitutions turn a name's tree into a graph, in which n components can have 2^n paths. Paths
 * that print something are limited by the length of text that the caller accepts. Two kinds of
 * paths print nothing:
 * - Each time libiberty prints the expansion (Dp, sp) or size (sZ, sP) of a parameter pack, it
 *   searches all paths below the expression for the pack.
 * - A template parameter refers to an argument, which may refer to parameters of the enclosing
 *   template, and so on through all levels. If the argument at the end is an empty pack, nothing is
 *   printed.
 *
 * The graph itself has at most two components per byte, so its paths can be counted without
 * following them.
 */
enum {
	NAME_MAX_LEN = 1024, /* libiberty's limit: two components per byte, recursion depth 2048 */
	SEARCH_MAX = 4096,   /* components per search for a pack, counted once per path */
	SEARCHES_MAX = 1 << 18, /* components that all searches together may visit */
	SEARCH_PER_BYTE = 64,   /* searched components that cost as much as a byte of text */
	PARAMS_MAX = 1 << 16,   /* maximum paths from a parameter through enclosing templates */
	REFS_MAX = 8,           /* maximum references in a name that is not measured */
	SEARCHED_REFS_MAX = 4,  /* REFS_MAX for names with pack expansions */
	UNPARSED_REFS_MAX = 12, /* maximum references in a name that cannot be measured */
};

/* Totals for a component and everything below it, counted once per path. */
struct part {
	struct demangle_component *component;
	uint64_t parts, params, searched;
	unsigned scopes; /* template nesting depth */
	bool is_done;
};

struct part_graph {
	uint64_t search_max; /* maximum components below one expansion */
	uint64_t params_max; /* maximum parameters in one template's arguments */
	size_t nr, max;
	struct part parts[]; /* parts[0] represents a missing component */
};

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t multiply_saturated(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* Get up to two components below `of`. Missing components are NULL. */
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

/* Compute the totals for `part` from the totals of the two components below it. */
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

/* Measure each component once, using d_counting to store the index of its part. Returns -E2BIG if
 * there are more components than a name can have, or if a component contains itself. */
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

/* Compute the work needed to print `name`. Returns 0 or -E2BIG. */
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

/* "sr" followed by one of these characters has two meanings. libiberty tries both meanings when it
 * prints a name, but returns the tree for only one of them. */
static bool is_ambiguous(const char *at)
{
	return at[0] == 's' && at[1] == 'r' &&
	       ((at[2] >= '0' && at[2] <= '9') || (at[2] >= 'a' && at[2] <= 'z') || at[2] == 'C' ||
		at[2] == 'U' || at[2] == 'L');
}

/* Return true if the two bytes at `at` are part of an identifier. */
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

/* Upper bounds for a name that has not been parsed. They also count matching bytes inside
 * identifiers. */
struct name_scan {
	size_t refs;    /* refs to substitutions and template params; each may double paths */
	size_t scopes;  /* function names within the name */
	bool is_search; /* libiberty will search for a parameter pack */
};

static void scan_name(const char *raw, struct name_scan *ret_glance)
{
	struct name_scan glance = {0};

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

/* Return true if the name can be printed without building its graph. This is true for most
 * names. */
static bool is_harmless(const struct name_scan *glance)
{
	return glance->refs <= (glance->is_search ? SEARCHED_REFS_MAX : REFS_MAX);
}

/* Estimate the work for a name that cannot be measured as a graph. Returns 0 if it has few
 * references, or -E2BIG. */
static int estimate_work(const struct name_scan *glance, struct tally_cxx_name *name)
{
	if (glance->refs > UNPARSED_REFS_MAX && (glance->is_search || glance->scopes > 2))
		return -E2BIG;
	free(name->memory);
	*name = (struct tally_cxx_name){.work = 1 << UNPARSED_REFS_MAX};
	if (glance->is_search)
		name->work_per_byte = (1 << UNPARSED_REFS_MAX) / SEARCH_PER_BYTE;
	return 0;
}

/* Parse and measure a name that has been scanned into `glance`. */
static int parse(const char *raw, int options, const struct name_scan *glance,
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
	struct name_scan glance;
	int err = 0;

	if (strnlen(raw, NAME_MAX_LEN + 1) > NAME_MAX_LEN)
		return -E2BIG;
	scan_name(raw, &glance);
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

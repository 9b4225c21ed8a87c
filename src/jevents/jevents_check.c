/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jevents/jevents_check.h"
#include "jevents/expr.h"
#include "jevents/known.h"

static enum tally_diagnostic_kind severity(bool strict)
{
	return strict ? TALLY_DIAGNOSTIC_ERROR : TALLY_DIAGNOSTIC_WARNING;
}

/* Convert the expression `*text` to canonical form. Returns 0; 1 if it is not a valid expression
 * (reported); -ENOMEM. */
static int canonical(const struct tally_raw_event *raw, const char **text,
		     struct tally_arena *arena, bool strict)
{
	struct tally_expr *expr = NULL;
	struct tally_error err = {0};
	struct tally_str out = {0};
	int ret = tally_expr_parse(*text, strlen(*text), &expr, &err);

	if (ret && ret != -ENOMEM) {
		tally_source_emit(raw->source, severity(strict), raw->expr_offset, err.text,
				  "metric \"%s\": error at byte %llu of its expression \"%.60s\"",
				  raw->metric, (unsigned long long)err.offset, *text);
		return 1;
	}
	if (!ret)
		tally_expr_print(expr, &out);
	if (!ret)
		ret = tally_str_error(&out);
	if (!ret) {
		*text = tally_arena_strndup(arena, out.data, out.len);
		ret = *text ? 0 : -ENOMEM;
	}
	tally_str_free(&out);
	tally_expr_free(expr);
	return ret;
}

int tally_metrics_canonical(struct tally_raw_event *raws, size_t nr, struct tally_arena *arena,
			    bool strict)
{
	int ret = 0, wrong = 0;

	for (size_t i = 0; i < nr && ret >= 0; i++) {
		if (*raws[i].expr)
			ret = canonical(&raws[i], &raws[i].expr, arena, strict);
		wrong |= ret > 0;
		if (ret >= 0 && *raws[i].threshold)
			ret = canonical(&raws[i], &raws[i].threshold, arena, strict);
		wrong |= ret > 0;
	}
	return ret < 0 ? ret : wrong && strict ? -EINVAL : 0;
}

/* Metric `from` refers to metric `to`, which must be computed first. */
struct edge {
	uint32_t from, to;
};

struct metric_graph {
	const struct tally_model *model;
	const struct tally_raw_event *const *metrics;
	size_t nr;
	bool strict, wrong;
	TALLY_VEC(struct edge) edges;
	uint32_t *waiting; /* per metric: number of references to metrics not computed yet */
};

/* Find a metric by name, preferably on the same PMU. Returns NULL if not found. */
static const struct tally_model_metric *metric_find(const struct tally_model *model, uint32_t pmu,
						    const char *name)
{
	const struct tally_model_metric *metric = tally_model_metric_find(model, pmu, name);

	for (uint32_t i = 0; i < model->pmus.nr && !metric; i++)
		metric = tally_model_metric_find(model, i, name);
	return metric;
}

/* Check one name in the expression of metric `from`. */
static int name_check(struct metric_graph *graph, uint32_t from, const char *text, size_t len)
{
	const struct tally_raw_event *raw = graph->metrics[from];
	const struct tally_model_metric *metric;
	struct tally_str name = {0};
	int ret;

	tally_expr_name_decode(text, len, &name);
	ret = tally_str_error(&name);
	metric = ret ? NULL
		     : metric_find(graph->model, tally_model_metric(graph->model, from)->pmu,
				   tally_str_text(&name));
	if (metric) {
		uint32_t to = metric - tally_model_metric(graph->model, 0);

		ret = tally_vec_push(&graph->edges, (struct edge){from, to});
	} else if (!ret && !tally_event_is_known(graph->model, tally_str_text(&name))) {
		graph->wrong = true;
		tally_source_emit(raw->source, severity(graph->strict), raw->expr_offset,
				  "not an event or metric of this model, and not a generic event",
				  "metric \"%s\" refers to unknown \"%s\"", raw->metric,
				  tally_str_text(&name));
	}
	tally_str_free(&name);
	return ret;
}

static int metric_names(struct metric_graph *graph, uint32_t from)
{
	const char *text = graph->metrics[from]->expr;
	struct tally_expr *expr;
	int ret = tally_expr_parse(text, strlen(text), &expr, NULL);

	if (ret)
		return ret == -ENOMEM ? ret : 0; /* already reported */
	for (uint32_t i = 0; i < expr->nr && !ret; i++)
		if (expr->nodes[i].op == TALLY_EXPR_NAME && !tally_expr_is_argument(expr, i))
			ret = name_check(graph, from, expr->text + expr->nodes[i].text,
					 expr->nodes[i].len);
	tally_expr_free(expr);
	return ret;
}

static int edge_compare(const void *a, const void *b)
{
	const struct edge *left = a, *right = b;

	return (left->to > right->to) - (left->to < right->to);
}

/* Return the index of the first edge with edge.to >= `to`. */
static size_t edges_to(const struct metric_graph *graph, uint32_t to)
{
	size_t low = 0, high = graph->edges.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (graph->edges.data[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sort the metrics topologically. Report the metrics that cannot be sorted because they are part of
 * a cycle or depend on one. */
static int cycles_warn(struct metric_graph *graph)
{
	uint32_t *ready = calloc(graph->nr + 1, sizeof(*ready));
	size_t nr_ready = 0;

	graph->waiting = calloc(graph->nr + 1, sizeof(*graph->waiting));
	if (!ready || !graph->waiting) {
		free(ready);
		return -ENOMEM;
	}
	if (graph->edges.len)
		qsort(graph->edges.data, graph->edges.len, sizeof(*graph->edges.data),
		      edge_compare);
	tally_vec_for_each (edge, &graph->edges)
		graph->waiting[edge->from]++;
	for (uint32_t i = 0; i < graph->nr; i++)
		if (!graph->waiting[i])
			ready[nr_ready++] = i;
	for (size_t done = 0; done < nr_ready; done++)
		for (size_t i = edges_to(graph, ready[done]);
		     i < graph->edges.len && graph->edges.data[i].to == ready[done]; i++)
			if (!--graph->waiting[graph->edges.data[i].from])
				ready[nr_ready++] = graph->edges.data[i].from;
	for (uint32_t i = 0; i < graph->nr; i++) {
		if (!graph->waiting[i])
			continue;
		graph->wrong = true;
		tally_source_emit(graph->metrics[i]->source, severity(graph->strict),
				  graph->metrics[i]->expr_offset, "so it has no value",
				  "metric \"%s\" depends on a cycle of metrics",
				  graph->metrics[i]->metric);
	}
	free(ready);
	return 0;
}

int tally_metrics_check(const struct tally_model *model,
			const struct tally_raw_event *const *metrics, size_t nr, bool strict)
{
	struct metric_graph graph = {model, metrics, nr, strict, false, {0}, NULL};
	int ret = 0;

	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = metric_names(&graph, i);
	if (!ret)
		ret = cycles_warn(&graph);
	tally_vec_free(&graph.edges);
	free(graph.waiting);
	return ret ? ret : strict && graph.wrong ? -EINVAL : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the metrics that exceed their thresholds, and the most important one among them. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "events/metric.h"

struct threshold_eval {
	const struct tally_metric_list *list;
	const struct tally_metric *metric;
	tally_metric_count_fn *count;
	void *data;
	bool unknown;
};

bool tally_metric_name_next(const char **at, struct tally_word *ret_name)
{
	const char *text = *at, *end;

	while (*text && !isalpha((unsigned char)*text) && *text != '_') {
		/* Skip numbers, so the "e" in "1e3" is not mistaken for a name. */
		if (isdigit((unsigned char)*text))
			text += strspn(text, "0123456789.eE");
		else
			text++;
	}
	for (end = text; isalnum((unsigned char)*end) || *end == '_' || *end == '.';)
		end++;
	*at = end;
	*ret_name = (struct tally_word){text, (size_t)(end - text)};
	return end > text;
}

static bool same_core(const struct tally_metric *metric, const char *pmu)
{
	return pmu && metric->pmu ? !strcmp(metric->pmu, pmu) : pmu == metric->pmu;
}

/* Get the value of another metric in the list. Expressions use the value without its scale. */
static int name_value(void *context, enum tally_expr_op op, const char *text, size_t len,
		      double *ret_value)
{
	struct threshold_eval *judging = context;
	const struct tally_metric_list *list = judging->list;
	int ret;

	*ret_value = NAN;
	for (size_t i = 0; i < list->nr; i++) {
		const struct tally_metric *metric = &list->metrics[i];

		if (op != TALLY_EXPR_NAME || !same_core(metric, judging->metric->pmu) ||
		    strlen(metric->name) != len || strncasecmp(metric->name, text, len))
			continue;
		ret = tally_metric_evaluate(list, metric, judging->count, judging->data, ret_value);
		if (ret)
			return ret;
		*ret_value /= metric->scale;
		break;
	}
	judging->unknown |= isnan(*ret_value);
	return 0;
}

int tally_metric_threshold(const struct tally_metric_list *list, const struct tally_metric *metric,
			   tally_metric_count_fn *count, void *data,
			   enum tally_threshold *ret_threshold)
{
	struct threshold_eval judging = {list, metric, count, data, false};
	struct tally_expr_scope scope = {name_value, &judging};
	struct tally_expr *expr;
	struct tally_error err;
	double value;
	int ret;

	*ret_threshold = TALLY_THRESHOLD_UNKNOWN;
	if (!*metric->threshold)
		return 0;
	ret = tally_expr_parse(metric->threshold, strlen(metric->threshold), &expr, &err);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = tally_expr_evaluate(expr, &scope, &value);
	tally_expr_free(expr);
	if (!ret && !judging.unknown)
		*ret_threshold = value != 0 ? TALLY_THRESHOLD_EXCEEDED : TALLY_THRESHOLD_MET;
	return ret;
}

static bool groups_have(const char *groups, const char *name)
{
	size_t len = strlen(name);

	for (; *groups; groups += strcspn(groups, ";"), groups += *groups == ';')
		if (strcspn(groups, ";") == len && !strncasecmp(groups, name, len))
			return true;
	return false;
}

/* Among the metrics in a group that exceed their thresholds, find the one with the largest value.
 * `*ret_metric` is unchanged if no metric exceeds its threshold. */
static int largest_find(const struct threshold_eval *judging, const char *pmu, const char *group,
			const struct tally_metric **ret_metric)
{
	const struct tally_metric_list *list = judging->list;
	double largest = -INFINITY;

	for (size_t i = 0; i < list->nr; i++) {
		const struct tally_metric *metric = &list->metrics[i];
		enum tally_threshold threshold;
		double value;
		int ret;

		if (!same_core(metric, pmu) || !groups_have(metric->groups, group))
			continue;
		ret = tally_metric_threshold(list, metric, judging->count, judging->data,
					     &threshold);
		if (!ret)
			ret = tally_metric_evaluate(list, metric, judging->count, judging->data,
						    &value);
		if (ret)
			return ret;
		if (threshold != TALLY_THRESHOLD_EXCEEDED || !(value > largest))
			continue;
		largest = value;
		*ret_metric = metric;
	}
	return 0;
}

int tally_metric_bottleneck(const struct tally_metric_list *list, const char *pmu,
			    tally_metric_count_fn *count, void *data,
			    const struct tally_metric **ret_metric)
{
	enum { LEVELS = 16 };
	const struct threshold_eval judging = {.list = list, .count = count, .data = data};
	const struct tally_metric *found = NULL, *above;
	char group[160] = "TopdownL1";
	int ret;

	for (int level = 0; level < LEVELS; level++) {
		above = found;
		ret = largest_find(&judging, pmu, group, &found);
		if (ret)
			return ret;
		if (found == above)
			break;
		snprintf(group, sizeof(group), "%s_group", found->name);
	}
	*ret_metric = found;
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics derived from counts, as in perf: ratios for the events listed in ratios[], rates for all
 * other events. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "cli/stat/stat_metric.h"

#define CACHE(cache, op, result)                                                    \
	((uint64_t)PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

#define MISSES(cache, text)                                                       \
	{                                                                         \
		PERF_TYPE_HW_CACHE, CACHE(cache, READ, MISS), PERF_TYPE_HW_CACHE, \
			CACHE(cache, READ, ACCESS), STAT_PERCENT, text            \
	}

/* Ratios of an event to a base event. */
static const struct ratio {
	uint32_t type;
	uint64_t config;
	uint32_t base_type;
	uint64_t base_config;
	int kind;
	const char *unit;
} ratios[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CPU_CYCLES, STAT_RATIO, "insn per cycle"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BRANCH_INSTRUCTIONS, STAT_PERCENT, "of all branches"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CACHE_REFERENCES, STAT_PERCENT, "of all cache refs"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CPU_CYCLES, STAT_PERCENT, "frontend cycles idle"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CPU_CYCLES, STAT_PERCENT, "backend cycles idle"},
	MISSES(L1D, "of all L1-dcache accesses"),
	MISSES(L1I, "of all L1-icache accesses"),
	MISSES(LL, "of all LL-cache accesses"),
	MISSES(DTLB, "of all dTLB cache accesses"),
	MISSES(ITLB, "of all iTLB cache accesses"),
};

static bool is_event(const struct stat_row *row, uint32_t type, uint64_t config)
{
	return row->spec->attr.type == type && row->spec->attr.config == config && !row->spec->tool;
}

static bool same_cgroup(const struct stat_row *a, const struct stat_row *b)
{
	return a->cgroup == b->cgroup || (a->cgroup && b->cgroup && !strcmp(a->cgroup, b->cgroup));
}

/* Rate how well `b` matches `a`, by group and privilege levels. */
static int closeness(const struct stat_row *a, const struct stat_row *b)
{
	const struct perf_event_attr *x = &a->spec->attr, *y = &b->spec->attr;

	return 2 * (a->spec->group == b->spec->group) +
	       4 * (x->exclude_user == y->exclude_user && x->exclude_kernel == y->exclude_kernel);
}

static const struct stat_cell *cell_at(const struct stat_table *table, size_t row, size_t key)
{
	return &table->cells[row * table->nr_keys + key];
}

double stat_metric_base(const struct stat_table *table, size_t row, size_t key,
			stat_row_match_fn *match, const void *arg)
{
	int best = -1;
	double value = 0;

	for (size_t i = 0; i < table->nr_rows; i++) {
		const struct stat_cell *cell = cell_at(table, i, key);
		const char *why;
		int close;

		if (!match(&table->rows[i], arg) || table->rows[i].merged || !cell->nr ||
		    !same_cgroup(&table->rows[i], &table->rows[row]) ||
		    !stat_cell_counted(cell, &why))
			continue;
		close = closeness(&table->rows[row], &table->rows[i]);
		if (close > best) {
			best = close;
			value = cell->mean;
		}
	}
	return value;
}

static bool match_base(const struct stat_row *row, const void *arg)
{
	const struct ratio *ratio = arg;

	return is_event(row, ratio->base_type, ratio->base_config);
}

static bool match_clock(const struct stat_row *row, const void *arg)
{
	return stat_row_is_clock(row);
}

static struct stat_metric metric_ratio(const struct stat_table *table, size_t row, size_t key,
				       const struct ratio *ratio)
{
	double base = stat_metric_base(table, row, key, match_base, ratio);
	double value = cell_at(table, row, key)->mean;

	if (base <= 0)
		return (struct stat_metric){0};
	return (struct stat_metric){
		.unit = ratio->unit,
		.value = value / base * (ratio->kind == STAT_PERCENT ? 100 : 1),
		.kind = ratio->kind,
	};
}

/* Return the rate in events per second of CPU time, scaled to a readable unit. `clock` is in ns. */
static struct stat_metric metric_rate(double value, double clock)
{
	static const char prefixes[] = {0, 'K', 'M', 'G'};
	double rate = value / clock * 1e9;
	size_t i = 0;

	for (; rate >= 1000 && i + 1 < sizeof(prefixes); i++)
		rate /= 1000;
	return (struct stat_metric){
		.unit = "/sec", .prefix = prefixes[i], .value = rate, .kind = STAT_RATE};
}

/* Return the number of stalled cycles per instruction. */
static struct stat_metric metric_stalled(const struct stat_table *table, size_t row, size_t key)
{
	static const struct ratio front = {.base_type = PERF_TYPE_HARDWARE,
					   .base_config = PERF_COUNT_HW_STALLED_CYCLES_FRONTEND};
	static const struct ratio back = {.base_type = PERF_TYPE_HARDWARE,
					  .base_config = PERF_COUNT_HW_STALLED_CYCLES_BACKEND};
	double a = stat_metric_base(table, row, key, match_base, &front);
	double b = stat_metric_base(table, row, key, match_base, &back);
	double value = cell_at(table, row, key)->mean;

	if ((a <= 0 && b <= 0) || value <= 0)
		return (struct stat_metric){0};
	return (struct stat_metric){
		.unit = "stalled cycles per insn",
		.value = TALLY_MAX(a, b) / value,
		.kind = STAT_RATIO,
	};
}

/* Return the metric that perf prints next to an event. Instructions also have a second metric. */
static struct stat_metric metric_of(const struct stat_table *table, size_t row, size_t key,
				    struct stat_metric *ret_more)
{
	const struct stat_row *event = &table->rows[row];
	const struct stat_cell *cell = cell_at(table, row, key);
	double clock;

	*ret_more = (struct stat_metric){0};
	if (stat_row_is_clock(event)) {
		if (!table->times.wall)
			return (struct stat_metric){0};
		return (struct stat_metric){.unit = "CPUs utilized",
					    .value = cell->mean / (double)table->times.wall,
					    .kind = STAT_RATE};
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ratios); i++) {
		if (!is_event(event, ratios[i].type, ratios[i].config))
			continue;
		if (event->spec->attr.config == PERF_COUNT_HW_INSTRUCTIONS &&
		    event->spec->attr.type == PERF_TYPE_HARDWARE)
			*ret_more = metric_stalled(table, row, key);
		return metric_ratio(table, row, key, &ratios[i]);
	}
	/* A sensor has a value at a moment, which has no rate. */
	if (event->spec->tool == TALLY_TOOL_SENSOR)
		return (struct stat_metric){0};
	clock = stat_metric_base(table, row, key, match_clock, NULL);
	if (clock <= 0)
		return (struct stat_metric){0};
	if (is_event(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES))
		return (struct stat_metric){
			.unit = "GHz", .value = cell->mean / clock, .kind = STAT_RATE};
	return metric_rate(stat_row_value(event, cell), clock);
}

/* ---- metrics of -M -------------------------------------------------------- */

struct counts {
	const struct stat_table *table;
	const struct stat_formula *formula;
	size_t key;
};

static const struct stat_cell *formula_cell(const struct counts *counts, uint32_t event)
{
	return cell_at(counts->table, counts->formula->base + event, counts->key);
}

/* Return an event's count. The value of a tool event is only in the first key's cell. */
static double formula_count(void *data, uint32_t event)
{
	const struct counts *counts = data;
	const struct stat_cell *cell = formula_cell(counts, event);
	const char *why;

	if (counts->table->rows[counts->formula->base + event].spec->tool)
		cell = cell_at(counts->table, counts->formula->base + event, 0);
	return cell->nr && stat_cell_counted(cell, &why) ? cell->mean : NAN;
}

/* Set the metric's quality to the worst quality among its counts. */
static void formula_quality(const struct counts *counts, struct stat_metric *metric)
{
	const struct tally_metric *of = counts->formula->metric;

	metric->percent = 100;
	for (size_t i = 0; i < of->nr_events; i++) {
		const struct stat_cell *cell = formula_cell(counts, of->events[i]);

		if (!cell->nr)
			continue;
		metric->quality = TALLY_MAX(metric->quality, cell->count.quality);
		metric->percent = TALLY_MIN(metric->percent, stat_cell_percent(cell));
	}
	metric->apart = !of->together && metric->quality == TALLY_QUALITY_SCALED;
}

/* Check the metric against its threshold. */
static int formula_check_threshold(const struct counts *counts, struct stat_metric *metric)
{
	const struct stat_formula *formula = counts->formula;
	enum tally_threshold threshold;
	const struct tally_metric *worst = NULL;
	int ret = tally_metric_threshold(formula->list, formula->metric, formula_count,
					 (void *)counts, &threshold);

	metric->passed = threshold == TALLY_THRESHOLD_EXCEEDED;
	if (ret || !metric->passed)
		return ret;
	ret = tally_metric_bottleneck(formula->list, metric->pmu, formula_count, (void *)counts,
				      &worst);
	metric->worst = worst == formula->metric;
	return ret;
}

static int formula_add(const struct counts *counts, stat_metric_vec *out)
{
	const struct stat_formula *formula = counts->formula;
	struct stat_metric metric = {
		.unit = formula->metric->unit,
		.name = formula->metric->name,
		.pmu = formula->metric->pmu,
		.kind = STAT_FORMULA,
	};
	int ret = tally_metric_evaluate(formula->list, formula->metric, formula_count,
					(void *)counts, &metric.value);

	formula_quality(counts, &metric);
	if (!ret)
		ret = formula_check_threshold(counts, &metric);
	return ret ? ret : tally_vec_push(out, metric);
}

int stat_metrics_of(const struct stat_table *table, size_t row, size_t key, stat_metric_vec *out)
{
	struct stat_metric first = {0}, more = {0};
	const char *why;
	int ret = 0;

	for (size_t i = 0; i < table->nr_formulas && !ret; i++) {
		const struct stat_formula *formula = &table->formulas[i];
		struct counts counts = {table, formula, key};

		size_t begin = formula->metric->nr_events ? formula->metric->events[0] : 0;

		if (formula->base + begin == row && !formula->metric->hidden)
			ret = formula_add(&counts, out);
	}
	if (ret || table->rows[row].of_metric || !stat_cell_counted(cell_at(table, row, key), &why))
		return ret;
	if (!stat_metric_transactions(table, row, key, &first) &&
	    !stat_metric_smi(table, row, key, &first, &more))
		first = metric_of(table, row, key, &more);
	if (first.unit)
		ret = tally_vec_push(out, first);
	if (!ret && more.unit)
		ret = tally_vec_push(out, more);
	return ret;
}

void stat_metric_unit(const struct stat_metric *metric, struct tally_str *out)
{
	if (metric->prefix)
		tally_str_add_char(out, metric->prefix);
	tally_str_add(out, metric->unit ? metric->unit : "");
	if (!metric->name)
		return;
	tally_str_addf(out, "%s%s", *metric->unit ? "  " : "", metric->name);
	if (metric->pmu)
		tally_str_addf(out, " (%s)", metric->pmu);
}

static int decimals_of(const struct stat_metric *metric)
{
	if (metric->kind == STAT_FORMULA)
		return *metric->unit == '%' ? 1 : 2;
	if (metric->kind == STAT_WHOLE || metric->kind == STAT_TENTHS)
		return metric->kind == STAT_TENTHS;
	return metric->kind == STAT_RATE ? 3 : 2;
}

void stat_metric_number(const struct stat_metric *metric, struct tally_str *out)
{
	static const char *const whys[] = {
		[TALLY_QUALITY_NEVER_RAN] = "<not counted>",
		[TALLY_QUALITY_NOT_SUPPORTED] = "<not supported>",
		[TALLY_QUALITY_NOT_PERMITTED] = "<not permitted>",
		[TALLY_QUALITY_ESTIMATED] = NULL,
	};

	if (isfinite(metric->value))
		tally_str_addf(out, "%.*f", decimals_of(metric), metric->value);
	else
		tally_str_add(out, whys[metric->quality] ? whys[metric->quality] : "nan");
}

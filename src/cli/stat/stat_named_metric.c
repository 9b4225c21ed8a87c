/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics of events that are known by name: transactions (-T) and system management interrupts
 * (--smi-cost). */
#include <string.h>

#include "base/arith.h"
#include "cli/stat/stat_metric.h"

/* Return true if the row is the event `name` of PMU `pmu`, such as "cpu/tx-start/u" or
 * "tx-start:u". */
static bool is_named(const struct stat_row *row, const char *pmu, const char *name)
{
	const char *text = row->spec->name, *slash = text ? strchr(text, '/') : NULL;
	size_t len = strlen(name);

	if (!row->spec->pmu || strcmp(row->spec->pmu, pmu) || !text)
		return false;
	text = slash ? slash + 1 : text;
	return !strncmp(text, name, len) && (!text[len] || text[len] == '/' || text[len] == ':');
}

static bool is_cycles_t(const struct stat_row *row, const void *arg)
{
	return is_named(row, "cpu", "cycles-t");
}

static bool is_aperf(const struct stat_row *row, const void *arg)
{
	return is_named(row, "msr", "aperf");
}

static bool is_cycles(const struct stat_row *row, const void *arg)
{
	/* On hybrid CPUs, the upper half of the number is the PMU. */
	return row->spec->attr.type == PERF_TYPE_HARDWARE && !row->spec->tool &&
	       (uint32_t)row->spec->attr.config == PERF_COUNT_HW_CPU_CYCLES;
}

/* Return `part` of `base` as a metric, which has no unit if there is no base. */
static struct stat_metric share_of(double part, double base, const char *unit, int kind)
{
	if (base <= 0)
		return (struct stat_metric){0};
	return (struct stat_metric){
		.unit = unit, .value = part / base * (kind == STAT_WHOLE ? 1 : 100), .kind = kind};
}

/* Return true if the event can have one of these metrics, without which there is no need to search
 * the other events. */
static bool is_of_pmu(const struct stat_row *row, const char *pmu)
{
	return row->spec->pmu && !strcmp(row->spec->pmu, pmu);
}

bool stat_metric_transactions(const struct stat_table *table, size_t row, size_t key,
			      struct stat_metric *ret_metric)
{
	const struct stat_row *event = &table->rows[row];
	double value = table->cells[row * table->nr_keys + key].mean;
	double cycles, in;

	if (!is_of_pmu(event, "cpu"))
		return false;
	cycles = stat_metric_base(table, row, key, is_cycles, NULL);
	in = stat_metric_base(table, row, key, is_cycles_t, NULL);
	if (is_named(event, "cpu", "cycles-t"))
		*ret_metric = share_of(value, cycles, "transactional cycles", STAT_PERCENT);
	else if (is_named(event, "cpu", "cycles-ct"))
		*ret_metric =
			share_of(TALLY_MAX(in - value, 0), cycles, "aborted cycles", STAT_PERCENT);
	else if (is_named(event, "cpu", "tx-start"))
		*ret_metric = share_of(in, value, "cycles / transaction", STAT_WHOLE);
	else if (is_named(event, "cpu", "el-start"))
		*ret_metric = share_of(in, value, "cycles / elision", STAT_WHOLE);
	else
		return false;
	return true;
}

bool stat_metric_smi(const struct stat_table *table, size_t row, size_t key,
		     struct stat_metric *ret_share, struct stat_metric *ret_number)
{
	double aperf, cycles;

	if (!is_named(&table->rows[row], "msr", "smi"))
		return false;
	aperf = stat_metric_base(table, row, key, is_aperf, NULL);
	cycles = stat_metric_base(table, row, key, is_cycles, NULL);
	if (aperf <= 0 || cycles <= 0)
		return false;
	*ret_share = share_of(TALLY_MAX(aperf - cycles, 0), aperf, "SMI cycles%", STAT_TENTHS);
	*ret_number = (struct stat_metric){
		.unit = "SMI#",
		.value = table->cells[row * table->nr_keys + key].mean,
		.kind = STAT_WHOLE,
	};
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of a table's rows and cells. */
#include "cli/stat/stat_table.h"

static bool is_software(const struct stat_row *row, uint64_t config)
{
	return row->spec->attr.type == PERF_TYPE_SOFTWARE && row->spec->attr.config == config &&
	       !row->spec->tool;
}

bool stat_row_is_clock(const struct stat_row *row)
{
	return is_software(row, PERF_COUNT_SW_TASK_CLOCK) ||
	       is_software(row, PERF_COUNT_SW_CPU_CLOCK);
}

static const char *const tool_units[] = {
	[TALLY_TOOL_DURATION_TIME] = "ns",
	[TALLY_TOOL_USER_TIME] = "ns",
	[TALLY_TOOL_SYSTEM_TIME] = "ns",
};

const char *stat_row_unit(const struct stat_row *row)
{
	if (tally_tool_is_time(row->spec->tool))
		return tool_units[row->spec->tool];
	if (stat_row_is_clock(row))
		return "msec";
	return row->spec->unit ? row->spec->unit : "";
}

static bool row_has_scale(const struct stat_row *row)
{
	return row->spec->scale != 0 && row->spec->scale != 1;
}

bool stat_row_is_real(const struct stat_row *row)
{
	return stat_row_is_clock(row) || row_has_scale(row);
}

double stat_row_value(const struct stat_row *row, const struct stat_cell *cell)
{
	if (stat_row_is_clock(row))
		return cell->mean / 1e6;
	return row_has_scale(row) ? cell->mean * row->spec->scale : cell->mean;
}

bool stat_cell_counted(const struct stat_cell *cell, const char **ret_why)
{
	switch (cell->count.quality) {
	case TALLY_QUALITY_NEVER_RAN: *ret_why = "<not counted>"; return false;
	case TALLY_QUALITY_NOT_SUPPORTED: *ret_why = "<not supported>"; return false;
	case TALLY_QUALITY_NOT_PERMITTED: *ret_why = "<not permitted>"; return false;
	default: return true;
	}
}

double stat_cell_percent(const struct stat_cell *cell)
{
	if (!cell->count.enabled || cell->count.running >= cell->count.enabled)
		return 100;
	return 100.0 * (double)cell->count.running / (double)cell->count.enabled;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/traces.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/endian.h"
#include "base/json.h"

/* Field offsets in AUXTRACE_INFO and AUXTRACE records. */
enum { INFO_KIND = 8, TRACE_SIZE = 8, TRACE_TID = 36, TRACE_CPU = 40, TRACE_END = 48 };

/* Names of traces, indexed by perf's trace type. */
static const char *const kinds[] = {
	NULL,      "Intel PT",    "Intel BTS",     "Arm CoreSight",
	"Arm SPE", "s390 CPUMSF", "HiSilicon PTT", "PowerPC VPA dispatch",
};

static const char *kind_name(const struct tally_traces *traces)
{
	const char *name = traces->kind < TALLY_ARRAY_SIZE(kinds) ? kinds[traces->kind] : NULL;

	return name ? name : "hardware";
}

static int count_once(struct tally_map *seen, uint32_t number, uint32_t *nr)
{
	if (number == UINT32_MAX || tally_map_get(seen, number) != TALLY_MAP_NONE)
		return 0;
	++*nr;
	return tally_map_set(seen, number, 1);
}

int tally_traces_add(struct tally_traces *traces, const struct tally_perfdata_record *record)
{
	const uint8_t *at = record->data;
	int ret;

	if (record->flags & TALLY_PERFDATA_OLD_FEATURE)
		return 0;
	if (record->type == TALLY_PERFDATA_AUXTRACE_INFO && record->size >= INFO_KIND + 4) {
		traces->infos++;
		traces->kind = tally_get_u32(at + INFO_KIND);
	}
	if (record->type != TALLY_PERFDATA_AUXTRACE || record->size < TRACE_END)
		return 0;
	traces->buffers++;
	traces->bytes += tally_get_u64(at + TRACE_SIZE);
	ret = count_once(&traces->cpus, tally_get_u32(at + TRACE_CPU), &traces->nr_cpus);
	return ret ? ret
		   : count_once(&traces->tids, tally_get_u32(at + TRACE_TID), &traces->nr_tids);
}

void tally_traces_free(struct tally_traces *traces)
{
	tally_map_free(&traces->cpus);
	tally_map_free(&traces->tids);
}

static bool has_any(const struct tally_traces *traces)
{
	return traces->infos || traces->buffers;
}

void tally_traces_text(const struct tally_traces *traces, struct tally_str *out)
{
	uint32_t nr = traces->nr_cpus ? traces->nr_cpus : traces->nr_tids;

	if (!has_any(traces))
		return;
	tally_str_addf(out, "%s trace", kind_name(traces));
	if (traces->buffers)
		tally_str_addf(out, " (%" PRIu64 " byte%s of %" PRIu32 " %s%s)", traces->bytes,
			       tally_plural(traces->bytes), nr, traces->nr_cpus ? "CPU" : "thread",
			       tally_plural(nr));
	tally_str_add(out, ": not decoded by tally; use 'perf script --itrace'");
}

void tally_traces_json(const struct tally_traces *traces, struct tally_str *out)
{
	tally_json_open(out, "traces", '[');
	if (has_any(traces)) {
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "kind", kind_name(traces));
		tally_json_u64(out, "bytes", traces->bytes);
		tally_json_u64(out, "buffers", traces->buffers);
		tally_json_u64(out, "cpus", traces->nr_cpus);
		tally_json_u64(out, "threads", traces->nr_tids);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for attrs whose file tells none: generic events and their modifiers, as perf prints. */
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "perfdata/events.h"

static const char *const hardware_names[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software_names[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static const char *const cache_names[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

/* By operation and result. */
static const char *const cache_ops[][2] = {
	{"loads", "load-misses"},
	{"stores", "store-misses"},
	{"prefetches", "prefetch-misses"},
};

static void name_cache(uint64_t config, char *out, size_t cap)
{
	uint64_t id = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (id < TALLY_ARRAY_SIZE(cache_names) && op < TALLY_ARRAY_SIZE(cache_ops) && result < 2)
		snprintf(out, cap, "%s-%s", cache_names[id], cache_ops[op][result]);
	else
		snprintf(out, cap, "unknown-ext-hardware-cache-type");
}

static void name_breakpoint(const struct perf_event_attr *attr, char *out, size_t cap)
{
	int len = snprintf(out, cap, "mem:0x%llx:", (unsigned long long)attr->bp_addr);

	snprintf(out + len, cap - (size_t)len, "%s%s%s", attr->bp_type & HW_BREAKPOINT_R ? "r" : "",
		 attr->bp_type & HW_BREAKPOINT_W ? "w" : "",
		 attr->bp_type & HW_BREAKPOINT_X ? "x" : "");
}

static void name_known(const char *const *names, size_t nr, uint64_t config, const char *otherwise,
		       char *out, size_t cap)
{
	snprintf(out, cap, "%s", config < nr ? names[config] : otherwise);
}

/* ":u", ":kpp", ":HG": what is not excluded once anything is, the precision, and host and guest
 * where they differ from what perf would have asked for itself: no guest, unless the event
 * has other modifiers. */
static void name_modifiers(const struct perf_event_attr *attr, char *out, size_t cap)
{
	bool levels = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	bool no_guest = !levels && !attr->precise_ip;
	char text[12] = ":", *at = text + 1;
	size_t used = strlen(out);

	if (levels && !attr->exclude_kernel)
		*at++ = 'k';
	if (levels && !attr->exclude_user)
		*at++ = 'u';
	if (levels && !attr->exclude_hv)
		*at++ = 'h';
	for (unsigned i = 0; i < attr->precise_ip; i++)
		*at++ = 'p';
	if (attr->exclude_host || attr->exclude_guest != no_guest) {
		if (!attr->exclude_host)
			*at++ = 'H';
		if (!attr->exclude_guest)
			*at++ = 'G';
	}
	*at = '\0';
	if (at > text + 1 && used < cap)
		snprintf(out + used, cap - used, "%s", text);
}

void tally_event_make_name(const struct perf_event_attr *attr, char *out, size_t cap)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		name_known(hardware_names, TALLY_ARRAY_SIZE(hardware_names),
			   attr->config & PERF_HW_EVENT_MASK, "unknown-hardware", out, cap);
		break;
	case PERF_TYPE_SOFTWARE:
		name_known(software_names, TALLY_ARRAY_SIZE(software_names), attr->config,
			   "unknown-software", out, cap);
		break;
	case PERF_TYPE_HW_CACHE: name_cache(attr->config & PERF_HW_EVENT_MASK, out, cap); break;
	case PERF_TYPE_RAW:
		snprintf(out, cap, "raw 0x%llx", (unsigned long long)attr->config);
		break;
	case PERF_TYPE_TRACEPOINT: snprintf(out, cap, "unknown tracepoint"); return;
	case PERF_TYPE_BREAKPOINT: name_breakpoint(attr, out, cap); break;
	default: snprintf(out, cap, "unknown attr type: %u", attr->type); return;
	}
	name_modifiers(attr, out, cap);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The name perf shows for an attr that came without one. */
#include "base/str.h"
#include "events/names.h"

/* Modifiers that would lead to these exclude bits. Which of guest and host goes without
 * saying depends on whether anything else was said. */
static void modifiers_add(const struct perf_event_attr *attr, struct tally_str *out)
{
	char text[16];
	unsigned len = 0;
	bool levels = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
	bool guest_default = levels || attr->precise_ip;

	if (levels) {
		if (!attr->exclude_kernel)
			text[len++] = 'k';
		if (!attr->exclude_user)
			text[len++] = 'u';
		if (!attr->exclude_hv)
			text[len++] = 'h';
	}
	for (unsigned i = 0; i < attr->precise_ip; i++)
		text[len++] = 'p';
	if (attr->exclude_host || attr->exclude_guest == guest_default) {
		if (!attr->exclude_host)
			text[len++] = 'H';
		if (!attr->exclude_guest)
			text[len++] = 'G';
	}
	if (len) {
		tally_str_add_char(out, ':');
		tally_str_add_bytes(out, text, len);
	}
}

/* The upper half of a hardware config may name a kind of core. */
static void generic_add(const struct perf_event_attr *attr, const char *unknown,
			struct tally_str *out)
{
	uint64_t config =
		attr->type == PERF_TYPE_HARDWARE ? attr->config & PERF_HW_EVENT_MASK : attr->config;
	const struct tally_generic_event *event = tally_generic_by_config(attr->type, config);

	tally_str_add(out, event ? event->name : unknown);
	modifiers_add(attr, out);
}

/* What is wrong with a config that names no cache event, in perf's words. */
static const char *cache_wrong(uint64_t config)
{
	if ((config & 0xff) >= PERF_COUNT_HW_CACHE_MAX)
		return "unknown-ext-hardware-cache-type";
	if ((config >> 8 & 0xff) >= PERF_COUNT_HW_CACHE_OP_MAX)
		return "unknown-ext-hardware-cache-op";
	if ((config >> 16 & 0xff) >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return "unknown-ext-hardware-cache-result";
	return "invalid-cache";
}

static void cache_add(const struct perf_event_attr *attr, struct tally_str *out)
{
	uint64_t config = attr->config & PERF_HW_EVENT_MASK;
	char name[TALLY_CACHE_NAME_MAX];

	tally_str_add(out, tally_cache_name(config, name) ? cache_wrong(config) : name);
	modifiers_add(attr, out);
}

static void breakpoint_add(const struct perf_event_attr *attr, struct tally_str *out)
{
	tally_str_addf(out, "mem:0x%llx:", (unsigned long long)attr->bp_addr);
	if (attr->bp_type & HW_BREAKPOINT_R)
		tally_str_add_char(out, 'r');
	if (attr->bp_type & HW_BREAKPOINT_W)
		tally_str_add_char(out, 'w');
	if (attr->bp_type & HW_BREAKPOINT_X)
		tally_str_add_char(out, 'x');
	modifiers_add(attr, out);
}

void tally_event_name(const struct perf_event_attr *attr, struct tally_str *out)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE: generic_add(attr, "unknown-hardware", out); break;
	case PERF_TYPE_SOFTWARE: generic_add(attr, "unknown-software", out); break;
	case PERF_TYPE_HW_CACHE: cache_add(attr, out); break;
	case PERF_TYPE_BREAKPOINT: breakpoint_add(attr, out); break;
	case PERF_TYPE_TRACEPOINT: tally_str_add(out, "unknown tracepoint"); break;
	case PERF_TYPE_RAW:
		tally_str_addf(out, "raw 0x%llx", (unsigned long long)attr->config);
		modifiers_add(attr, out);
		break;
	default: tally_str_addf(out, "unknown attr type: %d", (int)attr->type); break;
	}
}

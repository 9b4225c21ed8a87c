/* SPDX-License-Identifier: BSD-2-Clause */
/* net_dropmonitor: the places in the kernel that drop network packets. */
#include <errno.h>
#include <inttypes.h>

#include "base/escape.h"
#include "base/map.h"
#include "cli/script/trace_reports.h"

struct packet_drop {
	uint64_t address, count;
};

struct packet_drops {
	struct tally_map by_address;
	TALLY_VEC(struct packet_drop) drops;
};

static int count_drop(struct trace_report *report)
{
	struct packet_drops *state = report->state;
	uint64_t address = trace_report_field(report, "location");
	uint64_t at = tally_map_get(&state->by_address, address);
	int ret;

	if (at != TALLY_MAP_NONE) {
		state->drops.data[at].count++;
		return 0;
	}
	ret = tally_map_set(&state->by_address, address, state->drops.len);
	return ret ? ret : tally_vec_push(&state->drops, (struct packet_drop){address, 1});
}

/* Append the row of a place: its function and the offset in it, or its address and 0. */
static void print_drop(struct trace_report *report, const struct packet_drop *drop,
		       struct tally_str *out)
{
	struct tally_machine *machine = report->session->machine;
	const struct tally_thread *idle = tally_machine_thread(machine, 0, 0);
	const struct tally_location *where =
		idle ? tally_machine_locate(machine, idle, PERF_RECORD_MISC_KERNEL, drop->address)
		     : NULL;
	struct tally_str name = {0};
	uint64_t offset = 0;

	if (where && where->symbol) {
		tally_str_add_escaped(&name, tally_symbol_name(where->dso, where->symbol));
		offset = where->addr - where->symbol->start;
	} else {
		tally_str_add_u64(&name, drop->address);
	}
	tally_str_addf(out, "%25s %25" PRIu64 " %25" PRIu64 "\n", tally_str_text(&name), offset,
		       drop->count);
	tally_str_free(&name);
}

static void print_drops(struct trace_report *report, struct tally_str *out)
{
	const struct packet_drops *state = report->state;

	tally_str_addf(out, "%25s %25s %25s\n", "LOCATION", "OFFSET", "COUNT");
	tally_vec_for_each (drop, &state->drops)
		print_drop(report, drop, out);
}

static void free_drops(void *arg)
{
	struct packet_drops *state = arg;

	tally_map_free(&state->by_address);
	tally_vec_free(&state->drops);
}

const struct trace_report_kind trace_drop_reports[] = {
	{.name = "net_dropmonitor",
	 .about = "places in the kernel that drop network packets",
	 .usage = "",
	 .handlers = TRACE_HANDLERS({"skb:kfree_skb", count_drop, "location"}),
	 .state_size = sizeof(struct packet_drops),
	 .print = print_drops,
	 .free = free_drops},
	{0},
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration of tally top. Some settings can be changed with keys while tally top is running. */
#ifndef TALLY_CLI_TOP_CONFIG_H
#define TALLY_CLI_TOP_CONFIG_H

#include "cli/main/command.h"
#include "cli/main/row_options.h"
#include "sampler/sampling.h"
#include "session/event_switch.h"
#include "symbols/symbols.h"

struct top_config {
	struct tally_sampling sampling;
	struct tally_option_list events;
	const char *mmap_size, *via;
	int realtime, verbose;
	struct tally_row_options rows;
	struct tally_symbols_options symbols;
	bool no_bounds, no_index, raw_chains;
	const char *delay, *call_graph, *ignore_callees, *percentage;
	uint64_t entries, count_filter;
	struct tally_event_switch switches;
	bool is_absolute; /* --percentage absolute */
	bool zero, hide_kernel, hide_user, show_idle, stdio, tui, group;
	uint64_t delay_ns;
};

#endif

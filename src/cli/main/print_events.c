/* SPDX-License-Identifier: BSD-2-Clause */
/* List the opened events, for -v and --control evlist. */
#include <stdio.h>

#include "view/attr_text.h"
#include "cli/main/print_events.h"

void tally_events_print(const struct tally_sampler *sampler, bool verbose)
{
	struct tally_str out = {0};

	for (size_t i = 0; i < sampler->specs.len; i++) {
		tally_sampler_event_name(sampler, i, &out);
		if (verbose) {
			tally_str_add(&out, ": ");
			tally_attr_text(&sampler->specs.data[i].attr, &out);
		}
		tally_str_add_char(&out, '\n');
	}
	fputs(tally_str_text(&out), stderr);
	tally_str_free(&out);
}

void tally_events_print_verbose(const struct tally_sampler *sampler)
{
	tally_events_print(sampler, true);
	fprintf(stderr, "%zu counters in %zu ring buffers\n",
		tally_rings_nr_counters(sampler->rings), tally_rings_nr(sampler->rings));
}

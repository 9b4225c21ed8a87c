/* SPDX-License-Identifier: BSD-2-Clause */
/* The first line of the screen: sample rate, percentages, losses, events and target. */
#include <inttypes.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/top/top_header.h"

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

size_t top_nr_events(const struct top *top)
{
	size_t nr = top->sampler.specs.len;

	/* The last event may be the dummy event that tracks tasks. */
	return top->sampler.tracking ? nr - 1 : nr;
}

void top_event_name(const struct top *top, uint32_t event, struct tally_str *out)
{
	size_t start = out->len;

	tally_sampler_event_name(&top->sampler, event, out);
	tally_str_escape(out, start);
}

/* Append "4000Hz cycles", or the period if no frequency is used. */
static void add_events(const struct top *top, struct tally_str *out)
{
	const struct perf_event_attr *attr = &top->sampler.specs.data[0].attr;

	tally_str_addf(out, "[%" PRIu64 "%s ", (uint64_t)attr->sample_period,
		       attr->freq ? "Hz" : "");
	for (uint32_t i = 0; i < top_nr_events(top); i++) {
		struct tally_str name = {0};

		top_event_name(top, i, &name);
		tally_str_add(out, i ? ", " : "");
		tally_str_add(out, tally_str_text(&name));
		tally_str_free(&name);
	}
	tally_str_add(out, "]");
}

static void add_target(const struct top *top, struct tally_str *out)
{
	const struct tally_target *target = &top->config->sampling.target;
	size_t nr = top->sampler.cpus->nr;

	if (target->cpus)
		tally_str_addf(out, "(all, CPU%s: %s)", nr > 1 ? "s" : "", target->cpus);
	else if (target->all_cpus)
		tally_str_addf(out, "(all, %zu CPU%s)", nr, nr > 1 ? "s" : "");
	else if (target->pids)
		tally_str_addf(out, "(target_pid: %s)", target->pids);
	else if (target->tids)
		tally_str_addf(out, "(target_tid: %s)", target->tids);
	else
		tally_str_addf(out, "(uid: %s)", target->user);
}

void top_header_text(const struct top *top, struct tally_str *out)
{
	const struct top_counts *shown = &top->shown;
	double seconds = (double)top->shown_ns / 1e9;

	tally_str_addf(out,
		       "PerfTop:%8.0f irqs/sec  kernel:%4.1f%%  exact: %4.1f%% lost: %" PRIu64
		       "/%" PRIu64 " drop: %" PRIu64 "/%" PRIu64 " ",
		       seconds > 0 ? (double)shown->samples / seconds : 0,
		       share(shown->samples - shown->user, shown->samples),
		       share(shown->exact, shown->samples), shown->lost, top->lost, shown->dropped,
		       top->dropped);
	if (top->shown_chains.judged)
		tally_str_addf(out, "cut: %.1f%% ",
			       share(top->shown_chains.astray, top->shown_chains.judged));
	add_events(top, out);
	tally_str_add(out, ",  ");
	add_target(top, out);
}

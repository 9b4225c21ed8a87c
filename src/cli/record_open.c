/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets, counters and ring buffers: from what is asked for to what can be waited on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/header.h"
#include "cli/record.h"
#include "sampler/refuse.h"
#include "sampler/ring_pages.h"
#include "cli/say.h"

/* ---- targets --------------------------------------------------------------- */

int record_targets(struct record *record)
{
	struct tally_target target = record->config->target;

	target.command = record->child.pid;
	return tally_resolve_target(&target, &record->cpus, &record->threads, &tally_say_messages);
}

/* ---- counters -------------------------------------------------------------- */

static void say_refusal(const struct record *record, const struct tally_refusal *why)
{
	struct tally_str what = {0};

	tally_str_add(&what, "cannot open ");
	if (why->event < record->specs.len)
		tally_str_add(&what, record->specs.data[why->event].name);
	tally_refuse(tally_str_text(&what), why, &tally_say_messages);
	tally_str_free(&what);
}

/* What was given up to get the events, said once for each kind. */
static void say_fallbacks(const struct record *record)
{
	unsigned all = 0;

	if (record->config->quiet)
		return;
	for (size_t i = 0; i < record->specs.len; i++)
		all |= tally_counters_fallback(record->counters, i);
	if (all & TALLY_FALLBACK_CPU_CLOCK)
		tally_say_warning("no hardware counters here (no PMU): sampling the CPU's clock "
				  "(cpu-clock) instead of cycles");
	if (all & TALLY_FALLBACK_NO_KERNEL)
		tally_refuse_kernel("recorded", &tally_say_messages);
	if (all & TALLY_FALLBACK_GROUP_BROKEN)
		tally_say_warning("a group did not fit on the PMU: its members count alone");
}

static int set_filters(struct record *record)
{
	for (size_t i = 0; i < record->specs.len; i++) {
		const char *filter = record->filters.data[i];
		int ret = filter ? tally_counters_filter(record->counters, i, filter) : 0;

		if (ret) {
			tally_say_error("%s: the kernel does not take the filter \"%s\": %s",
					record->specs.data[i].name, filter, strerror(-ret));
			return ret;
		}
	}
	return 0;
}

/* ---- rings ----------------------------------------------------------------- */

static int rings_open(struct record *record)
{
	struct tally_ring_pages rings = {
		.asked = record->ring_pages,
		.wanted = RECORD_RING / (size_t)sysconf(_SC_PAGESIZE),
		.rings = record->rings,
		.messages = &tally_say_messages,
		.quiet = record->config->quiet,
	};

	return tally_ring_pages_map(&rings);
}

/* ---- all of it ------------------------------------------------------------- */

/* The attrs as they were opened are what the file tells. */
static void take_attrs(struct record *record)
{
	for (size_t i = 0; i < record->specs.len; i++)
		record->specs.data[i].attr = *tally_counters_attr(record->counters, i);
}

void record_event_name(const struct record *record, size_t event, struct tally_str *out)
{
	unsigned fallback = tally_counters_fallback(record->counters, event);
	const char *name = record->specs.data[event].name;
	struct tally_str kept = {0};

	if (fallback & TALLY_FALLBACK_CPU_CLOCK) {
		/* What became of cycles. A clock is never precise: other modifiers stay. */
		const char *colon = strchr(name, ':');

		for (const char *letter = colon ? colon + 1 : ""; *letter; letter++) {
			if (*letter != 'p' && *letter != 'P')
				tally_str_add_char(&kept, *letter);
		}
		tally_str_addf(out, "cpu-clock%s%s", kept.len ? ":" : "", tally_str_text(&kept));
		tally_str_free(&kept);
	} else {
		tally_str_add(out, name);
	}
	if (fallback & TALLY_FALLBACK_NO_KERNEL)
		tally_str_add(out, strpbrk(tally_str_text(out), "/:") ? "u" : ":u");
}

void record_say_events(const struct record *record, bool verbose)
{
	struct tally_str out = {0};

	for (size_t i = 0; i < record->specs.len; i++) {
		struct tally_str name = {0};

		record_event_name(record, i, &name);
		tally_str_add(&out, tally_str_text(&name));
		if (verbose) {
			tally_str_add(&out, ": ");
			tally_attr_text(&record->specs.data[i].attr, &out);
		}
		tally_str_add_char(&out, '\n');
		tally_str_free(&name);
	}
	fputs(tally_str_text(&out), stderr);
	tally_str_free(&out);
}

/* -v: what was opened. */
static void say_opened(const struct record *record)
{
	record_say_events(record, true);
	fprintf(stderr, "%zu counters in %zu ring buffers\n",
		tally_rings_nr_counters(record->rings), tally_rings_nr(record->rings));
}

int record_open(struct record *record)
{
	struct tally_event_list list = {.specs = record->specs.data, .nr = record->specs.len};
	struct tally_open_options options = {.sampling = true, .may_fall_back = true};
	struct tally_refusal why = {0};
	int ret = tally_counters_open(tally_transport_linux(), &list, record->cpus, record->threads,
				      &options, &record->counters, &why);

	if (ret) {
		say_refusal(record, &why);
		return ret;
	}
	say_fallbacks(record);
	take_attrs(record);
	ret = set_filters(record);
	if (!ret)
		ret = tally_rings_new(record->counters, &record->rings);
	if (!ret)
		ret = rings_open(record);
	if (!ret)
		ret = tally_refuse_descriptors(&tally_say_messages);
	if (!ret && record->config->verbose)
		say_opened(record);
	if (!ret)
		ret = tally_sample_layout_init(&record->layout,
					       &record->specs.data[record->tracking].attr);
	return ret;
}

void record_close(struct record *record)
{
	tally_rings_free(record->rings);
	tally_counters_close(record->counters);
	free(record->threads);
	free(record->cpus);
	tally_str_free(&record->synth.out);
	tally_str_free(&record->before);
	tally_vec_for_each (list, &record->lists)
		tally_event_list_free(*list);
	tally_vec_free(&record->lists);
	tally_vec_free(&record->specs);
	tally_vec_free(&record->filters);
	tally_events_free(record->events);
}

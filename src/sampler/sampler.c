/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/sampler.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "sampler/attrs.h"
#include "sampler/cgroups.h"
#include "sampler/event_cpus.h"
#include "sampler/fallbacks.h"
#include "sampler/sampler_refuse.h"
#include "sampler/stuck.h"
#include "sampler/ring_pages.h"

static const struct tally_messages *messages_of(const struct tally_sampler *sampler)
{
	return sampler->sampling->messages;
}

/* Report -ENOMEM, which can occur anywhere. Other errors are reported where they occur. */
static int finish(const struct tally_sampler *sampler, int ret)
{
	if (ret == -ENOMEM)
		tally_message_error(messages_of(sampler), "out of memory");
	return ret;
}

/* ---- events ------------------------------------------------------------------- */

/* Append the filter of an event. The kernel filters only tracepoints. */
static int append_filter(struct tally_sampler *sampler, const struct tally_event_spec *spec,
			 const char *filter)
{
	struct tally_sample_filter *parsed = NULL;
	struct tally_error err = {0};
	bool of_samples = filter && spec->attr.type != PERF_TYPE_TRACEPOINT;
	int ret = of_samples ? tally_sample_filter_parse(filter, &parsed, &err) : 0;

	if (ret == -EINVAL || ret == -E2BIG)
		tally_message_error(messages_of(sampler), "--filter \"%s\" for %s: %s (at byte %d)",
				    filter, spec->name, err.text ? err.text : "too many conditions",
				    (int)err.offset);
	if (!ret)
		ret = tally_vec_push(&sampler->filters, of_samples ? NULL : filter);
	if (!ret)
		ret = tally_vec_push(&sampler->sample_filters, parsed);
	if (ret)
		tally_sample_filter_free(parsed);
	return ret;
}

/* Append the events of a list, adjusting their indices for the events already added. */
static int append(struct tally_sampler *sampler, const struct tally_event_list *list,
		  const char *filter)
{
	size_t base = sampler->specs.len;
	int ret = 0;

	for (size_t i = 0; !ret && i < list->nr; i++) {
		struct tally_event_spec spec = list->specs[i];

		spec.leader += (uint32_t)base;
		spec.merge_first += (uint32_t)base;
		if (spec.tool != TALLY_TOOL_NONE) {
			tally_message_error(messages_of(sampler),
					    "%s is a tool event and cannot be sampled", spec.name);
			return -EINVAL;
		}
		ret = tally_vec_push(&sampler->specs, spec);
		if (!ret)
			ret = append_filter(sampler, &spec, filter);
	}
	return ret;
}

int tally_sampler_add(struct tally_sampler *sampler, const char *text, const char *filter)
{
	struct tally_event_error err = {0};
	struct tally_event_list *list;
	int ret = 0;

	if (!sampler->events)
		ret = tally_event_source_open(&sampler->sampling->source, messages_of(sampler),
					      &sampler->events);
	if (ret)
		return ret;
	ret = tally_events_parse(sampler->events, text, strlen(text), &list, &err);
	if (ret) {
		tally_event_error_emit(text, &err, messages_of(sampler));
		return ret;
	}
	ret = tally_vec_push(&sampler->lists, list);
	if (ret)
		tally_event_list_free(list);
	else
		ret = append(sampler, list, filter);
	return finish(sampler, ret);
}

/* Return true if a dummy event must record maps and names from the start, because the other events
 * do not start together with the command. */
static bool wants_dummy(const struct tally_sampling *sampling)
{
	return tally_target_has_cpus(&sampling->target) || sampling->is_delayed;
}

int tally_sampler_prepare(struct tally_sampler *sampler)
{
	int ret = 0;

	if (!sampler->specs.len)
		ret = tally_sampler_add(sampler, TALLY_SAMPLING_EVENT, NULL);
	if (!ret && wants_dummy(sampler->sampling)) {
		sampler->tracking = sampler->specs.len;
		ret = tally_sampler_add(sampler, "dummy", NULL);
	}
	return ret ? ret : sampler_attrs(sampler);
}

void tally_sampler_event_name(const struct tally_sampler *sampler, size_t event,
			      struct tally_str *out)
{
	unsigned fallbacks =
		sampler->counters ? tally_counters_fallback(sampler->counters, event) : 0;

	tally_fallbacks_name(sampler->specs.data[event].name, fallbacks, out);
}

/* ---- opening --------------------------------------------------------------------- */

int tally_sampler_resolve(struct tally_sampler *sampler, int32_t command)
{
	struct tally_target target = sampler->sampling->target;

	if (sampler->threads)
		return -EBUSY;
	target.command = command;
	return tally_resolve_target(&target, &sampler->cpus, &sampler->threads,
				    messages_of(sampler));
}

static void explain_refusal(const struct tally_sampler *sampler)
{
	const struct tally_refusal *why = &sampler->why;
	struct tally_str what = {0};

	tally_str_add(&what, "cannot open ");
	if (why->event < sampler->specs.len)
		tally_str_add(&what, sampler->specs.data[why->event].name);
	tally_refusal_report(tally_str_text(&what), why, messages_of(sampler));
	tally_str_free(&what);
}

/* Copy the attrs that were actually opened, since readers need them, and collect the fallbacks. */
static void copy_opened_attrs(struct tally_sampler *sampler)
{
	for (size_t i = 0; i < sampler->specs.len; i++) {
		sampler->specs.data[i].attr = *tally_counters_attr(sampler->counters, i);
		sampler->fallbacks |= tally_counters_fallback(sampler->counters, i);
	}
}

/* Check only breakpoints, because probing them takes no time. */
static void warn_stuck(const struct tally_sampler *sampler)
{
	if (sampler->sampling->quiet || sampler->sampling->transport)
		return;
	tally_vec_for_each (spec, &sampler->specs) {
		if (spec->attr.type == PERF_TYPE_BREAKPOINT)
			tally_stuck_warn(tally_transport_linux(), spec->name, &spec->attr,
					 "there will be no samples", messages_of(sampler));
	}
}

/* Open the cgroup to sample in, if there is one. */
static int cgroup_open(struct tally_sampler *sampler, int *ret_fd)
{
	const char *name = sampler->sampling->cgroup;
	int ret;

	if (!name)
		return 0;
	if (!tally_target_has_cpus(&sampler->sampling->target)) {
		tally_message_error(messages_of(sampler),
				    "sampling in a cgroup requires CPUs: -a or -C");
		return -EINVAL;
	}
	ret = tally_cgroup_open(name, ret_fd);
	if (ret)
		tally_message_error(messages_of(sampler), "cgroup %s: %s", name, strerror(-ret));
	return ret;
}

static int counters_open(struct tally_sampler *sampler)
{
	const struct tally_sampling *sampling = sampler->sampling;
	const struct tally_event_list list = {.specs = sampler->specs.data,
					      .nr = sampler->specs.len};
	struct tally_open_options options = {
		.sampling = true, .may_fall_back = true, .cgroup_fd = -1};
	int ret = cgroup_open(sampler, &options.cgroup_fd);

	if (ret)
		return ret;
	ret = tally_counters_open(
		sampling->transport ? sampling->transport : tally_transport_linux(), &list,
		sampler->cpus, sampler->threads, &options, &sampler->counters, &sampler->why);
	if (options.cgroup_fd >= 0)
		close(options.cgroup_fd);
	if (ret) {
		explain_refusal(sampler);
		return ret;
	}
	copy_opened_attrs(sampler);
	if (!sampling->quiet) {
		tally_fallbacks_warn(sampler->fallbacks, "recorded", sampling->messages);
		tally_event_cpus_warn(sampler->counters, &list, "recorded", sampling->messages);
	}
	warn_stuck(sampler);
	return 0;
}

static int set_filters(struct tally_sampler *sampler)
{
	for (size_t i = 0; i < sampler->specs.len; i++) {
		int ret = tally_set_filter(sampler->counters, i, sampler->specs.data[i].name,
					   sampler->filters.data[i], messages_of(sampler));

		if (ret) {
			sampler->why = (struct tally_refusal){.code = ret, .event = i};
			return ret;
		}
	}
	return 0;
}

/* Return how many bytes an event with stack dumps may write on a CPU before its ring is drained. On
 * a loaded machine, the recorder may have to wait for several time slices of other tasks. Returns 0
 * for events without stack dumps, because their samples are small. */
static uint64_t dumps_undrained(const struct perf_event_attr *attr)
{
	enum { SAMPLE = 512, TURNS = 4 }; /* sample size without dump; minimum drains per second */
	uint64_t per_second = attr->freq ? attr->sample_freq : TALLY_SAMPLING_FREQ;

	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return 0;
	return TALLY_MIN(per_second, UINT32_MAX) * (attr->sample_stack_user + SAMPLE) / TURNS;
}

static uint64_t rings_most(void)
{
	enum { PART = 128 };
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	return TALLY_MAX(memory / PART, (uint64_t)TALLY_SAMPLING_DUMPS_RINGS);
}

/* Return the preferred size of each ring in bytes. */
static size_t ring_wanted(const struct tally_sampler *sampler)
{
	uint64_t nr = TALLY_MAX(tally_rings_nr(sampler->rings), (size_t)1), needed = 0;
	size_t wanted = TALLY_SAMPLING_RING;

	tally_vec_for_each (spec, &sampler->specs)
		needed += dumps_undrained(&spec->attr);
	while (wanted < needed && wanted < TALLY_SAMPLING_DUMPS_RING &&
	       2 * wanted * nr <= rings_most())
		wanted *= 2;
	return wanted;
}

static int rings_open(struct tally_sampler *sampler)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct tally_ring_pages pages = {
		.asked = sampler->sampling->ring_pages,
		.usual = TALLY_SAMPLING_RING / page,
		.quiet = sampler->sampling->quiet,
		.messages = messages_of(sampler),
		.access = sampler->sampling->access,
	};
	int ret = tally_rings_new(sampler->counters, &sampler->rings);

	if (ret)
		return finish(sampler, ret);
	pages.rings = sampler->rings;
	pages.wanted = ring_wanted(sampler) / page;
	ret = tally_ring_pages_map(&pages, &sampler->why);
	sampler->pages = pages.mapped;
	return ret;
}

int tally_sampler_open(struct tally_sampler *sampler)
{
	int ret = sampler->counters ? -EBUSY : counters_open(sampler);

	if (!ret)
		ret = set_filters(sampler);
	if (!ret)
		ret = rings_open(sampler);
	if (!ret)
		ret = tally_refuse_descriptors(messages_of(sampler), &sampler->why);
	if (ret)
		return ret;
	ret = tally_sample_layout_init(&sampler->layout,
				       &sampler->specs.data[sampler->tracking].attr);
	if (ret)
		tally_message_error(messages_of(sampler), "cannot decode the samples: %s",
				    strerror(-ret));
	return ret;
}

void tally_sampler_close(struct tally_sampler *sampler)
{
	tally_rings_free(sampler->rings);
	tally_counters_close(sampler->counters);
	free(sampler->threads);
	free(sampler->cpus);
	tally_str_free(&sampler->synth.out);
	tally_str_free(&sampler->before);
	tally_vec_for_each (list, &sampler->lists)
		tally_event_list_free(*list);
	tally_vec_free(&sampler->lists);
	tally_vec_free(&sampler->specs);
	tally_vec_free(&sampler->filters);
	tally_vec_for_each (filter, &sampler->sample_filters)
		tally_sample_filter_free(*filter);
	tally_vec_free(&sampler->sample_filters);
	tally_events_free(sampler->events);
	*sampler = (struct tally_sampler){.sampling = sampler->sampling};
}

void tally_sampler_raise_priority(int priority, const struct tally_messages *messages)
{
	struct sched_param param = {.sched_priority = priority};

	if (priority && sched_setscheduler(0, SCHED_FIFO, &param))
		tally_message_warn(messages, "cannot run with priority %d: %s", priority,
				   strerror(errno));
}

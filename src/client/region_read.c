/* SPDX-License-Identifier: BSD-2-Clause */
/* Read the counts for regions. */
#include <errno.h>
#include <string.h>

#include "client/counters_private.h"
#include "client/region_private.h"

size_t tally_regions_nr(const struct tally_regions *regions)
{
	return regions->nodes.len;
}

size_t tally_regions_nr_events(const struct tally_regions *regions)
{
	return regions->list->nr;
}

int tally_regions_get(const struct tally_regions *regions, size_t region,
		      struct tally_region *ret_region)
{
	const struct region_node *node;

	if (region >= regions->nodes.len)
		return -ENOENT;
	node = &regions->nodes.data[region];
	*ret_region = (struct tally_region){
		.name = node->name,
		.parent = node->parent == REGION_NONE ? TALLY_REGIONS_NO_PARENT : node->parent,
		.calls = node->calls,
		.time = node->time,
	};
	return 0;
}

int tally_regions_count(const struct tally_regions *regions, size_t region, size_t event,
			struct tally_count *ret_count)
{
	const struct self_reading *sum;

	if (region >= regions->nodes.len || event >= regions->list->nr)
		return -ENOENT;
	/* For an event that is not open, this call returns the quality without making a system
	 * call. */
	if (tally_counters_fd(regions->counters, event, 0, 0) < 0)
		return tally_counters_read(regions->counters, event, 0, 0, ret_count);
	sum = &regions->sums.data[region * regions->list->nr + event];
	*ret_count = (struct tally_count){
		.value = sum->value,
		.enabled = sum->enabled,
		.running = sum->running,
		.quality = counters_quality(regions->counters, sum->enabled, sum->running),
	};
	if (regions->events[event].lost)
		*ret_count = (struct tally_count){.quality = TALLY_QUALITY_NEVER_RAN};
	return 0;
}

const char *tally_regions_event(const struct tally_regions *regions, size_t event)
{
	return event < regions->list->nr ? regions->list->specs[event].name : NULL;
}

const struct tally_refusal *tally_regions_refusal(const struct tally_regions *regions, size_t event)
{
	return event < regions->list->nr ? tally_counters_refusal(regions->counters, event) : NULL;
}

bool tally_regions_is_self_read(const struct tally_regions *regions, size_t event)
{
	for (size_t i = 0; i < regions->nr_pages; i++)
		if (regions->page_events[i] == event)
			return true;
	return false;
}

uint64_t tally_regions_unmeasured(const struct tally_regions *regions)
{
	return regions->unmeasured;
}

/* ---- adding ------------------------------------------------------------------------------- */

static bool same_events(const struct tally_regions *a, const struct tally_regions *b)
{
	if (a->list->nr != b->list->nr)
		return false;
	for (size_t i = 0; i < a->list->nr; i++)
		if (strcmp(a->list->specs[i].name, b->list->specs[i].name))
			return false;
	return true;
}

static void node_merge(struct tally_regions *regions, uint32_t to, const struct tally_regions *more,
		       size_t from)
{
	struct self_reading *sums = &regions->sums.data[to * regions->list->nr];
	const struct self_reading *add = &more->sums.data[from * more->list->nr];

	regions->nodes.data[to].calls += more->nodes.data[from].calls;
	regions->nodes.data[to].time += more->nodes.data[from].time;
	for (size_t i = 0; i < regions->list->nr; i++) {
		sums[i].value += add[i].value;
		sums[i].enabled += add[i].enabled;
		sums[i].running += add[i].running;
	}
}

int tally_regions_add(struct tally_regions *regions, const struct tally_regions *more)
{
	uint32_t *places;
	int ret = 0;

	if (regions == more || !same_events(regions, more))
		return -EINVAL;
	places = calloc(more->nodes.len + 1, sizeof(*places));
	if (!places)
		return -ENOMEM;
	/* Parents precede their children in the list. */
	for (size_t i = 0; i < more->nodes.len && !ret; i++) {
		const struct region_node *node = &more->nodes.data[i];
		uint32_t parent = node->parent == REGION_NONE ? REGION_NONE : places[node->parent];

		ret = region_find(regions, parent, node->name, &places[i]);
		if (!ret)
			node_merge(regions, places[i], more, i);
	}
	free(places);
	for (size_t i = 0; i < regions->list->nr; i++)
		regions->events[i].lost = regions->events[i].lost || more->events[i].lost;
	regions->unmeasured += more->unmeasured;
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Start and stop regions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "client/region_private.h"

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- the tree ---------------------------------------------------------------------------- */

static uint32_t *children_of(struct tally_regions *regions, uint32_t parent)
{
	return parent == REGION_NONE ? &regions->roots : &regions->nodes.data[parent].child;
}

static uint64_t name_key(uint32_t parent, const char *name)
{
	return tally_hash_bytes(name, strlen(name), tally_hash_u64(parent, 0));
}

static int node_reserve(struct tally_regions *regions)
{
	size_t nr = regions->nodes.len + 1;

	if (nr > TALLY_REGIONS_MAX)
		return -E2BIG;
	return tally_vec_reserve(&regions->nodes, nr) ||
			       tally_vec_reserve(&regions->sums, nr * regions->list->nr)
		       ? -ENOMEM
		       : 0;
}

static int node_add(struct tally_regions *regions, uint32_t parent, const char *name,
		    uint32_t *ret_node)
{
	size_t nr_events = regions->list->nr, len = strnlen(name, TALLY_REGIONS_NAME_MAX + 1);
	uint32_t nr = (uint32_t)regions->nodes.len;
	struct region_node node = {.parent = parent, .child = REGION_NONE};
	int ret = len && len <= TALLY_REGIONS_NAME_MAX ? node_reserve(regions) : -EINVAL;

	if (ret)
		return ret;
	node.name = strdup(name);
	if (!node.name || tally_map_set(&regions->by_name, name_key(parent, name), nr)) {
		free(node.name);
		return -ENOMEM;
	}
	node.next = *children_of(regions, parent);
	regions->nodes.data[regions->nodes.len++] = node;
	*children_of(regions, parent) = nr;
	if (nr_events)
		memset(&regions->sums.data[nr * nr_events], 0,
		       nr_events * sizeof(struct self_reading));
	regions->sums.len += nr_events;
	*ret_node = nr;
	return 0;
}

/* Find a region among the first `max` below `parent`, and move it to the front, because the same
 * region is likely to be started next. */
static bool find_listed(struct tally_regions *regions, uint32_t parent, const char *name,
			size_t max, uint32_t *ret_node)
{
	uint32_t *first = children_of(regions, parent), *at = first;

	for (; *at != REGION_NONE && max--; at = &regions->nodes.data[*at].next) {
		struct region_node *node = &regions->nodes.data[*at];
		uint32_t found = *at;

		if (strcmp(node->name, name))
			continue;
		if (at != first) {
			*at = node->next;
			node->next = *first;
			*first = found;
		}
		*ret_node = found;
		return true;
	}
	return false;
}

/* Look at a few regions in the list, then in the table. Only the last region of those with the same
 * hash is in the table; the others are found in the list. */
int region_find(struct tally_regions *regions, uint32_t parent, const char *name,
		uint32_t *ret_node)
{
	enum { FEW = 8 };
	const struct region_node *node;
	uint64_t found;

	if (find_listed(regions, parent, name, FEW, ret_node))
		return 0;
	found = tally_map_get(&regions->by_name, name_key(parent, name));
	if (found == TALLY_MAP_NONE)
		return node_add(regions, parent, name, ret_node);
	node = &regions->nodes.data[found];
	if (node->parent == parent && !strcmp(node->name, name)) {
		*ret_node = (uint32_t)found;
		return 0;
	}
	return find_listed(regions, parent, name, SIZE_MAX, ret_node)
		       ? 0
		       : node_add(regions, parent, name, ret_node);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Read the group members from index `leader` up to, but not including, `end` with a single system
 * call. */
static void group_read(struct tally_regions *regions, size_t leader, size_t end,
		       struct self_reading *to)
{
	struct tally_count counts[TALLY_REGIONS_EVENTS_MAX];
	int ret = 0;

	for (size_t i = leader; i < end; i++)
		counts[i] = (struct tally_count){.quality = TALLY_QUALITY_NOT_SUPPORTED};
	if (tally_counters_fd(regions->counters, leader, 0, 0) >= 0)
		ret = tally_counters_read_group(regions->counters, leader, 0, 0, counts);
	for (size_t i = leader; i < end; i++) {
		bool open = tally_counters_fd(regions->counters, i, 0, 0) >= 0;

		/* A read that returns end-of-file leaves the quality unchanged. */
		if (ret || (open && counts[i].quality == TALLY_QUALITY_NOT_SUPPORTED))
			regions->events[i].lost = true;
		to[i] = (struct self_reading){counts[i].value, counts[i].enabled,
					      counts[i].running};
	}
}

/* Read the groups of which not all events are in the mask `have`. */
static void groups_read(struct tally_regions *regions, uint64_t have, struct self_reading *to)
{
	size_t nr = regions->list->nr;

	for (size_t i = 0, end; i < nr; i = end) {
		bool all = true;

		for (end = i; end < nr && regions->events[end].leader == i; end++)
			all = all && have >> end & 1;
		if (!all)
			group_read(regions, i, end, to);
	}
}

/* Read all events, in user space if possible. */
static void events_read(struct tally_regions *regions, struct self_reading *to)
{
	uint64_t have = 0;
	size_t done = 0;

	if (regions->nr_pages)
		done = self_read_pages(regions->pages, regions->nr_pages, regions->reader, to);
	if (done == regions->list->nr)
		return;
	/* Pages are in the order of the events, so this overwrites no reading. */
	for (size_t i = done; i--;) {
		to[regions->page_events[i]] = to[i];
		have |= UINT64_C(1) << regions->page_events[i];
	}
	groups_read(regions, have, to);
}

/* ---- start and stop ----------------------------------------------------------------------- */

static int frame_start(struct tally_regions *regions, const char *name)
{
	struct region_frame *frame = &regions->frames[regions->depth];
	uint32_t parent = regions->depth ? frame[-1].node : REGION_NONE;
	int ret;

	frame->node = REGION_NONE;
	/* If the parent could not be started, this region cannot be placed in the tree. */
	if (regions->depth && parent == REGION_NONE)
		return -E2BIG;
	ret = region_find(regions, parent, name, &frame->node);
	if (ret)
		return ret;
	if (regions->time)
		frame->time = now_ns();
	events_read(regions, frame->sums);
	return 0;
}

int tally_region_start(struct tally_regions *regions, const char *name)
{
	int ret;

	if (!regions)
		return 0;
	if (!pthread_equal(regions->thread, pthread_self()))
		return -EPERM;
	ret = regions->depth < TALLY_REGIONS_DEPTH ? frame_start(regions, name) : -E2BIG;
	regions->depth++;
	regions->unmeasured += ret != 0;
	return ret;
}

static void sums_add(struct self_reading *sums, const struct self_reading *from,
		     const struct self_reading *to, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		sums[i].value += to[i].value - from[i].value;
		sums[i].enabled += to[i].enabled - from[i].enabled;
		sums[i].running += to[i].running - from[i].running;
	}
}

int tally_region_stop(struct tally_regions *regions)
{
	struct self_reading now[TALLY_REGIONS_EVENTS_MAX];
	struct region_frame *frame;
	struct region_node *node;

	if (!regions)
		return 0;
	if (!pthread_equal(regions->thread, pthread_self()))
		return -EPERM;
	if (!regions->depth)
		return -EINVAL;
	if (--regions->depth >= TALLY_REGIONS_DEPTH)
		return 0;
	frame = &regions->frames[regions->depth];
	if (frame->node == REGION_NONE)
		return 0;
	events_read(regions, now);
	node = &regions->nodes.data[frame->node];
	if (regions->time)
		node->time += now_ns() - frame->time;
	node->calls++;
	sums_add(&regions->sums.data[frame->node * regions->list->nr], frame->sums, now,
		 regions->list->nr);
	return 0;
}

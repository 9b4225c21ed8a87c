/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <strings.h>

#include "jevents/jevents_model.h"

static unsigned char ascii_lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

uint32_t tally_model_hash(const char *name, size_t len)
{
	uint32_t hash = 2166136261u; /* FNV-1a, with a final mix to improve the high bits */

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ ascii_lower(name[i])) * 16777619u;
	hash = (hash ^ hash >> 16) * 0x85ebca6bu;
	return hash ^ hash >> 13;
}

const char *tally_model_event_desc(const struct tally_model *model,
				   const struct tally_model_event *event)
{
	const char *name = tally_model_text(model, event->name);

	return name + strlen(name) + 1;
}

const char *tally_model_event_long_desc(const struct tally_model *model,
					const struct tally_model_event *event)
{
	const char *desc = tally_model_event_desc(model, event);

	return desc + strlen(desc) + 1;
}

int tally_model_pmu_find(const struct tally_model *model, const char *name)
{
	for (uint32_t i = 0; i < model->pmus.nr; i++)
		if (!strcmp(tally_model_text(model, tally_model_pmu(model, i)->name), name))
			return i;
	return -1;
}

/* Return true if `text`, which is in lower case, equals the `len` bytes at `name`, ignoring
 * case. */
static bool name_is(const char *text, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!text[i] || (unsigned char)text[i] != ascii_lower(name[i]))
			return false;
	return !text[len];
}

/* `*pos` is the number of slots already checked. */
const struct tally_model_event *tally_model_event_find(const struct tally_model *model, int pmu,
						       const char *name, size_t len, uint32_t *pos)
{
	uint32_t hash = tally_model_hash(name, len), nr = model->slots.nr;
	uint32_t tag = tally_slot_tag(hash, model->events.nr);
	uint32_t mask = tally_slot_row_mask(model->events.nr);
	uint32_t first = tally_slot_of(hash, nr);

	while (*pos < nr) {
		uint32_t at = first + (*pos)++;
		uint32_t slot = tally_model_slot(model, at < nr ? at : at - nr);
		const struct tally_model_event *event;

		if (!slot)
			break;
		if ((slot ^ tag) & ~mask)
			continue;
		event = tally_model_event(model, (slot & mask) - 1);
		if ((pmu < 0 || event->pmu == pmu) &&
		    name_is(tally_model_text(model, event->name), name, len))
			return event;
	}
	*pos = model->slots.nr;
	return NULL;
}

/* Return the first row in [low, high) with a name that is not less than `prefix`. If `after` is
 * set, the name must also be greater than all names that start with `prefix`. */
static uint32_t name_bound(const struct tally_model *model, uint32_t low, uint32_t high,
			   const char *prefix, size_t len, bool after)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const char *name = tally_model_text(model, tally_model_event(model, middle)->name);
		int order = strncmp(name, prefix, len);

		if (order < 0 || (after && !order))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t tally_model_event_prefix(const struct tally_model *model, uint32_t pmu, const char *prefix,
				  size_t len, uint32_t *ret_first)
{
	const struct tally_model_pmu *row = tally_model_pmu(model, pmu);
	uint32_t end = row->first_event + row->nr_events;
	uint32_t first = name_bound(model, row->first_event, end, prefix, len, false);

	*ret_first = first;
	return name_bound(model, first, end, prefix, len, true) - first;
}

const struct tally_model_metric *tally_model_metric_find(const struct tally_model *model,
							 uint32_t pmu, const char *name)
{
	const struct tally_model_pmu *row = tally_model_pmu(model, pmu);
	uint32_t low = row->first_metric, high = low + row->nr_metrics;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct tally_model_metric *metric = tally_model_metric(model, middle);
		int order = strcasecmp(tally_model_text(model, metric->name), name);

		if (!order)
			return metric;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const char *tally_model_group_desc(const struct tally_model *model, const char *name)
{
	uint32_t low = 0, high = model->groups.nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct tally_model_group *group = tally_model_group(model, middle);
		int order = strcmp(tally_model_text(model, group->name), name);

		if (!order)
			return tally_model_text(model, group->desc);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz the event grammar and metric names, with a sysfs and a tracefs that are created once in
 * /tmp, and with one CPU's table. */
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "tally/events.h"

#include "../tests/events/test_tree.h"

static struct tree tree;
static struct tally_events *events;

static void tree_forget(void)
{
	tally_events_free(events);
	tree_remove(&tree);
}

static double count(void *data, uint32_t event)
{
	return event;
}

static void metrics_parse(const uint8_t *data, size_t size)
{
	struct tally_metric_list *metrics = NULL;
	struct tally_event_error err;
	double value;
	int ret = tally_metrics_parse(events, (const char *)data, size, size & 3, &metrics, &err);

	if (ret != err.code || (ret && (!err.text || err.nr_near > 5)))
		abort();
	for (size_t i = 0; !ret && i < metrics->nr; i++)
		if (tally_metric_evaluate(metrics, &metrics->metrics[i], count, NULL, &value))
			abort();
	tally_metric_list_free(metrics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_event_list *list = NULL;
	struct tally_event_error err;
	struct tally_str name = {0};
	int ret;

	if (!events) {
		if (tree_make(&tree) || tally_events_new(tree.sysfs, tree.tracefs, &events) ||
		    tally_events_set_cpu(events, TALLY_CPU_THIS, "GenuineIntel-6-55-4"))
			abort();
		atexit(tree_forget);
	}
	ret = tally_events_parse(events, (const char *)data, size, &list, &err);
	if (ret != err.code || (ret && (!err.text || err.offset > size || err.nr_near > 5)))
		abort();
	for (size_t i = 0; !ret && i < list->nr; i++) {
		if (!list->specs[i].name || !list->specs[i].unit || list->specs[i].leader > i)
			abort();
		tally_str_clear(&name);
		tally_event_name(&list->specs[i].attr, &name);
	}
	tally_str_free(&name);
	tally_event_list_free(list);
	metrics_parse(data, size);
	return 0;
}

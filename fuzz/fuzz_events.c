/* SPDX-License-Identifier: BSD-2-Clause */
/* The event grammar, over a sysfs and a tracefs that are made once, in memory's /tmp. */
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "tally/events.h"

#include "../tests/events/tree.h"

static struct tree tree;
static struct tally_events *events;

static void tree_forget(void)
{
	tally_events_free(events);
	tree_remove(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_event_list *list = NULL;
	struct tally_event_error err;
	struct tally_str name = {0};
	int ret;

	if (!events) {
		if (tree_make(&tree) || tally_events_new(tree.sysfs, tree.tracefs, &events))
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
	return 0;
}

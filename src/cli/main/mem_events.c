/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/mem_events.h"

#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"

/* Events that sample memory accesses. `file` exists if the machine has the event. */
static const struct mem_event {
	const char *file;
	const char *text; /* %llu: ldlat */
	bool loads, stores;
} mem_events[] = {
	{"cpu/events/mem-loads", "cpu/mem-loads,ldlat=%llu/P", true, false},
	{"cpu/events/mem-stores", "cpu/mem-stores/P", false, true},
	{"cpu_core/events/mem-loads", "cpu_core/mem-loads,ldlat=%llu/P", true, false},
	{"cpu_core/events/mem-stores", "cpu_core/mem-stores/P", false, true},
	{"cpu_atom/events/mem-loads", "cpu_atom/mem-loads,ldlat=%llu/P", true, false},
	{"cpu_atom/events/mem-stores", "cpu_atom/mem-stores/P", false, true},
	{"ibs_op/type", "ibs_op//", true, true},
};

static bool has_file(const char *name)
{
	struct tally_str path = {0};
	bool is_there;

	tally_str_addf(&path, "/sys/bus/event_source/devices/%s", name);
	is_there = !tally_str_error(&path) && !access(tally_str_text(&path), F_OK);
	tally_str_free(&path);
	return is_there;
}

bool mem_add_events(const char *type, uint64_t ldlat, struct tally_str *out)
{
	bool loads, stores;

	type = type ? type : "load,store";
	loads = strstr(type, "load");
	stores = strstr(type, "store");
	if (strcmp(type, "load") && strcmp(type, "store") && strcmp(type, "load,store") &&
	    strcmp(type, "store,load")) {
		tally_print_error("option '--type' requires load, store or both, not '%s'", type);
		return false;
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(mem_events); i++) {
		const struct mem_event *event = &mem_events[i];

		if (!((event->loads && loads) || (event->stores && stores)) ||
		    !has_file(event->file))
			continue;
		tally_str_add(out, out->len ? "," : "");
		tally_str_addf(out, event->text, ldlat ? (unsigned long long)ldlat : 30ULL);
	}
	if (out->len)
		return true;
	tally_print_error("this machine has no events that sample memory accesses");
	tally_print_hint("they are cpu/mem-loads/ and cpu/mem-stores/ on Intel, and ibs_op// on "
			 "AMD; virtual machines often have neither");
	return false;
}

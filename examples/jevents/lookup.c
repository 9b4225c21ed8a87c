/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look up events by CPU ID in the tables that jevents generates. Prints name, encoding, description
 * and topic of one event, or of all events, one per line, separated by tabs. From the top of the
 * source tree:
 *
 *	jevents powerpc pmu-events/arch pmu-events.c
 *	cc -I src/jevents -o lookup examples/jevents/lookup.c pmu-events.c
 *	./lookup 004b0000 pm_1plus_ppc_cmpl
 *
 * -I names the directory that contains pmu-events.h; in an installation it is
 * include/tally-jevents. Exit status: 0 found, 1 no table for the CPU or no such event in it, 2
 * usage.
 */
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "pmu-events.h"

/* Return true if a row of the map is for this CPU: its pattern equals the CPU ID, or is a regular
 * expression that matches the entire CPU ID. On x86, the pattern may omit the stepping, which
 * follows the last dash of the CPU ID. */
static int cpu_matches(const char *pattern, const char *cpuid)
{
	regmatch_t match;
	regex_t regex;
	int matches;

	if (!strcmp(pattern, cpuid))
		return 1;
	if (regcomp(&regex, pattern, REG_EXTENDED))
		return 0;
	matches = !regexec(&regex, cpuid, 1, &match, 0) && match.rm_so == 0 &&
		  (cpuid[match.rm_eo] == '\0' || cpuid[match.rm_eo] == '-');
	regfree(&regex);
	return matches;
}

static const char *text_or_none(const char *text)
{
	return text ? text : "";
}

/* Print the events with this name in a table, or all events if `name` is NULL. Returns the number
 * of events printed. A metric without an event has no name. In the last row of the table, all
 * members are NULL. */
static unsigned int table_print(const struct pmu_event *event, const char *name)
{
	unsigned int nr = 0;

	for (; event->name || event->desc || event->metric_name; event++) {
		if (!event->name || (name && strcasecmp(event->name, name)))
			continue;
		printf("%s\t%s\t%s\t%s\n", event->name, text_or_none(event->event),
		       text_or_none(event->desc), text_or_none(event->topic));
		nr++;
	}
	return nr;
}

/* Return true if an earlier row of the map has tables of this type for the CPU, because only the
 * first such row is used. */
static int type_is_taken(const struct pmu_events_map *row, const char *cpuid)
{
	for (const struct pmu_events_map *other = pmu_events_map; other < row; other++)
		if (!strcmp(text_or_none(other->type), text_or_none(row->type)) &&
		    cpu_matches(other->cpuid, cpuid))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int nr_tables = 0, nr_events = 0;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "Usage: lookup CPUID [EVENT]\n");
		return 2;
	}
	for (const struct pmu_events_map *row = pmu_events_map; row->cpuid; row++) {
		if (!cpu_matches(row->cpuid, argv[1]) || type_is_taken(row, argv[1]))
			continue;
		nr_tables++;
		nr_events += table_print(row->table, argc == 3 ? argv[2] : NULL);
	}
	if (!nr_tables)
		fprintf(stderr, "lookup: no event table for CPU '%s'\n", argv[1]);
	else if (!nr_events && argc == 3)
		fprintf(stderr, "lookup: CPU '%s' has no event '%s'\n", argv[1], argv[2]);
	return nr_events ? 0 : 1;
}

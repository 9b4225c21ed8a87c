/* SPDX-License-Identifier: BSD-2-Clause */
/* Print the classic tables as rows, in the format of the fixtures' classic418.*.tsv. GENERATED is
 * the output of tally-jevents, and TABLES lists its tables as T(name). With the argument `map`,
 * print the map instead. */
#include <stdio.h>
#include <string.h>

#include GENERATED

static void text_print(const char *text)
{
	for (; text && *text; text++) {
		if (*text == '\n' || *text == '\r' || *text == '\t' || *text == '\\')
			printf("\\%c", *text == '\n'   ? 'n'
				       : *text == '\r' ? 'r'
				       : *text == '\t' ? 't'
						       : '\\');
		else
			putchar(*text);
	}
}

static void table_print(const char *name, const struct pmu_event *event, size_t nr)
{
	for (size_t i = 0; i + 1 < nr; i++, event++) { /* the last row is the end marker */
		const char *texts[] = {event->name,        event->event,       event->desc,
				       event->topic,       event->long_desc,   event->pmu,
				       event->unit,        event->perpkg,      event->metric_expr,
				       event->metric_name, event->metric_group};

		printf("%s", name);
		for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
			putchar('\t');
			text_print(texts[j]);
		}
		putchar('\n');
	}
}

static void map_print(void)
{
	for (const struct pmu_events_map *row = pmu_events_map; row->cpuid; row++) {
		text_print(row->cpuid);
		printf("\t%s\t%s\t", row->version, row->type);
#define T(name)                   \
	if (row->table == (name)) \
		printf("%s\n", #name);
		TABLES
#undef T
	}
}

int main(int argc, char **argv)
{
	(void)table_print; /* unused without tables */
	if (argc > 1 && !strcmp(argv[1], "map"))
		map_print();
	else {
#define T(name) table_print(#name, name, sizeof(name) / sizeof((name)[0]));
		TABLES
#undef T
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A program, valid in C and in C++, that uses the library to count its own CPU time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tally/client.h>
#include <tally/events.h>
#include <tally/perfdata.h>
#include <tally/region.h>
#include <tally/rings.h>
#include <tally/sample.h>

static volatile unsigned long sum;

static int count_self(struct tally_event_list *list)
{
	struct tally_open_options options;
	struct tally_counters *counters;
	struct tally_threads *threads;
	struct tally_refusal why;
	struct tally_count count;
	struct tally_cpus *cpus;
	int ret;

	memset(&options, 0, sizeof(options));
	options.may_fall_back = true;
	if (tally_cpus_any(&cpus) || tally_threads_of_tid(getpid(), &threads))
		return 1;
	ret = tally_counters_open(tally_transport_linux(), list, cpus, threads, &options, &counters,
				  &why);
	free(threads);
	free(cpus);
	if (ret) {
		printf("refused: %s\n", tally_rule_name(why.broken));
		return tally_rule_is_permission(why.broken) ? 0 : 1;
	}
	for (unsigned long i = 0; i < 10000000; i++)
		sum = sum + i;
	ret = tally_counters_read(counters, 0, 0, 0, &count);
	tally_counters_close(counters);
	printf("%s: %llu ns, %s\n", list->specs[0].name, (unsigned long long)count.value,
	       tally_quality_name(count.quality));
	return ret || !count.value;
}

int main(void)
{
	struct tally_event_list *list;
	struct tally_events *events;
	int ret;

	if (tally_events_new(NULL, NULL, &events))
		return 1;
	ret = tally_events_parse(events, "task-clock:u", 12, &list, NULL);
	tally_events_free(events);
	if (ret)
		return 1;
	ret = count_self(list);
	tally_event_list_free(list);
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Count a process's events for a given time.
 *
 *	cc monitor.c $(pkg-config --cflags --libs tally) && ./a.out PID [SECONDS]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tally/client.h>
#include <tally/events.h>

static const char *const NAMES = "task-clock:u,faults:u,cycles:u";

/* Print the sum over all threads for each event. */
static void print(struct tally_counters *counters, const struct tally_event_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct tally_count sum = {.quality = TALLY_QUALITY_NEVER_RAN};

		for (size_t thread = 0; thread < tally_counters_nr_threads(counters); thread++) {
			struct tally_count count;

			if (!tally_counters_read(counters, i, 0, thread, &count))
				sum = thread ? tally_count_add(sum, count) : count;
		}
		printf("%s: %llu, %s\n", list->specs[i].name,
		       (unsigned long long)tally_count_scaled(&sum),
		       tally_quality_name(sum.quality));
	}
}

static int monitor(const char *pid, const struct tally_event_list *list, double seconds)
{
	const struct timespec wait = {(time_t)seconds,
				      (long)((seconds - (double)(time_t)seconds) * 1e9)};
	const struct tally_open_options options = {.inherit = true, .skip_unsupported = true};
	struct tally_threads *threads = NULL;
	struct tally_counters *counters;
	struct tally_cpus *cpus = NULL;
	struct tally_refusal why = {0};
	int ret = tally_cpus_any(&cpus);

	ret = ret ? ret : tally_threads_of_pids(pid, &threads);
	if (!ret)
		ret = tally_counters_open(tally_transport_linux(), list, cpus, threads, &options,
					  &counters, &why);
	free(threads);
	free(cpus);
	if (ret) {
		fprintf(stderr, "monitor: %s%s%s\n", strerror(-ret), why.rule[0] ? "; " : "",
			why.rule);
		return 1;
	}
	nanosleep(&wait, NULL);
	print(counters, list);
	tally_counters_close(counters);
	return 0;
}

int main(int argc, char **argv)
{
	struct tally_event_list *list;
	struct tally_events *events;
	int ret;

	if (argc < 2) {
		fprintf(stderr, "usage: monitor PID [SECONDS]\n");
		return 2;
	}
	if (tally_events_new(NULL, NULL, &events))
		return 1;
	ret = tally_events_parse(events, NAMES, strlen(NAMES), &list, NULL);
	tally_events_free(events);
	if (ret)
		return 1;
	ret = monitor(argv[1], list, argc > 2 ? atof(argv[2]) : 1);
	tally_event_list_free(list);
	return ret;
}

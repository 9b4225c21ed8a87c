/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/bench/bench_cycles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/bench_text.h"
#include "cli/main/print.h"
#include "sampler/sampler_refuse.h"
#include "sampler/target.h"
#include "tally/client.h"

static int cycles_open(struct tally_events *events, struct bench_cycles *cycles)
{
	const struct tally_target target = {.per_thread = true, .command = getpid()};
	struct tally_event_list *list = NULL;
	struct tally_threads *threads = NULL;
	struct tally_cpus *cpus = NULL;
	struct tally_event_error err;
	struct tally_refusal why = {0};
	int ret = tally_events_parse(events, "cycles", strlen("cycles"), &list, &err);

	if (!ret)
		ret = tally_target_resolve(&target, &cpus, &threads, NULL);
	if (!ret)
		ret = tally_counters_open(tally_transport_linux(), list, cpus, threads, NULL,
					  &cycles->counters, &why);
	if (ret && why.code)
		tally_refusal_report("cannot count cycles", &why, &tally_print_messages);
	else if (ret)
		bench_print_failure("count cycles", ret);
	free(threads);
	free(cpus);
	tally_event_list_free(list);
	return ret;
}

int bench_cycles_start(struct bench_cycles *cycles)
{
	struct tally_events *events = NULL;
	int ret = tally_refuse_killed(&tally_print_messages);

	if (ret)
		return ret;
	ret = tally_events_new(NULL, NULL, &events);
	ret = ret ? bench_print_failure("count cycles", ret) : cycles_open(events, cycles);
	tally_events_free(events);
	return ret;
}

int bench_cycles_finish(struct bench_cycles *cycles, uint64_t *ret_cycles)
{
	struct tally_count count = {0};
	int ret = tally_counters_read(cycles->counters, 0, 0, 0, &count);

	tally_counters_close(cycles->counters);
	cycles->counters = NULL;
	if (ret)
		return bench_print_failure("read the count of cycles", ret);
	*ret_cycles = tally_count_scaled(&count);
	return 0;
}

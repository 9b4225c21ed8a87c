/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sample a command while it runs, and print the addresses that were hit most.
 *
 *	cc ring_reader.c $(pkg-config --cflags --libs tally) && ./a.out COMMAND [ARGUMENT...]
 *
 * The samples come from the ring buffers of the kernel. If sampling the kernel is not permitted,
 * only the command's own code is sampled.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tally/client.h>
#include <tally/events.h>
#include <tally/rings.h>
#include <tally/sample.h>

enum { PAGES = 64, MAX = 1 << 16, TOP = 5 };

static struct hit {
	uint64_t ip;
	size_t nr;
} hits[MAX];
static size_t nr_hits, nr_losses, nr_frames;

static void add_record(struct tally_sample_decoder *decoder, const struct perf_event_header *record)
{
	const struct tally_sample *sample;

	if (record->type == PERF_RECORD_LOST)
		nr_losses++;
	if (record->type != PERF_RECORD_SAMPLE || nr_hits == MAX ||
	    tally_sample_decoder_read(decoder, record, &sample))
		return;
	hits[nr_hits++] = (struct hit){sample->ip, 1};
	nr_frames += sample->callchain.nr;
}

/* Read the rings until all sampled tasks have exited. */
static int drain(struct tally_rings *rings, struct tally_sample_decoder *decoder)
{
	const struct perf_event_header *record;
	size_t alive;
	int ret;

	do {
		ret = tally_rings_poll(rings, 1000);
		alive = tally_rings_nr_alive(rings);
		for (size_t i = 0; i < tally_rings_nr(rings); i++)
			while ((record = tally_ring_next(tally_rings_at(rings, i))))
				add_record(decoder, record);
		tally_rings_consume(rings, false);
	} while (ret >= 0 && alive);
	return ret < 0 ? ret : 0;
}

static int sample(struct tally_event_list *list, pid_t pid, int go)
{
	const struct tally_open_options options = {.sampling = true, .may_fall_back = true};
	struct tally_sample_decoder *decoder = NULL;
	struct tally_counters *counters = NULL;
	struct tally_threads *threads = NULL;
	struct tally_rings *rings = NULL;
	struct tally_refusal why = {0};
	struct tally_cpus *cpus = NULL;
	int ret = tally_cpus_any(&cpus);

	ret = ret ? ret : tally_threads_of_tid(pid, &threads);
	if (!ret)
		ret = tally_counters_open(tally_transport_linux(), list, cpus, threads, &options,
					  &counters, &why);
	if (why.rule[0])
		fprintf(stderr, "ring_reader: %s; %s\n", why.rule, why.fix[0]);
	ret = ret ? ret : tally_rings_new(counters, &rings);
	ret = ret ? ret : tally_rings_map(rings, PAGES);
	if (!ret)
		ret = tally_sample_decoder_new(tally_counters_attr(counters, 0), &decoder);
	close(go); /* the command starts, or ends if there was an error */
	ret = ret ? ret : drain(rings, decoder);
	tally_sample_decoder_free(decoder);
	tally_rings_free(rings);
	tally_counters_close(counters);
	free(threads);
	free(cpus);
	return ret;
}

static int by_address(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return (x->ip > y->ip) - (x->ip < y->ip);
}

static int by_number(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return (x->nr < y->nr) - (x->nr > y->nr);
}

static void print_top(void)
{
	size_t last = 0;

	printf("%zu samples with %zu frames, %zu losses\n", nr_hits, nr_frames, nr_losses);
	qsort(hits, nr_hits, sizeof(hits[0]), by_address);
	for (size_t i = 1; i < nr_hits; i++) {
		if (hits[i].ip == hits[last].ip) {
			hits[last].nr += hits[i].nr;
			hits[i].nr = 0;
		} else {
			last = i;
		}
	}
	qsort(hits, nr_hits, sizeof(hits[0]), by_number);
	for (size_t i = 0; i < TOP && i < nr_hits && hits[i].nr; i++)
		printf("%6zu  %#llx\n", hits[i].nr, (unsigned long long)hits[i].ip);
}

/* Start a command that waits until the other end of the pipe is closed. */
static pid_t start(char **argv, int *ret_go)
{
	int fds[2];
	pid_t pid;
	char byte;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		close(fds[1]);
		if (!read(fds[0], &byte, 1))
			execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	close(fds[0]);
	*ret_go = fds[1];
	return pid;
}

int main(int argc, char **argv)
{
	struct tally_event_list *list = NULL;
	struct tally_events *events;
	int ret, go;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: ring_reader COMMAND [ARGUMENT...]\n");
		return 2;
	}
	pid = start(argv + 1, &go);
	if (pid < 0 || tally_events_new(NULL, NULL, &events))
		return 1;
	ret = tally_events_parse(events, "cpu-clock", 9, &list, NULL);
	tally_events_free(events);
	if (!ret) {
		struct perf_event_attr *attr = &list->specs[0].attr;

		attr->freq = attr->inherit = 0;
		attr->sample_period = 1000000; /* 1 ms */
		attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
		attr->wakeup_events = 16;
		ret = sample(list, pid, go);
	}
	tally_event_list_free(list);
	waitpid(pid, NULL, 0);
	if (ret)
		fprintf(stderr, "ring_reader: %s\n", strerror(-ret));
	else
		print_top();
	return ret ? 1 : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Open and close the counters for regions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/region_private.h"

static int list_reject(int code, const char *text, const struct tally_event_spec *spec,
		       struct tally_event_error *err)
{
	*err = (struct tally_event_error){.code = code, .text = text};
	snprintf(err->slice, sizeof(err->slice), "%s", spec ? spec->name : "");
	return code;
}

/* Check that a single thread's counters can count all events. */
static int list_check(const struct tally_event_list *list, struct tally_event_error *err)
{
	if (!list->nr)
		return list_reject(-EINVAL, "no events", NULL, err);
	if (list->nr > TALLY_REGIONS_EVENTS_MAX)
		return list_reject(-E2BIG, "too many events",
				   &list->specs[TALLY_REGIONS_EVENTS_MAX], err);
	for (size_t i = 0; i < list->nr; i++)
		if (list->specs[i].uncore || list->specs[i].tool != TALLY_TOOL_NONE)
			return list_reject(-EINVAL, "this event cannot be counted in regions",
					   &list->specs[i], err);
	return 0;
}

static int list_parse(const char *text, struct tally_event_list **ret_list,
		      struct tally_event_error *err)
{
	struct tally_event_list *list;
	struct tally_events *events;
	int ret = tally_events_new(NULL, NULL, &events);

	if (ret)
		return ret;
	ret = tally_events_parse(events, text, strlen(text), &list, err);
	tally_events_free(events);
	if (ret)
		return ret;
	ret = list_check(list, err);
	if (ret) {
		tally_event_list_free(list);
		return ret;
	}
	*ret_list = list;
	return 0;
}

/* Open enabled counters on the calling thread. */
static int counters_open(struct tally_regions *regions, struct tally_refusal *why)
{
	const struct tally_open_options options = {.read_group = true, .skip_unsupported = true};
	struct tally_threads *threads;
	struct tally_cpus *cpus;
	int ret;

	ret = tally_cpus_any(&cpus);
	if (ret)
		return ret;
	ret = tally_threads_of_tid(regions->tid, &threads);
	if (!ret) {
		ret = tally_counters_open(regions->transport, regions->list, cpus, threads,
					  &options, &regions->counters, why);
		free(threads);
	}
	free(cpus);
	return ret;
}

/* Return true if the counter and its times can be read without a system call. Without the times,
 * there would be no way to know whether the counter was running all the time. */
static bool page_allows_self_read(const struct perf_event_mmap_page *page)
{
	return page->cap_user_rdpmc && page->cap_user_time;
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Unmap the last pages, keeping `keep`. */
static void pages_unmap(struct tally_regions *regions, size_t keep)
{
	while (regions->nr_pages > keep)
		regions->transport->munmap(regions->transport,
					   (void *)regions->pages[--regions->nr_pages],
					   page_size());
}

static bool event_map(struct tally_regions *regions, size_t event)
{
	int fd = tally_counters_fd(regions->counters, event, 0, 0);
	void *page;

	if (fd < 0 || !regions->reader ||
	    regions->transport->mmap(regions->transport, fd, page_size(), false, &page))
		return false;
	regions->pages[regions->nr_pages] = page;
	regions->page_events[regions->nr_pages++] = (uint8_t)event;
	return page_allows_self_read(page);
}

/* Map the pages of all events of a group, or none. Returns the index after its last event. */
static size_t group_map(struct tally_regions *regions, size_t leader)
{
	size_t keep = regions->nr_pages, event = leader;
	bool all = true;

	do {
		regions->events[event].leader = leader;
		all = all && event_map(regions, event);
		event++;
	} while (event < regions->list->nr &&
		 tally_counters_leader(regions->counters, event) == leader);
	if (!all)
		pages_unmap(regions, keep);
	return event;
}

static int regions_open(struct tally_regions *regions, const char *events,
			struct tally_regions_error *err)
{
	int ret = list_parse(events, &regions->list, &err->event);

	if (ret)
		return ret;
	ret = counters_open(regions, &err->refusal);
	if (ret)
		return ret;
	for (size_t i = 0; i < regions->list->nr;)
		i = group_map(regions, i);
	return 0;
}

/* ---- at exit ------------------------------------------------------------------------------- */

/* Provided by the compiler's start files for each program and library. */
extern char __dso_handle __attribute__((visibility("hidden")));

/* Call `function` at exit or, if this is a library, when it is unloaded. Source: the Itanium C++
 * ABI, 3.3.6.3. */
int __cxa_atexit(void (*function)(void *arg), void *arg, void *dso);

/* Write the regions, unless this is a child process that inherited them. */
static void write_last(const struct tally_regions *regions)
{
	if (regions->pid == getpid())
		(void)tally_regions_write(regions, NULL);
}

static void write_at_exit(void *arg)
{
	struct region_exit *exit = arg;
	struct tally_regions *regions = exit->regions;

	/* A destructor that runs later may still close the object. */
	if (regions) {
		regions->exit = NULL;
		write_last(regions);
	}
}

static int exit_register(struct tally_regions *regions)
{
	struct region_exit *exit = calloc(1, sizeof(*exit));

	if (!exit || __cxa_atexit(write_at_exit, exit, &__dso_handle)) {
		free(exit);
		return -ENOMEM;
	}
	exit->regions = regions;
	regions->exit = exit;
	return 0;
}

/* ---- open and close ------------------------------------------------------------------------- */

static struct tally_regions *regions_new(const struct tally_regions_options *options)
{
	struct tally_regions *regions = calloc(1, sizeof(*regions));

	if (!regions)
		return NULL;
	regions->transport = options->transport ? options->transport : tally_transport_linux();
	regions->reader = options->reader || options->transport ? options->reader
								: tally_self_reader_native();
	regions->thread = pthread_self();
	regions->pid = getpid();
	regions->tid = (int32_t)syscall(SYS_gettid);
	regions->time = options->time;
	regions->roots = REGION_NONE;
	return regions;
}

int tally_regions_open(const char *events, const struct tally_regions_options *options,
		       struct tally_regions **ret_regions, struct tally_regions_error *err)
{
	static const struct tally_regions_options none;
	const struct tally_regions_options *use = options ? options : &none;
	struct tally_regions_error mine = {0};
	struct tally_regions *regions = regions_new(use);
	int ret = -ENOMEM;

	if (regions)
		ret = regions_open(regions, events ? events : "cycles,instructions,task-clock",
				   &mine);
	if (!ret && use->at_exit)
		ret = exit_register(regions);
	if (!ret) {
		*ret_regions = regions;
		return 0;
	}
	tally_regions_close(regions);
	mine.code = ret;
	if (err)
		*err = mine;
	return ret;
}

void tally_regions_close(struct tally_regions *regions)
{
	if (!regions)
		return;
	if (regions->exit) {
		regions->exit->regions = NULL;
		write_last(regions);
	}
	pages_unmap(regions, 0);
	tally_counters_close(regions->counters);
	tally_event_list_free(regions->list);
	tally_vec_for_each (node, &regions->nodes)
		free(node->name);
	tally_vec_free(&regions->nodes);
	tally_vec_free(&regions->sums);
	tally_map_free(&regions->by_name);
	free(regions);
}

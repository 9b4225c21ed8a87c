/* SPDX-License-Identifier: BSD-2-Clause */
/* mem-phys-addr: samples of memory accesses by type of the memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/intern.h"
#include "cli/main/print.h"
#include "cli/script/trace_reports.h"

enum { IOMEM_MAX = 16 << 20 };

/* A line below headings; cut to the width of a column. */
#define RULE "----------------------------------------"

/* A range of physical addresses. */
struct memory_range {
	uint64_t first, last;
	uint32_t type; /* in types */
};

struct memory_types {
	struct tally_intern types;
	TALLY_VEC(struct memory_range) ranges; /* sorted */
	TALLY_VEC(uint64_t) counts;            /* for each type */
	uint64_t total;
	const char *event; /* name of the first sample's event */
	bool is_of_here;   /* `ranges` are of this machine */
};

/* Parse a line of iomem, such as "00100000-bfffffff : System RAM". Lines of parts of a range are
 * indented, and ignored. */
static int add_range(struct memory_types *state, char *line)
{
	struct memory_range range;
	char *end, *name = strstr(line, " : ");
	int ret;

	if (*line == ' ' || !name)
		return 0;
	range.first = strtoull(line, &end, 16);
	range.last = *end == '-' ? strtoull(end + 1, NULL, 16) : 0;
	if (range.first >= range.last)
		return 0;
	ret = tally_intern(&state->types, name + 3, strlen(name + 3), &range.type);
	return ret ? ret : tally_vec_push(&state->ranges, range);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct memory_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static int read_ranges(struct memory_types *state, const char *path)
{
	char *text, *line, *rest;
	int ret = tally_file_read(path, IOMEM_MAX, &text, &(size_t){0});

	if (ret)
		return ret;
	rest = text;
	while (!ret && (line = strsep(&rest, "\n")))
		ret = add_range(state, line);
	free(text);
	if (!ret && !state->ranges.len)
		return -EACCES;
	if (!ret)
		qsort(state->ranges.data, state->ranges.len, sizeof(*state->ranges.data),
		      compare_ranges);
	return ret;
}

/* Read the ranges of this machine, or from the file in the argument. */
static int start_memory(struct trace_report *report, int nr, char **args)
{
	struct memory_types *state = report->state;
	const char *path = nr ? args[0] : "/proc/iomem";
	uint32_t unknown;
	int ret = tally_intern(&state->types, "N/A", 3, &unknown);

	state->is_of_here = !nr;
	if (!ret)
		ret = read_ranges(state, path);
	for (size_t i = 0; !ret && i < state->types.strings.len; i++)
		ret = tally_vec_push(&state->counts, 0);
	if (!ret)
		return 0;
	tally_print_error("cannot read types of memory from %s: %s", path,
			  ret == -EACCES ? "it shows addresses only to root" : strerror(-ret));
	if (ret == -EACCES)
		tally_print_hint("run this as root, or pass a copy of the recorded machine's "
				 "/proc/iomem: tally script mem-phys-addr FILE");
	return ret;
}

/* Return the type of the memory at an address; 0 if it is unknown. */
static uint32_t type_of(const struct memory_types *state, uint64_t address)
{
	size_t low = 0, high = state->ranges.len;
	const struct memory_range *range;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (state->ranges.data[middle].first <= address)
			low = middle + 1;
		else
			high = middle;
	}
	range = low ? &state->ranges.data[low - 1] : NULL;
	/* The kernel records 0 if it does not know the address. */
	return range && address && address <= range->last ? range->type : 0;
}

static int count_access(struct trace_report *report)
{
	struct memory_types *state = report->state;
	const struct tally_feed_sample *sample = report->sample;

	if (!(sample->sample.present & PERF_SAMPLE_PHYS_ADDR))
		return 0;
	if (!state->event)
		state->event = tally_perfdata_event(report->session->data, sample->event)->name;
	report->used++;
	state->counts.data[type_of(state, sample->sample.phys_addr)]++;
	state->total++;
	return 0;
}

static int compare_types(const void *a, const void *b, void *arg)
{
	const struct memory_types *state = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (state->counts.data[x] != state->counts.data[y])
		return state->counts.data[x] > state->counts.data[y] ? -1 : 1;
	return strcmp(tally_intern_text(&state->types, y), tally_intern_text(&state->types, x));
}

static void print_type(const struct memory_types *state, uint32_t type, struct tally_str *out)
{
	struct tally_str name = {0};

	tally_str_add_escaped(&name, tally_intern_text(&state->types, type));
	tally_str_addf(out, "%-40s  %10" PRIu64 "  %10.1f%%\n", tally_str_text(&name),
		       state->counts.data[type],
		       100 * (double)state->counts.data[type] / (double)state->total);
	tally_str_free(&name);
}

/* Warn if the ranges are of this machine and the recording is of another. */
static void warn_of_machine(const struct trace_report *report)
{
	const struct memory_types *state = report->state;
	const struct tally_perfdata_env *env;
	struct utsname here;

	if (!state->is_of_here || !state->total || uname(&here) ||
	    tally_perfdata_env(report->session->data, &env) || !*env->hostname ||
	    !strcmp(env->hostname, here.nodename))
		return;
	tally_print_warning("types are of this machine's memory, but the recording is from '%s'",
			    env->hostname);
	tally_print_hint("pass a copy of the recorded machine's /proc/iomem: tally script "
			 "mem-phys-addr FILE");
}

static void print_memory(struct trace_report *report, struct tally_str *out)
{
	struct memory_types *state = report->state;
	TALLY_VEC(uint32_t) order = {0};

	tally_str_add(out, "Event: ");
	tally_str_add_escaped(out, state->event ? state->event : "None");
	tally_str_addf(out, "\n%-40s  %10s  %10s\n%.40s  %.11s  %.11s\n", "Memory type", "count",
		       "percentage", RULE, RULE, RULE);
	for (uint32_t i = 0; i < state->counts.len; i++)
		if (state->counts.data[i] && tally_vec_push(&order, i))
			out->failed = true;
	if (order.len)
		qsort_r(order.data, order.len, sizeof(*order.data), compare_types, state);
	tally_vec_for_each (type, &order)
		print_type(state, *type, out);
	tally_vec_free(&order);
	warn_of_machine(report);
}

static void free_memory(void *arg)
{
	struct memory_types *state = arg;

	tally_intern_free(&state->types);
	tally_vec_free(&state->ranges);
	tally_vec_free(&state->counts);
}

const struct trace_report_kind trace_memory_reports[] = {
	{.name = "mem-phys-addr",
	 .about = "memory accesses by type of physical memory",
	 .usage = "[IOMEM]",
	 .record = (const char *const[]){"mem", "-p", "-t", "load", "record", NULL},
	 .state_size = sizeof(struct memory_types),
	 .max_args = 1,
	 .start = start_memory,
	 .sample = count_access,
	 .print = print_memory,
	 .free = free_memory},
	{0},
};

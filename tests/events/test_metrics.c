/* SPDX-License-Identifier: BSD-2-Clause */
/* Test counters, groups of events that fit on the counters, and metrics from generated tables. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tally/events.h"

#include <cmocka.h>

/* ---- counters ---------------------------------------------------------------------- */

/* Return true if all events can get a counter. Tries all assignments. */
static bool fits_by_brute_force(const struct tally_event_counters *needs, size_t nr,
				uint32_t free_bits)
{
	uint32_t able;

	if (!nr)
		return true;
	able = ((uint32_t)needs->fixed << 16 | needs->generic);
	if (!able)
		return fits_by_brute_force(needs + 1, nr - 1, free_bits);
	for (uint32_t bits = able & free_bits; bits; bits &= bits - 1)
		if (fits_by_brute_force(needs + 1, nr - 1, free_bits & ~(bits & -bits)))
			return true;
	return false;
}

static void fits_groups_as_trying_all_assignments(void **state)
{
	const struct tally_event_counters all = {0xf, 0x3};
	unsigned fit = 0, seed = 1;

	for (int round = 0; round < 5000; round++) {
		struct tally_event_counters needs[7];
		size_t nr = (size_t)rand_r(&seed) % 8;
		bool want;

		for (size_t i = 0; i < nr; i++)
			needs[i] = (struct tally_event_counters){(uint16_t)(rand_r(&seed) & 0xf),
								 (uint8_t)(rand_r(&seed) & 0x3)};
		want = fits_by_brute_force(needs, nr, (uint32_t)all.fixed << 16 | all.generic);
		assert_int_equal(tally_event_counters_fit(needs, nr, all), want);
		fit += want;
	}
	assert_in_range(fit, 500, 4500);
}

static void counters_are_those_of_the_table(void **state)
{
	static const struct {
		const char *cpu;
		uint16_t generic;
		uint8_t fixed;
	} want[] = {
		{"silvermont", 0x3, 0x7},      {"skylakex", 0xf, 0x7},
		{"sapphirerapids", 0xff, 0xf}, {"amdzen4", 0x3f, 0},
		{"power8", 0x7e, 0},           {"neoverse-n1", 0x3f, 0x1},
		{"sifive/u74", 0x18, 0},       {"intel-generic", 0xf, 0x7},
	};
	struct tally_event_counters all;

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct tally_events *events;

		assert_int_equal(tally_events_new("/nonexistent", "/nonexistent", &events), 0);
		assert_int_equal(tally_events_set_cpu(events, TALLY_CPU_OTHER, want[i].cpu), 0);
		assert_int_equal(tally_events_counters(events, &all), 0);
		print_message("# %s %x %x\n", want[i].cpu, all.generic, all.fixed);
		assert_int_equal(all.generic, want[i].generic);
		assert_int_equal(all.fixed, want[i].fixed);
		tally_events_free(events);
	}
}

/* ---- a table ------------------------------------------------------------------------- */

static const char made_up[] =
	"[{\"EventName\": \"A\", \"EventCode\": \"0x1\", \"Counter\": \"0,1\"},\n"
	" {\"EventName\": \"B\", \"EventCode\": \"0x2\", \"Counter\": \"0,1\"},\n"
	" {\"EventName\": \"C\", \"EventCode\": \"0x3\", \"Counter\": \"0,1\"},\n"
	" {\"EventName\": \"D\", \"EventCode\": \"0x4\", \"Counter\": \"1\"},\n"
	" {\"EventName\": \"E\", \"EventCode\": \"0x5\", \"Counter\": \"1\"},\n"
	" {\"EventName\": \"S\", \"EventCode\": \"0x6\", \"Counter\": \"0,1\", \"ScaleUnit\": "
	"\"64Bytes\"},\n"
	" {\"MetricName\": \"ratio\", \"MetricExpr\": \"A / B\", \"MetricGroup\": \"one;both\", "
	"\"ScaleUnit\": \"100%\"},\n"
	" {\"MetricName\": \"inverse\", \"MetricExpr\": \"B / A\", \"MetricGroup\": \"both\"},\n"
	" {\"MetricName\": \"nested\", \"MetricExpr\": \"2 * ratio + inverse\"},\n"
	" {\"MetricName\": \"three\", \"MetricExpr\": \"A + B + C\"},\n"
	" {\"MetricName\": \"clash\", \"MetricExpr\": \"D - E\"},\n"
	" {\"MetricName\": \"apart\", \"MetricExpr\": \"A * B\", \"MetricConstraint\": "
	"\"NO_GROUP_EVENTS\"},\n"
	" {\"MetricName\": \"chosen\", \"MetricExpr\": \"A if #smt_on else B\"},\n"
	" {\"MetricName\": \"asked\", \"MetricExpr\": \"C if has_event(C) else A\"},\n"
	" {\"MetricName\": \"unasked\", \"MetricExpr\": \"nowhere if has_event(nowhere) else "
	"A\"},\n"
	" {\"MetricName\": \"rate\", \"MetricExpr\": \"S / duration_time / 1e9\", \"ScaleUnit\": "
	"\"1GB/s\"},\n"
	" {\"MetricName\": \"lost\", \"MetricExpr\": \"A / nowhere\"},\n"
	" {\"MetricName\": \"loop\", \"MetricExpr\": \"pool + 1\"},\n"
	" {\"MetricName\": \"pool\", \"MetricExpr\": \"loop - 1\"},\n"
	" {\"MetricName\": \"width\", \"MetricExpr\": \"A / #slots\"},\n"
	" {\"MetricName\": \"constant\", \"MetricExpr\": \"7 if 1 > 0 else not_here\"},\n"
	" {\"MetricName\": \"zero\", \"MetricExpr\": \"A / (B - B)\"}]\n";

static int events_of(const char *sysfs, enum tally_events_cpu whose, void **state)
{
	char path[] = "/tmp/tally-metrics-XXXXXX.json";
	struct tally_events *events;
	int fd = mkstemps(path, 5);
	bool written = fd >= 0 && write(fd, made_up, strlen(made_up)) == (ssize_t)strlen(made_up);
	int ret;

	close(fd);
	ret = tally_events_new(sysfs, "/nonexistent", &events);
	*state = events;
	if (!ret)
		ret = tally_events_set_tables(events, path, NULL, NULL);
	if (!ret)
		ret = tally_events_set_cpu(events, whose, "GenuineIntel-6-1-1");
	if (!ret)
		ret = tally_events_table_get(events, &(struct tally_events_table){NULL});
	unlink(path);
	return written ? ret : -1;
}

static int events_make(void **state)
{
	return events_of("/nonexistent", TALLY_CPU_OTHER, state);
}

static int events_free(void **state)
{
	tally_events_free(*state);
	return 0;
}

static struct tally_metric_list *parse(void **state, const char *text, unsigned flags)
{
	struct tally_metric_list *list;
	struct tally_event_error err;
	int ret = tally_metrics_parse(*state, text, strlen(text), flags, &list, &err);

	if (ret)
		print_message("# %s: %s %s %s\n", text, err.text, err.slice, err.fix);
	assert_int_equal(ret, 0);
	return list;
}

/* Return a count that depends on the first letter of the event's name: A 2, B 3, C 5, D 7, E 11, S
 * 13. Tool events return a time of 2 s. */
static double count_of(void *data, uint32_t event)
{
	static const double counts[] = {2, 3, 5, 7, 11};
	const struct tally_metric_list *list = data;
	const struct tally_event_spec *spec = &list->events->specs[event];

	if (spec->tool)
		return 2e9;
	return *spec->name == 'S' ? 13 : counts[*spec->name - 'A'];
}

static double evaluate(const struct tally_metric_list *list, const struct tally_metric *metric)
{
	double value = -1;

	assert_int_equal(tally_metric_evaluate(list, metric, count_of, (void *)list, &value), 0);
	return value;
}

static const struct {
	const char *name;
	double value;
	size_t nr_events;
	bool together;
	const char *unit;
} metrics[] = {
	{"ratio", 100 * 2. / 3, 2, true, "%"},
	{"inverse", 3. / 2, 2, true, ""},
	{"nested", 2 * 2. / 3 + 3. / 2, 2, true, ""},
	{"three", 10, 3, false, ""},
	{"clash", -4, 2, false, ""},
	{"apart", 6, 2, false, ""},
	{"chosen", 3, 1, true, ""},
	{"asked", 5, 1, true, ""},
	{"unasked", 2, 1, true, ""},
	{"rate", 13. * 64 / 2 / 1e9, 2, true, "GB/s"},
	{"zero", INFINITY, 2, true, ""},
	{"constant", 7, 0, true, ""},
};

static void metrics_have_their_values(void **state)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		struct tally_metric_list *list = parse(state, metrics[i].name, 0);

		print_message("# %s\n", metrics[i].name);
		assert_int_equal(list->nr, 1);
		assert_string_equal(list->metrics[0].name, metrics[i].name);
		assert_string_equal(list->metrics[0].unit, metrics[i].unit);
		assert_int_equal(list->metrics[0].nr_events, metrics[i].nr_events);
		assert_int_equal(list->metrics[0].together, metrics[i].together);
		if (isfinite(metrics[i].value))
			assert_float_equal(evaluate(list, &list->metrics[0]), metrics[i].value,
					   1e-12);
		else
			assert_true(evaluate(list, &list->metrics[0]) == metrics[i].value);
		tally_metric_list_free(list);
	}
}

static void file_make(const char *root, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* The number of slots is the kernel's on this machine, and unknown on others. */
static void slots_are_those_of_the_kernel(void **state)
{
	char root[] = "/tmp/tally-slots-XXXXXX", command[64];
	struct tally_metric_list *list = parse(state, "width", 0);
	void *here = NULL;

	assert_true(isnan(evaluate(list, &list->metrics[0])));
	tally_metric_list_free(list);
	assert_non_null(mkdtemp(root));
	file_make(root, "bus/event_source/devices/armv8_pmuv3_0/type", "8\n");
	file_make(root, "bus/event_source/devices/armv8_pmuv3_0/format/event", "config:0-15\n");
	file_make(root, "bus/event_source/devices/armv8_pmuv3_0/caps/slots", "0x00000008\n");
	assert_int_equal(events_of(root, TALLY_CPU_THIS, &here), 0);
	list = parse(&here, "width", 0);
	assert_float_equal(evaluate(list, &list->metrics[0]), 2. / 8, 1e-12);
	tally_metric_list_free(list);
	tally_events_free(here);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void groups_are_shared_or_split(void **state)
{
	struct tally_metric_list *list = parse(state, "both", 0);

	/* Two metrics with the same two events share a group. */
	assert_int_equal(list->nr, 2);
	assert_int_equal(list->events->nr, 2);
	assert_int_equal(list->events->nr_groups, 1);
	assert_true(list->events->specs[0].weak_group);
	tally_metric_list_free(list);

	list = parse(state, "both", TALLY_METRICS_NO_MERGE);
	assert_int_equal(list->events->nr, 4);
	assert_int_equal(list->events->nr_groups, 2);
	tally_metric_list_free(list);

	list = parse(state, "both", TALLY_METRICS_NO_GROUP);
	assert_int_equal(list->events->nr, 2);
	assert_int_equal(list->events->nr_groups, 2);
	assert_false(list->metrics[0].together);
	tally_metric_list_free(list);

	/* Three events need two groups if there are two counters. */
	list = parse(state, "three", 0);
	assert_int_equal(list->events->nr, 3);
	assert_int_equal(list->events->nr_groups, 2);
	tally_metric_list_free(list);

	/* Two events that require the same counter are not in one group. */
	list = parse(state, "clash,ratio", 0);
	assert_int_equal(list->events->nr_groups, 3);
	assert_true(list->metrics[0].together != list->metrics[1].together);
	tally_metric_list_free(list);
}

static void wrong_metrics_are_refused(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *slice, *near, *fix;
	} wrong[] = {
		{"ratoi", -ENOENT, "ratoi", "ratio", "tally list metrics"},
		{"ratio,", -ENOENT, "", NULL, NULL},
		{"ratio,,inverse", -ENOENT, "", NULL, NULL},
		{"", -ENOENT, "", NULL, NULL},
		{"lost", -EINVAL, "lost", NULL, "nowhere: unknown event"},
		{"loop", -EINVAL, "loop", NULL, NULL},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tally_metric_list *list = NULL;
		struct tally_event_error err;

		print_message("# '%s'\n", wrong[i].text);
		assert_int_equal(tally_metrics_parse(*state, wrong[i].text, strlen(wrong[i].text),
						     0, &list, &err),
				 wrong[i].code);
		assert_null(list);
		assert_string_equal(err.slice, wrong[i].slice);
		if (wrong[i].near)
			assert_string_equal(err.near[0], wrong[i].near);
		if (wrong[i].fix)
			assert_non_null(strstr(err.fix, wrong[i].fix));
	}
}

/* ---- all built-in metrics ----------------------------------------------------------------- */

struct all {
	struct tally_events *events;
	size_t nr, apart;
};

static int see_metric(const struct tally_event_info *info, void *data)
{
	struct all *all = data;
	struct tally_metric_list *list;
	struct tally_event_error err;
	int ret = tally_metrics_parse(all->events, info->name, strlen(info->name), 0, &list, &err);

	if (ret) {
		print_message("# %s: %s %s\n", info->name, err.text, err.fix);
		return ret;
	}
	all->nr++;
	all->apart += !list->metrics[0].together;
	tally_metric_list_free(list);
	return 0;
}

static void parses_every_built_in_metric(void **state)
{
	static const char *const cpus[] = {
		"silvermont",  "skylakex",   "cascadelakex",  "icelakex",    "sapphirerapids",
		"amdzen3",     "amdzen4",    "cortex-a76",    "neoverse-n1", "neoverse-n2",
		"power8",      "sifive/u74", "intel-generic", "amd-generic", "amdzen5",
		"neoverse-v3", "cortex-x4",
	};
	size_t nr = 0;

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct all all = {NULL, 0, 0};

		assert_int_equal(tally_events_new("/nonexistent", "/nonexistent", &all.events), 0);
		assert_int_equal(tally_events_set_cpu(all.events, TALLY_CPU_OTHER, cpus[i]), 0);
		assert_int_equal(
			tally_events_each(all.events, TALLY_EVENT_METRIC, NULL, see_metric, &all),
			0);
		print_message("# %s: %zu metrics, %zu need several groups\n", cpus[i], all.nr,
			      all.apart);
		nr += all.nr;
		tally_events_free(all.events);
	}
	assert_in_range(nr, 1300, 3000);
}

/* Return an event's count in a memory-bound run. Events other than pipeline slots have low
 * counts. */
static double waiting(void *data, uint32_t event)
{
	static const struct {
		const char *name;
		double count;
	} counts[] = {
		{"TOPDOWN.SLOTS", 1e6},
		{"PERF_METRICS.RETIRING", 1e5},
		{"PERF_METRICS.BAD_SPECULATION", 5e4},
		{"PERF_METRICS.FRONTEND_BOUND", 1e5},
		{"PERF_METRICS.BACKEND_BOUND", 7.5e5},
	};
	const struct tally_event_list *list = data;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (!strcmp(list->specs[event].name, counts[i].name))
			return counts[i].count;
	return 10;
}

static void metrics_show_the_bottleneck(void **state)
{
	static const struct {
		const char *metrics, *found;
		bool part;
	} rows[] = {{"TopdownL1", "tma_backend_bound", false},
		    {"TopdownL1,TopdownL2", "tma_backend_bound_group", true},
		    {"ipc", NULL, false}};
	struct tally_events *events;

	assert_int_equal(tally_events_new("/nonexistent", "/nonexistent", &events), 0);
	assert_int_equal(tally_events_set_cpu(events, TALLY_CPU_OTHER, "icelakex"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tally_metric *found = NULL;
		struct tally_metric_list *list;

		assert_int_equal(tally_metrics_parse(events, rows[i].metrics,
						     strlen(rows[i].metrics),
						     TALLY_METRICS_THRESHOLDS, &list, NULL),
				 0);
		assert_int_equal(tally_metric_bottleneck(list, NULL, waiting, list->events, &found),
				 0);
		assert_int_equal(!!found, !!rows[i].found);
		if (found)
			print_message("# %s: %s\n", rows[i].metrics, found->name);
		if (found && rows[i].part)
			assert_non_null(strstr(found->groups, rows[i].found));
		else if (found)
			assert_string_equal(found->name, rows[i].found);
		tally_metric_list_free(list);
	}
	tally_events_free(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fits_groups_as_trying_all_assignments),
		cmocka_unit_test(counters_are_those_of_the_table),
		cmocka_unit_test(metrics_have_their_values),
		cmocka_unit_test(slots_are_those_of_the_kernel),
		cmocka_unit_test(groups_are_shared_or_split),
		cmocka_unit_test(wrong_metrics_are_refused),
		cmocka_unit_test(parses_every_built_in_metric),
		cmocka_unit_test(metrics_show_the_bottleneck),
	};

	return cmocka_run_group_tests(tests, events_make, events_free);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event that exists on two kinds of cores is opened on both, using a fake kernel. The counts are
 * summed, and the sum is shown with its parts. The task ran on the big cores for 3 of 4 ns.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/stat/stat_count.h"

#include <cmocka.h>

enum { BIG = 4, SMALL = 10, MAX_FDS = 16 };

static const uint32_t big_cpus[] = {0, 1}, small_cpus[] = {2, 3};

struct kernel {
	struct tally_transport transport;
	struct perf_event_attr attrs[MAX_FDS];
	int32_t cpus[MAX_FDS];
	int nr;
	bool scarce; /* events share the counters, and each event counts half of the time */
};

static int kernel_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		       int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	struct kernel *kernel = transport->private_data;

	if (kernel->nr == MAX_FDS)
		return -EMFILE;
	kernel->attrs[kernel->nr] = *attr;
	kernel->cpus[kernel->nr] = cpu;
	return kernel->nr++;
}

static int kernel_close(const struct tally_transport *transport, int fd)
{
	return 0;
}

static int64_t kernel_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	const struct kernel *kernel = transport->private_data;
	bool big = kernel->attrs[fd].config >> 32 == BIG;
	uint64_t values[3] = {big ? 9000 : 1000, 4000, big ? 3000 : 1000};

	if (kernel->scarce) {
		values[0] /= 2;
		values[2] /= 2;
	}
	memcpy(to, values, sizeof(values));
	return sizeof(values);
}

static void kernel_init(struct kernel *kernel, bool scarce)
{
	*kernel = (struct kernel){
		.transport = {.name = "made up",
			      .open = kernel_open,
			      .close = kernel_close,
			      .read = kernel_read,
			      .private_data = kernel},
		.scarce = scarce,
	};
}

static struct tally_event_spec spec_of(uint32_t type, const uint32_t *cpus, const char *pmu)
{
	return (struct tally_event_spec){
		.attr = {.type = PERF_TYPE_HARDWARE,
			 .config = (uint64_t)type << 32 | PERF_COUNT_HW_CPU_CYCLES},
		.name = "cycles",
		.pmu = pmu,
		.cpus = cpus,
		.nr_cpus = 2,
		.merge = true,
		.hybrid = true,
		.scale = 1,
		.unit = "",
	};
}

struct scene {
	struct kernel kernel;
	struct tally_event_spec specs[2];
	struct tally_event_list list;
	struct stat_config config;
	struct stat_session session;
	struct stat_row rows[2];
	struct stat_set set;
	size_t row_of[2];
	struct tally_count now[2];
};

static void harness_make(struct scene *scene, const char *cpus, bool scarce)
{
	struct stat_session *session = &scene->session;

	*scene = (struct scene){.config = {.runs = 1}};
	kernel_init(&scene->kernel, scarce);
	scene->specs[0] = spec_of(SMALL, small_cpus, "cpu_atom");
	scene->specs[1] = spec_of(BIG, big_cpus, "cpu_core");
	scene->specs[1].leader = 1;
	for (size_t i = 0; i < 2; i++) {
		scene->rows[i] = (struct stat_row){
			.spec = &scene->specs[i], .name = "cycles", .event = i, .merged = i > 0};
		scene->row_of[i] = i;
	}
	scene->set = (struct stat_set){
		.list = {.specs = scene->specs, .nr = 2}, .rows = scene->row_of, .now = scene->now};
	session->config = &scene->config;
	session->rows.data = scene->rows;
	session->sets.data = &scene->set;
	session->rows.len = 2;
	session->sets.len = 1;
	assert_int_equal(
		cpus ? tally_cpus_parse(cpus, &session->cpus) : tally_cpus_any(&session->cpus), 0);
	assert_int_equal(tally_threads_any(&session->threads), 0);
	assert_int_equal(tally_counters_open(&scene->kernel.transport, &scene->set.list,
					     session->cpus, session->threads, NULL,
					     &scene->set.counters, NULL),
			 0);
	assert_int_equal(stat_count_prepare(session), 0);
	assert_int_equal(stat_count_read(session, false), 0);
}

static void harness_free(struct scene *scene)
{
	stat_count_free(&scene->session);
	tally_counters_close(scene->set.counters);
	free(scene->session.cpus);
	free(scene->session.threads);
}

static void parts_add_up_and_so_does_their_time(void **state)
{
	struct scene scene;
	const struct stat_cell *cell;

	harness_make(&scene, NULL, false);
	cell = &scene.session.cells[0];
	assert_int_equal(scene.kernel.nr, 2);
	assert_int_equal(scene.kernel.cpus[0], -1);
	/* The count is not extrapolated to the time on the other kind of core. */
	assert_int_equal(cell->value, 10000);
	assert_int_equal(cell->count.enabled, 4000);
	assert_int_equal(cell->count.running, 4000);
	assert_int_equal(cell->count.quality, TALLY_QUALITY_EXACT);
	assert_int_equal(scene.session.parts[0].count.value, 1000);
	assert_int_equal(scene.session.parts[1].count.value, 9000);
	harness_free(&scene);
}

static void extrapolates_the_sum_once(void **state)
{
	struct scene scene;
	const struct stat_cell *cell;

	harness_make(&scene, NULL, true);
	cell = &scene.session.cells[0];
	assert_int_equal(cell->count.value, 5000);
	assert_int_equal(cell->count.running, 2000);
	assert_int_equal(cell->count.quality, TALLY_QUALITY_SCALED);
	assert_int_equal(cell->value, 10000);
	harness_free(&scene);
}

static void each_kind_is_opened_on_its_own_cpus(void **state)
{
	static const int32_t want[] = {3, 0, 1};
	struct scene scene;

	harness_make(&scene, "0-1,3", false);
	assert_int_equal(scene.kernel.nr, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(scene.kernel.cpus[i], want[i]);
	/* Each event was on a counter for only part of its enabled time, so each count is
	 * scaled. */
	assert_int_equal(scene.session.cells[0].value, 2 * 12000 + 4000);
	assert_int_equal(scene.session.cells[0].count.quality, TALLY_QUALITY_SCALED);
	harness_free(&scene);
}

/* With --no-merge, each kind of core has a row, without parts, which is not scaled. */
static void rows_apart_are_not_scaled(void **state)
{
	struct scene scene;

	harness_make(&scene, NULL, false);
	for (size_t i = 0; i < 2; i++) {
		scene.rows[i].merged = false;
		scene.rows[i].merged_into = i;
		scene.rows[i].apart = true;
	}
	assert_int_equal(stat_count_read(&scene.session, false), 0);
	assert_int_equal(scene.session.cells[0].value, 1000);
	assert_int_equal(scene.session.cells[1].value, 9000);
	harness_free(&scene);
}

static void the_split_is_shown(void **state)
{
	struct scene scene;
	struct stat_printer printer = {.format = &stat_format_text, .thousands = ""};
	struct stat_table table = {
		.mode = &stat_modes[STAT_AGGR_ALL], .nr_rows = 2, .title = "x", .via = "kernel"};

	harness_make(&scene, NULL, false);
	table.rows = scene.rows;
	table.cells = scene.session.cells;
	table.parts = scene.session.parts;
	table.keys = scene.session.keys.data;
	table.nr_keys = 1;
	assert_int_equal(stat_print(&printer, &table), 0);
	assert_non_null(strstr(printer.out.data, "             10000      cycles "));
	assert_non_null(strstr(printer.out.data, "              1000        cpu_atom"));
	assert_non_null(strstr(printer.out.data, "10.00% of the events, 25.00% of the time"));
	assert_non_null(strstr(printer.out.data, "90.00% of the events, 75.00% of the time"));
	stat_printer_free(&printer);

	printer = (struct stat_printer){.format = &stat_format_json};
	assert_int_equal(stat_print(&printer, &table), 0);
	assert_non_null(strstr(printer.out.data,
			       "\"parts\":[{\"pmu\":\"cpu_atom\",\"quality\":\"scaled\","
			       "\"value\":1000,\"running_ns\":1000}"));
	stat_printer_free(&printer);
	harness_free(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up_and_so_does_their_time),
		cmocka_unit_test(extrapolates_the_sum_once),
		cmocka_unit_test(each_kind_is_opened_on_its_own_cpus),
		cmocka_unit_test(rows_apart_are_not_scaled),
		cmocka_unit_test(the_split_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Series of tally stat --prometheus for generated counts, including events that this machine does
 * not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/stat/exposition.h"

#include <cmocka.h>

#define EXACT TALLY_QUALITY_EXACT

enum { NR_KEYS = 2, NR_ROWS = 9 };

struct fixture {
	struct stat_row rows[NR_ROWS];
	struct stat_key keys[NR_KEYS];
	struct stat_cell cells[NR_ROWS * NR_KEYS];
	uint64_t values[NR_ROWS * NR_KEYS];
	bool exposed[NR_ROWS];
	struct stat_table table;
};

static const struct tally_event_spec plain,
	clock_spec = {.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK}};
static const struct tally_event_spec energy = {
	.attr = {.type = 20}, .unit = "Joules", .scale = 0.5};
static const struct tally_event_spec memory = {.attr = {.type = 20}, .unit = "MiB", .scale = 2};
static const struct tally_event_spec odd = {.attr = {.type = 20}, .unit = "furlongs", .scale = 1};
static const struct tally_event_spec heat = {.attr = {.type = 20}, .unit = "C", .snapshot = true};
static const struct tally_event_spec wall = {.tool = TALLY_TOOL_DURATION_TIME};

/* Two CPUs, and a count of 1, 2, 3 ... in each cell. */
static void fixture_fill(struct fixture *fixture)
{
	static const struct tally_event_spec *const specs[NR_ROWS] = {
		&plain, &plain, &clock_spec, &energy, &memory, &odd, &heat, &wall, &plain};
	static const char *const names[NR_ROWS] = {
		"cycles:u",          "a\"b\\c\nd\xff", "task-clock",
		"power/energy-pkg/", "imc/read/",      "odd",
		"thermal_margin",    "duration_time",  "hidden"};

	memset(fixture, 0, sizeof(*fixture));
	for (size_t i = 0; i < NR_ROWS; i++) {
		fixture->rows[i].spec = specs[i];
		fixture->rows[i].name = names[i];
		fixture->exposed[i] = strcmp(names[i], "hidden") != 0;
	}
	for (size_t i = 0; i < NR_ROWS * NR_KEYS; i++) {
		fixture->cells[i].count =
			(struct tally_count){i + 1, 2000000000, 1000000001, 0, EXACT};
		fixture->cells[i].nr = 1;
		fixture->values[i] = i + 1;
	}
	for (int cpu = 0; cpu < NR_KEYS; cpu++) {
		fixture->keys[cpu] = (struct stat_key)STAT_KEY_NONE;
		fixture->keys[cpu].cpu = cpu;
	}
	fixture->table = (struct stat_table){
		.mode = &stat_modes[STAT_AGGR_CPU],
		.rows = fixture->rows,
		.keys = fixture->keys,
		.cells = fixture->cells,
		.nr_rows = NR_ROWS,
		.nr_keys = NR_KEYS,
	};
}

static struct tally_str text_of(const struct fixture *fixture, bool is_open)
{
	const struct stat_exposition exposition = {
		.table = &fixture->table,
		.exposed = fixture->exposed,
		.values = fixture->values,
		.start_time = 1700000000000000001,
		.read_errors = 7,
		.is_open = is_open,
	};
	struct tally_str out = {0};

	assert_int_equal(stat_exposition_add(&exposition, &out), 0);
	return out;
}

/* Fail unless the text contains each line. */
static void has_lines(const struct tally_str *text, const char *const *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *at = strstr(text->data, lines[i]);

		if (!at || (at != text->data && at[-1] != '\n') || at[strlen(lines[i])] != '\n')
			fail_msg("missing: %s\nin:\n%s", lines[i], text->data);
	}
}

static void writes_values_in_base_units(void **state)
{
	static const char *const lines[] = {
		"tally_event_total{event=\"cycles:u\",cpu=\"1\"} 2",
		"tally_event_seconds_total{event=\"task-clock\",cpu=\"0\"} 0.000000005",
		"tally_event_joules_total{event=\"power/energy-pkg/\",cpu=\"0\"} 3.5",
		"tally_event_bytes_total{event=\"imc/read/\",cpu=\"1\"} 20971520",
		"tally_event_amount_total{event=\"odd\",cpu=\"0\",unit=\"furlongs\"} 11",
		"tally_event_state{event=\"thermal_margin\",cpu=\"0\",unit=\"C\"} 13",
		"tally_event_seconds_total{event=\"duration_time\"} 0.000000015",
		"tally_event_enabled_seconds_total{event=\"odd\",cpu=\"0\"} 2.000000000",
		"tally_event_running_seconds_total{event=\"odd\",cpu=\"0\"} 1.000000001",
		"tally_event_quality{event=\"odd\",cpu=\"0\",quality=\"exact\"} 1",
		"tally_stat_start_time_seconds 1700000000.000000001",
		"tally_stat_read_errors_total 7",
	};
	struct fixture fixture;
	struct tally_str text;

	fixture_fill(&fixture);
	/* The time is only in the first key's cell. */
	fixture.cells[7 * NR_KEYS + 1].nr = 0;
	text = text_of(&fixture, false);
	has_lines(&text, lines, TALLY_ARRAY_SIZE(lines));
	assert_null(strstr(text.data, "hidden"));
	assert_null(strstr(text.data, "enabled_seconds_total{event=\"duration_time\""));
	tally_str_free(&text);
}

static void escapes_labels(void **state)
{
	static const char *const lines[] = {
		"tally_event_total{event=\"a\\\"b\\\\c\\\\nd\\\\xff\",cpu=\"0\"} 3",
	};
	struct fixture fixture;
	struct tally_str text;

	fixture_fill(&fixture);
	text = text_of(&fixture, false);
	has_lines(&text, lines, TALLY_ARRAY_SIZE(lines));
	tally_str_free(&text);
}

static void a_count_without_a_value_has_only_a_quality(void **state)
{
	static const enum tally_quality none[] = {
		TALLY_QUALITY_NEVER_RAN, TALLY_QUALITY_NOT_SUPPORTED, TALLY_QUALITY_NOT_PERMITTED};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(none); i++) {
		struct fixture fixture;
		struct tally_str text, line = {0};

		fixture_fill(&fixture);
		fixture.cells[0].count.quality = none[i];
		fixture.cells[1].nr = 0;
		text = text_of(&fixture, false);
		tally_str_addf(&line,
			       "tally_event_quality{event=\"cycles:u\",cpu=\"0\",quality=\"%s\"} 1",
			       tally_quality_name(none[i]));
		has_lines(&text, (const char *const *)&line.data, 1);
		assert_ptr_equal(strstr(text.data, "event=\"cycles:u\""),
				 strstr(text.data, "event=\"cycles:u\",cpu=\"0\",quality="));
		assert_null(strstr(text.data, "event=\"cycles:u\",cpu=\"1\""));
		tally_str_free(&text);
		tally_str_free(&line);
	}
}

static void names_families_by_format(void **state)
{
	static const char *const plain_lines[] = {
		"# TYPE tally_event_total counter",
		"# TYPE tally_build_info gauge",
		"# TYPE tally_event_quality gauge",
	};
	static const char *const open_lines[] = {
		"# TYPE tally_event counter",
		"# TYPE tally_build info",
		"# TYPE tally_event_quality gauge",
		"# UNIT tally_event_joules joules",
		"# EOF",
	};
	struct fixture fixture;
	struct tally_str text;

	fixture_fill(&fixture);
	text = text_of(&fixture, false);
	has_lines(&text, plain_lines, TALLY_ARRAY_SIZE(plain_lines));
	assert_null(strstr(text.data, "# EOF"));
	assert_null(strstr(text.data, "# UNIT"));
	tally_str_free(&text);
	text = text_of(&fixture, true);
	has_lines(&text, open_lines, TALLY_ARRAY_SIZE(open_lines));
	assert_string_equal(text.data + text.len - 6, "# EOF\n");
	tally_str_free(&text);
}

static void a_counter_never_decreases(void **state)
{
	enum { COUNT = 0, GONE = 2, STATE = 6 * NR_KEYS };
	uint64_t values[NR_ROWS * NR_KEYS] = {0};
	struct fixture fixture;

	fixture_fill(&fixture);
	for (size_t i = 0; i < NR_ROWS * NR_KEYS; i++)
		fixture.cells[i].value = 100;
	stat_exposition_keep(&fixture.table, values);
	/* The estimate of a scaled count, a temperature, and a counter that stops. */
	fixture.cells[COUNT].count.quality = TALLY_QUALITY_SCALED;
	fixture.cells[COUNT].value = fixture.cells[STATE].value = 90;
	fixture.cells[GONE].count.quality = TALLY_QUALITY_NEVER_RAN;
	fixture.cells[GONE].value = 0;
	stat_exposition_keep(&fixture.table, values);
	assert_int_equal(values[COUNT], 100);
	assert_int_equal(values[GONE], 100);
	assert_int_equal(values[STATE], 90);
	fixture.cells[COUNT].value = 101;
	stat_exposition_keep(&fixture.table, values);
	assert_int_equal(values[COUNT], 101);
}

static void counts_the_series(void **state)
{
	struct fixture fixture;
	struct tally_str text;
	size_t nr = 0;

	fixture_fill(&fixture);
	text = text_of(&fixture, false);
	for (const char *at = text.data; (at = strchr(at, '\n')); at++)
		nr += at[1] && at[1] != '#';
	/* A duration has no times. */
	assert_int_equal(stat_exposition_max(&fixture.table, fixture.exposed),
			 (NR_ROWS - 1) * NR_KEYS * 4 + 3);
	assert_int_equal(nr, (NR_ROWS - 1) * NR_KEYS * 4 + 3 - NR_KEYS * 2);
	tally_str_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_values_in_base_units),
		cmocka_unit_test(escapes_labels),
		cmocka_unit_test(a_count_without_a_value_has_only_a_quality),
		cmocka_unit_test(names_families_by_format),
		cmocka_unit_test(a_counter_never_decreases),
		cmocka_unit_test(counts_the_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

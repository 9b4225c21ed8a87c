/* SPDX-License-Identifier: BSD-2-Clause */
/* Test the effect of each statement in a script, and the positions of errors. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "emulate/emulate_script.h"
#include "tally/abi.h"

static struct tally_script script;
static struct tally_script_error error;

static int parse(const char *text)
{
	error = (struct tally_script_error){0};
	return tally_script_parse(text, strlen(text), &script, &error);
}

static void test_defaults(void **state)
{
	assert_int_equal(parse("\n  # nothing\n\n"), 0);
	assert_string_equal(script.pmu, "cpu");
	assert_int_equal(script.counters, 4);
	assert_int_equal(script.width, 48);
	assert_int_equal(script.paranoid, -1);
	assert_int_equal(script.call_ns, 1000000);
	assert_int_equal(script.life_ns, 10000000);
	assert_int_equal(script.nr_events, 0);
}

static void test_machine(void **state)
{
	assert_int_equal(parse("pmu odd counters 2 width 32 no-interrupt\nparanoid 2\ncpus 7\n"
			       "time life 1.5s call 250us"),
			 0);
	assert_string_equal(script.pmu, "odd");
	assert_int_equal(script.counters, 2);
	assert_int_equal(script.width, 32);
	assert_true(script.no_interrupt);
	assert_int_equal(script.paranoid, 2);
	assert_int_equal(script.cpus, 7);
	assert_int_equal(script.life_ns, 1500000000);
	assert_int_equal(script.call_ns, 250000);
	assert_int_equal(parse("pmu none # no counters\nparanoid -1"), 0);
	assert_string_equal(script.pmu, "");
}

static void test_events(void **state)
{
	assert_int_equal(parse("event cycles 3.2G/s on 0 3\n"
			       "event instructions 1.5 per cycles\n"
			       "event cache-misses 2.5 per 1k instructions\n"
			       "event L1-dcache-load-misses sequence 5 0x10\n"
			       "event r1c2 7/s\r\n"),
			 0);
	assert_int_equal(script.nr_events, 5);
	assert_int_equal(script.events[0].type, PERF_TYPE_HARDWARE);
	assert_int_equal(script.events[0].per_s, 3200000000);
	assert_int_equal(script.events[0].counters, 9);
	assert_int_equal(script.events[1].per_s, 4800000000);
	assert_int_equal(script.events[2].per_s, 12000000);
	assert_int_equal(script.events[3].type, PERF_TYPE_HW_CACHE);
	assert_int_equal(script.events[3].config, PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	assert_int_equal(script.events[3].nr, 2);
	assert_int_equal(script.sequence[script.events[3].first + 1], 16);
	assert_int_equal(script.events[4].type, PERF_TYPE_RAW);
	assert_int_equal(script.events[4].config, 0x1c2);
}

static void locations_and_failures_are_parsed(void **state)
{
	assert_int_equal(parse("place main+0x10 70\nplace 0x401000 30\nfail open 3 ENOSPC\n"
			       "fail read each EIO"),
			 0);
	assert_string_equal(script.places[0].symbol, "main");
	assert_int_equal(script.places[0].address, 16);
	assert_int_equal(script.places[0].weight, 70);
	assert_int_equal(script.places[1].address, 0x401000);
	assert_int_equal(script.failures[0].nth, 3);
	assert_int_equal(script.failures[0].error, ENOSPC);
	assert_int_equal(script.failures[1].nth, 0);
	assert_int_equal(script.failures[1].call, TALLY_SCRIPT_READ);
}

static void errors_have_positions(void **state)
{
	static const struct {
		const char *text;
		uint32_t line, column;
	} wrong[] = {
		{"cycles 3/s", 1, 1},
		{"\n  evnt cycles 3/s", 2, 3},
		{"pmu", 1, 4},
		{"pmu cpu counters 25", 1, 18},
		{"pmu cpu wide 3", 1, 9},
		{"paranoid 4", 1, 10},
		{"cpus 0", 1, 6},
		{"time call 5", 1, 11},
		{"event nothing 3/s", 1, 7},
		{"event cycles 3", 1, 15},
		{"event cycles 3x/s", 1, 14},
		{"event cycles 3/s extra", 1, 18},
		{"event cycles 3/s\nevent cycles 4/s", 2, 7},
		{"event cycles 1 per branches", 1, 20},
		{"event cycles 1 per 0 branches", 1, 20},
		{"event cycles 5000G/s", 1, 19},
		{"event cycles sequence", 1, 22},
		{"event cycles 1/s on 24", 1, 21},
		{"place main", 1, 11},
		{"place 16+3 1", 1, 9},
		{"fail close 1 EIO", 1, 6},
		{"fail open 0 EIO", 1, 11},
		{"fail open 1 EWRONG", 1, 13},
		{"cpus 99999999999999999999999", 1, 6},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(parse(wrong[i].text), -EINVAL);
		assert_non_null(error.text);
		if (error.line != wrong[i].line || error.column != wrong[i].column)
			fail_msg("%s: %u:%u", wrong[i].text, error.line, error.column);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_events),
		cmocka_unit_test(locations_and_failures_are_parsed),
		cmocka_unit_test(errors_have_positions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Check the names of events that were opened with fallbacks, and the messages about these
 * fallbacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sampler/fallbacks.h"
#include "tally/client.h"

static void names_show_fallbacks(void **state)
{
	enum { NO_KERNEL = TALLY_FALLBACK_NO_KERNEL, CLOCK = TALLY_FALLBACK_CPU_CLOCK };
	static const struct {
		const char *asked;
		unsigned fallbacks;
		const char *opened;
	} names[] = {
		{"cycles", 0, "cycles"},
		{"cycles", NO_KERNEL, "cycles:u"},
		{"cycles:P", NO_KERNEL, "cycles:Pu"},
		{"cycles:P", CLOCK, "cpu-clock"},
		{"cycles:P", CLOCK | NO_KERNEL, "cpu-clock:u"},
		{"cycles:ppH", CLOCK, "cpu-clock:H"},
		{"cycles:ppH", CLOCK | NO_KERNEL, "cpu-clock:Hu"},
		{"cpu/cpu-cycles/P", CLOCK | NO_KERNEL, "cpu-clock:u"},
		{"msr/tsc/", NO_KERNEL, "msr/tsc/u"},
		{"cpu/config=1/pp", NO_KERNEL, "cpu/config=1/ppu"},
		/* The text after the colon is not a modifier in these events. */
		{"1:0", NO_KERNEL, "1:0:u"},
		{"sched:sched_switch", NO_KERNEL, "sched:sched_switch:u"},
		{"mem:0x1000:rw", NO_KERNEL, "mem:0x1000:rw:u"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tally_str out = {0};

		tally_fallbacks_name(names[i].asked, names[i].fallbacks, &out);
		assert_string_equal(tally_str_text(&out), names[i].opened);
		tally_str_free(&out);
	}
}

static void each_fallback_has_a_machine_readable_name(void **state)
{
	unsigned all = TALLY_FALLBACK_GROUP_BROKEN | TALLY_FALLBACK_NO_KERNEL;

	assert_string_equal(tally_fallbacks_next(&all), "kernel excluded");
	assert_string_equal(tally_fallbacks_next(&all), "counted outside of its group");
	assert_null(tally_fallbacks_next(&all));
	assert_int_equal(all, 0);
}

static void count_warning(void *data, enum tally_message_kind kind, const char *text)
{
	*(int *)data += kind == TALLY_MESSAGE_WARNING;
}

static void warns_once_for_each_fallback(void **state)
{
	int warnings = 0;
	const struct tally_messages messages = {count_warning, &warnings};

	tally_fallbacks_warn(0, "counted", &messages);
	tally_fallbacks_warn(TALLY_FALLBACK_OLD_KERNEL, "counted", &messages);
	assert_int_equal(warnings, 0);
	tally_fallbacks_warn(TALLY_FALLBACK_NO_KERNEL | TALLY_FALLBACK_CPU_CLOCK |
				     TALLY_FALLBACK_PRECISE | TALLY_FALLBACK_GROUP_BROKEN,
			     "counted", &messages);
	assert_int_equal(warnings, 4);
	tally_fallbacks_warn(TALLY_FALLBACK_PRECISE, "counted", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_show_fallbacks),
		cmocka_unit_test(each_fallback_has_a_machine_readable_name),
		cmocka_unit_test(warns_once_for_each_fallback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

static const struct {
	const char *raw, *plain, *params; /* NULL: not a mangled name */
} names[] = {
	{"main", NULL, NULL},
	{"", NULL, NULL},
	{"_", NULL, NULL},
	{"@plt", NULL, NULL},
	{"_Zzzz", NULL, NULL},
	{"_ZNK2ns3FooIiE4spinEii", "ns::Foo<int>::spin", "ns::Foo<int>::spin(int, int) const"},
	{"_ZplRKN2ns3FooIiEEd", "operator+", "operator+(ns::Foo<int> const&, double)"},
	{"_ZN2ns3FooIiEC1Ei", "ns::Foo<int>::Foo", "ns::Foo<int>::Foo(int)"},
	{"_Z3foov.cold", "foo", "foo() [clone .cold]"},
	{"_Znwm@plt", "operator new@plt", "operator new(unsigned long)@plt"},
	{"malloc@plt", NULL, NULL},
	{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad",
	 "core::fmt::Formatter::pad"},
	{"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", "mycrate::foo::bar"},
	{"_RNvMs0_NtCs5l0EXMQXRMU_21rustc_data_structures17obligation_forestINtB5_16"
	 "ObligationForestNtNtNtCsdozMG8X9FIu_21rustc_trait_selection6traits7fulfill26"
	 "PendingPredicateObligationE22register_obligation_atB1v_",
	 "<rustc_data_structures::obligation_forest::ObligationForest<rustc_trait_selection::traits"
	 "::fulfill::PendingPredicateObligation>>::register_obligation_at",
	 NULL},
	{"_D3std5stdio7writelnFAyaZv", "std.stdio.writeln(immutable(char)[])",
	 "std.stdio.writeln(immutable(char)[])"},
	{"_Dmain", "D main", "D main"},
};

static void check(const char *raw, bool params, const char *want)
{
	char *got = tally_demangle(raw, params);

	if (!got != !want || (want && strcmp(got, want)))
		fail_msg("%s: %s, not %s", raw, got ? got : "nothing", want ? want : "nothing");
	free(got);
}

static void samples(void **state)
{
	if (!tally_demangle_available()) {
		print_message("# skipped: this build has no demangler\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		check(names[i].raw, false, names[i].plain);
		if (names[i].params || !names[i].plain)
			check(names[i].raw, true, names[i].params);
	}
}

static void endless_names(void **state)
{
	size_t len = 1 << 20;
	char *raw = malloc(len + 1);

	memset(raw, 'N', len);
	raw[0] = '_';
	raw[1] = 'Z';
	raw[len] = '\0';
	assert_null(tally_demangle(raw, false));
	raw[20000] = '\0';
	free(tally_demangle(raw, true));
	free(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples),
		cmocka_unit_test(endless_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

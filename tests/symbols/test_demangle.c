/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "symbols/demangle.h"

static const struct {
	const char *raw, *plain, *params; /* NULL if not a mangled name */
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
	/* "sr" in an identifier is not an operator. */
	{"_Z16inlining_speedupP11cgraph_edge5srealS1_S1_", "inlining_speedup",
	 "inlining_speedup(cgraph_edge*, sreal, sreal, sreal)"},
};

static void check(const char *raw, bool params, const char *want)
{
	uint64_t left = UINT64_MAX;
	char *got = tally_demangle(raw, params, &left);

	if (!got != !want || (want && strcmp(got, want)))
		fail_msg("%s: %s, not %s", raw, got ? got : "nothing", want ? want : "nothing");
	free(got);
}

static void demangles_names_of_all_languages(void **state)
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

static void rejects_very_long_names(void **state)
{
	uint64_t left = UINT64_MAX;
	size_t len = 1 << 20;
	char *raw = malloc(len + 1);

	memset(raw, 'N', len);
	raw[0] = '_';
	raw[1] = 'Z';
	raw[len] = '\0';
	assert_null(tally_demangle(raw, false, &left));
	raw[20000] = '\0';
	free(tally_demangle(raw, true, &left));
	free(raw);
}

/* Append `value` in `base`, with digits before letters, as in C++ (base 36) and Rust (base 62). */
static void add_number(char *raw, unsigned value, unsigned base)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char digit[2] = "";

	if (value >= base)
		add_number(raw, value / base, base);
	digit[0] = digits[value % base];
	if (base == 36 && digit[0] >= 'a')
		digit[0] = (char)(digit[0] - 'a' + 'A');
	strcat(raw, digit);
}

/* Append a back-reference: "S_", "S0_", ... or "B_", "B0_", ... */
static void add_reference(char *raw, char kind, unsigned number, unsigned base)
{
	strncat(raw, &kind, 1);
	if (number)
		add_number(raw, number - 1, base);
	strcat(raw, "_");
}

/* Make the C++ name f<A<int, int>, A<previous, previous>, ...>. */
static void cxx_name(char *raw, unsigned depth)
{
	strcpy(raw, "_Z1fI1AIiiE");
	for (unsigned i = 0; i < depth; i++) {
		strcat(raw, "S0_I");
		add_reference(raw, 'S', i + 2, 36);
		add_reference(raw, 'S', i + 2, 36);
		strcat(raw, "E");
	}
	strcat(raw, "Evv");
}

/* Make the Rust name a::f::<(str, str), (previous, previous), ...>. */
static void rust_name(char *raw, unsigned depth)
{
	size_t before;

	strcpy(raw, "_RINvC1a1f");
	before = strlen(raw) - 2;
	strcat(raw, "TeeE");
	for (unsigned i = 0; i < depth; i++) {
		size_t at = strlen(raw) - 2;

		strcat(raw, "T");
		add_reference(raw, 'B', (unsigned)before, 62);
		add_reference(raw, 'B', (unsigned)before, 62);
		strcat(raw, "E");
		before = at;
	}
	strcat(raw, "E");
}

/* Make the D name f(T, U, ...). T is int[int], and each other type has the previous type as key and
 * value. */
static void dlang_name(char *raw, unsigned depth)
{
	size_t before;

	strcpy(raw, "_D1fF");
	before = strlen(raw);
	strcat(raw, "Hii");
	for (unsigned i = 0; i < depth; i++) {
		size_t at = strlen(raw);

		strcat(raw, "H");
		for (int k = 0; k < 2; k++) {
			size_t distance = strlen(raw) - before;
			char text[3] = {(char)('A' + distance / 26), (char)('a' + distance % 26)};

			strcat(raw, "Q");
			strcat(raw, distance < 26 ? text + 1 : text);
		}
		before = at;
	}
	strcat(raw, "Zv");
}

/* Make the name of an operator that converts to a type in which its own template parameter is
 * nested repeatedly. */
static void conversion_name(char *raw, unsigned depth)
{
	strcpy(raw, "_ZcvT_I");
	for (unsigned i = 0; i < depth; i++)
		strcat(raw, "T_I");
	strcat(raw, "i");
	for (unsigned i = 0; i <= depth; i++)
		strcat(raw, "E");
	strcat(raw, "IiEv");
}

/* Make a name with a pack expansion of nested functions, each of which also takes the previous
 * type. The demangler searches all of these functions for a pack without printing anything. `pack`
 * is the prefix that begins the expansion. */
static void pack_name(char *raw, unsigned depth, const char *pack, const char *end)
{
	strcpy(raw, pack);
	for (unsigned i = 0; i < depth; i++)
		strcat(raw, "PFv");
	strcat(raw, "Pi");
	for (unsigned i = 0; i < depth; i++) {
		add_reference(raw, 'S', 2 * i + 1, 36);
		strcat(raw, "E");
	}
	strcat(raw, end);
}

static void expansion_name(char *raw, unsigned depth)
{
	pack_name(raw, depth, "_Z1fIDp", "Evv");
}

static void nested_expansion_name(char *raw, unsigned depth)
{
	pack_name(raw, depth, "_Z1fIPFvDpDp", "EEvv");
}

static void pack_size_name(char *raw, unsigned depth)
{
	pack_name(raw, depth, "_Z1fIXsZcv", "Li0EEEvv");
}

static void value_expansion_name(char *raw, unsigned depth)
{
	pack_name(raw, depth, "_Z1fIJXspcv", "Li0EEEEvv");
}

/* Add an expansion after an ambiguous name: "sr1A1x" is A::x in both the old and the new syntax. */
static void ambiguous_name(char *raw, unsigned depth)
{
	pack_name(raw, depth, "_Z1fIXsr1A1xEDp", "Evv");
}

/* Demangle names of a few hundred bytes that would expand to gigabytes or take hours. Such names
 * are detected by a budget for the work, not by a clock. */
static void rejects_names_that_expand_exponentially(void **state)
{
	static void (*const kinds[])(char *raw,
				     unsigned depth) = {cxx_name,       rust_name,
							dlang_name,     conversion_name,
							expansion_name, nested_expansion_name,
							pack_size_name, value_expansion_name,
							ambiguous_name};
	char raw[1024], *text;
	uint64_t left;

	if (!tally_demangle_available()) {
		print_message("# skipped: this build has no demangler\n");
		skip();
	}
	/* Limit the CPU time, so that SIGPROF kills the test if demangling does not terminate. */
	setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 60}, NULL);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		kinds[i](raw, 5);
		left = UINT64_MAX;
		text = tally_demangle(raw, true, &left);
		if (!text && i < 5 && kinds[i] != conversion_name)
			fail_msg("%s: nothing", raw);
		free(text);
		for (unsigned depth = 20; depth < 60; depth += 13) {
			kinds[i](raw, depth);
			left = 1 << 20;
			assert_null(tally_demangle(raw, true, &left));
			assert_true(left >= (1 << 20) - (64 << 10));
		}
	}
	setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
}

/* Many names, each of which expands to a long string, share one budget. */
static void all_names_share_one_budget(void **state)
{
	char raw[1024], *text;
	uint64_t left = 1 << 20;
	unsigned nr = 0;

	if (!tally_demangle_available()) {
		print_message("# skipped: this build has no demangler\n");
		skip();
	}
	cxx_name(raw, 9);
	while ((text = tally_demangle(raw, true, &left))) {
		assert_in_range(strlen(text), 5000, 32768);
		free(text);
		nr++;
	}
	assert_int_equal(left, 0);
	assert_in_range(nr, (1 << 20) / 32768, (1 << 20) / 5000);
}

/* The budget includes work that produces no output. */
static void charges_work_to_the_budget(void **state)
{
	char raw[1024], *text;
	uint64_t left = UINT64_MAX, small, big;

	if (!tally_demangle_available()) {
		print_message("# skipped: this build has no demangler\n");
		skip();
	}
	expansion_name(raw, 3);
	text = tally_demangle(raw, true, &left);
	assert_non_null(text);
	small = UINT64_MAX - left - strlen(text);
	free(text);
	left = UINT64_MAX;
	expansion_name(raw, 8);
	text = tally_demangle(raw, true, &left);
	assert_non_null(text);
	big = UINT64_MAX - left - strlen(text);
	free(text);
	assert_true(big > 8 * small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(demangles_names_of_all_languages),
		cmocka_unit_test(rejects_very_long_names),
		cmocka_unit_test(rejects_names_that_expand_exponentially),
		cmocka_unit_test(all_names_share_one_budget),
		cmocka_unit_test(charges_work_to_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "symbols/demangle.h"
#ifdef TALLY_HAVE_IBERTY
/* It forbids the macros of <ctype.h>, but not the functions: (isalpha)(c). */
#include <libiberty/safe-ctype.h>
#endif

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

#ifdef TALLY_HAVE_IBERTY
/* The classes of characters that libiberty's demanglers read. */
static void characters_have_the_classes_of_the_c_locale(void **state)
{
	for (int c = 0; c < 256; c++) {
		assert_int_equal(!ISALPHA(c), !(c < 128 && (isalpha)(c)));
		assert_int_equal(!ISDIGIT(c), !(c < 128 && (isdigit)(c)));
		assert_int_equal(!ISXDIGIT(c), !(c < 128 && (isxdigit)(c)));
		assert_int_equal(!ISLOWER(c), !(c < 128 && (islower)(c)));
		assert_int_equal(!ISUPPER(c), !(c < 128 && (isupper)(c)));
		assert_int_equal(!ISPRINT(c), !(c < 128 && (isprint)(c)));
		assert_int_equal(!ISPUNCT(c), !(c < 128 && (ispunct)(c)));
		assert_int_equal(!ISSPACE(c), !(c < 128 && (isspace)(c)));
		assert_int_equal(!ISBLANK(c), !(c < 128 && (isblank)(c)));
		assert_int_equal(!ISCNTRL(c), !(c < 128 && (iscntrl)(c)));
		assert_int_equal(!ISIDST(c), !(c < 128 && ((isalpha)(c) || c == '_')));
		assert_int_equal(!ISGRAPH(c), !(c < 128 && (isgraph)(c)));
	}
}

/* A short D name with a text of 18 KB: an identifier of 100 bytes, and 179 references to it. */
static void dlang_long_text(char *raw)
{
	char *end = raw + sprintf(raw, "_D100%0100d", 0);

	memset(raw + 5, 'a', 100);
	for (int i = 0; i < 179; i++) {
		int distance = (int)(end - raw) - 2;

		end += sprintf(end, "Q%c%c", 'A' + distance / 26, 'a' + distance % 26);
	}
	strcpy(end, "i");
}

/* Allocate all memory there is below the limit, in blocks that are linked by their first word. */
static void **exhaust(void)
{
	void **blocks = NULL, **block;

	for (size_t size = 1 << 16; size >= 16; size /= 2) {
		while ((block = malloc(size))) {
			*block = blocks;
			blocks = block;
		}
	}
	return blocks;
}

static void an_allocation_failure_is_not_fatal(void **state)
{
	struct rlimit saved, none;
	void **blocks, *volatile room;
	uint64_t left = UINT64_MAX;
	char raw[1024], *text;

#ifdef __SANITIZE_ADDRESS__
	print_message("# skipped: AddressSanitizer ends the program if there is no memory\n");
	skip();
#endif
	dlang_long_text(raw);
	text = tally_demangle(raw, false, &left);
	assert_non_null(text);
	assert_int_equal(strlen(text), 180 * 100 + 179);
	free(text);
	room = malloc(8192); /* for the work before the text */
	assert_int_equal(getrlimit(RLIMIT_AS, &saved), 0);
	none = (struct rlimit){1, saved.rlim_max};
	if (setrlimit(RLIMIT_AS, &none) || malloc(1 << 26)) {
		print_message("# skipped: allocations cannot be limited here\n");
		setrlimit(RLIMIT_AS, &saved);
		free(room);
		skip();
	}
	blocks = exhaust();
	free(room);
	text = tally_demangle(raw, false, &left);
	for (void **next; blocks; blocks = next) {
		next = *blocks;
		free(blocks);
	}
	assert_int_equal(setrlimit(RLIMIT_AS, &saved), 0);
	assert_null(text);
	text = tally_demangle(raw, false, &left);
	assert_non_null(text);
	free(text);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef TALLY_HAVE_IBERTY
		cmocka_unit_test(characters_have_the_classes_of_the_c_locale),
		cmocka_unit_test(an_allocation_failure_is_not_fatal),
#endif
		cmocka_unit_test(demangles_names_of_all_languages),
		cmocka_unit_test(rejects_very_long_names),
		cmocka_unit_test(rejects_names_that_expand_exponentially),
		cmocka_unit_test(all_names_share_one_budget),
		cmocka_unit_test(charges_work_to_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

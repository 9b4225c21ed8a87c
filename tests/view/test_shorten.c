/* SPDX-License-Identifier: BSD-2-Clause */
/* Name shortening: a table of examples, and properties that hold for arbitrary bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "random.h"
#include "view/brackets.h"
#include "view/shorten.h"
#include "view/width.h"

#include <cmocka.h>

#define DOTS     "..."
#define ELLIPSIS "\xe2\x80\xa6"
#define WIDE     "\xe6\xbc\xa2" /* a glyph that is two columns wide */
#define ACUTE    "\xcc\x81"     /* combines with the previous character */

struct row {
	const char *text;
	size_t columns;
	const char *wanted;
};

static void check(const struct row *row, enum tally_shorten how, const char *mark)
{
	struct tally_str str = {0};

	tally_str_add(&str, "before ");
	tally_str_add(&str, row->text);
	tally_shorten(&str, 7, how, row->columns, mark);
	assert_int_equal(tally_str_error(&str), 0);
	assert_memory_equal(tally_str_text(&str), "before ", 7);
	assert_string_equal(tally_str_text(&str) + 7, row->wanted);
	assert_true(tally_width_of(tally_str_text(&str) + 7) <= row->columns);
	tally_str_free(&str);
}

#define CHECK_ALL(rows, how, mark)                                        \
	do {                                                              \
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) \
			check(&(rows)[i], how, mark);                     \
	} while (0)

#define PUSH_BACK                                                                         \
	"std::vector<std::pair<int, std::map<int, long>>, std::allocator<std::pair<int, " \
	"std::map<int, long>>>>::push_back(std::pair<int, std::map<int, long>> const&)"

/* Inner brackets are shortened before outer brackets. As many of the first elements as fit are
 * shown. */
static void test_brackets_go_first(void **state)
{
	static const struct row rows[] = {
		{"f<int>(long)", 12, "f<int>(long)"},
		{"f<int>(long)", 11, "f<int>(...)"},
		{"f<long>(long)", 11, "f<...>(...)"},
		{PUSH_BACK, sizeof(PUSH_BACK) - 1, PUSH_BACK},
		{PUSH_BACK, 120,
		 "std::vector<std::pair<int, std::map<int, long>>, "
		 "std::allocator<std::pair<...>>>::"
		 "push_back(std::pair<int, ...> const&)"},
		{PUSH_BACK, 60, "std::vector<std::pair<...>, std::...>::push_back(...)"},
		{PUSH_BACK, 40, "std::vector<...>::push_back(...)"},
		{"a<b<c<d<e<f<g>>>>>>::k", 21, "a<b<c<d<e<...>>>>>::k"},
		{"a<b<c<d<e<f<g>>>>>>::k", 15, "a<b<c<...>>>::k"},
		{"f(int, std::map<int, int>, char const*)", 35,
		 "f(int, std::map<...>, char const*)"},
		{"f(int, std::map<int, int>, char const*)", 30, "f(int, std::map<...>, ...)"},
		{"f(int, std::map<int, int>, char const*)", 20, "f(int, ...)"},
		{"std::sort<int*>(int*, int*)", 22, "std::sort<int*>(...)"},
		{"main::{lambda(std::vector<int, int>)#1}::operator()(int, long) const", 55,
		 "main::{lambda(...)#1}::operator()(int, long) const"},
		{"f(long)::{lambda(long)#1}::operator()() const", 44,
		 "f(long)::{lambda(...)#1}::operator()() const"},
	};

	(void)state;
	CHECK_ALL(rows, TALLY_SHORTEN_NAME, DOTS);
}

static void does_not_take_operators_for_brackets(void **state)
{
	static const struct row rows[] = {
		{"bool operator< <int, long>(x<int> const&)", 26, "bool operator< <...>(...)"},
		{"std::operator<< <std::char_traits<char> >(int&, int)", 40,
		 "std::operator<< <...>(int&, int)"},
		{"operator<<<std::char_traits<char> >(int&)", 25, "operator<<<...>(int&)"},
		{"x::operator->(int, long, long)", 20, "x::operator->(...)"},
		{"x::operator->*(int, long, long)", 20, "x::operator->*(...)"},
		{"x::operator>>(int, long, long)", 20, "x::operator>>(...)"},
		{"x::operator>(int, long, long)", 20, "x::operator>(...)"},
		{"x::operator<=>(int, long, long)", 20, "x::operator<=>(...)"},
		{"x::operator()(int, long, long)", 20, "x::operator()(...)"},
		{"x::operator[](int, long, long)", 20, "x::operator[](...)"},
		{"my_operator<int, long>(int)", 21, "my_operator<...>(int)"},
		{"ns::s::operator std::vector<int, long>()", 36,
		 "ns::s::operator std::vector<...>()"},
		{"operator new[](unsigned long)", 20, "operator new[](...)"},
		/* '<' and '>' in comparisons and arrows are not brackets. */
		{"f<(4 > 2), (a < b), int>(long, long)", 35, "f<(4 > 2), (...), int>(long, long)"},
		{"f<(4 > 2), (a < b), int>(long, long)", 22, "f<(...), ...>(...)"},
		{"decltype (a->b) f<long>(long)", 27, "decltype (a->b) f<...>(...)"},
		{"call<fn(u8) -> bool>(u8, u16)", 27, "call<fn(u8) -> bool>(...)"},
	};

	(void)state;
	CHECK_ALL(rows, TALLY_SHORTEN_NAME, DOTS);
}

static void shortens_names_of_other_languages(void **state)
{
	static const struct row rows[] = {
		{"<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend_trusted", 60,
		 "<alloc::vec::Vec<T> as core::iter::...>::extend_trusted"},
		{"<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend_trusted", 30,
		 "<...>::extend_trusted"},
		{"core::ops::FnOnce::call_once{{vtable.shim}}", 30, "...::FnOnce::call_once{...}"},
		{"main.(*handler[go.shape.int]).Serve", 30, "main.(*handler[...]).Serve"},
		{"main.Map[go.shape.int,go.shape.string]", 30, "main.Map[...]"},
		{"server.(*connectionHandler[go.shape.int]).handleRequest.func1", 30,
		 "server.(...).handleRequest..."},
		{"std.uni.Region!(MmapAllocator, 16u, 0).Region.allocate(ulong)", 30,
		 "std...Region.allocate(ulong)"},
		{"a_function_of_c_with_a_long_name.constprop.0", 30,
		 "a_function_of_...e.constprop.0"},
		{"Module._extensions..js internal/modules/cjs/loader:1126", 40,
		 "Module._extensions..js..."},
		{"github.com/long/path/to/pkg/server.(*conn).serve.func1", 42,
		 "github.com/.../server.(*conn).serve.func1"},
		{"github.com/long/path/to/pkg/server.(*conn).serve.func1", 36,
		 ".../pkg/server.(*conn).serve.func1"},
	};

	(void)state;
	CHECK_ALL(rows, TALLY_SHORTEN_NAME, DOTS);
}

/* Brackets are shortened first, then the function's scope and arguments, and last the middle of the
 * function's name. */
static void test_own_name_stays(void **state)
{
	static const struct row rows[] = {
		{"boost::spirit::qi::detail::function_itself<int, long>(int) const", 50,
		 "...::qi::detail::function_itself<...>(int) const"},
		{"boost::spirit::qi::detail::function_itself<int, long>(int) const", 32,
		 "detail::function_itself<...>..."},
		{"boost::spirit::qi::detail::function_itself<int, long>(int) const", 20,
		 "function_itself..."},
		{"boost::spirit::qi::detail::function_itself<int, long>(int) const", 15,
		 "function_itself"},
		{"boost::spirit::qi::detail::function_itself<int, long>(int) const", 10,
		 "func...elf"},
		{"a_function_of_c_with_a_long_name", 20, "a_functio...ong_name"},
		{"(anonymous namespace)::a_function", 20, "(...)::a_function"},
		{"void some::scope::a_function<int>(int) [clone .isra.0]", 28,
		 "scope::a_function<int>..."},
		/* The last scope is cut after all other parts. */
		{"outer::inner::scope::name(int) [clone .cold]", 18, "scope::name..."},
		{"outer::inner::scope::name", 24, "outer::...::scope::name"},
		{"outer::inner::scope::name", 22, "...::scope::name"},
		{"outer::inner::scope::name", 14, "scope::name"},
		{"outer::inner::scope::name", 10, "...::name"},
		{"a::b::main::{lambda#1}::operator()", 30, "main::{lambda#1}::operator()"},
		{"a::(anon)::very_long_scope::name", 30, "a::...::very_long_scope::name"},
		/* Scopes are cut as a whole, and then brackets get the space that is left. */
		{"shop::inventory::Warehouse<long>::ByPrice::operator()(Item const&) const", 50,
		 "shop::...::ByPrice::operator()(Item const&) const"},
		{"shop::inventory::Warehouse<long>::ByPrice::operator()(Item const&) const", 36,
		 "...::ByPrice::operator()(...) const"},
		{"shop::inventory::Warehouse<long>::ByPrice::operator()(Item const&) const", 19,
		 "ByPrice::operator()"},
		{"void shop::inventory::sort<shop::Item*, shop::ByPrice>(long)", 32,
		 "shop::inventory::sort<...>(long)"},
		{"ns::shop::inventory::conv::operator std::vector<int, long>()", 42,
		 "ns::...::conv::operator std::vector<...>()"},
		{"ns::shop::conv::operator std::vector<int, long>()", 26,
		 "conv::operator std::vector"},
		/* A lambda belongs to the function that contains it. */
		{"a::b::main::{lambda#1}::operator()", 22, "{lambda#1}::operator()"},
		{"std::rt::lang_start::{{closure}}", 29, "rt::lang_start::{{closure}}"},
	};

	(void)state;
	CHECK_ALL(rows, TALLY_SHORTEN_NAME, DOTS);
}

static void handles_unbalanced_brackets(void **state)
{
	static const struct row rows[] = {
		{"((((((((((unbalanced<<<<<<<<<<", 20, "(((((((((...<<<<<<<<"},
		{">>>>>>>>>>unbalanced))))))))))", 20, ">>>>>>>>>...))))))))"},
		{"a<b(c>d)e<f>(int, long, long)", 20, "a<b(c>d)e<f>(...)"},
		{"<", 1, "<"},
		{"<<", 1, "."},
		{"", 0, ""},
		{"operator", 7, "op...or"},
		{"operator<", 8, "ope...r<"},
	};

	(void)state;
	CHECK_ALL(rows, TALLY_SHORTEN_NAME, DOTS);
}

static void test_columns_are_counted(void **state)
{
	static const struct row names[] = {
		{WIDE WIDE "<" WIDE WIDE WIDE ">::" WIDE "()", 13,
		 WIDE WIDE "<" ELLIPSIS ">::" WIDE "()"},
		{WIDE WIDE "<" WIDE WIDE WIDE ">::" WIDE "()", 10, ELLIPSIS "::" WIDE "()"},
	};
	static const struct row texts[] = {
		{WIDE WIDE WIDE WIDE, 7, WIDE WIDE ELLIPSIS WIDE},
		{WIDE WIDE WIDE WIDE, 6, WIDE ELLIPSIS WIDE},
		{"e" ACUTE "e" ACUTE "e" ACUTE, 2, "e" ACUTE ELLIPSIS},
		{"abcdef", 5, "ab" ELLIPSIS "ef"},
		{"abcdef", 1, ELLIPSIS},
		{"abcdef", 0, ""},
	};
	static const struct row sentences[] = {
		{"prev_comm=bash ==> next_comm=sh", 18, "prev_comm=bash ==" ELLIPSIS},
		{WIDE WIDE, 3, WIDE ELLIPSIS},
	};

	(void)state;
	CHECK_ALL(names, TALLY_SHORTEN_NAME, ELLIPSIS);
	CHECK_ALL(texts, TALLY_SHORTEN_TEXT, ELLIPSIS);
	CHECK_ALL(sentences, TALLY_SHORTEN_END, ELLIPSIS);
}

static void test_paths_keep_their_end(void **state)
{
	static const struct row rows[] = {
		{"/usr/lib/x86_64-linux-gnu/libfoo.so", 35, "/usr/lib/x86_64-linux-gnu/libfoo.so"},
		{"/usr/lib/x86_64-linux-gnu/libfoo.so", 34, ".../lib/x86_64-linux-gnu/libfoo.so"},
		{"/usr/lib/x86_64-linux-gnu/libfoo.so", 33, ".../x86_64-linux-gnu/libfoo.so"},
		{"/usr/lib/x86_64-linux-gnu/libfoo.so", 13, ".../libfoo.so"},
		{"/usr/lib/x86_64-linux-gnu/libfoo.so", 12, "libfoo.so"},
		{"/usr/lib/x86_64-linux-gnu/libfoo.so", 8, "lib" DOTS "so"},
		{"a-program-with-a-long-name", 11, "a-pr" DOTS "name"},
		{"/folder/folder/", 8, "/fo" DOTS "r/"},
	};

	(void)state;
	CHECK_ALL(rows, TALLY_SHORTEN_PATH, DOTS);
}

/* ---- any bytes ------------------------------------------------------------------- */

static bool is_utf8(const char *text, size_t len)
{
	uint32_t point;
	size_t used;

	for (size_t at = 0; at < len; at += used) {
		used = tally_utf8_read(text + at, len - at, &point);
		if (!used)
			return false;
	}
	return true;
}

static void add_random_name(struct random *random, struct tally_str *str)
{
	static const char *const parts[] = {
		"<",  ">",        "(",         ")", "[", "]",    "{", "}",  "::",  " ",   ", ",
		"->", "operator", "operator<", ".", "/", "name", "x", WIDE, ACUTE, "...", ELLIPSIS};
	size_t nr = random_below(random, 40);

	for (size_t i = 0; i < nr; i++)
		tally_str_add(str, parts[random_below(random, sizeof(parts) / sizeof(*parts))]);
}

/* Check that characters stay whole and that the result fits. The part before the ellipsis must
 * consist of characters from the name in the same order. */
static void shortens_any_bytes(void **state)
{
	struct random random = random_start();
	struct tally_str str = {0}, whole = {0};

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t columns = random_below(&random, 60);
		const char *mark = i % 2 ? DOTS : ELLIPSIS, *at;

		tally_str_clear(&str);
		tally_str_clear(&whole);
		add_random_name(&random, &str);
		tally_str_add(&whole, tally_str_text(&str));
		tally_shorten(&str, 0, (enum tally_shorten)(i % 4), columns, mark);
		if (tally_width(tally_str_text(&str), str.len) > columns)
			fail_msg("%s\n%s: over %zu columns", tally_str_text(&whole),
				 tally_str_text(&str), columns);
		assert_true(is_utf8(tally_str_text(&str), str.len));
		at = tally_str_text(&whole);
		if (tally_width_of(at) <= columns)
			assert_string_equal(tally_str_text(&str), at);
		for (size_t n = 0; n < str.len && !strchr(mark, str.data[n]); n++) {
			at = strchr(at, str.data[n]);
			assert_non_null(at);
			at++;
		}
	}
	tally_str_free(&whole);
	tally_str_free(&str);
}

/* Return the time in seconds needed to shorten a name that consists of `nr` parts. */
static double time_of(const char *part, size_t nr)
{
	struct timespec from, to;
	struct tally_str str = {0};

	for (size_t i = 0; i < nr; i++)
		tally_str_add(&str, part);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	tally_shorten(&str, 0, TALLY_SHORTEN_NAME, 60, DOTS);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_true(tally_width_of(tally_str_text(&str)) <= 60);
	tally_str_free(&str);
	return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* A quarter of a million parts of any kind must take less than a minute; quadratic time would take
 * longer. */
static void test_time_is_linear(void **state)
{
	static const char *const parts[] = {"<",       "(",   "x<",        "<(",   "()", "<long>",
					    "<,long>", "a, ", "operator<", ">",    WIDE, ACUTE,
					    "(<)",     "::",  "<:: ",      "!(a)."};

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		assert_true(time_of(parts[i], TALLY_BRACKETS_MAX / strlen(parts[i])) < 5);
		assert_true(time_of(parts[i], (1 << 20) / strlen(parts[i])) < 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brackets_go_first),
		cmocka_unit_test(does_not_take_operators_for_brackets),
		cmocka_unit_test(shortens_names_of_other_languages),
		cmocka_unit_test(test_own_name_stays),
		cmocka_unit_test(handles_unbalanced_brackets),
		cmocka_unit_test(test_columns_are_counted),
		cmocka_unit_test(test_paths_keep_their_end),
		cmocka_unit_test(shortens_any_bytes),
		cmocka_unit_test(test_time_is_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

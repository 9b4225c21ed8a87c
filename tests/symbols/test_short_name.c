/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arith.h"
#include "symbols/short_name.h"
/* The tables are not visible elsewhere. */
#include "symbols/short_name_rules.c"

struct pair {
	const char *name, *want;
};

#define STRING     "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
#define PAIR(k, v) "std::pair<" k " const, " v ">"
#define MAP_TYPE(name)                                                                          \
	"std::__detail::" name "<" STRING                                                       \
	", " PAIR(STRING, "unsigned long") ", std::allocator<" PAIR(                            \
		STRING, "unsigned long") " >, std::__detail::_Select1st, "                      \
					 "std::equal_to<" STRING " >, std::hash<" STRING " >, " \
					 "std::__detail::_Mod_range_hashing, "                  \
					 "std::__detail::_Default_ranged_hash, "                \
					 "std::__detail::_Prime_rehash_policy, "                \
					 "std::__detail::_Hashtable_traits<true, false, true>"

static const struct pair cxx[] = {
	{"ns::f", "ns::f"},
	{"operator<", "operator<"},
	{"operator<< <" STRING " >", "operator<< <std::string>"},
	{"f(" STRING " const&)", "f(std::string const&)"},
	{"f[abi:cxx11](int)", "f(int)"},
	{"a::f[abi:v160006]<int>", "a::f<int>"},
	{STRING "::basic_string(char const*)", "std::string::basic_string(char const*)"},
	{"std::basic_string_view<char, std::char_traits<char> >::find", "std::string_view::find"},
	{"std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
	 "<std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char "
	 "const*)",
	 "std::ostream& std::operator<<(std::ostream&, char const*)"},
	{"std::__1::vector<int, std::__1::allocator<int> >::push_back(int&&)",
	 "std::vector<int>::push_back(int&&)"},
	{"std::chrono::_V2::steady_clock::now()", "std::chrono::steady_clock::now()"},
	{"std::filesystem::__cxx11::path::path", "std::filesystem::path::path"},
	{"a::(anonymous namespace)::f", "a::(anon)::f"},
	{"{anonymous}::f", "(anon)::f"},
	{"<unnamed>::f", "(anon)::f"},
	/* default arguments */
	{"f<std::vector<int, my::allocator<int> > >", "f<std::vector<int, my::allocator<int>>>"},
	{"f<std::vector<int, std::allocator<long> > >",
	 "f<std::vector<int, std::allocator<long>>>"},
	{"std::set<int, std::greater<int>, std::allocator<int> >::find",
	 "std::set<int, std::greater<int>>::find"},
	{"std::set<int, std::less<void>, std::allocator<int> >::find",
	 "std::set<int, std::less<void>>::find"},
	{"std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > >::at",
	 "std::map<int, long>::at"},
	{"std::map<int, long, std::less<int>, my::allocator<std::pair<int const, long> > >::at",
	 "std::map<int, long, std::less<int>, my::allocator<std::pair<int const, long>>>::at"},
	{"std::unordered_set<int, my::hash, std::equal_to<int>, std::allocator<int> >::find",
	 "std::unordered_set<int, my::hash>::find"},
	{"std::unique_ptr<a::B, std::default_delete<a::B> >::reset",
	 "std::unique_ptr<a::B>::reset"},
	{"std::unique_ptr<a::B, a::Free>::reset", "std::unique_ptr<a::B, a::Free>::reset"},
	{"std::unique_ptr<int [], std::default_delete<int []> >::get",
	 "std::unique_ptr<int []>::get"},
	{"std::priority_queue<int, std::vector<int, std::allocator<int> >, std::less<int> >::pop",
	 "std::priority_queue<int>::pop"},
	{"std::stack<int, std::deque<int, std::allocator<int> > >::top", "std::stack<int>::top"},
	{"my::vector<int, std::allocator<int> >::f", "my::vector<int>::f"},
	{"my::vector<int, std::allocator<long> >::f", "my::vector<int, std::allocator<long>>::f"},
	{"std::tuple<int*, std::default_delete<int> >::f",
	 "std::tuple<int*, std::default_delete<int>>::f"},
	{"std::pair<int, std::less<int> >::f", "std::pair<int, std::less<int>>::f"},
	{"std::__relocate_a<char*, char*, std::allocator<char> >",
	 "std::__relocate_a<char*, char*>"},
	{"regex_match<std::char_traits<char>, std::allocator<char>, char>",
	 "regex_match<std::char_traits<char>, std::allocator<char>, char>"},
	{"std::operator+<char, std::char_traits<char>, std::allocator<char> >",
	 "std::operator+<char>"},
	/* values of template arguments, and integer types of debug information */
	{"f<(a::b::Kind)2, (unsigned short)64, (a::Kind)-1>", "f<(Kind)2, 64, (Kind)-1>"},
	{"f((a::b)2)", "f((a::b)2)"},
	{"f<(x)>", "f<(x)>"},
	{"f<long unsigned int, short int, long integer, long int*>",
	 "f<unsigned long, short, long integer, long*>"},
	{"std::__adjust<main(int)::<lambda(int)> >", "std::__adjust<main::{lambda}>"},
	/* versions of libraries */
	{"boost::log::v2_mt_posix::core::get", "boost::log::core::get"},
	{"absl::lts_20220623::Mutex::Lock", "absl::Mutex::Lock"},
	{"fmt::v9::vformat", "fmt::vformat"},
	{"fmt::vformat::x", "fmt::vformat::x"},
	{"fmt::v9", "fmt::v9"},
	{"f<std::chrono::time_point<std::chrono::_V2::system_clock, std::chrono::duration<long, "
	 "std::ratio<1l, 1000000000l> > > >",
	 "f<std::chrono::time_point<std::chrono::system_clock>>"},
	{"boost::mpl::vector<int, mpl_::na, mpl_::na, mpl_::na>::f", "boost::mpl::vector<int>::f"},
	{"Eigen::Matrix<double, -1, -1, 0, -1, -1>::resize", "Eigen::MatrixXd::resize"},
	{"Eigen::Matrix<double, 1, 3, 1, 1, 3>::x", "Eigen::Matrix<double, 1, 3, 1>::x"},
	{"llvm::DenseMap<int, long, llvm::DenseMapInfo<int, void>, llvm::detail::DenseMapPair<int, "
	 "long> >::grow",
	 "llvm::DenseMap<int, long>::grow"},
	/* implementations of containers */
	{MAP_TYPE("_Map_base") ", true>::operator[]",
	 "std::unordered_map<std::string, unsigned long>::operator[]"},
	{MAP_TYPE("_Insert_base") ">::insert",
	 "std::unordered_map<std::string, unsigned long>::insert"},
	{"std::_Hashtable<int, int, std::allocator<int>, std::__detail::_Identity, my::equal, "
	 "std::hash<int>, std::__detail::_Mod_range_hashing, std::__detail::_Default_ranged_hash, "
	 "std::__detail::_Prime_rehash_policy, std::__detail::_Hashtable_traits<false, true, true> "
	 ">::find",
	 "std::unordered_set<int, std::hash<int>, my::equal>::find"},
	{"std::_Hashtable<int, std::pair<int const, long>, std::allocator<std::pair<int const, "
	 "long> >, "
	 "std::__detail::_Select1st, std::equal_to<int>, std::hash<int>, "
	 "std::__detail::_Mod_range_hashing, std::__detail::_Default_ranged_hash, "
	 "std::__detail::_Prime_rehash_policy, std::__detail::_Hashtable_traits<false, false, "
	 "false> "
	 ">::find",
	 "std::unordered_multimap<int, long>::find"},
	{"std::__detail::_Hash_code_base<int, std::pair<int const, long>, "
	 "std::__detail::_Select1st, "
	 "std::hash<int>, std::__detail::_Mod_range_hashing, std::__detail::_Default_ranged_hash, "
	 "false>::_M_hash_code",
	 "std::unordered_map<int, long>::_M_hash_code"},
	{"std::_Rb_tree<int, std::pair<int const, std::vector<long, std::allocator<long> > >, "
	 "std::_Select1st<std::pair<int const, std::vector<long, std::allocator<long> > > >, "
	 "std::less<int>, std::allocator<std::pair<int const, std::vector<long, "
	 "std::allocator<long> "
	 "> > > >::_M_erase",
	 "std::map<int, std::vector<long>>::_M_erase"},
	{"std::_Rb_tree<int, int, std::_Identity<int>, a::Less, std::allocator<int> >::find",
	 "std::set<int, a::Less>::find"},
	{"std::_Rb_tree<int, a::Node, a::KeyOf, std::less<int>, std::allocator<a::Node> >::find",
	 "std::_Rb_tree<int, a::Node, a::KeyOf>::find"},
	{"std::__1::__tree<std::__1::__value_type<int, a::B>, std::__1::__map_value_compare<int, "
	 "std::__1::__value_type<int, a::B>, std::__1::less<int>, true>, "
	 "std::__1::allocator<std::__1::__value_type<int, a::B>>>::destroy",
	 "std::map<int, a::B>::destroy"},
	{"std::__1::__tree<int, std::__1::less<int>, std::__1::allocator<int>>::destroy",
	 "std::set<int>::destroy"},
	{"std::__1::__hash_table<std::__1::__hash_value_type<int, a::B>, "
	 "std::__1::__unordered_map_hasher<int, std::__1::__hash_value_type<int, a::B>, "
	 "std::__1::hash<int>, std::__1::equal_to<int>, true>, "
	 "std::__1::__unordered_map_equal<int, "
	 "std::__1::__hash_value_type<int, a::B>, std::__1::equal_to<int>, std::__1::hash<int>, "
	 "true>, std::__1::allocator<std::__1::__hash_value_type<int, a::B>>>::rehash",
	 "std::unordered_map<int, a::B>::rehash"},
	{"__gnu_cxx::__normal_iterator<char const*, " STRING " >::operator++",
	 "std::string::const_iterator::operator++"},
	{"std::sort<__gnu_cxx::__normal_iterator<int*, std::vector<int, std::allocator<int> > >, "
	 "__gnu_cxx::__ops::_Iter_less_iter>",
	 "std::sort<std::vector<int>::iterator>"},
	{"std::__sort<int*, __gnu_cxx::__ops::_Iter_comp_iter<a::Less> >",
	 "std::__sort<int*, a::Less>"},
	{"__gnu_cxx::__ops::_Iter_comp_iter<a::Less>::operator()",
	 "__gnu_cxx::__ops::_Iter_comp_iter<a::Less>::operator()"},
	{"std::__new_allocator<int>::allocate", "std::allocator<int>::allocate"},
	{"std::_Sp_counted_ptr_inplace<a::B, std::allocator<void>, (__gnu_cxx::_Lock_policy)2>"
	 "::_M_dispose",
	 "std::shared_ptr<a::B>::_M_dispose"},
	{"std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2>::_M_release",
	 "std::_Sp_counted_base::_M_release"},
	/* lambdas */
	{"main::{lambda()#1}::operator()() const", "main::{lambda#1}::operator()() const"},
	{"a::f(int) const::{lambda(std::vector<int>&)#12}::operator()",
	 "a::f::{lambda#12}::operator()"},
	{"main(int, char**)::<lambda(auto:1)>", "main::{lambda}"},
	{"main::'lambda'(int)::operator()(int) const", "main::{lambda#1}::operator()(int) const"},
	{"main::'lambda0'()::operator()() const", "main::{lambda#2}::operator()() const"},
	{"a::operator()(int)::{lambda<typename $T0>($T0)#1}::operator()",
	 "a::operator()::{lambda#1}::operator()"},
	{"decltype(x)::f", "decltype(x)::f"},
};

static const struct pair others[] = {
	/* C, and names in which nothing is left out */
	{"main", "main"},
	{"tcp_v4_rcv.isra.0", "tcp_v4_rcv.isra.0"},
	{"foo.llvm.1234567890", "foo"},
	{"", ""},
	{"<", "<"},
	{"a > b", "a > b"},
	{"f<(1<2)>", "f<(1<2)>"},
	{")](}", ")](}"},
	/* Rust */
	{"core::fmt::Formatter::pad::h0123456789abcdef", "core::fmt::Formatter::pad"},
	{"core::ptr::drop_in_place<alloc::vec::Vec<alloc::string::String>>",
	 "core::ptr::drop_in_place<Vec<String>>"},
	{"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "<Vec<T> as Drop>::drop"},
	{"<core::slice::iter::Iter<T> as core::iter::traits::iterator::Iterator>::fold",
	 "<slice::Iter<T> as Iterator>::fold"},
	{"<std::io::error::Error as core::fmt::Debug>::fmt", "<io::Error as Debug>::fmt"},
	{"f::<std::collections::hash::map::HashMap<u32, std::collections::hash::map::Iter<u8>>>",
	 "f::<HashMap<u32, map::Iter<u8>>>"},
	{"<tokio::runtime::Handle as core::clone::Clone>::clone",
	 "<tokio::runtime::Handle as Clone>::clone"},
	{"mycrate[3a1fbf2b9c8d7e60]::run::{closure#0}", "mycrate::run::{closure#0}"},
	{"std::rt::lang_start::{{closure}}", "std::rt::lang_start::{{closure}}"},
	/* Go */
	{"github.com/a/b/pkg.(*T).Method", "pkg.(*T).Method"},
	{"encoding/json.(*decodeState).object", "json.(*decodeState).object"},
	{"github.com/a/b/v2.(*T).Method", "b/v2.(*T).Method"},
	{"runtime.mallocgc", "runtime.mallocgc"},
	{"slices.SortFunc[go.shape.[]github.com/a/b.T,go.shape.int]", "slices.SortFunc[[]b.T,int]"},
	/* D */
	{"std.stdio.writeln!(immutable(char)[]).writeln(immutable(char)[])",
	 "std.stdio.writeln!(string).writeln(string)"},
	{"std.algorithm.sorting.sort!(\"a < b\", std.range.iota!(int).iota(int).Result).sort",
	 "std.algorithm.sorting.sort!(\"a < b\", iota!(int).iota(int).Result).sort"},
	/* JIT */
	{"Lcom/foo/Bar;::baz", "Bar.baz"},
	{"LMain$Inner;::run", "Main$Inner.run"},
	{"LazyCompile:*foo /path/file.js:12:3", "foo file.js:12"},
	{"JS:~get size file:///x/set.mjs:7:1", "get size set.mjs:7"},
	{"JS:* /path/file.js:12:3", "(anon) file.js:12"},
	{"JS:^Module._load node:internal/modules/cjs/loader:1000:22", "Module._load loader:1000"},
	{"Builtin:ArrayMap", "Builtin:ArrayMap"},
	{"py::run:/home/me/run.py", "py::run:run.py"},
};

static void shorten(const char *name, size_t len, struct tally_str *out)
{
	tally_str_clear(out);
	assert_int_equal(tally_short_name(out, name, len), 0);
	assert_true(out->len <= len);
}

/* Check a short name, and that its own short form is the same. */
static void check(const struct pair *pair)
{
	struct tally_str got = {0}, again = {0};

	shorten(pair->name, strlen(pair->name), &got);
	if (strcmp(tally_str_text(&got), pair->want))
		fail_msg("%s:\ngot  %s\nwant %s", pair->name, tally_str_text(&got), pair->want);
	shorten(tally_str_text(&got), got.len, &again);
	assert_string_equal(tally_str_text(&again), tally_str_text(&got));
	tally_str_free(&got);
	tally_str_free(&again);
}

static void shortens_cxx_names(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(cxx); i++)
		check(&cxx[i]);
}

static void shortens_names_of_other_languages(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(others); i++)
		check(&others[i]);
}

#define CHECK_SORTED(table)                                       \
	for (size_t i = 1; i < TALLY_ARRAY_SIZE(table); i++)      \
	assert_true(strcmp(*(const char *const *)&(table)[i - 1], \
			   *(const char *const *)&(table)[i]) < 0)

static void tables_are_sorted(void **state)
{
	CHECK_SORTED(defaults);
	CHECK_SORTED(aliases);
	CHECK_SORTED(containers);
	CHECK_SORTED(rust_modules);
}

/* All names have a short name that is its own short name. */
static void accepts_unbalanced_brackets(void **state)
{
	static const char chars[] = "<>(),:a{";
	struct tally_str got = {0}, again = {0};
	char name[8];

	for (uint32_t i = 0; i < 1u << 24; i += 7) {
		for (size_t k = 0; k < sizeof(name); k++)
			name[k] = chars[i >> (3 * k) & 7];
		shorten(name, sizeof(name), &got);
		shorten(tally_str_text(&got), got.len, &again);
		if (strcmp(tally_str_text(&again), tally_str_text(&got)))
			fail_msg("%.8s: %s", name, tally_str_text(&got));
	}
	tally_str_free(&got);
	tally_str_free(&again);
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Texts that are repeated up to the length of a hostile name. */
static const char *const hostile[] = {
	"<",
	"(",
	"a<b>(c)::",
	"std::vector<",
	"std::_Rb_tree<int, ",
	"{lambda()#1}::",
	"'lambda'(",
	"std::__cxx11::",
	"(anonymous namespace)::",
	"\"",
	"a/b.",
	"go.shape.",
	"core::fmt::Error<",
	"> >",
	"JS:*",
	"std.",
	"1",
	"::h0123456789abcdef",
	"immutable(char)[]",
	"f(a)::",
	"a, mpl_::na",
	"std::map<std::basic_string<char>, std::pair<",
};

/* The time is proportional to the length, so a megabyte is no problem. */
static void shortens_hostile_names_in_linear_time(void **state)
{
	enum { LEN = 1 << 20 };
	char *name = malloc(LEN);
	struct tally_str got = {0};

	assert_non_null(name);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(hostile); i++) {
		size_t len = strlen(hostile[i]);
		double start = cpu_seconds();

		for (size_t k = 0; k < LEN; k++)
			name[k] = hostile[i][k % len];
		shorten(name, LEN, &got);
		if (cpu_seconds() - start > 5)
			fail_msg("%s: %.1f s", hostile[i], cpu_seconds() - start);
	}
	tally_str_free(&got);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortens_cxx_names),
		cmocka_unit_test(shortens_names_of_other_languages),
		cmocka_unit_test(tables_are_sorted),
		cmocka_unit_test(accepts_unbalanced_brackets),
		cmocka_unit_test(shortens_hostile_names_in_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

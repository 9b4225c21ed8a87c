/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/short_name_rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

#define MAP_ALLOCATOR \
	"std::allocator<std::pair<$1 const, $2>>|std::allocator<std::pair<const $1, $2>>"
#define LOCK          "(_Lock_policy)2|__gnu_cxx::_S_atomic"
#define TRAITS        "std::char_traits<$1>"
#define ALLOCATOR     "std::allocator<$1>"
#define ANY_ALLOCATOR "std::allocator<$1>|std::allocator<void>"
#define DENSE_KEY     "llvm::DenseMapInfo<$1, void>|llvm::DenseMapInfo<$1>"
#define DENSE_PAIR    "llvm::detail::DenseMapPair<$1, $2>"
#define STREAM(name)                    \
	{                               \
		name, 1, {TRAITS}, NULL \
	}

/* All tables are sorted. */
static const struct name_defaults defaults[] = {
	{"Eigen::Array", 3, {"0", "$2", "$3"}, NULL},
	{"Eigen::Matrix", 3, {"0", "$2", "$3"}, NULL},
	{"__gnu_cxx::__alloc_traits", 1, {"typename $1::value_type|$1::value_type"}, NULL},
	{"__gnu_cxx::new_allocator", 1, {NULL}, "std::allocator"},
	{"boost::match_results", 1, {"std::allocator<boost::sub_match<$1>>"}, NULL},
	{"llvm::DenseMap", 2, {DENSE_KEY, DENSE_PAIR}, NULL},
	{"llvm::DenseSet", 1, {DENSE_KEY}, NULL},
	{"llvm::SmallDenseMap", 3, {DENSE_KEY, DENSE_PAIR}, NULL},
	{"llvm::SmallDenseSet", 2, {DENSE_KEY}, NULL},
	{"llvm::StringMap", 1, {"llvm::MallocAllocator"}, NULL},
	{"std::_Deque_base", 1, {ALLOCATOR}, NULL},
	{"std::_Fwd_list_base", 1, {ALLOCATOR}, NULL},
	{"std::_List_base", 1, {ALLOCATOR}, NULL},
	{"std::_Sp_counted_base", 0, {LOCK}, NULL},
	{"std::_Sp_counted_deleter", 2, {"std::allocator<void>", LOCK}, NULL},
	{"std::_Sp_counted_ptr", 1, {LOCK}, NULL},
	{"std::_Sp_counted_ptr_inplace", 1, {ANY_ALLOCATOR, LOCK}, "std::shared_ptr"},
	{"std::_Vector_base", 1, {ALLOCATOR}, NULL},
	{"std::__new_allocator", 1, {NULL}, "std::allocator"},
	{"std::__shared_count", 0, {LOCK}, NULL},
	{"std::__shared_ptr", 1, {LOCK}, "std::shared_ptr"},
	{"std::__shared_ptr_access", 1, {LOCK}, NULL},
	{"std::__uniq_ptr_data", 1, {"std::default_delete<$1>"}, NULL},
	{"std::__uniq_ptr_impl", 1, {"std::default_delete<$1>"}, "std::unique_ptr"},
	{"std::__weak_count", 0, {LOCK}, NULL},
	{"std::__weak_ptr", 1, {LOCK}, "std::weak_ptr"},
	STREAM("std::basic_filebuf"),
	STREAM("std::basic_fstream"),
	STREAM("std::basic_ifstream"),
	STREAM("std::basic_ios"),
	STREAM("std::basic_iostream"),
	STREAM("std::basic_istream"),
	{"std::basic_istringstream", 1, {TRAITS, ALLOCATOR}, NULL},
	STREAM("std::basic_ofstream"),
	STREAM("std::basic_ostream"),
	{"std::basic_ostringstream", 1, {TRAITS, ALLOCATOR}, NULL},
	{"std::basic_regex", 1, {"std::regex_traits<$1>"}, NULL},
	STREAM("std::basic_streambuf"),
	{"std::basic_string", 1, {TRAITS, ALLOCATOR}, NULL},
	STREAM("std::basic_string_view"),
	{"std::basic_stringbuf", 1, {TRAITS, ALLOCATOR}, NULL},
	{"std::basic_stringstream", 1, {TRAITS, ALLOCATOR}, NULL},
	{"std::chrono::time_point", 1, {"std::chrono::nanoseconds"}, NULL},
	{"std::deque", 1, {ALLOCATOR}, NULL},
	{"std::forward_list", 1, {ALLOCATOR}, NULL},
	STREAM("std::istreambuf_iterator"),
	{"std::list", 1, {ALLOCATOR}, NULL},
	{"std::map", 2, {"std::less<$1>", MAP_ALLOCATOR}, NULL},
	{"std::match_results", 1, {"std::allocator<std::sub_match<$1>>"}, NULL},
	{"std::multimap", 2, {"std::less<$1>", MAP_ALLOCATOR}, NULL},
	{"std::multiset", 1, {"std::less<$1>", ALLOCATOR}, NULL},
	STREAM("std::ostreambuf_iterator"),
	{"std::priority_queue", 1, {"std::vector<$1>", "std::less<$1>"}, NULL},
	{"std::queue", 1, {"std::deque<$1>"}, NULL},
	{"std::set", 1, {"std::less<$1>", ALLOCATOR}, NULL},
	{"std::stack", 1, {"std::deque<$1>"}, NULL},
	{"std::unique_ptr", 1, {"std::default_delete<$1>"}, NULL},
	{"std::unordered_map", 2, {"std::hash<$1>", "std::equal_to<$1>", MAP_ALLOCATOR}, NULL},
	{"std::unordered_multimap", 2, {"std::hash<$1>", "std::equal_to<$1>", MAP_ALLOCATOR}, NULL},
	{"std::unordered_multiset", 1, {"std::hash<$1>", "std::equal_to<$1>", ALLOCATOR}, NULL},
	{"std::unordered_set", 1, {"std::hash<$1>", "std::equal_to<$1>", ALLOCATOR}, NULL},
	{"std::vector", 1, {ALLOCATOR}, NULL},
	{"v8::base::SmallVector", 2, {ALLOCATOR}, NULL},
};

static const struct name_alias aliases[] = {
	{"Eigen::Matrix<double, -1, -1>", "Eigen::MatrixXd"},
	{"Eigen::Matrix<double, -1, 1>", "Eigen::VectorXd"},
	{"Eigen::Matrix<double, 2, 1>", "Eigen::Vector2d"},
	{"Eigen::Matrix<double, 2, 2>", "Eigen::Matrix2d"},
	{"Eigen::Matrix<double, 3, 1>", "Eigen::Vector3d"},
	{"Eigen::Matrix<double, 3, 3>", "Eigen::Matrix3d"},
	{"Eigen::Matrix<double, 4, 1>", "Eigen::Vector4d"},
	{"Eigen::Matrix<double, 4, 4>", "Eigen::Matrix4d"},
	{"Eigen::Matrix<float, -1, -1>", "Eigen::MatrixXf"},
	{"Eigen::Matrix<float, -1, 1>", "Eigen::VectorXf"},
	{"Eigen::Matrix<float, 2, 1>", "Eigen::Vector2f"},
	{"Eigen::Matrix<float, 2, 2>", "Eigen::Matrix2f"},
	{"Eigen::Matrix<float, 3, 1>", "Eigen::Vector3f"},
	{"Eigen::Matrix<float, 3, 3>", "Eigen::Matrix3f"},
	{"Eigen::Matrix<float, 4, 1>", "Eigen::Vector4f"},
	{"Eigen::Matrix<float, 4, 4>", "Eigen::Matrix4f"},
	{"std::basic_filebuf<char>", "std::filebuf"},
	{"std::basic_fstream<char>", "std::fstream"},
	{"std::basic_ifstream<char>", "std::ifstream"},
	{"std::basic_ios<char>", "std::ios"},
	{"std::basic_iostream<char>", "std::iostream"},
	{"std::basic_istream<char>", "std::istream"},
	{"std::basic_istream<wchar_t>", "std::wistream"},
	{"std::basic_istringstream<char>", "std::istringstream"},
	{"std::basic_ofstream<char>", "std::ofstream"},
	{"std::basic_ostream<char>", "std::ostream"},
	{"std::basic_ostream<wchar_t>", "std::wostream"},
	{"std::basic_ostringstream<char>", "std::ostringstream"},
	{"std::basic_regex<char>", "std::regex"},
	{"std::basic_regex<wchar_t>", "std::wregex"},
	{"std::basic_streambuf<char>", "std::streambuf"},
	{"std::basic_string<char16_t>", "std::u16string"},
	{"std::basic_string<char32_t>", "std::u32string"},
	{"std::basic_string<char8_t>", "std::u8string"},
	{"std::basic_string<char>", "std::string"},
	{"std::basic_string<wchar_t>", "std::wstring"},
	{"std::basic_string_view<char16_t>", "std::u16string_view"},
	{"std::basic_string_view<char32_t>", "std::u32string_view"},
	{"std::basic_string_view<char8_t>", "std::u8string_view"},
	{"std::basic_string_view<char>", "std::string_view"},
	{"std::basic_string_view<wchar_t>", "std::wstring_view"},
	{"std::basic_stringbuf<char>", "std::stringbuf"},
	{"std::basic_stringstream<char>", "std::stringstream"},
	{"std::chrono::duration<long, std::ratio<1l, 1000000000l>>", "std::chrono::nanoseconds"},
	{"std::chrono::duration<long, std::ratio<1l, 1000000l>>", "std::chrono::microseconds"},
	{"std::chrono::duration<long, std::ratio<1l, 1000l>>", "std::chrono::milliseconds"},
	{"std::chrono::duration<long, std::ratio<1l, 1l>>", "std::chrono::seconds"},
};

#define HASH                                        \
	{                                           \
		5, "std::hash<$1>", "std::hash<$1>" \
	}
#define EQUAL(n)                                            \
	{                                                   \
		n, "std::equal_to<$1>", "std::equal_to<$1>" \
	}
#define STORE(n)                            \
	{                                   \
		n, MAP_ALLOCATOR, ALLOCATOR \
	}
/* Parts of libstdc++'s hash tables that have the same first nine arguments. */
#define HASHED(name)                                                            \
	{                                                                       \
		name, "std::unordered_", "std::unordered_multi", NULL, 1, 3, 9, \
		{                                                               \
			HASH, EQUAL(4), STORE(2)                                \
		}                                                               \
	}

static const struct name_container containers[] = {
	HASHED("std::_Hashtable"),
	{"std::_Rb_tree",
	 "std::",
	 "std::multi",
	 NULL,
	 1,
	 2,
	 0,
	 {{3, "std::less<$1>", "std::less<$1>"}, STORE(4)}},
	HASHED("std::__detail::_Equality"),
	{"std::__detail::_Hash_code_base",
	 "std::unordered_",
	 "std::unordered_multi",
	 NULL,
	 1,
	 2,
	 0,
	 {{3, "std::hash<$1>", "std::hash<$1>"}}},
	{"std::__detail::_Hashtable_base",
	 "std::unordered_",
	 "std::unordered_multi",
	 NULL,
	 1,
	 2,
	 7,
	 {{4, "std::hash<$1>", "std::hash<$1>"}, EQUAL(3)}},
	HASHED("std::__detail::_Insert"),
	HASHED("std::__detail::_Insert_base"),
	HASHED("std::__detail::_Map_base"),
	HASHED("std::__detail::_Rehash_base"),
	{"std::__hash_table",
	 "std::unordered_",
	 "std::unordered_multi",
	 "std::__hash_value_type",
	 0,
	 0,
	 0,
	 {{1,
	   "std::__unordered_map_hasher<$1, std::__hash_value_type<$1, $2>, std::hash<$1>, "
	   "std::equal_to<$1>, true>|"
	   "std::__unordered_map_hasher<$1, std::__hash_value_type<$1, $2>, std::hash<$1>, true>",
	   "std::hash<$1>"},
	  {2,
	   "std::__unordered_map_equal<$1, std::__hash_value_type<$1, $2>, std::equal_to<$1>, "
	   "std::hash<$1>, true>|"
	   "std::__unordered_map_equal<$1, std::__hash_value_type<$1, $2>, std::equal_to<$1>, "
	   "true>",
	   "std::equal_to<$1>"},
	  {3, "std::allocator<std::__hash_value_type<$1, $2>>", ALLOCATOR}}},
	{"std::__tree",
	 "std::",
	 "std::multi",
	 "std::__value_type",
	 0,
	 0,
	 0,
	 {{1, "std::__map_value_compare<$1, std::__value_type<$1, $2>, std::less<$1>, true>",
	   "std::less<$1>"},
	  {2, "std::allocator<std::__value_type<$1, $2>>", ALLOCATOR}}},
};

/* Modules of Rust's standard library that contain types. Their paths have at least three parts,
 * unlike C++'s std::thread::id. */
static const char *const rust_modules[] = {
	"alloc::alloc", "alloc::borrow", "alloc::boxed",     "alloc::collections",
	"alloc::ffi",   "alloc::fmt",    "alloc::rc",        "alloc::slice",
	"alloc::str",   "alloc::string", "alloc::sync",      "alloc::task",
	"alloc::vec",   "core::alloc",   "core::any",        "core::array",
	"core::ascii",  "core::borrow",  "core::cell",       "core::char",
	"core::clone",  "core::cmp",     "core::convert",    "core::default",
	"core::error",  "core::ffi",     "core::fmt",        "core::future",
	"core::hash",   "core::iter",    "core::marker",     "core::mem",
	"core::net",    "core::num",     "core::ops",        "core::option",
	"core::panic",  "core::pin",     "core::ptr",        "core::range",
	"core::result", "core::slice",   "core::str",        "core::sync",
	"core::task",   "core::time",    "std::collections", "std::ffi",
	"std::fs",      "std::hash",     "std::io",          "std::net",
	"std::os",      "std::panic",    "std::path",        "std::process",
	"std::sync",    "std::sys",      "std::time",
};

/* ---- lookup ----------------------------------------------------------------------- */

struct key {
	const char *data;
	size_t len;
};

/* All entries begin with a pointer to their text. */
static int compare(const void *key, const void *entry)
{
	const struct key *text = key;
	const char *other = *(const char *const *)entry;
	size_t len = strlen(other);
	int order = memcmp(text->data, other, TALLY_MIN(text->len, len));

	return order ? order : (text->len > len) - (text->len < len);
}

#define FIND(table, text, len)                                                                \
	bsearch(&(struct key){text, len}, table, TALLY_ARRAY_SIZE(table), sizeof((table)[0]), \
		compare)

const struct name_defaults *name_defaults_find(const char *name, size_t len)
{
	return FIND(defaults, name, len);
}

const struct name_alias *name_alias_find(const char *text, size_t len)
{
	return FIND(aliases, text, len);
}

const struct name_container *name_container_find(const char *name, size_t len)
{
	return FIND(containers, name, len);
}

bool name_is_rust_module(const char *module, size_t len)
{
	return FIND(rust_modules, module, len);
}

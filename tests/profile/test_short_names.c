/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/str.h"
#include "profile/short_names.h"
#include "symbols/demangle.h"
#include "symbols/name_text.h"
#include "symbols/short_name.h"

enum { NAMES = 3000, PROJECTS = 6 };

/* ---- names that are equal when they are short -------------------------------------------- */

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static const struct {
	struct tally_function_name function;
	const char *want;
} equals[] = {
	{{"main", "main", 1}, "main"},
	{{"f", "_Z1fi", 2}, "f(int)"},
	{{"f", "_Z1fl", 3}, "f(long)"},
	{{"f", "_Z1fi.cold", 4}, "f(int) [clone .cold]"},
	{{"g", "_Z1gi", 5}, "g"},
	{{"g", "_Z1gi", 6}, "g"},
	/* Two copies of one constructor are one function. */
	{{"A::A", "_ZN1AC1Ev", 7}, "A::A"},
	{{"A::A", "_ZN1AC2Ev", 8}, "A::A"},
	{{"std::string::find", "_ZNKSs4findEc", 9}, "std::string::find(char) const [string]"},
	{{STRING "::find", "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEc", 10},
	 "std::string::find(char) const [__cxx11::basic_string]"},
	{{"work.llvm.12345", "work.llvm.12345", 11}, "work @b"},
	{{"work", "work", 12}, "work @c"},
	{{"LazyCompile:*run a.js:1:1", "LazyCompile:*run a.js:1:1", 13},
	 "run a.js:1 [LazyCompile]"},
	{{"Function:~run a.js:1:1", "Function:~run a.js:1:1", 14}, "run a.js:1 [Function]"},
	{{"h", "h_1", 15}, "h [h_1]"},
	{{"h", "h_2", 15}, "h [h_2]"},
	/* Differences are shown as whole identifiers. */
	{{"github.com/a/b.Run", "github.com/a/b.Run", 20}, "b.Run [github.com/a/b]"},
	{{"example.com/c/b.Run", "example.com/c/b.Run", 21}, "b.Run [example.com/c/b]"},
	{{"La/b/Bar;::run", "La/b/Bar;::run", 22}, "Bar.run [a.b.Bar]"},
	{{"Lc/Bar;::run", "Lc/Bar;::run", 23}, "Bar.run [c.Bar]"},
	{{"std::_Sp_counted_ptr_inplace<int>::get", "get_1", 24},
	 "std::shared_ptr<int>::get [_Sp_counted_ptr_inplace]"},
	{{"std::__shared_ptr<int>::get", "get_2", 25}, "std::shared_ptr<int>::get [__shared_ptr]"},
	{{"p", "_Z1pNSt9very_long1aENSt9very_long1bEN4some6nested4pathEN5other6nested4pathE", 26},
	 "p(..., std::very_long::b, some::nested::path, ...)"},
	{{"p", "_Z1pNSt9very_long1aENSt9very_long1cEN4some6nested4pathEN5other6nested4pathE", 27},
	 "p(..., std::very_long::c, some::nested::path, ...)"},
	/* Static functions with known source files. */
	{{"u", "u", 28, 1, "/src/a.c"}, "u (a.c)"},
	{{"u", "u", 29, 1, "/src/b.c"}, "u (b.c)"},
	/* Static functions of one file, and functions of two files. */
	{{"s", "s", 16, 1}, "s @10"},
	{{"s", "s", 17, 1}, "s @11"},
	{{"t", "t", 18, 1}, "t"},
	{{"t", "t", 19, 2}, "t"},
};

static void distinguishes_equal_short_names(void **state)
{
	struct tally_function_name functions[TALLY_ARRAY_SIZE(equals)];
	struct tally_short_names names;

	for (int turn = 0; turn < 2; turn++) {
		size_t nr = TALLY_ARRAY_SIZE(equals);

		for (size_t i = 0; i < nr; i++)
			functions[turn ? nr - 1 - i : i] = equals[i].function;
		assert_int_equal(tally_short_names_make(functions, nr, &names), 0);
		for (size_t i = 0; i < nr; i++)
			assert_string_equal(names.texts.data[turn ? nr - 1 - i : i],
					    equals[i].want);
		tally_short_names_free(&names);
	}
}

static void an_empty_list_has_no_names(void **state)
{
	struct tally_short_names names;

	assert_int_equal(tally_short_names_make(NULL, 0, &names), 0);
	assert_int_equal(names.texts.len, 0);
	tally_short_names_free(&names);
}

/* ---- real names ----------------------------------------------------------------------------- */

struct real {
	char project[16];
	char *raw, *name, *full; /* mangled, as shown, and with parameters */
};

struct list {
	struct real all[NAMES];
	size_t nr;
	struct tally_function_name functions[NAMES];
	struct tally_short_names names;
};

static int read_names(void **state)
{
	struct list *list = calloc(1, sizeof(*list));
	char path[PATH_MAX], *line = NULL;
	uint64_t left = UINT64_MAX;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/names/mangled-names.txt", getenv("TALLY_FIXTURES"));
	file = fopen(path, "r");
	if (!file || !list)
		fail_msg("%s: cannot be read", path);
	while (list->nr < NAMES && getline(&line, &size, file) > 0) {
		struct real *real = &list->all[list->nr];
		char *raw = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		*raw++ = '\0';
		snprintf(real->project, sizeof(real->project), "%s", line);
		real->raw = strdup(raw);
		real->name = tally_demangle(raw, false, &left);
		real->full = tally_demangle(raw, true, &left);
		real->name = real->name ? real->name : strdup(raw);
		real->full = real->full ? real->full : strdup(raw);
		list->functions[list->nr++] =
			(struct tally_function_name){real->name, real->raw, list->nr};
	}
	free(line);
	fclose(file);
	*state = list;
	return tally_short_names_make(list->functions, list->nr, &list->names);
}

static int free_names(void **state)
{
	struct list *list = *state;

	for (size_t i = 0; i < list->nr; i++) {
		free(list->all[i].raw);
		free(list->all[i].name);
		free(list->all[i].full);
	}
	tally_short_names_free(&list->names);
	free(list);
	return 0;
}

static int compare_lens(const void *a, const void *b)
{
	return (*(const size_t *)a > *(const size_t *)b) -
	       (*(const size_t *)a < *(const size_t *)b);
}

static void print_widths(const char *what, size_t *lens, size_t nr)
{
	qsort(lens, nr, sizeof(lens[0]), compare_lens);
	print_message("#   %-8s longest %4zu, median %3zu\n", what, lens[nr - 1], lens[nr / 2]);
}

/* Print the longest and the median name of a project: as it is, its short name, and its name in a
 * list, where it is distinct. */
static void print_project(const struct list *list, size_t first, size_t end)
{
	size_t before[NAMES], after[NAMES], listed[NAMES], nr = end - first;
	struct tally_str text = {0};

	for (size_t i = 0; i < nr; i++) {
		const char *name = list->all[first + i].name;

		tally_str_clear(&text);
		assert_int_equal(tally_short_name(&text, name, strlen(name)), 0);
		before[i] = strlen(name);
		after[i] = text.len;
		listed[i] = strlen(list->names.texts.data[first + i]);
	}
	tally_str_free(&text);
	print_message("# %s: %zu names\n", list->all[first].project, nr);
	print_widths("whole", before, nr);
	print_widths("short", after, nr);
	print_widths("distinct", listed, nr);
	assert_true(after[nr / 2] <= before[nr / 2] && after[nr - 1] <= before[nr - 1]);
}

static void real_names_become_shorter(void **state)
{
	const struct list *list = *state;
	size_t first = 0, nr = 0;

	assert_int_equal(list->nr, NAMES);
	for (size_t i = 1; i <= list->nr; i++) {
		if (i < list->nr && !strcmp(list->all[i].project, list->all[first].project))
			continue;
		print_project(list, first, i);
		nr++;
		first = i;
	}
	assert_int_equal(nr, PROJECTS);
}

/* Two functions are different if their names with parameters are. */
static int compare_names(const void *a, const void *b, void *arg)
{
	const struct list *list = arg;

	return strcmp(list->names.texts.data[*(const uint32_t *)a],
		      list->names.texts.data[*(const uint32_t *)b]);
}

static void different_functions_have_different_short_names(void **state)
{
	struct list *list = *state;
	uint32_t order[NAMES];

	for (uint32_t i = 0; i < list->nr; i++)
		order[i] = i;
	qsort_r(order, list->nr, sizeof(order[0]), compare_names, list);
	for (size_t i = 1; i < list->nr; i++) {
		if (!compare_names(&order[i - 1], &order[i], list))
			assert_string_equal(list->all[order[i - 1]].full, list->all[order[i]].full);
	}
}

/* Names of scopes that a short name replaces by the name of the manual. */
static const char *const replaced[][2] = {
	{"_Hashtable", "unordered_"},
	{"_Map_base", "unordered_"},
	{"_Insert_base", "unordered_"},
	{"_Insert", "unordered_"},
	{"_Rehash_base", "unordered_"},
	{"_Hashtable_base", "unordered_"},
	{"_Hash_code_base", "unordered_"},
	{"_Equality", "unordered_"},
	{"_Rb_tree", "std::m"},
	{"_Rb_tree", "std::set"},
	{"_Rb_tree", "std::multi"},
	{"__normal_iterator", "iterator"},
	{"__new_allocator", "allocator"},
	{"new_allocator", "allocator"},
	{"_Sp_counted_ptr_inplace", "shared_ptr"},
	{"__shared_ptr", "shared_ptr"},
	{"__weak_ptr", "weak_ptr"},
	{"__uniq_ptr_impl", "unique_ptr"},
	{"basic_string", "string"},
	{"basic_string_view", "string_view"},
	{"basic_ostream", "ostream"},
	{"basic_istream", "istream"},
	{"basic_iostream", "iostream"},
	{"basic_ostringstream", "ostringstream"},
	{"basic_istringstream", "istringstream"},
	{"basic_stringstream", "stringstream"},
	{"basic_streambuf", "streambuf"},
	{"basic_stringbuf", "stringbuf"},
	{"basic_filebuf", "filebuf"},
	{"basic_ios", "ios"},
	{"basic_regex", "regex"},
	{"Matrix", "Eigen::"},
	{"__cxx11", "std::"},
	{"_V2", "std::"},
	{"__exception_ptr", "std::"},
	{"anonymous namespace", "(anon)"},
	{"v2_mt_posix", "boost::log::"},
};

/* Return the last identifier that ends at or before `len`, outside of all brackets. The brackets
 * after it are skipped. */
static size_t last_word(const char *name, size_t len, size_t *ret_start)
{
	size_t end, start;
	int depth = 0;

	for (end = len; end > 0; end--) {
		char c = name[end - 1];

		depth += c == '>' || c == ')' || c == ']' || c == '}';
		if (!depth && tally_name_is_word(c))
			break;
		depth -= depth && (c == '<' || c == '(' || c == '[' || c == '{');
	}
	for (start = end; start > 0 && tally_name_is_word(name[start - 1]); start--)
		;
	*ret_start = start;
	return end - start;
}

static bool has_word(const char *text, const char *word, size_t len)
{
	for (const char *at = text; (at = memmem(at, strlen(at), word, len)); at++) {
		if (at == text || !tally_name_is_word(at[-1]) || !tally_name_is_word(word[0]))
			return true;
	}
	return false;
}

static bool is_replaced(const char *word, size_t len, const char *text)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(replaced); i++) {
		if (strlen(replaced[i][0]) == len && !memcmp(replaced[i][0], word, len) &&
		    strstr(text, replaced[i][1]))
			return true;
	}
	return false;
}

/* The function's own name, and the scope before it, are in the short name. */
static void short_names_keep_name_and_last_scope(void **state)
{
	const struct list *list = *state;
	size_t nr_scopes = 0;

	for (size_t i = 0; i < list->nr; i++) {
		const char *name = list->all[i].name, *text = list->names.texts.data[i];
		size_t start, len = last_word(name, strlen(name), &start), scope;

		if (len && !has_word(text, name + start, len))
			fail_msg("%s:\n%s lacks %.*s", name, text, (int)len, name + start);
		if (start < 2 || (name[start - 1] != ':' && name[start - 1] != '.'))
			continue;
		len = last_word(name, start - 1, &scope);
		nr_scopes += len > 0;
		if (len && !has_word(text, name + scope, len) &&
		    !is_replaced(name + scope, len, text))
			fail_msg("%s:\n%s lacks the scope %.*s", name, text, (int)len,
				 name + scope);
	}
	assert_true(nr_scopes > list->nr / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinguishes_equal_short_names),
		cmocka_unit_test(an_empty_list_has_no_names),
		cmocka_unit_test(real_names_become_shorter),
		cmocka_unit_test(different_functions_have_different_short_names),
		cmocka_unit_test(short_names_keep_name_and_last_scope),
	};

	if (!tally_demangle_available()) {
		print_message("1..0 # skipped: this build has no demangler\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, read_names, free_names);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Real names cut to narrow columns: properties of all of them, and examples in a file. */
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
#include "symbols/demangle.h"
#include "symbols/name_text.h"
#include "symbols/short_name.h"
#include "view/shorten.h"
#include "view/width.h"

static const size_t widths[] = {40, 60, 100};

static FILE *open_fixture(const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/names/%s", getenv("TALLY_FIXTURES"), name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s: cannot be read", path);
	return file;
}

/* Return the length of the identifier at the end of "a::b<c>::name", or 0 for names with other
 * ends. */
static size_t own_len(const char *name)
{
	size_t end = strlen(name), at = end;

	while (at && tally_name_is_word(name[at - 1]))
		at--;
	return !at || name[at - 1] == ':' ? end - at : 0;
}

static bool is_whole(const char *text, const char *identifier, size_t len)
{
	for (const char *at = text; (at = memmem(at, strlen(at), identifier, len)); at++) {
		bool begins = at == text || !tally_name_is_word(at[-1]);

		if (begins && !tally_name_is_word(at[len]))
			return true;
	}
	return false;
}

/* Return false if a mark is next to a part of an identifier of the name. */
static bool has_whole_words(const char *name, const char *text)
{
	while (*text) {
		size_t len = 0;

		while (tally_name_is_word(text[len]))
			len++;
		if (len && !is_whole(name, text, len))
			return false;
		text += len ? len : 1;
	}
	return true;
}

static void check_name(const char *name, size_t columns, struct tally_str *cut)
{
	size_t own = own_len(name);
	const char *text;

	tally_str_clear(cut);
	tally_str_add(cut, name);
	tally_shorten(cut, 0, TALLY_SHORTEN_NAME, columns, "...");
	text = tally_str_text(cut);
	assert_true(tally_width_of(text) <= columns);
	if (!own || own > columns)
		return;
	if (!is_whole(text, name + strlen(name) - own, own))
		fail_msg("%s\n%s: the own name is cut", name, text);
	if (!has_whole_words(name, text))
		fail_msg("%s\n%s: an identifier is cut", name, text);
}

static void real_names_are_cut_between_identifiers(void **state)
{
	FILE *file = open_fixture("mangled-names.txt");
	struct tally_str name = {0}, cut = {0};
	uint64_t left = UINT64_MAX;
	char *line = NULL;
	size_t size = 0, nr = 0;

	if (!tally_demangle_available())
		skip();
	for (; getline(&line, &size, file) > 0; nr++) {
		char *whole;

		line[strcspn(line, "\n")] = '\0';
		whole = tally_demangle(strchr(line, ' ') + 1, false, &left);
		tally_str_clear(&name);
		if (whole)
			tally_short_name(&name, whole, strlen(whole));
		for (size_t i = 0; i < TALLY_ARRAY_SIZE(widths); i++)
			check_name(tally_str_text(&name), widths[i], &cut);
		free(whole);
	}
	assert_int_equal(nr, 3000);
	free(line);
	fclose(file);
	tally_str_free(&name);
	tally_str_free(&cut);
}

/* Each line contains a number of columns, a name, and the cut name, with tabs between them. */
static void cuts_names_as_in_the_file(void **state)
{
	FILE *file = open_fixture("cut-names.txt");
	struct tally_str cut = {0};
	char *line = NULL;
	size_t size = 0, nr = 0;

	for (; getline(&line, &size, file) > 0; nr++) {
		char *rest = line, *columns = strsep(&rest, "\t"), *name = strsep(&rest, "\t");
		char *want = strsep(&rest, "\n");

		tally_str_clear(&cut);
		tally_str_add(&cut, name);
		tally_shorten(&cut, 0, TALLY_SHORTEN_NAME, strtoul(columns, NULL, 10), "...");
		assert_string_equal(tally_str_text(&cut), want);
	}
	assert_true(nr > 100);
	free(line);
	fclose(file);
	tally_str_free(&cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_names_are_cut_between_identifiers),
		cmocka_unit_test(cuts_names_as_in_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

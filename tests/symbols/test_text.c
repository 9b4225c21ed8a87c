/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test_names.h"
#include "symbols/kallsyms.h"
#include "symbols/jit/perfmap.h"

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T startup_64\n"
			       "ffffffff81000100 t local\n"
			       "ffffffff81000100 T __global\n"
			       "ffffffff81000200 r rodata\n"
			       "ffffffff81000300 W last\n"
			       "ffffffffc0001000 t read\t[ext4]\n"
			       "ffffffffc0001080 t write\t[ext4]\n"
			       "ffffffffc0000000 t read\t[jbd2]\n";

static const struct {
	const char *module;
	uint64_t addr;
	const char *name;
	uint64_t end;
} places[] = {
	/* Aliases. Only the last one has a size when they are compared. */
	{NULL, 0xffffffff81000010, "startup_64", 0xffffffff81000100},
	{NULL, 0xffffffff810002ff, "__global", 0xffffffff81000300},
	{NULL, 0xffffffff81000300, "last", 0xffffffff81002000},
	{NULL, 0xffffffff81002000, NULL, 0},
	{NULL, 0xffffffffc0001000, NULL, 0},
	{NULL, 0, NULL, 0},
	{"ext4", 0xffffffffc0001001, "read", 0xffffffffc0001080},
	{"ext4", 0xffffffffc0001080, "write", 0xffffffffc0003000},
	{"jbd2", 0xffffffffc0000000, "read", 0xffffffffc0001000 + 0x0},
	{"xfs", 0xffffffffc0001000, NULL, 0},
};

static void finds_symbols_of_kernel_and_modules(void **state)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct tally_symtab table = {0};
		const struct tally_symbol *symbol;

		assert_int_equal(tally_kallsyms_parse(kallsyms, sizeof(kallsyms) - 1,
						      places[i].module, &table, NULL),
				 0);
		symbol = tally_symtab_find(&table, places[i].addr);
		if (places[i].name) {
			assert_non_null(symbol);
			assert_string_equal(tally_symtab_name(&table, symbol), places[i].name);
			if (strcmp(places[i].name, "read") || !strcmp(places[i].module, "ext4"))
				assert_int_equal(symbol->end, places[i].end);
		} else {
			assert_null(symbol);
		}
		tally_symtab_free(&table);
	}
}

static void kallsyms_address(void **state)
{
	uint64_t address = 0;
	size_t len = sizeof(kallsyms) - 1;

	assert_int_equal(tally_kallsyms_address(kallsyms, len, "local", &address), 0);
	assert_int_equal(address, 0xffffffff81000100);
	assert_int_equal(tally_kallsyms_address(kallsyms, len, "write", &address), -ENOENT);
	assert_int_equal(tally_kallsyms_address(kallsyms, len, "loca", &address), -ENOENT);
}

static void rejects_invalid_kallsyms(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t offset;
	} bad[] = {
		{"", -EPERM, 0},
		{"0 T a\n0 T b\n", -EPERM, 0},
		{"1000 T a\nnonsense\n", -EINVAL, 9},
		{"1000 T\n", -EINVAL, 0},
		{"1000 T \n1000 T b\n", -EINVAL, 0},
		{"1000T a\n", -EINVAL, 0},
		{"11112222333344445 T a\n", -EINVAL, 0},
		{"1000 T a\n\n2000 T b\n", -EINVAL, 9},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tally_symtab table = {0};
		struct tally_error err = {0};

		assert_int_equal(
			tally_kallsyms_parse(bad[i].text, strlen(bad[i].text), NULL, &table, &err),
			bad[i].ret);
		assert_int_equal(err.code, bad[i].ret);
		assert_int_equal(err.offset, bad[i].offset);
		tally_symtab_free(&table);
	}
}

/* Parse copies of exactly the right size, so that ASan reports reads beyond the end. */
static void parses_texts_truncated_anywhere(void **state)
{
	for (size_t len = 0; len < sizeof(kallsyms); len++) {
		struct tally_symtab table = {0};
		struct tally_jit jit = {0};
		char *copy = malloc(len + !len);
		size_t used;

		memcpy(copy, kallsyms, len);
		tally_kallsyms_parse(copy, len, NULL, &table, NULL);
		tally_symtab_free(&table);
		assert_int_equal(tally_perfmap_parse(copy, len, true, &jit, &used, NULL), 0);
		assert_int_equal(used, len);
		tally_jit_free(&jit);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_symbols_of_kernel_and_modules),
		cmocka_unit_test(kallsyms_address),
		cmocka_unit_test(rejects_invalid_kallsyms),
		cmocka_unit_test(parses_texts_truncated_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

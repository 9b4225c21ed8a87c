/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare the tables of functions with the unwind rules of the machine's programs and libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arith.h"
#include "symbols/elf/elf_frames.h"
#include "symbols/elf/image.h"
#include "unwind/unwind_table.h"

#include <cmocka.h>

enum { STEP = 61 }; /* bytes between the addresses that are looked up */

/* Files that most machines have. */
static const char *const files[] = {
	"/proc/self/exe",
	"/bin/sh",
	"/bin/bash",
	"/usr/bin/perl",
	"/usr/bin/git",
	"/usr/bin/python3",
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib/aarch64-linux-gnu/libc.so.6",
	"/usr/lib64/libc.so.6",
	"/lib64/ld-linux-x86-64.so.2",
	"/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/lib/x86_64-linux-gnu/libcrypto.so.3",
};

struct compiled {
	void *block;
	struct tally_unwind_table table;
};

static int compile(const struct tally_image *image, bool functions_only, struct compiled *to)
{
	struct tally_elf_frames frames;
	size_t len = 0;
	int ret = tally_elf_frames_gather(&image->elf, NULL, &frames);

	to->block = NULL;
	frames.source.functions_only = functions_only;
	if (!ret)
		ret = tally_unwind_compile(&frames.source, &to->block, &len);
	tally_elf_frames_free(&frames);
	return ret ? ret : tally_unwind_table_open(to->block, len, &to->table);
}

/* Compare the function at an address in both tables. */
static void compare(const struct compiled *rules, const struct compiled *functions, uint64_t addr)
{
	uint64_t want = 0, found = 0;
	bool has = tally_unwind_table_function(&rules->table, addr, &want);

	assert_int_equal(tally_unwind_table_function(&functions->table, addr, &found), has);
	assert_int_equal(found, want);
	if (has)
		assert_int_equal(tally_unwind_table_function_end(&functions->table, want),
				 tally_unwind_table_function_end(&rules->table, want));
}

/* Return the number of functions, or 0 if the file is missing or has no rules. */
static uint32_t compare_file(const char *path)
{
	struct compiled rules, functions;
	struct tally_image image;
	uint32_t nr = 0;

	if (tally_image_open(path, NULL, &image))
		return 0;
	if (!compile(&image, false, &rules)) {
		assert_int_equal(compile(&image, true, &functions), 0);
		nr = rules.table.head.nr_functions;
		assert_int_equal(functions.table.head.nr_functions, nr);
		for (uint32_t i = 0; i < nr; i++) {
			compare(&rules, &functions, rules.table.functions[i]);
			compare(&rules, &functions, rules.table.functions[i] - 1);
		}
		for (uint64_t at = 0; at < rules.table.head.code_end; at += STEP)
			compare(&rules, &functions, at);
		free(functions.block);
	}
	free(rules.block);
	tally_image_free(&image);
	return nr;
}

static void functions_are_those_of_the_rules(void **state)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(files); i++) {
		uint32_t of_file = compare_file(files[i]);

		print_message("# %s: %u functions\n", files[i], of_file);
		nr += of_file;
	}
	assert_true(nr > 100); /* at least those of this program */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_those_of_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Read lines of source files, and reject unsuitable files. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/annotate/source_texts.h"
#include "temporary.h"

struct fixture {
	char dir[64], path[128];
	struct tally_source_texts *texts;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(mkdtemp(strcpy(f->dir, "/tmp/tally-source-XXXXXX")));
	assert_int_equal(tally_source_texts_new(&(struct tally_source_options){0}, &f->texts), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_source_texts_free(f->texts);
	temporary_remove(f->dir);
	free(f);
	return 0;
}

static const char *path_of(struct fixture *f, const char *name)
{
	snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name);
	return f->path;
}

static void write_source(struct fixture *f, const char *name, const char *text, size_t len)
{
	FILE *file = fopen(path_of(f, name), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static void assert_line(struct fixture *f, const char *name, uint32_t line, const char *want)
{
	const char *text = NULL;
	size_t len = 0;

	assert_int_equal(tally_source_texts_get(f->texts, path_of(f, name), line, &text, &len), 0);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(text, want, len);
}

static void assert_none(struct fixture *f, const char *name, uint32_t line, int error)
{
	const char *text = NULL;
	size_t len = 0;

	/* The second result is from the cache. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			tally_source_texts_get(f->texts, path_of(f, name), line, &text, &len),
			error);
	assert_null(text);
}

static void lines_are_found(void **state)
{
	static const char text[] = "one\n\n\tthree\r\nfour";
	struct fixture *f = *state;

	write_source(f, "a.c", text, sizeof(text) - 1);
	write_source(f, "empty.c", text, 0);
	assert_line(f, "a.c", 1, "one");
	assert_line(f, "a.c", 2, "");
	assert_line(f, "a.c", 3, "\tthree");
	assert_line(f, "a.c", 4, "four");
	assert_none(f, "a.c", 5, -ERANGE);
	assert_none(f, "a.c", 0, -ERANGE);
	assert_none(f, "a.c", UINT32_MAX, -ERANGE);
	assert_none(f, "empty.c", 1, -ERANGE);
	assert_none(f, "missing.c", 1, -ENOENT);
}

/* If all lines are empty, the array of line offsets is four times as large as the text. */
static void line_offsets_count_against_the_memory_limit(void **state)
{
	static const char *const names[] = {"1.c", "2.c", "3.c"};
	struct fixture *f = *state;
	const size_t most = 16 << 20;
	char *text = malloc(most);

	memset(text, '\n', most);
	for (size_t i = 0; i < 3; i++) {
		write_source(f, names[i], text, most);
		assert_line(f, names[i], (uint32_t)most, "");
	}
	write_source(f, "fits.c", text, most / 8);
	assert_line(f, "fits.c", 1, "");
	write_source(f, "late.c", text, most);
	assert_none(f, "late.c", 1, -EFBIG);
	free(text);
}

/* Debug information may contain any path, so special files must be rejected. */
static void rejects_other_kinds_of_files(void **state)
{
	struct fixture *f = *state;
	const char *text;
	size_t len;

	assert_int_equal(mkfifo(path_of(f, "fifo"), 0600), 0);
	assert_none(f, "fifo", 1, -EINVAL);
	assert_int_equal(symlink("/proc/self/environ", path_of(f, "environ")), 0);
	assert_none(f, "environ", 1, -EINVAL);
	assert_int_equal(mkdir(path_of(f, "folder"), 0700), 0);
	assert_none(f, "folder", 1, -EINVAL);
	write_source(f, "large.c", "x\n", 2);
	assert_int_equal(truncate(f->path, (off_t)4 << 30), 0);
	assert_none(f, "large.c", 1, -EFBIG);
	assert_int_equal(tally_source_texts_get(f->texts, "/dev/zero", 1, &text, &len), -ENODEV);
}

static void applies_prefix_strip_and_symfs(void **state)
{
	static const struct {
		const char *prefix;
		unsigned strip;
		bool is_symfs;
		const char *path;
	} rows[] = {
		{"", 0, false, "/src/a.c"},
		{"/src", 1, false, "/build/a.c"},
		{"/src", 2, false, "/home/build/a.c"},
		{"/src", 99, false, "/home/build/a.c"},
		{NULL, 0, true, "/src/a.c"},
		{NULL, 0, true, "src/a.c"},
		{"/src", 1, true, "/build/a.c"},
	};
	struct fixture *f = *state;

	assert_int_equal(mkdir(path_of(f, "src"), 0700), 0);
	write_source(f, "src/a.c", "here\n", 5);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_source_options options = {.prefix_strip = rows[i].strip};
		struct tally_source_texts *texts;
		char prefix[128];
		const char *text;
		size_t len;

		snprintf(prefix, sizeof(prefix), "%s%s", rows[i].is_symfs ? "" : f->dir,
			 rows[i].prefix ? rows[i].prefix : "");
		options.prefix = rows[i].prefix ? prefix : NULL;
		options.symfs = rows[i].is_symfs ? f->dir : NULL;
		assert_int_equal(tally_source_texts_new(&options, &texts), 0);
		assert_int_equal(tally_source_texts_get(texts, rows[i].path, 1, &text, &len), 0);
		assert_memory_equal(text, "here", 4);
		tally_source_texts_free(texts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(line_offsets_count_against_the_memory_limit, setup,
						teardown),
		cmocka_unit_test_setup_teardown(rejects_other_kinds_of_files, setup, teardown),
		cmocka_unit_test_setup_teardown(applies_prefix_strip_and_symfs, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

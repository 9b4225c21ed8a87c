/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines in an index: the union of several processes' lookups, which is written only if it has
 * changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "temporary.h"
#include "symbols/dso.h"
#include "symbols/lines/dso_lines.h"
#include "symbols/lines/symbols_lines.h"
#include "symbols/cache/index_dso.h"
#include "symbols/cache/index_write.h"

enum { STEP = 16, LINES = 200 };

static char dir[64];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/tally-index-lines-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	temporary_remove(dir);
	return 0;
}

/* A process that has opened an object and read its index. */
struct process {
	struct tally_symbols *symbols;
	struct tally_dso *dso;
};

static struct process process_open(bool inlined_only)
{
	static const uint8_t id[20] = {0xa0, 1, 2, 3};
	const struct tally_symbols_options options = {.index_dir = dir, .index_limit = 1 << 30};
	const struct tally_dso_key key = {TALLY_DSO_USER, "/nowhere", id, sizeof(id)};
	struct process process;

	assert_int_equal(tally_symbols_new(&options, &process.symbols), 0);
	assert_int_equal(tally_dso_get(process.symbols, &key, &process.dso), 0);
	process.dso->lines = calloc(1, sizeof(*process.dso->lines));
	assert_non_null(process.dso->lines);
	if (inlined_only)
		tally_lines_inlined_only(process.symbols);
	tally_dso_lines_open(process.dso);
	return process;
}

static struct process process_begin(void)
{
	return process_open(false);
}

static struct process inlined_begin(void)
{
	return process_open(true);
}

static void process_end(struct process *process)
{
	tally_dso_lines_save(process->dso);
	tally_symbols_free(process->symbols);
}

static bool knows(struct process *process, uint64_t number)
{
	const struct tally_line_span *span =
		tally_dso_lines_known(process->dso->lines, number * STEP);

	return span && span->nr == LINES && span->lines[0].line == number;
}

/* Look up the lines of `nr` addresses, and add the unknown lines as if a worker had returned
 * them. */
static void look_for(struct process *process, uint64_t first, uint64_t nr)
{
	struct tally_line lines[LINES] = {0};

	for (uint64_t i = first; i < first + nr; i++) {
		const struct tally_line_span span = {i * STEP, i * STEP + STEP, lines, LINES};

		lines[0].line = (uint32_t)i;
		if (!knows(process, i))
			assert_int_equal(tally_lines_add(&process->dso->lines->known, &span), 0);
		assert_true(knows(process, i));
	}
}

/* Get the inode and the timestamps of the index. */
static struct stat index_stat(void)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/a001020300000000000000000000000000000000.index", dir);
	assert_int_equal(stat(path, &st), 0);
	return st;
}

static void assert_written(const struct stat *before, bool is_written)
{
	struct stat now = index_stat();

	assert_int_equal(now.st_ino != before->st_ino ||
				 now.st_mtim.tv_nsec != before->st_mtim.tv_nsec,
			 is_written);
}

static void merges_the_lines_of_two_processes(void **state)
{
	struct process first = process_begin(), second = process_begin(), third;

	(void)state;
	look_for(&first, 0, 100);
	look_for(&second, 50, 100);
	process_end(&first);
	process_end(&second);
	third = process_begin();
	for (uint64_t i = 0; i < 150; i++)
		assert_true(knows(&third, i));
	assert_int_equal(third.dso->lines->known.spans.len, 150);
	process_end(&third);
}

/* A worker returns the spans of a whole function, with those that are in the index. */
static void keeps_indexed_lines_of_the_same_function(void **state)
{
	struct process process = process_begin();
	struct tally_line lines[LINES] = {{.line = 0}};
	struct stat before;

	(void)state;
	look_for(&process, 0, 10);
	process_end(&process);
	process = process_begin();
	for (uint64_t i = 0; i < 20; i++) {
		const struct tally_line_span span = {i * STEP, i * STEP + STEP, lines, LINES};

		lines[0].line = (uint32_t)i;
		assert_int_equal(tally_lines_add(&process.dso->lines->known, &span), 0);
	}
	assert_true(knows(&process, 15));
	process_end(&process);
	before = index_stat();
	process = process_begin();
	for (uint64_t i = 0; i < 20; i++)
		assert_int_equal(knows(&process, i), i < 10 || i == 15);
	process_end(&process);
	assert_written(&before, false);
}

/* Lines that have only inlined functions are stored apart, and not again if complete lines are
 * known. */
static void stores_inlined_functions_apart(void **state)
{
	struct process process = process_begin();
	struct stat before;

	(void)state;
	look_for(&process, 0, 10);
	process_end(&process);
	process = inlined_begin();
	assert_true(knows(&process, 5));
	look_for(&process, 5, 10);
	process_end(&process);
	before = index_stat();
	process = inlined_begin();
	for (uint64_t i = 0; i < 15; i++)
		assert_true(knows(&process, i));
	process_end(&process);
	assert_written(&before, false);
	process = process_begin();
	for (uint64_t i = 0; i < 15; i++)
		assert_int_equal(knows(&process, i), i < 10);
	look_for(&process, 10, 10);
	process_end(&process);
	process = inlined_begin();
	assert_true(knows(&process, 19));
	process_end(&process);
}

/* The spans of earlier recordings are not read if no address needs them. */
static void copies_only_what_is_looked_up(void **state)
{
	struct process process = process_begin();

	(void)state;
	look_for(&process, 0, 100);
	process_end(&process);
	process = process_begin();
	look_for(&process, 20, 3);
	assert_int_equal(process.dso->lines->known.spans.len, 3);
	process_end(&process);
}

static void does_not_rewrite_known_lines(void **state)
{
	struct process process = process_begin();
	struct stat before;

	(void)state;
	look_for(&process, 0, 100);
	process_end(&process);
	before = index_stat();
	process = process_begin();
	look_for(&process, 20, 10);
	process_end(&process);
	assert_written(&before, false);
	process = process_begin();
	look_for(&process, 95, 10);
	process_end(&process);
	assert_written(&before, true);
}

/* Look up more lines than an index can hold. The index is not rewritten if the missing lines do not
 * fit. */
static void a_full_index_keeps_the_latest_lines(void **state)
{
	enum { MANY = (64 << 20) / (LINES * 16) + 1000 };
	struct process process = process_begin();
	struct stat before;

	(void)state;
	look_for(&process, 0, MANY);
	process_end(&process);
	before = index_stat();
	process = process_begin();
	assert_true(knows(&process, 0));
	assert_false(knows(&process, MANY - 1));
	look_for(&process, 0, MANY);
	process_end(&process);
	assert_written(&before, false);

	process = process_begin();
	look_for(&process, MANY, 100);
	process_end(&process);
	process = process_begin();
	for (uint64_t i = MANY; i < MANY + 100; i++)
		assert_true(knows(&process, i));
	process_end(&process);
}

/* Write an index with two spans: [0, 16) and [start, end). */
static void write_two_spans(struct process *process, uint64_t start, uint64_t end)
{
	const struct {
		uint32_t nr_spans, nr_lines;
		struct {
			uint64_t start, end;
			uint32_t first, nr;
		} spans[2];
		uint32_t lines[2][4]; /* function, file, line, zero */
	} section = {2, 2, {{0, 16, 0, 1}, {start, end, 1, 1}}, {{0, 0, 1, 0}, {0, 0, 2, 0}}};
	struct tally_index_writer *writer;
	struct tally_build_id object;

	assert_int_equal(tally_dso_index_object(process->dso, &object), 0);
	assert_int_equal(tally_index_writer_open(tally_index_dir_get(process->symbols), &object,
						 sizeof(section) + 1, &writer),
			 0);
	tally_index_writer_begin(writer, TALLY_INDEX_LINES);
	tally_index_writer_add(writer, &section, sizeof(section));
	tally_index_writer_begin(writer, TALLY_INDEX_LINE_TEXTS);
	tally_index_writer_add(writer, "", 1);
	assert_int_equal(tally_index_writer_close(writer, 0), 0);
}

/* A damaged index has no lines for some addresses, or wrong ones. It is replaced when there are new
 * lines. */
static void survives_damaged_spans(void **state)
{
	static const struct {
		uint64_t start, end;
		bool knows_0, knows_18;
	} seconds[] = {
		{16, 32, true, true}, {15, 32, true, true},  {0, 16, true, false},
		{0, 32, true, true},  {20, 19, true, false}, {UINT64_MAX, 0, true, false},
	};
	struct process writer = process_begin(), reader;

	(void)state;
	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		write_two_spans(&writer, seconds[i].start, seconds[i].end);
		reader = process_begin();
		assert_int_equal(!!tally_dso_lines_known(reader.dso->lines, 0), seconds[i].knows_0);
		assert_int_equal(!!tally_dso_lines_known(reader.dso->lines, 18),
				 seconds[i].knows_18);
		look_for(&reader, 1000, 1);
		process_end(&reader);
		reader = process_begin();
		assert_true(knows(&reader, 1000));
		tally_symbols_free(reader.symbols);
	}
	tally_symbols_free(writer.symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(merges_the_lines_of_two_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(survives_damaged_spans, setup, teardown),
		cmocka_unit_test_setup_teardown(keeps_indexed_lines_of_the_same_function, setup,
						teardown),
		cmocka_unit_test_setup_teardown(copies_only_what_is_looked_up, setup, teardown),
		cmocka_unit_test_setup_teardown(stores_inlined_functions_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(does_not_rewrite_known_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_index_keeps_the_latest_lines, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

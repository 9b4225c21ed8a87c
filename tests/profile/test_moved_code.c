/* SPDX-License-Identifier: BSD-2-Clause */
/* Anonymous memory that is mapped over a file's code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/abi_record.h"
#include "base/endian.h"
#include "fed_machine.h"

enum { PID = 1 << 29, CHILD, PAGE = 4096, HUGE_PAGE = 2 << 20, EXEC = 5, DATA = 3 };

#define PROGRAM UINT64_C(0x400000)
#define LIBRARY UINT64_C(0x7f0000001000)

static void feed_mmap(struct fixture *f, uint64_t start, uint64_t len, uint64_t pgoff, int prot,
		      const char *name)
{
	uint16_t misc = PERF_RECORD_MISC_USER | (prot == EXEC ? 0 : PERF_RECORD_MISC_MMAP_DATA);
	uint8_t record[160] = {0};

	tally_put_u32(record + 8, PID);
	tally_put_u32(record + 12, PID);
	tally_put_u64(record + 16, start);
	tally_put_u64(record + 24, len);
	tally_put_u64(record + 32, pgoff);
	tally_put_u32(record + 64, (uint32_t)prot);
	strcpy((char *)record + 72, name);
	feed(f, PERF_RECORD_MMAP2, misc, record, sizeof(record));
}

static int setup_mapped(void **state)
{
	setup(state);
	feed_mmap(*state, PROGRAM, 16 * PAGE, PAGE, EXEC, "/bin/prog");
	feed_mmap(*state, LIBRARY, 3 * HUGE_PAGE, PAGE, EXEC, "/lib/lib.so");
	return 0;
}

static const struct tally_location *at(struct fixture *f, int tid, uint64_t ip)
{
	return tally_machine_locate(f->machine, tally_machine_thread(f->machine, -1, tid),
				    PERF_RECORD_MISC_USER, ip);
}

static void expect(struct fixture *f, uint64_t ip, const char *dso, uint64_t addr)
{
	const struct tally_location *where = at(f, PID, ip);

	assert_non_null(where->dso);
	assert_string_equal(tally_dso_name(where->dso), dso);
	assert_int_equal(where->addr, addr);
}

static void expect_anonymous(struct fixture *f, uint64_t ip)
{
	assert_int_equal(tally_dso_kind(at(f, PID, ip)->dso), TALLY_DSO_PERF_MAP);
}

static void a_program_that_moves_its_code_keeps_its_file(void **state)
{
	static const char *const names[] = {"//anon", "/anon_hugepage (deleted)", "[anon:text]"};
	struct fixture *f = *state;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		feed_mmap(f, PROGRAM + PAGE, 2 * PAGE, 0, EXEC, names[i]);
		expect(f, PROGRAM + PAGE + 8, "/bin/prog", 2 * PAGE + 8);
	}
	/* The whole program moves after a part of it has moved. */
	feed_mmap(f, PROGRAM, 16 * PAGE, 0, DATA, "//anon");
	feed_mmap(f, PROGRAM, 16 * PAGE, 0, EXEC, "//anon");
	expect(f, PROGRAM + 8, "/bin/prog", PAGE + 8);
	expect(f, PROGRAM + 15 * PAGE, "/bin/prog", 16 * PAGE);
}

static void memory_beyond_the_code_is_anonymous(void **state)
{
	struct fixture *f = *state;

	feed_mmap(f, PROGRAM + 15 * PAGE, 2 * PAGE, 0, EXEC, "//anon");
	expect_anonymous(f, PROGRAM + 15 * PAGE);
	expect(f, PROGRAM + 14 * PAGE, "/bin/prog", 15 * PAGE);
	feed_mmap(f, PROGRAM - PAGE, 2 * PAGE, 0, EXEC, "//anon");
	expect_anonymous(f, PROGRAM);
	/* The code no longer belongs to the file. */
	feed_mmap(f, PROGRAM, PAGE, 0, EXEC, "//anon");
	expect_anonymous(f, PROGRAM);
}

/* Memory mapped in place of a library may contain JIT code, because dlclose(3) is not recorded.
 * This applies even to whole huge pages of the library's code, since the kernel aligns large
 * mappings. */
static void memory_inside_a_library_is_anonymous(void **state)
{
	const uint64_t first = (LIBRARY + HUGE_PAGE) & ~(uint64_t)(HUGE_PAGE - 1);
	struct fixture *f = *state;

	feed_mmap(f, first, 2 * HUGE_PAGE, 0, EXEC, "//anon");
	expect_anonymous(f, first + 8);
	feed_mmap(f, LIBRARY, PAGE, 0, EXEC, "//anon");
	expect_anonymous(f, LIBRARY);
	feed_mmap(f, first, HUGE_PAGE, 0, EXEC, "//anon");
	expect_anonymous(f, first);
}

/* execve(2) unmaps the previous program, but this is not recorded. */
static void exec_ends_moved_code(void **state)
{
	uint8_t comm[32] = {0};
	struct fixture *f = *state;

	tally_put_u32(comm + 8, PID);
	tally_put_u32(comm + 12, PID);
	strcpy((char *)comm + 16, "new");
	feed(f, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, comm, sizeof(comm));
	feed_mmap(f, 0x10000, PAGE, 0, EXEC, "/bin/new");
	feed_mmap(f, PROGRAM, PAGE, 0, EXEC, "//anon");
	expect_anonymous(f, PROGRAM);
}

static void children_inherit_moved_code(void **state)
{
	uint8_t fork[32] = {0};
	struct fixture *f = *state;

	feed_mmap(f, PROGRAM, PAGE, 0, EXEC, "//anon");
	tally_put_u32(fork + 8, CHILD);
	tally_put_u32(fork + 12, PID);
	tally_put_u32(fork + 16, CHILD);
	tally_put_u32(fork + 20, PID);
	feed(f, PERF_RECORD_FORK, 0, fork, sizeof(fork));
	assert_string_equal(tally_dso_name(at(f, CHILD, PROGRAM)->dso), "/bin/prog");
}

/* A perf-PID.map that names an address has precedence. */
static void a_perf_map_has_precedence(void **state)
{
	struct fixture *f = *state;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", PID);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%llx 100 made\n", (unsigned long long)PROGRAM + PAGE);
	fclose(file);
	feed_mmap(f, PROGRAM, 4 * PAGE, 0, EXEC, "//anon");
	expect(f, PROGRAM + PAGE + 8, path, PROGRAM + PAGE + 8);
	assert_non_null(at(f, PID, PROGRAM + PAGE + 8)->symbol);
	expect(f, PROGRAM + 8, "/bin/prog", PAGE + 8);
	unlink(path);
}

#define MOVED_TEST(function) cmocka_unit_test_setup_teardown(function, setup_mapped, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MOVED_TEST(a_program_that_moves_its_code_keeps_its_file),
		MOVED_TEST(memory_beyond_the_code_is_anonymous),
		MOVED_TEST(memory_inside_a_library_is_anonymous),
		MOVED_TEST(exec_ends_moved_code),
		MOVED_TEST(children_inherit_moved_code),
		MOVED_TEST(a_perf_map_has_precedence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

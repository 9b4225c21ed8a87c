/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "profile/process/machine_private.h"
#include "symbols/jit_image.h"
#include "symbols/jit/jit_code.h"
#include "temporary.h"

/* PIDs above the kernel's maximum, and the load times of two functions at address CODE. */
enum { PID = 1 << 23, CHILD = PID + 1, CODE = 0x500000, FIRST = 100, SECOND = 200 };

struct fixture {
	char dir[32], path[64];
	struct tally_symbols *symbols;
	struct tally_machine *machine;
};

static void dump_write(const struct fixture *f)
{
	struct jit_image image = jit_image_begin(PID, false);
	FILE *file = fopen(f->path, "w");

	jit_image_load(&image, FIRST, CODE, 0x40, 1, "first");
	jit_image_load(&image, SECOND, CODE, 0x40, 2, "second");
	assert_non_null(file);
	assert_int_equal(fwrite(image.data, 1, image.len, file), image.len);
	fclose(file);
	jit_image_free(&image);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/tally-jit-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/jit-%d.dump", f->dir, PID);
	dump_write(f);
	assert_int_equal(tally_symbols_new(NULL, &f->symbols), 0);
	assert_int_equal(tally_machine_new(f->symbols, &f->machine), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
	temporary_remove(f->dir);
	free(f);
	return 0;
}

static void feed(struct fixture *f, uint32_t type, uint16_t misc, uint8_t *record, size_t len)
{
	struct perf_event_header header = {type, misc, (uint16_t)len};

	memcpy(record, &header, sizeof(header));
	assert_int_equal(tally_machine_record(f->machine, record, len), 0);
}

static void feed_mmap(struct fixture *f, int pid, uint64_t start, uint64_t len, const char *name,
		      uint16_t misc)
{
	uint8_t record[128] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)pid);
	tally_put_u64(record + 16, start);
	tally_put_u64(record + 24, len);
	strcpy((char *)record + 40, name);
	feed(f, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER | misc, record, sizeof(record));
}

static void feed_fork(struct fixture *f)
{
	uint8_t record[32] = {0};

	tally_put_u32(record + 8, CHILD);
	tally_put_u32(record + 12, PID);
	tally_put_u32(record + 16, CHILD);
	tally_put_u32(record + 20, PID);
	feed(f, PERF_RECORD_FORK, 0, record, sizeof(record));
}

static void feed_exec(struct fixture *f, int pid)
{
	uint8_t record[48] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)pid);
	strcpy((char *)record + 16, "other");
	feed(f, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, record, sizeof(record));
}

/* Map anonymous executable memory and the jitdump of the process. */
static void feed_process(struct fixture *f)
{
	feed_mmap(f, PID, CODE, 0x10000, "//anon", 0);
	feed_mmap(f, PID, 0x700000, 0x1000, f->path, 0);
}

static const char *name_when(struct fixture *f, int pid, uint64_t ip, uint64_t time)
{
	struct tally_thread *thread = tally_machine_thread(f->machine, pid, pid);
	const struct tally_location *where;

	tally_machine_set_time(f->machine, time);
	where = tally_machine_locate(f->machine, thread, PERF_RECORD_MISC_USER, ip);
	assert_int_equal(where->ip, ip);
	return where->symbol ? tally_symbol_name(where->dso, where->symbol) : NULL;
}

static void expect_both(struct fixture *f, int pid)
{
	assert_null(name_when(f, pid, CODE, FIRST - 1));
	assert_string_equal(name_when(f, pid, CODE + 8, FIRST), "first");
	assert_string_equal(name_when(f, pid, CODE + 8, SECOND), "second");
	/* Results cached for another timestamp are not used. */
	assert_string_equal(name_when(f, pid, CODE + 8, SECOND - 1), "first");
	assert_string_equal(name_when(f, pid, CODE + 8, TALLY_TIME_UNKNOWN), "second");
}

static void finds_code_by_the_time_of_the_sample(void **state)
{
	struct fixture *f = *state;

	feed_process(f);
	expect_both(f, PID);
}

/* Check that the two functions have distinct one-word location keys, which caches rely on. */
static void jit_functions_have_distinct_location_keys(void **state)
{
	uint64_t keys[2][TALLY_LOCATION_KEY_WORDS], caller[TALLY_LOCATION_KEY_WORDS];
	struct tally_location location;
	struct fixture *f = *state;
	struct tally_thread *thread;

	feed_process(f);
	thread = tally_machine_thread(f->machine, PID, PID);
	for (int i = 0; i < 2; i++) {
		tally_machine_set_time(f->machine, i ? SECOND : FIRST);
		assert_int_equal(tally_machine_location_key(f->machine, thread,
							    PERF_RECORD_MISC_USER, CODE + 4,
							    keys[i]),
				 1);
		assert_int_equal(tally_machine_caller_key(f->machine, thread, CODE + 4, caller), 1);
		assert_int_equal(keys[i][0], caller[0]);
		assert_true(tally_machine_is_return_address(f->machine, keys[i]));
	}
	assert_int_not_equal(keys[0][0], keys[1][0]);
	tally_machine_location_key_resolve(f->machine, tally_machine_kernel(f->machine), keys[0],
					   &location);
	assert_string_equal(tally_symbol_name(location.dso, location.symbol), "first");
	assert_int_equal(location.addr - location.symbol->start, 4);
}

static void forks_inherit_jit_code_and_exec_drops_it(void **state)
{
	struct fixture *f = *state;

	feed_process(f);
	feed_fork(f);
	expect_both(f, CHILD);
	feed_exec(f, CHILD);
	assert_null(name_when(f, CHILD, CODE + 8, SECOND));
	expect_both(f, PID);
}

/* JIT code is found only in anonymous memory, not in a file that was mapped over it. A process that
 * only reads a dump (data mapping) has no JIT code. */
static void finds_jit_code_only_in_anonymous_memory(void **state)
{
	struct fixture *f = *state;

	feed_mmap(f, PID, CODE, 0x10000, "//anon", 0);
	feed_mmap(f, PID, 0x700000, 0x1000, f->path, PERF_RECORD_MISC_MMAP_DATA);
	assert_null(name_when(f, PID, CODE + 8, SECOND));
	feed_mmap(f, PID, 0x700000, 0x1000, f->path, 0);
	assert_string_equal(name_when(f, PID, CODE + 8, SECOND), "second");
	feed_mmap(f, PID, CODE, 0x1000, "/usr/lib/none.so", 0);
	assert_null(name_when(f, PID, CODE + 8, SECOND));
	feed_mmap(f, PID, CODE, 0x1000, "/memfd:code (deleted)", 0);
	assert_string_equal(name_when(f, PID, CODE + 8, SECOND), "second");
}

static void walk_count(void *arg, const struct tally_dso *dso)
{
	*(int *)arg += tally_dso_kind(dso) == TALLY_DSO_JITDUMP && tally_dso_pid(dso) == PID;
}

static void walks_the_files_of_a_process(void **state)
{
	struct fixture *f = *state;
	int nr = 0;

	feed_process(f);
	tally_machine_walk_files(f->machine, PID, walk_count, &nr);
	assert_int_equal(nr, 1);
	tally_machine_walk_files(f->machine, PID + 5, walk_count, &nr);
	assert_int_equal(nr, 1);
	feed_exec(f, PID);
	assert_string_equal(tally_machine_comm_of_tid(f->machine, PID), "other");
	assert_null(tally_machine_comm_of_tid(f->machine, PID + 5));
}

#define JIT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JIT_TEST(finds_code_by_the_time_of_the_sample),
		JIT_TEST(jit_functions_have_distinct_location_keys),
		JIT_TEST(forks_inherit_jit_code_and_exec_drops_it),
		JIT_TEST(finds_jit_code_only_in_anonymous_memory),
		JIT_TEST(walks_the_files_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

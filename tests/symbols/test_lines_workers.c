/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that read debug information, here that of this program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "temporary.h"
#include "base/arith.h"
#include "symbols/cache/index_format.h"
#include "symbols/dso.h"
#include "symbols/lines/dso_lines.h"
#include "symbols/lines/symbols_lines.h"

/* Return this program's file, or skip the test if the program was built without -g. */
static struct tally_dso *self_get(struct tally_symbols *symbols)
{
	struct tally_dso_key key = {.kind = TALLY_DSO_USER};
	static char path[PATH_MAX];
	struct tally_build_id id;
	struct tally_dso *dso;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(tally_index_producer(&id), 0);
	key.name = path;
	key.build_id = id.id;
	key.build_id_size = id.size;
	assert_int_equal(tally_dso_get(symbols, &key, &dso), 0);
	if (!tally_dso_has_lines(dso)) {
		print_message("skipped: this program has no debug information\n");
		skip();
	}
	return dso;
}

/* Return the offset of a function in this program's file. */
static uint64_t offset_of(uintptr_t addr)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	char line[PATH_MAX + 100];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && start <= addr &&
		    addr < end) {
			fclose(maps);
			return addr - start + offset;
		}
	}
	fclose(maps);
	fail_msg("no mapping contains the function");
	return 0;
}

static void prepare(struct tally_dso *dso, uintptr_t function)
{
	const uint64_t addr = offset_of(function);
	const struct tally_line *lines;

	assert_true(tally_dso_lines_need_worker(dso, addr));
	tally_dso_lines_prepare(dso, &addr, 1);
	assert_false(tally_dso_lines_need_worker(dso, addr));
	assert_true(tally_dso_lines(dso, addr, &lines, NULL) > 0);
	assert_string_equal(tally_line_file_name(lines), "test_lines_workers.c");
}

static void keeps_processes_if_asked_to(void **state)
{
	const struct tally_symbols_options options = {0};

	(void)state;
	for (int keeps = 0; keeps < 2; keeps++) {
		struct tally_symbols *symbols;
		struct tally_dso *dso;
		pid_t pid;

		assert_int_equal(tally_symbols_new(&options, &symbols), 0);
		if (keeps)
			tally_lines_keep_workers(symbols);
		dso = self_get(symbols);
		prepare(dso, (uintptr_t)self_get);
		assert_int_equal(dso->lines->has_worker, keeps);
		pid = dso->lines->worker.pid;
		prepare(dso, (uintptr_t)prepare);
		assert_int_equal(dso->lines->has_worker, keeps);
		if (keeps)
			assert_int_equal(dso->lines->worker.pid, pid);
		tally_symbols_free(symbols);
		if (keeps)
			assert_int_equal(kill(pid, 0), -1);
	}
}

static void *prepare_in_thread(void *arg)
{
	struct tally_dso *dso = arg;

	prepare(dso, (uintptr_t)self_get);
	tally_lines_stop_workers(dso->owner);
	return NULL;
}

/* The kernel ends a process when the thread that started it ends. */
static void a_thread_stops_its_processes(void **state)
{
	const struct tally_symbols_options options = {0};
	struct tally_symbols *symbols;
	struct tally_dso *dso;
	pthread_t thread;

	(void)state;
	assert_int_equal(tally_symbols_new(&options, &symbols), 0);
	tally_lines_keep_workers(symbols);
	dso = self_get(symbols);
	assert_int_equal(pthread_create(&thread, NULL, prepare_in_thread, dso), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(dso->lines->has_worker);
	prepare(dso, (uintptr_t)prepare);
	assert_int_equal(tally_dso_lines_state(dso), TALLY_DSO_LOADED);
	tally_symbols_free(symbols);
}

/* Look up a line with an index directory, and return true if an index was written. */
static bool writes_index(void)
{
	char dir[] = "/tmp/tally-lines-workers-XXXXXX";
	struct tally_symbols_options options = {.index_limit = 1 << 30};
	struct tally_symbols *symbols;
	char pattern[sizeof(dir) + 8];
	glob_t found = {0};
	bool is_written;

	assert_non_null(mkdtemp(dir));
	options.index_dir = dir;
	assert_int_equal(tally_symbols_new(&options, &symbols), 0);
	prepare(self_get(symbols), (uintptr_t)self_get);
	tally_symbols_free(symbols);
	snprintf(pattern, sizeof(pattern), "%s/*.index", dir);
	is_written = !glob(pattern, 0, NULL, &found);
	globfree(&found);
	temporary_remove(dir);
	return is_written;
}

/* With little memory, libdw may leave out functions without an error. */
static void stores_nothing_if_memory_is_limited(void **state)
{
	struct rlimit before, limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = TALLY_MIN(before.rlim_cur, (rlim_t)1 << 50);
	assert_true(before.rlim_cur != RLIM_INFINITY || writes_index());
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	assert_false(writes_index());
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_processes_if_asked_to),
		cmocka_unit_test(a_thread_stops_its_processes),
		cmocka_unit_test(stores_nothing_if_memory_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

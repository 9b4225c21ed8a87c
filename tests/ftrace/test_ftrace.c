/* SPDX-License-Identifier: BSD-2-Clause */
/* Parse the output of the kernel's tracers, and restore tracefs settings. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arith.h"
#include "base/file.h"
#include "ftrace/ftrace_stats.h"
#include "ftrace/tracer_private.h"

#define OTHER  TALLY_FTRACE_OTHER
#define ENTRY  TALLY_FTRACE_ENTRY
#define LEAF   TALLY_FTRACE_LEAF
#define RETURN TALLY_FTRACE_RETURN
#define EVENT  TALLY_FTRACE_EVENT
#define LOST   TALLY_FTRACE_LOST

/* ---- lines ---------------------------------------------------------------- */

static const struct {
	const char *text;
	enum tally_ftrace_kind kind;
	int32_t cpu, tid;
	int64_t ns; /* -1 if none */
	const char *name;
	uint64_t lost;
} lines[] = {
	{" 0) ! 603.367 us  |  mutex_unlock();", LEAF, 0, -1, 603367, "mutex_unlock"},
	{" 0)   3.080 us    |  ____fput();", LEAF, 0, -1, 3080, "____fput"},
	{" 1)               |  exit_to_user_mode_prepare() {", ENTRY, 1, -1, -1,
	 "exit_to_user_mode_prepare"},
	{" 0) + 12.962 us   |          } /* filp_close */", RETURN, 0, -1, 12962, "filp_close"},
	{" 12) # 8813.443 us |  }", RETURN, 12, -1, 8813443, NULL},
	{" 0) $ 1234567 us  |  } /* schedule */", RETURN, 0, -1, 1234567000, "schedule"},
	{" 3)   0.5 us |  ext4_map [ext4]();", LEAF, 3, -1, 500, "ext4_map [ext4]"},
	{" 3)   0.5 us |  } /* ext4_map [ext4] */", RETURN, 3, -1, 500, "ext4_map [ext4]"},
	{" 3)   0.5 us |  do_it.isra.0(); /* = 0x3 */", LEAF, 3, -1, 500, "do_it.isra.0"},
	{" 3)   0.5 us |  } /* vfs_read ret=0x1 */", RETURN, 3, -1, 500, "vfs_read"},
	{" 3)          |  vfs_read(file=0x1, count=2) {", ENTRY, 3, -1, -1, "vfs_read"},
	{" 3)          |  vfs_read(s=\"{\"); ", LEAF, 3, -1, -1, "vfs_read"},
	{" 0)   ==========> |", OTHER, 0, -1, -1, NULL},
	{" 0)   cat-12    =>   sh-13  ", OTHER, 0, -1, -1, NULL},
	{" 0)               |  /* a mark */", OTHER, 0, -1, -1, NULL},
	{" 0)   99999999999999999999 us | a();", OTHER, 0, -1, -1, NULL},
	{"            bash-1637    [001] d..2. 12770.036601: vfs_read <-ksys_read", EVENT, 1, 1637,
	 12770036601000, "vfs_read"},
	{"   a-b [x] c-9    (   12) [000] ..... 1.5: sched_switch: prev=1", EVENT, 0, 9, 1500000000,
	 "sched_switch"},
	{"           <...>-77 [003] 1.000000001: raw", EVENT, 3, 77, 1000000001, "raw"},
	{"            echo-4844    [000] ..... 14577.320771: sys_write(fd: 1)", EVENT, 0, 4844,
	 14577320771000, "sys_write"},
	{"            echo-x [000] ..... 1.0: name", EVENT, 0, -1, 1000000000, "name"},
	{"CPU:7 [LOST 123 EVENTS]", LOST, 7, -1, -1, NULL, 123},
	{"CPU:7 [LOST EVENTS]", LOST, 7, -1, -1, NULL, 0},
	{"CPU:x [LOST 1 EVENTS]", OTHER, -1, -1, -1, NULL},
	{"# tracer: function_graph", OTHER, -1, -1, -1, NULL},
	{" ------------------------------------------", OTHER, -1, -1, -1, NULL},
	{" => ksys_read", OTHER, -1, -1, -1, NULL},
	{"", OTHER, -1, -1, -1, NULL},
};

static void test_lines(void **state)
{
	struct tally_ftrace_line got;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(lines); i++) {
		const char *want = lines[i].name ? lines[i].name : "";

		tally_ftrace_line_parse(lines[i].text, strlen(lines[i].text), &got);
		if (got.kind != lines[i].kind || got.cpu != lines[i].cpu ||
		    got.tid != lines[i].tid || got.has_ns != (lines[i].ns >= 0) ||
		    (got.has_ns && got.ns != (uint64_t)lines[i].ns) || got.lost != lines[i].lost)
			fail_msg("'%s': kind %d, cpu %d, tid %d, %s%llu ns, %llu lost",
				 lines[i].text, got.kind, got.cpu, got.tid, got.has_ns ? "" : "no ",
				 (unsigned long long)got.ns, (unsigned long long)got.lost);
		if (got.name ? got.name_len != strlen(want) || memcmp(got.name, want, got.name_len)
			     : lines[i].name != NULL)
			fail_msg("'%s': name '%.*s'", lines[i].text, (int)got.name_len, got.name);
	}
}

/* Lines truncated at any offset are accepted. The copy has no spare bytes, so that reads past its
 * end are detected. */
static void lines_truncated_anywhere_are_accepted(void **state)
{
	struct tally_ftrace_line got;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(lines); i++) {
		for (size_t len = 0; len <= strlen(lines[i].text); len++) {
			char *copy = malloc(len ? len : 1);

			memcpy(copy, lines[i].text, len);
			tally_ftrace_line_parse(copy, len, &got);
			assert_true(!got.name ||
				    (got.name >= copy && got.name + got.name_len <= copy + len));
			free(copy);
		}
	}
}

/* ---- sums ----------------------------------------------------------------- */

static void test_stats(void **state)
{
	struct tally_ftrace_stats stats = {0};

	assert_int_equal(tally_ftrace_stats_add(&stats, "ab", 1, 5), 0);
	assert_int_equal(tally_ftrace_stats_add(&stats, "b", 1, 7), 0);
	assert_int_equal(tally_ftrace_stats_add(&stats, "a", 1, 3), 0);
	assert_int_equal(stats.by_name.len, 2);
	assert_string_equal(stats.by_name.data[0].name, "a");
	assert_int_equal(stats.by_name.data[0].count, 2);
	assert_int_equal(stats.by_name.data[0].total_ns, 8);
	assert_int_equal(stats.by_name.data[0].min_ns, 3);
	assert_int_equal(stats.by_name.data[0].max_ns, 5);
	assert_int_equal(tally_ftrace_stats_add(&stats, "b", 1, UINT64_MAX), 0);
	assert_true(stats.by_name.data[1].total_ns == UINT64_MAX);
	tally_ftrace_stats_free(&stats);
}

static void test_linear_histogram(void **state)
{
	static const struct {
		uint64_t ns;
		int bucket;
	} rows[] = {{0, 0},      {99999, 0},  {100000, 1}, {149999, 1}, {150000, 2},
		    {249999, 3}, {250000, 4}, {299999, 4}, {300000, 4}, {UINT64_MAX, 4}};
	struct tally_ftrace_histogram histogram;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		histogram = (struct tally_ftrace_histogram){
			.unit_ns = 1000, .range = 50, .least = 100, .last = 4};
		tally_ftrace_histogram_add(&histogram, rows[i].ns);
		assert_int_equal(histogram.bucket[rows[i].bucket], 1);
	}
	assert_int_equal(tally_ftrace_histogram_last(&histogram), 4);
	histogram.last = 0;
	assert_int_equal(tally_ftrace_histogram_last(&histogram), TALLY_FTRACE_BUCKETS - 1);
}

static void test_histogram(void **state)
{
	static const struct {
		uint64_t ns;
		int bucket;
	} rows[] = {{0, 0},        {999, 0},      {1000, 1},       {1999, 1},
		    {2000, 2},     {3999, 2},     {4000, 3},       {1023999, 10},
		    {1024000, 11}, {2047999, 11}, {UINT64_MAX, 21}};
	struct tally_ftrace_histogram histogram;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		histogram = (struct tally_ftrace_histogram){.unit_ns = 1000};
		tally_ftrace_histogram_add(&histogram, rows[i].ns);
		assert_int_equal(histogram.bucket[rows[i].bucket], 1);
		assert_int_equal(histogram.all.count, 1);
	}
}

static bool follow(struct tally_ftrace_pair *pair, const char *text, uint64_t *ret_ns)
{
	struct tally_ftrace_line line;

	tally_ftrace_line_parse(text, strlen(text), &line);
	return tally_ftrace_pair_follow(pair, &line, ret_ns);
}

static void test_pairs(void **state)
{
	struct tally_ftrace_pair pair = {.from = "sys_enter_read", .to = "sys_exit_read"};
	uint64_t ns = 0;

	assert_false(follow(&pair, " a-1 [000] ..... 1.0: sys_read -> 0x1", &ns));
	assert_false(follow(&pair, " a-1 [000] ..... 2.0: sys_read(fd: 3)", &ns));
	assert_false(follow(&pair, " a-2 [000] ..... 2.1: sys_read -> 0x1", &ns));
	assert_false(follow(&pair, " a-1 [000] ..... 2.2: sys_reads -> 0x1", &ns));
	assert_true(follow(&pair, " a-1 [000] ..... 2.5: sys_read -> 0x1", &ns));
	assert_int_equal(ns, 500000000);
	assert_false(follow(&pair, " a-1 [000] ..... 2.6: sys_read -> 0x1", &ns));
	tally_map_free(&pair.since);
	/* Measure from each event to the next event with the same name. */
	pair = (struct tally_ftrace_pair){.from = "tick", .to = "tick"};
	assert_false(follow(&pair, " a-1 [000] ..... 1.0: tick: x", &ns));
	assert_true(follow(&pair, " a-1 [000] ..... 1.1: tick: x", &ns));
	assert_true(follow(&pair, " a-1 [000] ..... 1.3: tick: x", &ns));
	assert_int_equal(ns, 200000000);
	tally_map_free(&pair.since);
}

/* ---- settings ------------------------------------------------------------- */

static void test_as_input(void **state)
{
	static const struct {
		const char *shown, *input;
	} rows[] = {
		{"nop\n", "nop"},
		{"7 (expanded: 1408)\n", "1408"},
		{"1408\n", "1408"},
		{"no pid\n", ""},
		{"12\n34\n", "12\n34"},
		{"#### all functions enabled ####\n", ""},
		{"vfs_read\next4_map [ext4]\nschedule:traceoff:unlimited\n", "vfs_read\next4_map"},
		{"00000003\n", "00000003"},
		{"", ""},
		{"\n\n", ""},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		char *text = strdup(rows[i].shown);

		tally_tracefs_as_input(text);
		assert_string_equal(text, rows[i].input);
		free(text);
	}
}

/* A directory with two files, and the path to a directory that does not exist yet. */
struct settings_dir {
	char dir[64], one[80], two[80], sub[80];
};

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void check_file(const char *path, const char *want)
{
	char *text;
	size_t len;

	assert_int_equal(tally_file_read(path, 4096, &text, &len), 0);
	assert_string_equal(text, want);
	free(text);
}

static void place_make(struct settings_dir *place)
{
	strcpy(place->dir, "/tmp/tally-keeper-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	snprintf(place->one, sizeof(place->one), "%s/one", place->dir);
	snprintf(place->two, sizeof(place->two), "%s/two", place->dir);
	snprintf(place->sub, sizeof(place->sub), "%s/sub", place->dir);
	write_file(place->one, "1");
	write_file(place->two, "a\nb\n");
}

static void place_change(const struct settings_dir *place, struct tally_restorer *restorer)
{
	assert_int_equal(tally_restorer_start(restorer), 0);
	assert_int_equal(tally_restorer_add_directory(restorer, place->sub), 0);
	assert_int_equal(mkdir(place->sub, 0700), 0);
	assert_int_equal(tally_restorer_add_file(restorer, place->one, "1"), 0);
	write_file(place->one, "changed");
	assert_int_equal(tally_restorer_add_file(restorer, place->two, "a\nb\n"), 0);
	write_file(place->two, "changed");
	/* The value from the first call will be restored. */
	assert_int_equal(tally_restorer_add_file(restorer, place->one, "changed"), 0);
	write_file(place->one, "again");
}

static void place_check(const struct settings_dir *place)
{
	check_file(place->one, "1");
	check_file(place->two, "a\nb\n");
	assert_int_equal(access(place->sub, F_OK), -1);
	unlink(place->one);
	unlink(place->two);
	assert_int_equal(rmdir(place->dir), 0);
}

static void finish_restores_settings(void **state)
{
	struct tally_restorer restorer = {0};
	struct settings_dir place;

	place_make(&place);
	place_change(&place, &restorer);
	check_file(place.one, "again");
	assert_int_equal(tally_restorer_finish(&restorer), 0);
	place_check(&place);
	assert_int_equal(tally_restorer_finish(&restorer), 0); /* the restorer has finished */
}

static void settings_are_restored_after_the_restorer_is_killed(void **state)
{
	struct tally_restorer restorer = {0};
	struct settings_dir place;
	pid_t pid;

	place_make(&place);
	place_change(&place, &restorer);
	pid = restorer.pid;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(tally_restorer_finish(&restorer), 0);
	assert_int_equal(waitpid(pid, NULL, 0), -1);
	place_check(&place);
}

/* Kill the owner. The owner and its restorer both hold a pipe open; end of file on the pipe shows
 * that both have exited. */
static void settings_are_restored_after_the_owner_is_killed(void **state)
{
	int ready[2], held[2];
	struct settings_dir place;
	char byte;
	pid_t pid;

	place_make(&place);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(held), 0);
	pid = fork();
	if (!pid) {
		struct tally_restorer restorer = {0};

		place_change(&place, &restorer);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(held[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	check_file(place.one, "again");
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(read(held[0], &byte, 1), 0);
	place_check(&place);
	close(held[0]);
	close(ready[0]);
	close(ready[1]);
}

/* A setting that cannot be restored is reported, but the other settings are restored. */
static void a_failed_setting_does_not_stop_the_others(void **state)
{
	struct tally_restorer restorer = {0};
	struct settings_dir place;

	place_make(&place);
	place_change(&place, &restorer);
	assert_int_equal(tally_restorer_add_file(&restorer, "/nowhere/at/all", "x"), 0);
	assert_int_equal(tally_restorer_finish(&restorer), -ENOENT);
	place_check(&place);
}

static void the_restorer_ignores_signals(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct tally_restorer restorer = {0};
	struct settings_dir place;

	place_make(&place);
	place_change(&place, &restorer);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(signals); i++)
		kill(restorer.pid, signals[i]);
	restorer.journal.len = 0; /* keep the owner from restoring the settings itself */
	assert_int_equal(tally_restorer_finish(&restorer), 0);
	place_check(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(lines_truncated_anywhere_are_accepted),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_linear_histogram),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_as_input),
		cmocka_unit_test(finish_restores_settings),
		cmocka_unit_test(settings_are_restored_after_the_restorer_is_killed),
		cmocka_unit_test(settings_are_restored_after_the_owner_is_killed),
		cmocka_unit_test(a_failed_setting_does_not_stop_the_others),
		cmocka_unit_test(the_restorer_ignores_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

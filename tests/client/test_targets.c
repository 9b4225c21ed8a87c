/* SPDX-License-Identifier: BSD-2-Clause */
/* Parse lists of CPUs and threads. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tally/client.h"

static void check_cpus(const char *text, size_t nr, const int32_t *want)
{
	struct tally_cpus *cpus;

	assert_int_equal(tally_cpus_parse(text, &cpus), 0);
	assert_int_equal(cpus->nr, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(cpus->cpu[i].number, want[i]);
		assert_int_equal(tally_cpus_index(cpus, want[i]), (int)i);
	}
	assert_int_equal(tally_cpus_index(cpus, 4000), -1);
	free(cpus);
}

static void test_cpus_parse(void **state)
{
	check_cpus("0", 1, (int32_t[]){0});
	check_cpus("0-3", 4, (int32_t[]){0, 1, 2, 3});
	check_cpus("0-1,5\n", 3, (int32_t[]){0, 1, 5});
	check_cpus("7,0-1,1,3", 4, (int32_t[]){0, 1, 3, 7}); /* sorted, without duplicates */
}

static void test_cpus_refused(void **state)
{
	static const char *const bad[] = {"",     "\n",    "x",    "1-",  "-1",  "3-1",   ",",
					  "1,,2", "65536", "0-1x", "1 2", "0x1", "1-2-3", ",1"};
	struct tally_cpus *cpus = NULL;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (tally_cpus_parse(bad[i], &cpus) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_null(cpus);
	}
}

static void test_cpus_any(void **state)
{
	struct tally_cpus *cpus;

	assert_int_equal(tally_cpus_any(&cpus), 0);
	assert_int_equal(cpus->nr, 1);
	assert_int_equal(cpus->cpu[0].number, -1);
	free(cpus);
}

/* The CPU list in sysfs has a gap, because CPU 2 is offline. */
static void test_cpus_online(void **state)
{
	char root[] = "/tmp/tally-cpus-XXXXXX", path[256];
	struct tally_cpus *cpus;
	FILE *file;

	assert_non_null(mkdtemp(root));
	assert_int_equal(tally_cpus_online(root, &cpus), -ENOENT);
	for (const char *const *dir =
		     (const char *const[]){"devices", "devices/system", "devices/system/cpu", NULL};
	     *dir; dir++) {
		snprintf(path, sizeof(path), "%s/%s", root, *dir);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s/devices/system/cpu/online", root);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("0-1,3-4\n", file);
	fclose(file);
	assert_int_equal(tally_cpus_online(root, &cpus), 0);
	assert_int_equal(cpus->nr, 4);
	assert_int_equal(cpus->cpu[2].number, 3);
	free(cpus);
	unlink(path);
	for (int i = 0; i < 4; i++) {
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
}

static void test_threads(void **state)
{
	struct tally_threads *threads;
	char text[64];

	assert_int_equal(tally_threads_any(&threads), 0);
	assert_int_equal(threads->nr, 1);
	assert_int_equal(threads->thread[0].tid, -1);
	free(threads);

	snprintf(text, sizeof(text), "%d,%d", getpid(), getppid());
	assert_int_equal(tally_threads_of_tids(text, &threads), 0);
	assert_int_equal(threads->nr, 2);
	assert_int_equal(threads->thread[0].tid, getpid());
	assert_int_equal(threads->thread[0].pid, getpid());
	free(threads);

	snprintf(text, sizeof(text), "999999999, %d,999999998,", getpid());
	assert_int_equal(tally_threads_of_pids(text, &threads), 0);
	assert_int_equal(threads->nr, 1);
	assert_int_equal(threads->nr_gone, 2);
	assert_int_equal(threads->gone, 999999999);
	free(threads);

	assert_int_equal(tally_threads_of_tid(getpid(), &threads), 0);
	assert_int_equal(threads->thread[0].pid, getpid());
	free(threads);
}

static void test_threads_refused(void **state)
{
	static const char *const bad[] = {"", "x", " ", "1,,2", "-1", "1x", "99999999999"};
	struct tally_threads *threads = NULL;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(tally_threads_of_tids(bad[i], &threads), -EINVAL);
		assert_int_equal(tally_threads_of_pids(bad[i], &threads), -EINVAL);
	}
	/* The number is above the largest possible PID. */
	assert_int_equal(tally_threads_of_tids("999999999", &threads), -ESRCH);
	assert_int_equal(tally_threads_of_pids("999999999", &threads), -ESRCH);
	assert_int_equal(tally_threads_of_user("no such user", &threads), -EINVAL);
	assert_null(threads);
}

static void test_threads_of_user(void **state)
{
	struct tally_threads *threads;
	char text[32];
	bool found = false;

	snprintf(text, sizeof(text), "%u", geteuid());
	assert_int_equal(tally_threads_of_user(text, &threads), 0);
	for (size_t i = 0; i < threads->nr; i++)
		found |= threads->thread[i].tid == getpid();
	assert_true(found);
	free(threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_parse),      cmocka_unit_test(test_cpus_refused),
		cmocka_unit_test(test_cpus_any),        cmocka_unit_test(test_cpus_online),
		cmocka_unit_test(test_threads),         cmocka_unit_test(test_threads_refused),
		cmocka_unit_test(test_threads_of_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

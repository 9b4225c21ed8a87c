/* SPDX-License-Identifier: BSD-2-Clause */
/* Lower, raise and drop capabilities. Each test runs in a child process, because dropping cannot be
 * undone. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tally/client.h"

/* Exit with the line number as the status if the condition is false. */
#define CHECK(condition)                       \
	do {                                   \
		if (!(condition))              \
			_exit(__LINE__ % 256); \
	} while (0)

/* Read the effective capabilities from procfs, without the functions under test. */
static bool is_capable(void)
{
	unsigned long long effective = 0;
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	fclose(file);
	return effective >> 19 & 1;
}

static void in_child(void (*check)(void))
{
	pid_t pid;
	int status;

	if (!is_capable()) {
		print_message("# skipped: needs the capability SYS_PTRACE\n");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		check();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void lower_and_raise(void)
{
	CHECK(tally_caps_held());
	CHECK(!tally_caps_lower());
	CHECK(!tally_access_capability(TALLY_CAP_SYS_PTRACE));
	CHECK(tally_caps_held());
	CHECK(!tally_caps_raise());
	CHECK(tally_access_capability(TALLY_CAP_SYS_PTRACE));
}

static void drop(void)
{
	struct tally_access access;

	CHECK(!tally_caps_drop());
	CHECK(!tally_caps_held());
	CHECK(!tally_caps_raise());
	CHECK(!tally_access_capability(TALLY_CAP_SYS_PTRACE));
	tally_access_read(NULL, &access);
	CHECK(!(access.effective | access.permitted | access.inheritable | access.ambient));
	/* Dropping twice is allowed. */
	CHECK(!tally_caps_drop());
}

static void *wait_for_end(void *arg)
{
	char word;

	while (read(*(int *)arg, &word, 1) > 0)
		;
	return NULL;
}

/* Other threads would keep their capabilities, so the call fails without having any effect. */
static void drop_with_threads(void)
{
	pthread_t thread;
	int ends[2];

	CHECK(!pipe(ends));
	CHECK(!pthread_create(&thread, NULL, wait_for_end, &ends[0]));
	CHECK(tally_caps_drop() == -EBUSY);
	CHECK(tally_access_capability(TALLY_CAP_SYS_PTRACE));
	close(ends[1]);
	CHECK(!pthread_join(thread, NULL));
}

static void drop_to_ambient(void)
{
	struct tally_access access;

	CHECK(!tally_caps_drop_to_ambient());
	CHECK(!tally_caps_held());
	tally_access_read(NULL, &access);
	CHECK(!access.permitted && !access.effective);
}

static void capabilities_are_lowered_and_raised(void **state)
{
	in_child(lower_and_raise);
}

static void capabilities_are_dropped(void **state)
{
	in_child(drop);
}

static void drop_fails_with_other_threads(void **state)
{
	in_child(drop_with_threads);
}

static void test_drop_to_ambient(void **state)
{
	in_child(drop_to_ambient);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capabilities_are_lowered_and_raised),
		cmocka_unit_test(capabilities_are_dropped),
		cmocka_unit_test(drop_fails_with_other_threads),
		cmocka_unit_test(test_drop_to_ambient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Test targets of every kind, and every reason why a target cannot be resolved. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sampler/target.h"

static void kinds_of_targets(void **state)
{
	static const struct {
		struct tally_target target;
		bool cpus, tasks, command;
	} kinds[] = {
		{{.command = 1}, false, false, true},
		{{.all_cpus = true}, true, false, false},
		{{.cpus = "0"}, true, false, false},
		{{.pids = "1"}, false, true, false},
		{{.tids = "1"}, false, true, false},
		{{.user = "0"}, false, true, false},
		{{.per_thread = true}, false, false, true},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		assert_int_equal(tally_target_has_cpus(&kinds[i].target), kinds[i].cpus);
		assert_int_equal(tally_target_has_tasks(&kinds[i].target), kinds[i].tasks);
		assert_int_equal(tally_target_is_command(&kinds[i].target), kinds[i].command);
	}
}

static void tasks_have_precedence_over_cpus(void **state)
{
	struct tally_target both = {.all_cpus = true, .cpus = "0", .pids = "1"}, none = {0},
			    command = {0}, cpus = {.cpus = "0"};

	tally_target_normalize(&both, true, NULL);
	assert_false(tally_target_has_cpus(&both));
	assert_true(tally_target_has_tasks(&both));
	tally_target_normalize(&none, false, NULL);
	assert_true(none.all_cpus);
	tally_target_normalize(&command, true, NULL);
	assert_true(tally_target_is_command(&command));
	tally_target_normalize(&cpus, false, NULL);
	assert_false(cpus.all_cpus);
}

/* Check the first CPU and thread, where -2 matches any number except -1. */
static void resolves_to(const struct tally_target *target, int32_t cpu, int32_t tid)
{
	struct tally_threads *threads;
	struct tally_cpus *cpus;
	struct tally_target_error why;

	assert_int_equal(tally_target_resolve(target, &cpus, &threads, &why), 0);
	assert_true(cpu == -2 ? cpus->cpu[0].number >= 0 : cpus->cpu[0].number == cpu);
	assert_true(tid == -2 ? threads->thread[0].tid > 0 : threads->thread[0].tid == tid);
	free(threads);
	free(cpus);
}

static void what_targets_resolve_to(void **state)
{
	char self[16];

	snprintf(self, sizeof(self), "%d", (int)getpid());
	resolves_to(&(struct tally_target){.all_cpus = true}, -2, -1);
	resolves_to(&(struct tally_target){.all_cpus = true, .per_thread = true}, -2, -1);
	resolves_to(&(struct tally_target){.all_cpus = true, .each_thread = true}, -1, -2);
	resolves_to(&(struct tally_target){.pids = self}, -2, getpid());
	resolves_to(&(struct tally_target){.tids = self, .per_thread = true}, -1, getpid());
	resolves_to(&(struct tally_target){.command = getpid()}, -2, getpid());
	resolves_to(&(struct tally_target){.command = getpid(), .per_thread = true}, -1, getpid());
	/* CPUs take precedence over tasks. */
	resolves_to(&(struct tally_target){.all_cpus = true, .pids = self}, -2, -1);
}

static const struct {
	struct tally_target target;
	int code;
	enum tally_target_trouble trouble;
	const char *text;
} wrong[] = {
	{{.pids = "4194300"},
	 -ESRCH,
	 TALLY_TARGET_NO_TASK,
	 "--pid 4194300: no such task, or it has exited"},
	{{.tids = "4194300"},
	 -ESRCH,
	 TALLY_TARGET_NO_TASK,
	 "--tid 4194300: no such task, or it has exited"},
	{{.pids = "12,x"}, -EINVAL, TALLY_TARGET_BAD_LIST, "--pid 12,x: not a list of numbers"},
	{{.user = "nobody like that"},
	 -EINVAL,
	 TALLY_TARGET_NO_USER,
	 "--uid nobody like that: no such user"},
	{{.user = "4294967294"},
	 -ESRCH,
	 TALLY_TARGET_IDLE_USER,
	 "--uid 4294967294: the user has no tasks"},
	{{.cpus = "1-"}, -EINVAL, TALLY_TARGET_BAD_CPUS, "--cpu 1-: not a list of CPUs"},
	{{.cpus = "4095"}, -ENODEV, TALLY_TARGET_NO_CPU, "CPU 4095 does not exist or is offline"},
};

static void why_a_target_cannot_be_resolved(void **state)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tally_target_error why = {0};
		struct tally_threads *threads = NULL;
		struct tally_cpus *cpus = NULL;
		struct tally_str text = {0};

		assert_int_equal(tally_target_resolve(&wrong[i].target, &cpus, &threads, &why),
				 wrong[i].code);
		assert_null(cpus);
		assert_null(threads);
		assert_int_equal(why.code, wrong[i].code);
		assert_int_equal(why.trouble, wrong[i].trouble);
		tally_target_explain(&why, &text);
		assert_string_equal(tally_str_text(&text), wrong[i].text);
		tally_str_free(&text);
		assert_int_equal(tally_target_resolve(&wrong[i].target, &cpus, &threads, NULL),
				 wrong[i].code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_targets),
		cmocka_unit_test(tasks_have_precedence_over_cpus),
		cmocka_unit_test(what_targets_resolve_to),
		cmocka_unit_test(why_a_target_cannot_be_resolved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

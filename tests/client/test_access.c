/* SPDX-License-Identifier: BSD-2-Clause */
/* Check permissions with made-up facts, and read the facts from a made-up file tree. */
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

#include "client/procfs.h"

#define CAP(number) ((uint64_t)1 << (number))

static const uint64_t all_caps = (CAP(41)) - 1;

/* An unprivileged user on an ordinary machine. */
static struct tally_access facts(int32_t paranoid, uint64_t permitted)
{
	return (struct tally_access){
		.uid = 1000,
		.permitted = permitted,
		.bounding = all_caps,
		.initial_user_namespace = true,
		.initial_pid_namespace = true,
		.paranoid = paranoid,
		.max_stack = 127,
		.max_sample_rate = 100000,
		.mlock_kb = 516,
		.memlock = 64 << 10,
		.page_size = 4096,
		.cpus = 4,
		.kprobe_type = TALLY_ACCESS_UNKNOWN,
		.uprobe_type = 9,
		.syscall = TALLY_ACCESS_NOT_ASKED,
		.plain = TALLY_ACCESS_NOT_ASKED,
		.program = "/usr/bin/tally",
	};
}

/* ---- events ------------------------------------------------------------------ */

static const struct perf_event_attr kernel = {.type = PERF_TYPE_HARDWARE};
static const struct perf_event_attr user = {.type = PERF_TYPE_HARDWARE, .exclude_kernel = 1};
static const struct perf_event_attr raw = {
	.type = PERF_TYPE_TRACEPOINT, .sample_type = PERF_SAMPLE_RAW, .exclude_kernel = 1};
static const struct perf_event_attr counted = {.type = PERF_TYPE_TRACEPOINT};
static const struct perf_event_attr probe = {.type = 9, .exclude_kernel = 1};
static const struct perf_event_attr bp = {.type = PERF_TYPE_BREAKPOINT, .bp_addr = UINT64_MAX - 7};
static const struct perf_event_attr spaces = {.exclude_kernel = 1, .namespaces = 1};
static const struct perf_event_attr physical = {.exclude_kernel = 1,
						.sample_type = PERF_SAMPLE_PHYS_ADDR};
static const struct perf_event_attr branches = {.exclude_kernel = 1,
						.sample_type = PERF_SAMPLE_BRANCH_STACK,
						.branch_sample_type = PERF_SAMPLE_BRANCH_KERNEL};
static const struct perf_event_attr switches = {.type = PERF_TYPE_SOFTWARE,
						.config = PERF_COUNT_SW_CONTEXT_SWITCHES};

enum { OWN = TALLY_TASK_OWN, FOREIGN = TALLY_TASK_FOREIGN, NONE = TALLY_TASK_NONE };

/* Rule violated at each paranoid level from 3 to -1. */
static const struct row {
	const struct perf_event_attr *attr;
	int task;
	uint64_t permitted;
	enum tally_rule rules[5];
} rows[] = {
	{&user, OWN, 0, {0}},
	{&kernel, OWN, 0, {TALLY_RULE_KERNEL, TALLY_RULE_KERNEL, 0, 0, 0}},
	{&kernel, OWN, CAP(38), {0}},
	{&kernel, OWN, CAP(21), {0}},
	{&kernel, OWN, CAP(34), {TALLY_RULE_KERNEL, TALLY_RULE_KERNEL, 0, 0, 0}},
	{&switches, OWN, 0, {TALLY_RULE_KERNEL, TALLY_RULE_KERNEL, 0, 0, 0}},
	{&user, NONE, 0, {TALLY_RULE_CPU_WIDE, TALLY_RULE_CPU_WIDE, TALLY_RULE_CPU_WIDE, 0, 0}},
	/* The strictest rule is reported. */
	{&kernel, NONE, 0, {TALLY_RULE_CPU_WIDE, TALLY_RULE_CPU_WIDE, TALLY_RULE_CPU_WIDE, 0, 0}},
	{&user, NONE, CAP(38), {0}},
	{&raw,
	 OWN,
	 0,
	 {TALLY_RULE_TRACEPOINT_DATA, TALLY_RULE_TRACEPOINT_DATA, TALLY_RULE_TRACEPOINT_DATA,
	  TALLY_RULE_TRACEPOINT_DATA, 0}},
	{&raw, OWN, CAP(38), {0}},
	{&counted, OWN, 0, {TALLY_RULE_KERNEL, TALLY_RULE_KERNEL, 0, 0, 0}},
	{&probe,
	 OWN,
	 0,
	 {TALLY_RULE_PROBE, TALLY_RULE_PROBE, TALLY_RULE_PROBE, TALLY_RULE_PROBE,
	  TALLY_RULE_PROBE}},
	{&probe, OWN, CAP(38), {0}},
	{&bp,
	 OWN,
	 CAP(38),
	 {TALLY_RULE_KERNEL_BREAKPOINT, TALLY_RULE_KERNEL_BREAKPOINT, TALLY_RULE_KERNEL_BREAKPOINT,
	  TALLY_RULE_KERNEL_BREAKPOINT, TALLY_RULE_KERNEL_BREAKPOINT}},
	{&bp, OWN, CAP(21), {0}},
	{&spaces,
	 OWN,
	 0,
	 {TALLY_RULE_NAMESPACES, TALLY_RULE_NAMESPACES, TALLY_RULE_NAMESPACES,
	  TALLY_RULE_NAMESPACES, TALLY_RULE_NAMESPACES}},
	{&physical, OWN, 0, {TALLY_RULE_PHYSICAL_ADDRESS, TALLY_RULE_PHYSICAL_ADDRESS, 0, 0, 0}},
	{&branches, OWN, 0, {TALLY_RULE_KERNEL_BRANCHES, TALLY_RULE_KERNEL_BRANCHES, 0, 0, 0}},
	{&user,
	 FOREIGN,
	 0,
	 {TALLY_RULE_FOREIGN_TASK, TALLY_RULE_FOREIGN_TASK, TALLY_RULE_FOREIGN_TASK,
	  TALLY_RULE_FOREIGN_TASK, TALLY_RULE_FOREIGN_TASK}},
	{&user, FOREIGN, CAP(19), {0}},
	{&user, FOREIGN, CAP(38), {0}},
};

static enum tally_rule broken_rule(const struct tally_access *access, const struct row *row,
				   struct tally_refusal *why)
{
	struct tally_access_request ask = {.attr = row->attr,
					   .pid = row->task == TALLY_TASK_NONE ? -1 : 1234,
					   .cpu = row->task == TALLY_TASK_NONE ? 0 : -1,
					   .task = (enum tally_task_kind)row->task};

	*why = (struct tally_refusal){0};
	if (tally_access_event(access, &ask, why)) {
		assert_int_equal(why->code, 0);
		return TALLY_RULE_NONE;
	}
	assert_int_equal(why->pid, ask.pid);
	assert_int_equal(why->cpu, ask.cpu);
	return why->broken;
}

static void paranoid_level_and_capabilities_decide(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int level = 3; level >= -1; level--) {
			struct tally_access access = facts(level, rows[i].permitted);
			enum tally_rule want = rows[i].rules[3 - level];
			struct tally_refusal why;

			if (broken_rule(&access, &rows[i], &why) != want)
				fail_msg("row %zu at level %d: %s, wanted %s", i, level,
					 tally_rule_name(why.broken), tally_rule_name(want));
			if (!want)
				continue;
			assert_true(why.code == -EACCES || why.code == -EPERM);
			assert_string_not_equal(why.rule, "");
			assert_string_not_equal(why.found, "");
			assert_non_null(strstr(why.needed, "CAP_"));
		}
	}
}

/* Capabilities do not count in a user namespace other than the initial one. */
static void capabilities_do_not_count_in_a_user_namespace(void **state)
{
	struct tally_access access = facts(2, all_caps);
	struct row row = {&kernel, OWN, 0, {0}};
	struct tally_refusal why;

	assert_true(tally_access_perfmon(&access));
	access.initial_user_namespace = false;
	assert_false(tally_access_perfmon(&access));
	assert_int_equal(broken_rule(&access, &row, &why), TALLY_RULE_KERNEL);
	assert_non_null(strstr(why.found, "does not count"));
	for (int i = 0; i < TALLY_NR_FIXES; i++)
		assert_null(strstr(why.fix[i], "setcap"));
	assert_non_null(strstr(why.fix[1], "outside the user namespace"));
	assert_non_null(strstr(why.fix[2], "on the host"));
}

/* The fix with the smallest effect is suggested first: request less, then grant privileges to one
 * binary, one container, or all users. */
static void the_smallest_fix_comes_first(void **state)
{
	struct tally_access access = facts(2, CAP(14));
	struct row row = {&kernel, OWN, 0, {0}};
	struct tally_refusal why;

	broken_rule(&access, &row, &why);
	assert_string_equal(why.fix[0], "count in user space only: EVENT:u");
	/* Capabilities that the binary already has are kept. */
	assert_string_equal(why.fix[1], "sudo setcap cap_perfmon,cap_ipc_lock=ep /usr/bin/tally "
					"(cap_sys_admin is accepted too, but discouraged)");
	assert_string_equal(why.fix[2], "sudo sysctl kernel.perf_event_paranoid=1 (for all users)");
	assert_string_equal(why.fix[3], "");
	access.bounding = 0;
	broken_rule(&access, &row, &why);
	assert_string_equal(why.fix[1],
			    "in a container: start the container with --cap-add PERFMON");
	access.bounding = all_caps;
	access.no_new_privileges = true;
	broken_rule(&access, &row, &why);
	assert_non_null(strstr(why.fix[1], "no_new_privs"));
	access.no_new_privileges = false;
	access.nosuid = true;
	broken_rule(&access, &row, &why);
	assert_non_null(strstr(why.fix[1], "nosuid"));
}

/* The cause is identified: a seccomp filter, a kernel without perf, a distribution's paranoid
 * level, or a security module. */
static void the_source_of_the_error_is_found(void **state)
{
	struct row row = {&kernel, OWN, 0, {0}};
	struct tally_access access = facts(2, 0);
	struct tally_refusal why;

	access.seccomp = 2;
	access.syscall = -EPERM;
	assert_int_equal(broken_rule(&access, &row, &why), TALLY_RULE_SECCOMP);
	assert_int_equal(why.code, -EPERM);
	assert_non_null(strstr(why.fix[0], "--cap-add PERFMON"));
	/* A filter that allows perf_event_open is not the cause. */
	access.syscall = access.plain = 0;
	assert_int_equal(broken_rule(&access, &row, &why), TALLY_RULE_KERNEL);
	access.seccomp = 0;
	access.syscall = -ENOSYS;
	assert_int_equal(broken_rule(&access, &row, &why), TALLY_RULE_NO_SYSCALL);
	access.syscall = 0;
	access.plain = -EACCES;
	access.paranoid = 3;
	assert_int_equal(broken_rule(&access, &row, &why), TALLY_RULE_FORBID_ALL);
	assert_non_null(strstr(why.needed, "at most 2"));
	access.permitted = CAP(38);
	assert_int_equal(broken_rule(&access, &row, &why), TALLY_RULE_SECURITY_MODULE);
	access.paranoid = TALLY_ACCESS_UNKNOWN;
	access.permitted = 0;
	access.plain = 0;
	assert_int_equal(broken_rule(&access, &row, &why), TALLY_RULE_KERNEL);
	assert_non_null(strstr(why.found, "unreadable"));
}

static void test_syscall_tracepoints(void **state)
{
	struct tally_access access = facts(2, 0);
	struct tally_access_request ask = {.attr = &raw,
					   .pid = 0,
					   .cpu = -1,
					   .task = TALLY_TASK_OWN,
					   .syscall_tracepoint = true};

	assert_true(tally_access_event(&access, &ask, NULL));
	ask.pid = -1;
	assert_false(tally_access_event(&access, &ask, NULL));
}

static void test_kernel_addresses(void **state)
{
	static const struct {
		int32_t restrict_, paranoid;
		uint64_t permitted;
		bool shown;
	} cases[] = {
		{0, 2, 0, false},       {0, 1, 0, true},       {0, 2, CAP(34), true},
		{1, 1, 0, false},       {1, 2, CAP(34), true}, {2, -1, CAP(34), false},
		{0, 2, CAP(21), false},
	};
	struct tally_refusal why;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tally_access access = facts(cases[i].paranoid, cases[i].permitted);

		access.kptr_restrict = cases[i].restrict_;
		assert_int_equal(tally_access_kernel_addresses(&access, &why), cases[i].shown);
		if (!cases[i].shown)
			assert_non_null(strstr(why.found, "kptr_restrict is"));
	}
}

/* ---- rings ------------------------------------------------------------------- */

static void ring_sizes_respect_locked_memory(void **state)
{
	struct tally_access access = facts(2, 0);
	struct tally_refusal why = {0};

	/* 129 pages per CPU are allowed, and another 16 for the process. */
	assert_int_equal(tally_access_rings(&access, 128, 4, &why), 128);
	assert_int_equal(why.code, 0);
	assert_int_equal(tally_access_rings(&access, 256, 2, &why), 256);
	assert_int_equal(tally_access_rings(&access, 256, 4, &why), 128);
	assert_int_equal(why.code, -EPERM);
	assert_int_equal(why.broken, TALLY_RULE_LOCKED_MEMORY);
	assert_string_equal(why.fix[0], "use smaller ring buffers: -m 128");
	assert_string_equal(why.fix[1], "sudo setcap cap_ipc_lock=ep /usr/bin/tally");
	assert_string_equal(why.fix[2],
			    "sudo sysctl kernel.perf_event_mlock_kb=1029 (for all users)");
	assert_int_equal(tally_access_rings(&access, 128, 1000, NULL), 0);
	assert_int_equal(tally_access_rings(&access, SIZE_MAX / 2 + 1, SIZE_MAX, NULL), 0);
	access.pinned = 1 << 20;
	assert_int_equal(tally_access_rings(&access, 64, 8, NULL), 32);
	access.permitted = CAP(14);
	assert_int_equal(tally_access_rings(&access, 1 << 20, 64, NULL), 1 << 20);
	access = facts(-1, 0);
	assert_int_equal(tally_access_rings(&access, 1 << 20, 64, NULL), 1 << 20);
}

/* If ring buffers are rejected although enough memory should be available, the message blames other
 * processes. */
static void rejected_rings_point_to_other_processes(void **state)
{
	struct tally_access access = facts(2, 0);
	struct tally_refusal why;

	tally_access_explain_rings(&access, 128, 4, &why);
	assert_non_null(strstr(why.found, "other processes of this user"));
	assert_string_equal(why.fix[0], "use smaller ring buffers: -m 64");
}

/* ---- procfs ------------------------------------------------------------------ */

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} cases[] = {
		{"2\n", true, 2},
		{"-1\n", true, -1},
		{"0", true, 0},
		{"9223372036854775807", true, INT64_MAX},
		{"9223372036854775808", false, 0},
		{"99999999999999999999", false, 0},
		{"", false, 0},
		{"-", false, 0},
		{"x", false, 0},
		{"1 2", false, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t value = 77;

		assert_int_equal(procfs_number(cases[i].text, strlen(cases[i].text), &value),
				 cases[i].good);
		assert_int_equal(value, cases[i].good ? cases[i].value : 77);
	}
}

static void test_status(void **state)
{
	static const char text[] = "Name:\tCapEff:\t99\nTgid:\t12\nVmPin:\t      12 kB\n"
				   "CapPrm:\t0000004000000000\nCapEff:\tzz\nSeccomp:\t2\n"
				   "NoNewPrivs:\t1\nThreads:\t3\nCapBnd:\t1ffffffffff";
	struct procfs_status status = {.effective = 5};

	procfs_status_parse(text, strlen(text), &status);
	assert_int_equal(status.tgid, 12);
	assert_int_equal(status.pinned, 12 * 1024);
	assert_int_equal(status.permitted, CAP(38));
	assert_int_equal(status.effective, 5);
	assert_int_equal(status.seccomp, 2);
	assert_int_equal(status.no_new_privileges, 1);
	assert_int_equal(status.nr_threads, 3);
	assert_int_equal(status.bounding, 0x1ffffffffff);
	/* If the text is truncated at any offset, no bytes past its end are read. */
	for (size_t len = 0; len < strlen(text); len++) {
		char *copy = malloc(len ? len : 1);

		memcpy(copy, text, len);
		procfs_status_parse(copy, len, &status);
		free(copy);
	}
}

static void test_words(void **state)
{
	uint64_t inode = 0;

	assert_true(procfs_namespace("user:[4026531837]", 17, &inode));
	assert_int_equal(inode, 0xeffffffd);
	assert_false(procfs_namespace("user:[4026531837", 16, &inode));
	assert_false(procfs_namespace("user", 4, &inode));
	assert_false(procfs_namespace(NULL, 0, &inode));
}

/* ---- a made-up machine ----------------------------------------------------------- */

static void write_file(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(!mkdir(full, 0755) || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_read(void **state)
{
	char root[] = "/tmp/tally-permits-XXXXXX", command[64], link[128];
	struct tally_access access;

	assert_non_null(mkdtemp(root));
	write_file(root, "/proc/sys/kernel/perf_event_paranoid", "3\n");
	write_file(root, "/proc/sys/kernel/kptr_restrict", "nonsense\n");
	write_file(root, "/proc/sys/kernel/perf_event_mlock_kb", "1028\n");
	write_file(root, "/proc/self/status", "CapPrm:\t4000000000\nSeccomp:\t2\n");
	write_file(root, "/sys/bus/event_source/devices/uprobe/type", "9\n");
	write_file(root, "/proc/self/ns/here", "");
	snprintf(link, sizeof(link), "%s/proc/self/ns/user", root);
	assert_int_equal(symlink("user:[4026532000]", link), 0);
	snprintf(link, sizeof(link), "%s/proc/self/ns/pid", root);
	assert_int_equal(symlink("pid:[4026532999]", link), 0);
	tally_access_read(root, &access);
	assert_int_equal(access.paranoid, 3);
	assert_int_equal(access.kptr_restrict, TALLY_ACCESS_UNKNOWN);
	assert_int_equal(access.mlock_kb, 1028);
	assert_int_equal(access.permitted, CAP(38));
	assert_int_equal(access.seccomp, 2);
	assert_int_equal(access.uprobe_type, 9);
	assert_int_equal(access.kprobe_type, TALLY_ACCESS_UNKNOWN);
	assert_false(access.initial_user_namespace);
	assert_false(access.initial_pid_namespace);
	assert_int_equal(access.syscall, TALLY_ACCESS_NOT_ASKED);
	assert_false(tally_access_has(&access, TALLY_CAP_PERFMON));
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("pid:[4026531836]", link), 0);
	tally_access_read(root, &access);
	assert_true(access.initial_pid_namespace);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void test_tasks(void **state)
{
	struct tally_access access;

	tally_access_read(NULL, &access);
	assert_int_equal(tally_access_task(&access, NULL, -1), TALLY_TASK_NONE);
	assert_int_equal(tally_access_task(&access, NULL, 0), TALLY_TASK_OWN);
	assert_int_equal(tally_access_task(&access, NULL, getpid()), TALLY_TASK_OWN);
	assert_int_equal(tally_access_task(&access, NULL, INT32_MAX), TALLY_TASK_GONE);
	access.uid ^= 1;
	access.permitted = 0;
	assert_int_equal(tally_access_task(&access, NULL, getppid()), TALLY_TASK_FOREIGN);
}

static void every_rule_has_a_name(void **state)
{
	assert_string_equal(tally_rule_name(TALLY_RULE_SECCOMP), "seccomp");
	assert_string_equal(tally_rule_name(TALLY_RULE_BAD_ATTR), "bad-attr");
	assert_string_equal(tally_rule_name((enum tally_rule)999), "other");
	/* Every rule has a name. */
	for (int rule = TALLY_RULE_OTHER + 1; rule <= TALLY_RULE_BAD_ATTR; rule++)
		assert_string_not_equal(tally_rule_name((enum tally_rule)rule), "other");
}

/* Every rule that depends on an unreadable sysctl reports that the sysctl is unreadable. */
static void an_unreadable_sysctl_is_reported(void **state)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof(attr)};
	struct tally_access_request ask = {.attr = &attr, .pid = -1, .cpu = 0};
	struct tally_access access = {
		.paranoid = TALLY_ACCESS_UNKNOWN,
		.kptr_restrict = TALLY_ACCESS_UNKNOWN,
		.initial_user_namespace = true,
		.page_size = 4096,
		.cpus = 1,
		.mlock_kb = 516,
		.mlock_kb_is_assumed = true,
		.seccomp = 2,
	};
	struct tally_refusal why;

	assert_false(tally_access_kernel_addresses(&access, &why));
	assert_non_null(strstr(why.found, "kptr_restrict is unreadable"));
	assert_non_null(strstr(why.found, "perf_event_paranoid is unreadable"));
	assert_false(tally_access_event(&access, &ask, &why));
	assert_non_null(strstr(why.found, "perf_event_paranoid is unreadable"));
	tally_access_explain_rings(&access, 1 << 20, 1, &why);
	assert_non_null(strstr(why.found, "mlock_kb is unreadable, with a default of 516"));
	access.syscall = -EPERM;
	assert_false(tally_access_event(&access, &ask, &why));
	assert_non_null(strstr(why.found, "perf_event_paranoid (unreadable)"));
	access.kills = true;
	assert_false(tally_access_event(&access, &ask, &why));
	assert_int_equal(why.broken, TALLY_RULE_SECCOMP);
	assert_non_null(strstr(why.found, "the filter kills callers of perf_event_open"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unreadable_sysctl_is_reported),
		cmocka_unit_test(paranoid_level_and_capabilities_decide),
		cmocka_unit_test(capabilities_do_not_count_in_a_user_namespace),
		cmocka_unit_test(the_smallest_fix_comes_first),
		cmocka_unit_test(the_source_of_the_error_is_found),
		cmocka_unit_test(test_syscall_tracepoints),
		cmocka_unit_test(test_kernel_addresses),
		cmocka_unit_test(ring_sizes_respect_locked_memory),
		cmocka_unit_test(rejected_rings_point_to_other_processes),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(every_rule_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

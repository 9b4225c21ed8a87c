/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases that count. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/main/via.h"
#include "cli/selftest/selftest.h"
#include "cli/selftest/selftest_counters.h"
#include "cli/selftest/selftest_program.h"
#include "cli/selftest/selftest_work.h"

enum { CALLS = 10 };

/* Count `text` in this process while `work` runs. */
static enum selftest_result count_work(struct selftest *test, const char *text, void (*work)(void),
				       const struct tally_open_options *options,
				       uint64_t *ret_value)
{
	const struct tally_target self = {.per_thread = true, .command = getpid()};
	struct selftest_counters counters = {0};
	uint64_t before = 0, after = 0;
	enum selftest_result result =
		selftest_counters_open(test, text, NULL, &self, options, &counters);

	if (result == SELFTEST_OK)
		result = selftest_counters_read(test, &counters, 0, &before);
	if (result == SELFTEST_OK) {
		work();
		result = selftest_counters_read(test, &counters, 0, &after);
	}
	selftest_counters_close(&counters);
	*ret_value = after - before;
	return result;
}

static enum selftest_result count_clock(struct selftest *test)
{
	uint64_t ns;
	enum selftest_result result = count_work(test, "task-clock", selftest_spin, NULL, &ns);

	return result ? result : selftest_expect(test, ns > 0, "a loop uses CPU time");
}

static enum selftest_result count_faults(struct selftest *test)
{
	uint64_t faults;
	enum selftest_result result =
		count_work(test, "page-faults", selftest_faults, NULL, &faults);

	return result ? result
		      : selftest_expect(test, faults >= SELFTEST_PAGES,
					"64 new pages cause 64 page faults");
}

static void faults_in_child(void)
{
	pid_t child = fork();

	if (!child) {
		selftest_faults();
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static enum selftest_result count_child(struct selftest *test)
{
	const struct tally_open_options options = {.inherit = true};
	uint64_t faults;
	enum selftest_result result =
		count_work(test, "page-faults", faults_in_child, &options, &faults);

	return result ? result
		      : selftest_expect(test, faults >= SELFTEST_PAGES,
					"page faults of a child are counted");
}

static enum selftest_result count_hardware(struct selftest *test)
{
	uint64_t instructions;
	enum selftest_result result =
		count_work(test, "instructions:u", selftest_spin, NULL, &instructions);

	if (result == SELFTEST_OK && !instructions)
		return selftest_skip(test, "the PMU of this machine always counts 0");
	return result;
}

static void call_getppid(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

static enum selftest_result count_tracepoint(struct selftest *test)
{
	uint64_t calls;
	enum selftest_result result =
		count_work(test, "syscalls:sys_enter_getppid", call_getppid, NULL, &calls);

	return result ? result
		      : selftest_expect(test, calls == CALLS, "10 calls of getppid count as 10");
}

static volatile uint64_t watched;

static void write_watched(void)
{
	for (int i = 0; i < CALLS; i++)
		watched++;
}

static enum selftest_result count_breakpoint(struct selftest *test)
{
	uint64_t writes = 0;
	enum selftest_result result;
	char text[64];

	snprintf(text, sizeof(text), "mem:0x%" PRIxPTR "/8:w:u", (uintptr_t)&watched);
	result = count_work(test, text, write_watched, NULL, &writes);
	if (result == SELFTEST_OK && !writes)
		return selftest_skip(test, "breakpoints do not trigger on this machine");
	return result ? result
		      : selftest_expect(test, writes == CALLS,
					"10 writes to a variable count as 10");
}

static enum selftest_result read_group(struct selftest *test,
				       const struct selftest_counters *counters)
{
	struct tally_count counts[2] = {0};

	if (tally_counters_leader(counters->counters, 1) != 0)
		return selftest_fail(test, "the second event is not a member of the group");
	if (tally_counters_enable(counters->counters))
		return selftest_fail(test, "the group cannot be enabled");
	selftest_faults();
	if (tally_counters_read_group(counters->counters, 0, 0, 0, counts))
		return selftest_fail(test, "the group cannot be read");
	if (counts[0].enabled != counts[1].enabled || counts[0].running != counts[1].running)
		return selftest_fail(test, "the members of a group were not counted together");
	if (counts[0].value && counts[1].value >= SELFTEST_PAGES)
		return SELFTEST_OK;
	return selftest_fail(test, "task-clock is %" PRIu64 ", page-faults is %" PRIu64,
			     counts[0].value, counts[1].value);
}

static enum selftest_result count_group(struct selftest *test)
{
	const struct tally_target self = {.per_thread = true, .command = getpid()};
	/* In Linux 6.18, a software event that is added to the group of a running task-clock always
	 * counts 0. */
	const struct tally_open_options options = {.read_group = true, .disabled = true};
	struct selftest_counters counters = {0};
	enum selftest_result result = selftest_counters_open(test, "{task-clock,page-faults}", NULL,
							     &self, &options, &counters);

	if (result == SELFTEST_OK)
		result = read_group(test, &counters);
	selftest_counters_close(&counters);
	return result;
}

static enum selftest_result count_cpus(struct selftest *test)
{
	const struct tally_target all = {.all_cpus = true};
	const struct timespec pause = {.tv_nsec = 10000000};
	struct selftest_counters counters = {0};
	uint64_t ns = 0;
	enum selftest_result result =
		selftest_counters_open(test, "cpu-clock", NULL, &all, NULL, &counters);

	if (result == SELFTEST_OK) {
		nanosleep(&pause, NULL);
		result = selftest_counters_read(test, &counters, 0, &ns);
	}
	selftest_counters_close(&counters);
	return result ? result : selftest_expect(test, ns > 0, "the clocks of the CPUs advance");
}

/* Count the page faults of a command that is started after the counter. */
static enum selftest_result count_exec(struct selftest *test, struct tally_child *child,
				       const struct tally_transport *transport)
{
	const struct tally_target command = {.per_thread = true, .command = child->pid};
	const struct tally_open_options options = {.disabled = true, .enable_on_exec = true};
	struct selftest_counters counters = {0};
	uint64_t before = 0, after = 0;
	enum selftest_result result = selftest_counters_open(test, "page-faults", transport,
							     &command, &options, &counters);

	if (result == SELFTEST_OK)
		result = selftest_counters_read(test, &counters, 0, &before);
	if (result == SELFTEST_OK)
		result = selftest_program_finish(test, child);
	if (result == SELFTEST_OK)
		result = selftest_counters_read(test, &counters, 0, &after);
	selftest_counters_close(&counters);
	if (result == SELFTEST_OK && (before || !after))
		return selftest_fail(test,
				     "page-faults is %" PRIu64 " before exec, %" PRIu64 " after",
				     before, after);
	return result;
}

static char *const version[] = {(char *)"version", NULL};

static enum selftest_result count_command(struct selftest *test)
{
	struct tally_child child = {0};
	enum selftest_result result = selftest_program_start(test, version, &child);

	if (result == SELFTEST_OK)
		result = count_exec(test, &child, NULL);
	tally_child_free(&child);
	return result;
}

static enum selftest_result count_without_kernel(struct selftest *test)
{
	const struct tally_target target = {0};
	struct tally_child child = {0};
	enum selftest_result result;
	struct tally_via via = {0};

	if (tally_via_open(&via, "user", &target, false, NULL))
		return selftest_skip(test, "ptrace is not permitted");
	result = selftest_program_start(test, version, &child);
	if (result == SELFTEST_OK) {
		tally_via_adopt(&via, &child);
		result = count_exec(test, &child, tally_via_transport(&via));
	}
	tally_child_free(&child);
	tally_via_close(&via);
	return result;
}

const struct selftest_case selftest_count_cases[] = {
	{"Count CPU time", count_clock, true},
	{"Count page faults", count_faults, true},
	{"Count the events of a group together", count_group, true},
	{"Count in child processes", count_child, true},
	{"Count a command from its start", count_command, true},
	{"Count a command without perf_event_open", count_without_kernel, true},
	{"Count on all CPUs", count_cpus, true},
	{"Count instructions with the PMU", count_hardware, true},
	{"Count a tracepoint", count_tracepoint, true},
	{"Count writes with a breakpoint", count_breakpoint, true},
	{0},
};

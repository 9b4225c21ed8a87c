/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of counters, over a transport without hardware events, and on the running kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tally/client.h"
#include "probe.h"

enum { FIRST_FD = 100, MAX = 4 };

static struct {
	unsigned nr, enabled; /* opens; mask of the descriptors that were enabled with ioctl(2) */
	struct perf_event_attr attrs[MAX];
	int group[MAX];
	bool no_members; /* groups cannot have several members */
} fake;

static int fake_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		     int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	if (attr->type == PERF_TYPE_HARDWARE)
		return -ENOENT;
	if (fake.no_members && group_fd >= 0)
		return -EINVAL;
	assert_true(fake.nr < MAX);
	fake.attrs[fake.nr] = *attr;
	fake.group[fake.nr] = group_fd;
	return FIRST_FD + (int)fake.nr++;
}

static int fake_close(const struct tally_transport *transport, int fd)
{
	return 0;
}

static int fake_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		      uintptr_t arg)
{
	if (request == PERF_EVENT_IOC_ENABLE)
		fake.enabled |= 1u << (fd - FIRST_FD);
	return 0;
}

/* Read a group of two members, in the layout of PERF_FORMAT_GROUP and PERF_FORMAT_ID. */
static int64_t fake_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	const uint64_t words[] = {2, 200, 200, 11, 1, 22, 2};

	assert_true(len >= sizeof(words));
	memcpy(to, words, sizeof(words));
	return sizeof(words);
}

static const struct tally_transport transport = {
	.open = fake_open, .close = fake_close, .ioctl = fake_ioctl, .read = fake_read};

/* Open a list of events for the calling thread. */
static struct tally_counters *open_list(const struct tally_transport *with, const char *text,
					const struct tally_open_options *options)
{
	struct tally_counters *counters = NULL;
	struct tally_event_list *list;
	struct tally_threads *threads;
	struct tally_events *events;
	struct tally_cpus *cpus;

	memset(&fake, 0, offsetof(typeof(fake), no_members));
	assert_int_equal(tally_events_new(NULL, NULL, &events), 0);
	assert_int_equal(tally_events_parse(events, text, strlen(text), &list, NULL), 0);
	assert_int_equal(tally_cpus_any(&cpus), 0);
	assert_int_equal(tally_threads_of_tid(getpid(), &threads), 0);
	assert_int_equal(tally_counters_open(with, list, cpus, threads, options, &counters, NULL),
			 0);
	free(threads);
	free(cpus);
	tally_event_list_free(list);
	tally_events_free(events);
	return counters;
}

/* Without its leader, a group still starts and stops as requested, and can be read. */
static void the_next_member_leads_if_the_leader_is_skipped(void **state)
{
	const struct tally_open_options options = {.disabled = true, .skip_unsupported = true};
	struct tally_counters *counters = open_list(&transport, "{cycles,faults,cs}", &options);

	assert_int_equal(tally_counters_leader(counters, 0), 0);
	assert_int_equal(tally_counters_leader(counters, 1), 1);
	assert_int_equal(tally_counters_leader(counters, 2), 1);
	assert_true(fake.attrs[0].disabled);
	assert_false(fake.attrs[1].disabled);
	assert_int_equal(fake.group[1], FIRST_FD);
	assert_int_equal(fake.enabled, 0);
	assert_int_equal(tally_counters_enable(counters), 0);
	assert_int_equal(fake.enabled, 1);
	tally_counters_close(counters);
}
static void a_member_is_read_alone_from_its_group(void **state)
{
	const struct tally_open_options options = {.read_group = true};
	struct tally_counters *counters = open_list(&transport, "{faults,cs}", &options);
	struct tally_count count;

	assert_int_equal(tally_counters_read(counters, 0, 0, 0, &count), 0);
	assert_int_equal(count.value, 11);
	assert_int_equal(tally_counters_read(counters, 1, 0, 0, &count), 0);
	assert_int_equal(count.value, 22);
	tally_counters_close(counters);
}
static void a_member_that_leaves_a_weak_group_starts_with_it(void **state)
{
	const struct tally_open_options options = {.disabled = true, .enable_on_exec = true};
	struct tally_counters *counters;

	fake.no_members = true;
	counters = open_list(&transport, "{faults,cs}:W", &options);
	fake.no_members = false;
	assert_true(tally_counters_fallback(counters, 1) & TALLY_FALLBACK_GROUP_BROKEN);
	assert_true(fake.attrs[1].disabled && fake.attrs[1].enable_on_exec);
	tally_counters_close(counters);
}

/* The kernel does not start a member of another PMU (task-clock has its own) that joins a group
 * while the group counts. So a group starts when it is complete. */
static void a_group_starts_when_it_is_complete(void **state)
{
	const struct tally_open_options options = {.read_group = true};
	struct tally_counters *counters = open_list(&transport, "{task-clock,faults},cs", &options);

	assert_true(fake.attrs[0].disabled);
	assert_false(fake.attrs[1].disabled || fake.attrs[2].disabled);
	assert_true(fake.enabled & 1);
	tally_counters_close(counters);
}

static void members_of_other_pmus_count_on_the_running_kernel(void **state)
{
	enum { PAGES = 1000 };
	const struct tally_open_options options = {.read_group = true};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct tally_count counts[2] = {{0}};
	struct tally_counters *counters;
	char *memory;

	if (!probe_task_clock())
		probe_skip("no perf events");
	counters = open_list(tally_transport_linux(), "{task-clock:u,faults:u}", &options);
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	assert_true(memory != MAP_FAILED);
	assert_int_equal(madvise(memory, PAGES * page, MADV_NOHUGEPAGE), 0);
	for (size_t i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	assert_int_equal(tally_counters_read_group(counters, 0, 0, 0, counts), 0);
	assert_true(counts[0].value > 0);
	assert_true(counts[1].value >= PAGES);
	munmap(memory, PAGES * page);
	tally_counters_close(counters);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_member_leads_if_the_leader_is_skipped),
		cmocka_unit_test(a_member_is_read_alone_from_its_group),
		cmocka_unit_test(a_member_that_leaves_a_weak_group_starts_with_it),
		cmocka_unit_test(a_group_starts_when_it_is_complete),
		cmocka_unit_test(members_of_other_pmus_count_on_the_running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

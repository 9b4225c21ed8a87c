/* SPDX-License-Identifier: BSD-2-Clause */
/* Unregistering a PMU while tasks use its events, which revokes the events. */
#include <signal.h>
#include <sys/mman.h>

#include "core/mini_test.h"
#include "core/core_private.h"

enum { PAGE = 4096 };

static struct mini mini;
static struct tally_core_pmu *first;
static int gone;
static void *page; /* page that holds *first, or NULL if *first was allocated */

static void unregister_first(void)
{
	gone = tally_core_pmu_unregister(mini.core, first);
	if (!gone && !page)
		memset(first, 0xdd, sizeof(*first));
}

/* Unregister the PMU once, at a point of kind `wanted`, after skipping `skip_points` such
 * points. */
static enum mini_point wanted;
static int skip_points;

static bool armed;

static void first_goes(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (!armed || point != wanted || where->nmi || skip_points-- > 0)
		return;
	armed = false;
	armed = !mini_overlap(where, unregister_first);
}

static struct perf_event_attr attr_first(void)
{
	struct perf_event_attr attr = attr_counter(0);

	attr.type = 20;
	return attr;
}

/* Make a call on an event and unregister its PMU during the call, at each point in turn. Returns
 * the number of points. */
static int call_while_it_goes(enum mini_point point, int (*call)(int fd))
{
	int nr = 0;

	wanted = point;
	gone = 0;
	for (int i = 0; gone != 1; i++) {
		int fd, ret;

		mini_test_begin(&mini, 1, NULL);
		first = pmu_new(&mini, 20, NULL);
		fd = must_open(&mini, attr_first(), NULL, 0, -1);
		gone = 1;
		armed = true;
		skip_points = i;
		mini.at = first_goes;
		ret = call(fd);
		mini.at = NULL;
		nr += gone <= 0;
		if (gone == -EBUSY)
			assert_int_equal(tally_core_pmu_unregister(mini.core, first), 0);
		/* The mmap in progress must fail. */
		if (point == MINI_AT_ALLOC && gone <= 0)
			assert_int_equal(ret, -ENODEV);
		assert_true(!ret || ret == -ENODEV || ret == -EOPNOTSUPP);
		if (gone <= 0)
			assert_int_equal(
				mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_ENABLE, 0),
				-ENODEV);
		mini_close(&mini, fd);
		if (gone == 1)
			tally_core_pmu_unregister(mini.core, first);
		free(first);
		mini_end(&mini);
	}
	return nr;
}

static int call_mmap(int fd)
{
	struct tally_core_buffer *buffer;

	return mini_mmap(&mini, mini.tasks[0], fd, 5 * 4096, true, &buffer);
}

static int call_modify(int fd)
{
	struct perf_event_attr attr = attr_first();

	return mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
			  (uintptr_t)&attr);
}

static int call_reset(int fd)
{
	return mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_RESET, 0);
}

static void a_call_succeeds_or_fails_with_enodev_when_the_pmu_is_unregistered(void **state)
{
	assert_true(call_while_it_goes(MINI_AT_ATOMIC, call_mmap) > 0);
	assert_true(call_while_it_goes(MINI_AT_ALLOC, call_mmap) > 0);
	assert_true(call_while_it_goes(MINI_AT_ATOMIC, call_modify) > 0);
	assert_true(call_while_it_goes(MINI_AT_ATOMIC, call_reset) > 0);
}

/* Accesses to the PMU fault, because its page is not accessible. The fault preempts the thread
 * after it has loaded the event's pointer to the PMU, but before it uses the pointer. */
static bool used_after;

static void preempt(int number)
{
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	if (!gone)
		used_after = true;
	else if (mini_overlap(&mini, unregister_first) && !gone)
		mprotect(page, PAGE, PROT_NONE);
}

static void first_on_page(void)
{
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(page != MAP_FAILED);
	first = page;
	*first = mini.pmus[0];
	first->type = 20;
	assert_int_equal(tally_core_pmu_register(mini.core, first), 0);
}

static void use_on_page(int (*call)(int fd))
{
	int fd;

	mini_test_begin(&mini, 1, NULL);
	first_on_page();
	fd = must_open(&mini, attr_first(), NULL, 0, -1);
	gone = 1;
	used_after = false;
	mprotect(page, PAGE, PROT_NONE);
	call(fd);
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	assert_false(used_after);
	mini_close(&mini, fd);
	if (gone)
		assert_int_equal(tally_core_pmu_unregister(mini.core, first), 0);
	munmap(page, PAGE);
	page = NULL;
	mini_end(&mini);
}

static void a_call_does_not_use_a_pmu_after_it_is_unregistered(void **state)
{
	void (*was)(int number) = signal(SIGSEGV, preempt);

	use_on_page(call_mmap);
	use_on_page(call_modify);
	signal(SIGSEGV, was);
}

static int closed_fd;

/* CPU 1 closes the event after CPU 0 has revoked it and released the lock. The event no longer
 * refers to its PMU. */
static void close_revoked(struct mini *where, enum mini_point point, const volatile void *what)
{
	uintptr_t off = where->off;

	if (!armed || point != MINI_AT_ATOMIC || where->nr_held)
		return;
	if (tally_core_poll(where->core, where->files[closed_fd].event) !=
	    (TALLY_CORE_POLLERR | TALLY_CORE_POLLHUP))
		return;
	armed = false;
	mprotect(page, PAGE, PROT_NONE);
	where->cpu = 1;
	where->off = 0;
	mini_close(where, closed_fd);
	where->cpu = 0;
	where->off = off;
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void note_use(int number)
{
	used_after = true;
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void closing_a_revoked_event_does_not_touch_its_pmu(void **state)
{
	void (*was)(int number) = signal(SIGSEGV, note_use);

	mini_test_begin(&mini, 2, NULL);
	first_on_page();
	closed_fd = must_open(&mini, attr_first(), NULL, 0, -1);
	used_after = false;
	armed = true;
	mini.at = close_revoked;
	assert_int_equal(tally_core_pmu_unregister(mini.core, first), 0);
	mini.at = NULL;
	assert_false(armed);
	assert_false(used_after);
	signal(SIGSEGV, was);
	munmap(page, PAGE);
	page = NULL;
	mini_end(&mini);
}

static void a_revoked_event_changes_no_counts_of_its_context(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	struct tally_core_event *event;
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.type = 11;
	fd = must_open(&mini, attr, NULL, 0, -1);
	event = mini.files[fd].event;
	assert_int_equal(tally_core_pmu_unregister(mini.core, &mini.pmus[1]), 0);
	tally_core_event_emit_munmap(mini.core, event);
	assert_int_equal(event->context->wants[TALLY_WANTS_MMAP], 0);
	assert_int_equal(event->context->nr_events, 0);
	mini_close(&mini, fd);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_succeeds_or_fails_with_enodev_when_the_pmu_is_unregistered),
		cmocka_unit_test(a_call_does_not_use_a_pmu_after_it_is_unregistered),
		cmocka_unit_test(closing_a_revoked_event_does_not_touch_its_pmu),
		cmocka_unit_test(a_revoked_event_changes_no_counts_of_its_context),
	};

	return cmocka_run_group_tests_name("core/minimal_revoke", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Test all rings of a recording, using a fake transport that can reject calls, hang up and log
 * requests. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tally/rings.h"

enum { FIRST_FD = 100, NR_FDS = 64, OTHER = 7 };

struct fake {
	struct tally_transport transport;
	int nr_open, nr_mapped, refuse_map_at;
	int output[NR_FDS]; /* descriptor to which output is redirected, or 0 */
	int pauses[NR_FDS];
	bool hung_up[NR_FDS];
	bool other_ready;
	int poll_error;
	int polled[NR_FDS], nr_polled;
};

static int fake_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		     int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	struct fake *fake = transport->private_data;

	/* Thread 3 has exited. */
	return pid == 3 ? -ESRCH : FIRST_FD + fake->nr_open++;
}

static int fake_close(const struct tally_transport *transport, int fd)
{
	return 0;
}

static int fake_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		      uintptr_t arg)
{
	struct fake *fake = transport->private_data;

	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		fake->output[fd - FIRST_FD] = (int)arg;
	else if (request == PERF_EVENT_IOC_PAUSE_OUTPUT)
		fake->pauses[fd - FIRST_FD] += arg ? 1 : -1;
	return 0;
}

static int fake_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		     void **ret_memory)
{
	struct fake *fake = transport->private_data;

	if (fake->nr_mapped == fake->refuse_map_at)
		return -EPERM;
	fake->nr_mapped++;
	*ret_memory = calloc(1, len);
	return *ret_memory ? 0 : -ENOMEM;
}

static int fake_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	((struct fake *)transport->private_data)->nr_mapped--;
	free(memory);
	return 0;
}

static int fake_poll(const struct tally_transport *transport, struct pollfd *polls, size_t nr,
		     int timeout_ms)
{
	struct fake *fake = transport->private_data;
	int ready = 0;

	if (fake->poll_error)
		return fake->poll_error;
	fake->nr_polled = 0;
	for (size_t i = 0; i < nr; i++) {
		polls[i].revents = 0;
		if (polls[i].fd >= FIRST_FD) {
			fake->polled[fake->nr_polled++] = polls[i].fd;
			if (fake->hung_up[polls[i].fd - FIRST_FD])
				polls[i].revents = POLLHUP;
		} else if (polls[i].fd == OTHER && fake->other_ready) {
			polls[i].revents = POLLIN;
		}
		ready += polls[i].revents != 0;
	}
	return ready;
}

static void fake_init(struct fake *fake)
{
	*fake = (struct fake){.transport = {.name = "fake",
					    .open = fake_open,
					    .close = fake_close,
					    .ioctl = fake_ioctl,
					    .mmap = fake_mmap,
					    .munmap = fake_munmap,
					    .poll = fake_poll},
			      .refuse_map_at = -1};
	fake->transport.private_data = fake;
}

/* Open two events for threads 1 to 4, on CPUs 0 and 2 or on any CPU. With `overwrite`, the second
 * event's rings are overwritable. */
static struct tally_rings *rings_of(struct fake *fake, bool on_cpus, bool overwrite,
				    struct tally_counters **ret_counters)
{
	struct tally_event_spec specs[2] = {{.name = "one"},
					    {.name = "two", .group = 1, .leader = 1}};
	struct tally_event_list list = {.specs = specs, .nr = 2};
	struct tally_open_options options = {.sampling = true};
	struct tally_rings *rings;
	struct tally_threads *threads;
	struct tally_cpus *cpus;

	specs[1].attr.write_backward = overwrite;
	assert_int_equal(on_cpus ? tally_cpus_parse("0,2", &cpus) : tally_cpus_any(&cpus), 0);
	threads = calloc(1, sizeof(*threads) + 4 * sizeof(threads->thread[0]));
	assert_non_null(threads);
	for (threads->nr = 0; threads->nr < 4; threads->nr++)
		threads->thread[threads->nr] = (struct tally_thread_id){(int32_t)threads->nr + 1,
									(int32_t)threads->nr + 1};
	assert_int_equal(tally_counters_open(&fake->transport, &list, cpus, threads, &options,
					     ret_counters, NULL),
			 0);
	assert_int_equal(tally_rings_new(*ret_counters, &rings), 0);
	free(threads);
	free(cpus);
	return rings;
}

static void counters_of_a_cpu_share_a_ring(void **state)
{
	struct tally_counters *counters;
	struct fake fake;
	struct tally_rings *rings;

	fake_init(&fake);
	rings = rings_of(&fake, true, false, &counters);
	/* Thread 3 has exited, so there are 3 threads x 2 CPUs x 2 events. */
	assert_int_equal(tally_rings_nr(rings), 2);
	assert_int_equal(tally_rings_nr_counters(rings), 12);
	assert_int_equal(tally_rings_map(rings, 0), -EINVAL);
	assert_int_equal(tally_rings_map(rings, 3), -EINVAL);
	assert_int_equal(tally_rings_map(rings, 2), 0);
	assert_int_equal(fake.nr_mapped, 2);
	for (size_t event = 0; event < 2; event++) {
		for (size_t cpu = 0; cpu < 2; cpu++) {
			int first = tally_counters_fd(counters, 0, cpu, 0);
			int fd = tally_counters_fd(counters, event, cpu, 3);

			assert_int_equal(fake.output[fd - FIRST_FD], first);
			assert_int_equal(fake.output[first - FIRST_FD], 0);
		}
	}
	tally_rings_free(rings);
	assert_int_equal(fake.nr_mapped, 0);
	tally_counters_close(counters);
}

static void without_cpus_each_thread_has_a_ring(void **state)
{
	struct tally_counters *counters;
	struct fake fake;
	struct tally_rings *rings;

	fake_init(&fake);
	rings = rings_of(&fake, false, true, &counters);
	assert_int_equal(tally_rings_nr(rings), 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(tally_rings_is_overwrite(rings, i), i >= 3);
	assert_int_equal(tally_rings_map(rings, 1), 0);
	assert_int_equal(tally_rings_pause(rings, true), 0);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(fake.pauses[i], i >= 3);
	assert_int_equal(tally_rings_pause(rings, false), 0);
	assert_int_equal(fake.pauses[4], 0);
	tally_rings_free(rings);
	tally_counters_close(counters);
}

static void mapping_is_all_or_nothing(void **state)
{
	struct tally_counters *counters;
	struct fake fake;
	struct tally_rings *rings;

	fake_init(&fake);
	rings = rings_of(&fake, true, false, &counters);
	fake.refuse_map_at = 1;
	assert_int_equal(tally_rings_map(rings, 8), -EPERM);
	assert_int_equal(fake.nr_mapped, 0);
	fake.refuse_map_at = -1;
	assert_int_equal(tally_rings_map(rings, 4), 0);
	assert_int_equal(fake.nr_mapped, 2);
	tally_rings_free(rings);
	tally_counters_close(counters);
}

static bool was_polled(const struct fake *fake, int fd)
{
	bool found = false;

	for (int i = 0; i < fake->nr_polled; i++)
		found |= fake->polled[i] == fd;
	return found;
}

/* When a counter hangs up, the ring's next counter is polled, until no counters are left. */
static void hung_up_counters_are_replaced_in_poll(void **state)
{
	struct tally_counters *counters;
	struct fake fake;
	struct tally_rings *rings;
	int first, rounds = 0;

	fake_init(&fake);
	rings = rings_of(&fake, true, false, &counters);
	first = tally_counters_fd(counters, 0, 0, 0);
	assert_int_equal(tally_rings_poll(rings, 0), 0);
	assert_true(was_polled(&fake, first));
	fake.hung_up[first - FIRST_FD] = true;
	assert_int_equal(tally_rings_poll(rings, 0), 1);
	assert_int_equal(tally_rings_nr_alive(rings), 2);
	assert_int_equal(tally_rings_poll(rings, 0), 0);
	assert_false(was_polled(&fake, first));
	memset(fake.hung_up, true, sizeof(fake.hung_up));
	while (tally_rings_nr_alive(rings)) {
		assert_true(tally_rings_poll(rings, 0) > 0);
		assert_true(++rounds <= 6);
	}
	assert_int_equal(rounds, 6);
	tally_rings_free(rings);
	tally_counters_close(counters);
}

static void other_descriptors_are_watched(void **state)
{
	struct tally_counters *counters;
	struct fake fake;
	struct tally_rings *rings;
	size_t one, two;

	fake_init(&fake);
	rings = rings_of(&fake, true, false, &counters);
	assert_int_equal(tally_rings_watch(rings, -1, &one), 0);
	assert_int_equal(tally_rings_watch(rings, OTHER, &two), 0);
	fake.other_ready = true;
	assert_int_equal(tally_rings_poll(rings, 0), 1);
	assert_int_equal(tally_rings_watch_events(rings, one), 0);
	assert_int_equal(tally_rings_watch_events(rings, two), POLLIN);
	assert_int_equal(tally_rings_nr_alive(rings), 2);
	fake.poll_error = -EINTR;
	assert_int_equal(tally_rings_poll(rings, 0), 0);
	assert_int_equal(tally_rings_watch_events(rings, two), 0);
	fake.poll_error = -ENOMEM;
	assert_int_equal(tally_rings_poll(rings, 0), -ENOMEM);
	fake.poll_error = 0;
	tally_rings_watch_set(rings, two, -1);
	assert_int_equal(tally_rings_poll(rings, 0), 0);
	tally_rings_free(rings);
	tally_counters_close(counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_a_cpu_share_a_ring),
		cmocka_unit_test(without_cpus_each_thread_has_a_ring),
		cmocka_unit_test(mapping_is_all_or_nothing),
		cmocka_unit_test(hung_up_counters_are_replaced_in_poll),
		cmocka_unit_test(other_descriptors_are_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

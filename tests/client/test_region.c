/* SPDX-License-Identifier: BSD-2-Clause */
/* Test regions with fake counters that the test controls, and with events of the running kernel. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tally/region.h"
#include "probe.h"
#include "temporary.h"

enum { COUNTERS = 8, FIRST_FD = 1000 };

/* Fake counters: counter n reads as value[n]. */
static struct {
	struct tally_transport transport;
	struct tally_self_reader reader;
	int nr, leader[COUNTERS], reads;
	uint64_t value[COUNTERS], enabled, running, config[COUNTERS];
	bool ended;       /* reads return end of file */
	bool maps, times; /* pages can be mapped; pages contain times */
	int unmapped;     /* user space cannot read the first counters, this many */
	uint64_t refused; /* the config to reject */
	void *page[COUNTERS];
} fake;

static int fake_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		     int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	int n = fake.nr;

	if (attr->config == fake.refused)
		return -EOPNOTSUPP;
	assert_true(n < COUNTERS);
	fake.config[n] = attr->config;
	fake.leader[n] = group_fd < 0 ? n : group_fd - FIRST_FD;
	return FIRST_FD + fake.nr++;
}

static int fake_close(const struct tally_transport *transport, int fd)
{
	return 0;
}

/* Return the values in the layout of a read with PERF_FORMAT_GROUP, PERF_FORMAT_ID,
 * PERF_FORMAT_TOTAL_TIME_ENABLED and PERF_FORMAT_TOTAL_TIME_RUNNING. */
static int64_t fake_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	uint64_t *words = to, nr = 0;

	fake.reads++;
	if (fake.ended)
		return 0;
	for (int i = 0; i < fake.nr; i++) {
		if (fake.leader[i] != fd - FIRST_FD)
			continue;
		words[3 + 2 * nr] = fake.value[i];
		words[4 + 2 * nr++] = (uint64_t)i;
	}
	words[0] = nr;
	words[1] = fake.enabled;
	words[2] = fake.running;
	return (int64_t)((3 + 2 * nr) * sizeof(*words));
}

static int fake_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		      uintptr_t arg)
{
	return 0;
}

/* Map a page that contains the counter's index, and times based on `cycles`. */
static int fake_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		     void **ret_memory)
{
	struct perf_event_mmap_page *page = calloc(1, len);

	if (!fake.maps || !page || writable) {
		free(page);
		return -EPERM;
	}
	page->index = (uint32_t)(fd - FIRST_FD) + 1;
	page->cap_user_rdpmc = fd - FIRST_FD >= fake.unmapped;
	page->cap_user_time = fake.times;
	page->time_mult = 1;
	page->pmc_width = 48;
	*ret_memory = page;
	fake.page[fd - FIRST_FD] = page;
	return 0;
}

static int fake_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	free(memory);
	return 0;
}

static uint64_t fake_counter(void *arg, uint32_t number)
{
	return fake.value[number];
}

static uint64_t fake_cycles(void *arg)
{
	return fake.enabled;
}

static struct tally_regions *open_fake(const char *events)
{
	struct tally_regions_options options = {.transport = &fake.transport};
	struct tally_regions *regions;

	if (fake.maps)
		options.reader = &fake.reader;
	assert_int_equal(tally_regions_open(events, &options, &regions, NULL), 0);
	return regions;
}

/* Advance each counter i by (i + 1) * nr. This takes 100 ns; the counters are off the PMU for
 * `idle` ns of that time. */
static void advance_counters(uint64_t nr, uint64_t idle)
{
	for (int i = 0; i < COUNTERS; i++)
		fake.value[i] += nr * (uint64_t)(i + 1);
	fake.enabled += 100;
	fake.running += 100 - idle;
}

static int set_up(void **state)
{
	memset(&fake, 0, sizeof(fake));
	fake.transport = (struct tally_transport){
		.name = "fake",
		.open = fake_open,
		.close = fake_close,
		.read = fake_read,
		.ioctl = fake_ioctl,
		.mmap = fake_mmap,
		.munmap = fake_munmap,
	};
	fake.reader = (struct tally_self_reader){fake_counter, fake_cycles, NULL};
	fake.refused = UINT64_MAX;
	return 0;
}

static void check_count(const struct tally_regions *regions, size_t region, size_t event,
			uint64_t value, enum tally_quality quality)
{
	struct tally_count count;

	assert_int_equal(tally_regions_count(regions, region, event, &count), 0);
	assert_int_equal(count.value, value);
	assert_int_equal(count.quality, quality);
}

static void check_region(const struct tally_regions *regions, size_t index, const char *name,
			 size_t parent, uint64_t calls)
{
	struct tally_region region;

	assert_int_equal(tally_regions_get(regions, index, &region), 0);
	assert_string_equal(region.name, name);
	assert_true(region.parent == parent);
	assert_int_equal(region.calls, calls);
}

/* load { parse } load { parse { load } } parse */
static void run_nested_regions(struct tally_regions *regions)
{
	assert_int_equal(tally_region_start(regions, "load"), 0);
	advance_counters(1, 0);
	tally_region_start(regions, "parse");
	advance_counters(10, 0);
	assert_int_equal(tally_region_stop(regions), 0);
	tally_region_stop(regions);
	advance_counters(1000, 0);
	tally_region_start(regions, "load");
	tally_region_start(regions, "parse");
	tally_region_start(regions, "load");
	advance_counters(100, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tally_region_stop(regions), 0);
	tally_region_start(regions, "parse");
	advance_counters(5, 0);
	tally_region_stop(regions);
}

static void check_nest(const struct tally_regions *regions, uint64_t times)
{
	assert_int_equal(tally_regions_nr(regions), 4);
	check_region(regions, 0, "load", TALLY_REGIONS_NO_PARENT, 2 * times);
	check_region(regions, 1, "parse", 0, 2 * times);
	check_region(regions, 2, "load", 1, times);
	check_region(regions, 3, "parse", TALLY_REGIONS_NO_PARENT, times);
	for (size_t i = 0; i < 2; i++) {
		check_count(regions, 0, i, 111 * (i + 1) * times, TALLY_QUALITY_EXACT);
		check_count(regions, 1, i, 110 * (i + 1) * times, TALLY_QUALITY_EXACT);
		check_count(regions, 2, i, 100 * (i + 1) * times, TALLY_QUALITY_EXACT);
		check_count(regions, 3, i, 5 * (i + 1) * times, TALLY_QUALITY_EXACT);
	}
}

static void test_nesting(void **state)
{
	struct tally_regions *regions = open_fake("{task-clock,faults}");

	run_nested_regions(regions);
	assert_int_equal(fake.reads, 12); /* one for each start and each stop */
	check_nest(regions, 1);
	assert_string_equal(tally_regions_event(regions, 1), "faults");
	assert_null(tally_regions_event(regions, 2));
	assert_null(tally_regions_refusal(regions, 0));
	assert_int_equal(tally_regions_get(regions, 4, &(struct tally_region){0}), -ENOENT);
	assert_int_equal(tally_regions_count(regions, 0, 2, &(struct tally_count){0}), -ENOENT);
	tally_regions_close(regions);
}

static void test_self_reads(void **state)
{
	struct tally_regions *regions;

	fake.maps = fake.times = true;
	regions = open_fake("{task-clock,faults}");
	assert_true(tally_regions_is_self_read(regions, 1));
	run_nested_regions(regions);
	assert_int_equal(fake.reads, 0);
	check_nest(regions, 1);
	/* One group member is not on a counter, so the group is read with a system call. */
	((struct perf_event_mmap_page *)fake.page[1])->index = 0;
	tally_region_start(regions, "call");
	tally_region_stop(regions);
	assert_int_equal(fake.reads, 2);
	tally_regions_close(regions);
}

/* Count regions with three events, the first of which user space cannot read. `self` are the events
 * that need no system call: those of groups without the first event. */
static void check_some_groups(const char *events, const bool self[3])
{
	struct tally_regions *regions;

	fake.maps = fake.times = true;
	fake.unmapped = 1;
	regions = open_fake(events);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(tally_regions_is_self_read(regions, i), self[i]);
	run_nested_regions(regions);
	assert_int_equal(fake.reads, 12);
	check_nest(regions, 1);
	check_count(regions, 0, 2, 333, TALLY_QUALITY_EXACT);
	tally_regions_close(regions);
}

static void test_self_reads_of_one_group(void **state)
{
	check_some_groups("task-clock,{faults,cs}", (bool[]){false, true, true});
}

static void a_group_is_read_as_a_whole(void **state)
{
	check_some_groups("{task-clock,faults},cs", (bool[]){false, false, true});
}

static void test_page_without_times(void **state)
{
	struct tally_regions *regions;

	fake.maps = true;
	regions = open_fake("task-clock,faults");
	assert_false(tally_regions_is_self_read(regions, 0));
	run_nested_regions(regions);
	check_nest(regions, 1);
	assert_int_equal(fake.reads, 24);
	tally_regions_close(regions);
}

static void counts_of_stopped_counters_never_ran(void **state)
{
	struct tally_regions *regions = open_fake("task-clock");

	tally_region_start(regions, "half");
	advance_counters(3, 50);
	tally_region_stop(regions);
	tally_region_start(regions, "none");
	advance_counters(0, 100);
	tally_region_stop(regions);
	check_count(regions, 0, 0, 3, TALLY_QUALITY_SCALED);
	check_count(regions, 1, 0, 0, TALLY_QUALITY_NEVER_RAN);
	/* After a read has returned end of file, the event no longer has a valid count, not even
	 * for earlier executions of the region. */
	fake.ended = true;
	tally_region_start(regions, "half");
	tally_region_stop(regions);
	check_count(regions, 0, 0, 0, TALLY_QUALITY_NEVER_RAN);
	tally_regions_close(regions);
}

static void test_estimates(void **state)
{
	struct tally_regions *regions;

	fake.transport.estimates = true;
	regions = open_fake("task-clock");
	tally_region_start(regions, "r");
	advance_counters(3, 0);
	tally_region_stop(regions);
	check_count(regions, 0, 0, 3, TALLY_QUALITY_ESTIMATED);
	tally_regions_close(regions);
}

static void test_refused(void **state)
{
	struct tally_regions_error err;
	struct tally_regions *regions;

	fake.refused = PERF_COUNT_SW_PAGE_FAULTS;
	regions = open_fake("task-clock,faults");
	tally_region_start(regions, "r");
	advance_counters(3, 0);
	tally_region_stop(regions);
	check_count(regions, 0, 0, 3, TALLY_QUALITY_EXACT);
	check_count(regions, 0, 1, 0, TALLY_QUALITY_NOT_SUPPORTED);
	assert_int_equal(tally_regions_refusal(regions, 1)->code, -EOPNOTSUPP);
	tally_regions_close(regions);
	assert_int_equal(tally_regions_open("no-such-event", NULL, &regions, &err), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_string_equal(err.event.slice, "no-such-event");
	assert_int_equal(tally_regions_open("faults,duration_time", NULL, &regions, &err), -EINVAL);
	assert_int_equal(err.event.code, -EINVAL);
	assert_string_equal(err.event.slice, "duration_time");
}

static void test_unpaired(void **state)
{
	char name[TALLY_REGIONS_NAME_MAX + 2];
	struct tally_regions *regions = open_fake("task-clock");

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(tally_region_stop(regions), -EINVAL);
	assert_int_equal(tally_region_start(NULL, "r"), 0);
	assert_int_equal(tally_region_stop(NULL), 0);
	assert_int_equal(tally_region_start(regions, ""), -EINVAL);
	assert_int_equal(tally_region_start(regions, "inside"), -E2BIG);
	assert_int_equal(tally_region_stop(regions), 0);
	assert_int_equal(tally_region_stop(regions), 0);
	assert_int_equal(tally_region_start(regions, name), -EINVAL);
	assert_int_equal(tally_region_stop(regions), 0);
	for (int i = 0; i < TALLY_REGIONS_DEPTH; i++)
		assert_int_equal(tally_region_start(regions, name + 1), 0);
	assert_int_equal(tally_region_start(regions, "deeper"), -E2BIG);
	for (int i = 0; i <= TALLY_REGIONS_DEPTH; i++)
		assert_int_equal(tally_region_stop(regions), 0);
	assert_int_equal(tally_region_stop(regions), -EINVAL);
	assert_int_equal(tally_regions_unmeasured(regions), 4);
	assert_int_equal(tally_regions_nr(regions), TALLY_REGIONS_DEPTH);
	tally_regions_close(regions);
	tally_regions_close(NULL);
}

static void *start_elsewhere(void *regions)
{
	return (void *)(intptr_t)tally_region_start(regions, "elsewhere");
}

static void test_other_thread(void **state)
{
	struct tally_regions *regions = open_fake("task-clock");
	pthread_t thread;
	void *ret;

	assert_int_equal(pthread_create(&thread, NULL, start_elsewhere, regions), 0);
	pthread_join(thread, &ret);
	assert_int_equal((intptr_t)ret, -EPERM);
	assert_int_equal(tally_regions_nr(regions), 0);
	tally_regions_close(regions);
}

static void regions_are_added_by_name(void **state)
{
	struct tally_regions *a = open_fake("task-clock,faults"), *b, *c;

	run_nested_regions(a);
	fake.nr = 0;
	b = open_fake("task-clock,faults");
	/* Regions are matched by name, not by order. */
	tally_region_start(b, "parse");
	tally_region_stop(b);
	run_nested_regions(b);
	fake.nr = 0;
	c = open_fake("task-clock,minor-faults");
	assert_int_equal(tally_regions_add(a, c), -EINVAL);
	assert_int_equal(tally_regions_add(a, a), -EINVAL);
	assert_int_equal(tally_regions_add(a, b), 0);
	check_region(a, 3, "parse", TALLY_REGIONS_NO_PARENT, 3);
	check_count(a, 0, 1, 444, TALLY_QUALITY_EXACT);
	check_count(a, 2, 0, 200, TALLY_QUALITY_EXACT);
	assert_int_equal(tally_regions_nr(a), 4);
	tally_regions_close(a);
	tally_regions_close(b);
	tally_regions_close(c);
}

static void test_write(void **state)
{
	char dir[] = "/tmp/regions.XXXXXX", path[64], *text;
	struct tally_regions *regions = open_fake("task-clock");
	size_t len;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/%%p.json", dir);
	tally_region_start(regions, "a \"b\"\x1b[31m");
	advance_counters(7, 0);
	tally_region_stop(regions);
	unsetenv("TALLY_REGIONS");
	assert_int_equal(tally_regions_write(regions, NULL), 0);
	setenv("TALLY_REGIONS", path, 1);
	assert_int_equal(tally_regions_write(regions, NULL), 0);
	snprintf(path, sizeof(path), "%s/%d.json", dir, (int)getpid());
	assert_int_equal(tally_file_read(path, 1 << 16, &text, &len), 0);
	assert_non_null(strstr(text, "\"name\":\"task-clock\""));
	assert_non_null(strstr(text, "a \\\"b\\\"\\u001b[31m"));
	assert_non_null(strstr(text, "\"value\":7,\"enabled\":100,\"running\":100,"
				     "\"quality\":\"exact\""));
	free(text);
	assert_int_equal(tally_regions_write(regions, path), 0);
	unlink(path);
	rmdir(dir);
	assert_int_equal(tally_regions_write(regions, path), -ENOENT);
	tally_regions_close(regions);
}

/* A file of another type stays what it is. For root, a device could otherwise be replaced. */
static void pipes_and_links_are_written_not_replaced(void **state)
{
	char dir[] = "/tmp/regions.XXXXXX", fifo[64], link[64], target[64], text[4096];
	struct tally_regions *regions = open_fake("task-clock");
	struct stat st;
	int reader;

	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(target, sizeof(target), "%s/target", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("target", link), 0);
	assert_int_equal(tally_regions_write(regions, fifo), -ENXIO);
	reader = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_int_equal(tally_regions_write(regions, fifo), 0);
	assert_true(read(reader, text, sizeof(text)) > 2 && *text == '{');
	assert_int_equal(tally_regions_write(regions, link), 0);
	assert_true(!lstat(fifo, &st) && S_ISFIFO(st.st_mode));
	assert_true(!lstat(link, &st) && S_ISLNK(st.st_mode));
	assert_true(!lstat(target, &st) && st.st_size > 2);
	close(reader);
	temporary_remove(dir);
	tally_regions_close(regions);
}

/* A process that was terminated while it wrote has left its file. Process IDs are often the same in
 * containers. */
static void a_file_that_was_left_does_not_prevent_writing(void **state)
{
	char dir[] = "/tmp/regions.XXXXXX", path[64], left[96];
	struct tally_regions *regions = open_fake("task-clock");

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/r.json", dir);
	snprintf(left, sizeof(left), "%s.%d.0.new", path, (int)getpid());
	close(open(left, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(tally_regions_write(regions, path), 0);
	assert_int_equal(access(path, F_OK), 0);
	temporary_remove(dir);
	tally_regions_close(regions);
}

/* Run a region in a child that exits, after it closed the object or not. The child's own child also
 * exits, and must not write the regions of its parent. */
static void exit_with_regions(bool closes)
{
	struct tally_regions_options options = {.transport = &fake.transport, .at_exit = true};
	struct tally_regions *regions;
	int status;
	pid_t pid;

	if (tally_regions_open("task-clock", &options, &regions, NULL))
		_exit(1);
	pid = fork();
	if (!pid)
		exit(0);
	waitpid(pid, &status, 0);
	if (!access(getenv("TALLY_REGIONS"), F_OK))
		_exit(2);
	tally_region_start(regions, "last");
	tally_region_stop(regions);
	if (closes)
		tally_regions_close(regions);
	if (closes && access(getenv("TALLY_REGIONS"), F_OK))
		_exit(3);
	exit(0);
}

static void test_at_exit(void **state)
{
	char path[] = "/tmp/regions.XXXXXX", *text;
	size_t len;
	int status;
	pid_t pid;

	close(mkstemp(path));
	setenv("TALLY_REGIONS", path, 1);
	for (int closes = 0; closes < 2; closes++) {
		unlink(path);
		pid = fork();
		if (!pid)
			exit_with_regions(closes);
		waitpid(pid, &status, 0);
		assert_int_equal(status, 0);
		assert_int_equal(tally_file_read(path, 1 << 16, &text, &len), 0);
		assert_non_null(strstr(text, "\"name\":\"last\",\"parent\":-1,\"calls\":1"));
		free(text);
	}
	unlink(path);
	unsetenv("TALLY_REGIONS");
}

/* Use the running kernel. If it rejects the event, the error must be reported. */
static void regions_count_on_the_running_kernel(void **state)
{
	struct tally_regions_options options = {.time = true};
	volatile unsigned sum = 0;
	struct tally_regions *regions;
	struct tally_region region;
	struct tally_count count;

	assert_int_equal(tally_regions_open("task-clock:u", &options, &regions, NULL), 0);
	tally_region_start(regions, "loop");
	for (unsigned i = 0; i < 1000000; i++)
		sum = sum + i;
	tally_region_stop(regions);
	assert_int_equal(tally_regions_get(regions, 0, &region), 0);
	assert_int_equal(tally_regions_count(regions, 0, 0, &count), 0);
	assert_true(region.time > 0);
	if (probe_task_clock())
		assert_null(tally_regions_refusal(regions, 0));
	if (tally_regions_refusal(regions, 0))
		assert_int_equal(count.value, 0);
	else
		assert_true(count.value > 0 && count.value <= region.time);
	tally_regions_close(regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nesting, set_up),
		cmocka_unit_test_setup(test_self_reads, set_up),
		cmocka_unit_test_setup(test_self_reads_of_one_group, set_up),
		cmocka_unit_test_setup(a_group_is_read_as_a_whole, set_up),
		cmocka_unit_test_setup(test_page_without_times, set_up),
		cmocka_unit_test_setup(counts_of_stopped_counters_never_ran, set_up),
		cmocka_unit_test_setup(test_estimates, set_up),
		cmocka_unit_test_setup(test_refused, set_up),
		cmocka_unit_test_setup(test_unpaired, set_up),
		cmocka_unit_test_setup(test_other_thread, set_up),
		cmocka_unit_test_setup(regions_are_added_by_name, set_up),
		cmocka_unit_test_setup(test_write, set_up),
		cmocka_unit_test_setup(pipes_and_links_are_written_not_replaced, set_up),
		cmocka_unit_test_setup(a_file_that_was_left_does_not_prevent_writing, set_up),
		cmocka_unit_test_setup(test_at_exit, set_up),
		cmocka_unit_test_setup(regions_count_on_the_running_kernel, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

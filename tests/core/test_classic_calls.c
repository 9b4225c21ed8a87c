/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of tally/classic.h on the core: which arguments they reject, and which records are
 * lost. */
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "tally/classic.h"

enum { PAGE = 4096, RECORD = 16 };

static const struct tally_sim_step worker[] = {
	SIM_LOOP(0), SIM_RUN(SIM_USER, 31 * US, &harness_busy), SIM_END_LOOP()};

struct scene {
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_classic *perf;
};

static void scene_begin(struct scene *scene)
{
	harness_begin(&scene->harness, 1, NULL);
	scene->task = harness_spawn(&scene->harness, worker, 0);
	tally_sim_run(scene->harness.sim, US);
	assert_int_equal(tally_classic_new(&scene->harness.transport.transport, &scene->perf), 0);
}

static void scene_end(struct scene *scene)
{
	tally_classic_free(scene->perf);
	harness_end(&scene->harness);
}

/* Open an event on the task. */
static int scene_open(struct scene *scene, struct tally_classic_attr attr)
{
	return tally_classic_open(scene->perf, &attr, tally_sim_task_tid(scene->task), -1, -1, 0);
}

/* Open an event that overflows at each page fault. */
static int scene_faults(struct scene *scene)
{
	int fd = scene_open(scene,
			    (struct tally_classic_attr){.config = TALLY_CLASSIC_EVENT(1, 2),
							.irq_period = 1,
							.record_type = TALLY_CLASSIC_RECORD_TIME});

	assert_true(fd >= 0);
	return fd;
}

static void fault(struct scene *scene, unsigned nr)
{
	while (nr--)
		tally_sim_execute(
			scene->harness.sim, scene->task,
			&(struct tally_sim_step)SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1));
}

static void foreign_descriptors_are_ebadf(void **state)
{
	const struct tally_classic_attr attr = {.config = 0};
	const struct tally_classic_page *page;
	struct scene scene;
	uint64_t value;

	scene_begin(&scene);
	assert_int_equal(tally_classic_open(scene.perf, &attr, 0, -1, 99, 0), -EBADF);
	assert_int_equal(tally_classic_open(scene.perf, &attr, 0, -1, -2, 0), -EBADF);
	assert_int_equal(tally_classic_close(scene.perf, 99), -EBADF);
	assert_int_equal(tally_classic_read(scene.perf, 99, &value, sizeof(value)), -EBADF);
	assert_int_equal(tally_classic_ioctl(scene.perf, 99, TALLY_CLASSIC_IOC_ENABLE, 0), -EBADF);
	assert_int_equal(tally_classic_mmap(scene.perf, 99, 2 * PAGE, &page), -EBADF);
	assert_int_equal(tally_classic_munmap(scene.perf, 99), -EBADF);
	assert_int_equal(tally_classic_update(scene.perf, 99), -EBADF);
	assert_null(tally_classic_next(scene.perf, 99));
	assert_int_equal(tally_classic_lost(scene.perf, 99), 0);
	scene_end(&scene);
}

static void rejected_attrs_are_explained(void **state)
{
	struct tally_classic_attr reserved = {.__reserved_1 = 1}, good = {.config = 0};
	struct scene scene;

	scene_begin(&scene);
	assert_int_equal(tally_classic_open(scene.perf, &reserved, 0, -1, -1, 0), -EINVAL);
	assert_non_null(tally_classic_why(scene.perf).text);
	assert_int_equal(tally_classic_why(scene.perf).offset, 24);
	assert_int_equal(tally_classic_open(scene.perf, &good, 0, -1, -1, 8), -EINVAL);
	assert_null(tally_classic_why(scene.perf).text);
	assert_int_equal(tally_classic_open(scene.perf, &good, -1, -1, -1, 0), -EINVAL);
	assert_int_equal(tally_classic_open(scene.perf, NULL, 0, -1, -1, 0), -EFAULT);
	assert_int_equal(tally_classic_prctl(scene.perf, 30), -EINVAL);
	scene_end(&scene);
}

/* If the user lacks permission to count in the kernel, the reason mentions exclude_kernel. */
static void missing_rights_are_explained(void **state)
{
	struct tally_classic_attr attr = {.config = 0};
	struct sim_transport transport;
	struct tally_classic *perf;
	struct scene scene;

	scene_begin(&scene);
	sim_transport_init(&transport, scene.harness.sim, scene.task);
	assert_int_equal(tally_classic_new(&transport.transport, &perf), 0);
	assert_int_equal(tally_classic_open(perf, &attr, 0, -1, -1, 0), -EACCES);
	assert_non_null(strstr(tally_classic_why(perf).text, "exclude_kernel"));
	attr.exclude_kernel = 1;
	assert_true(tally_classic_open(perf, &attr, 0, -1, -1, 0) >= 0);
	assert_null(tally_classic_why(perf).text);
	tally_classic_free(perf);
	scene_end(&scene);
}

static void requests_of_the_current_abi_are_enotty(void **state)
{
	struct scene scene;
	uint64_t id;
	int fd;

	scene_begin(&scene);
	fd = scene_faults(&scene);
	assert_int_equal(tally_classic_ioctl(scene.perf, fd, PERF_EVENT_IOC_ID, (uintptr_t)&id),
			 -ENOTTY);
	assert_int_equal(tally_classic_ioctl(scene.perf, fd, PERF_EVENT_IOC_RESET, 0), -ENOTTY);
	scene_end(&scene);
}

static void buffers_that_are_too_small_are_enospc(void **state)
{
	struct scene scene;
	uint64_t values[3];
	int fd;

	scene_begin(&scene);
	fd = scene_open(&scene, (struct tally_classic_attr){.read_format = 3});
	assert_int_equal(tally_classic_read(scene.perf, fd, values, sizeof(values)), 24);
	assert_int_equal(tally_classic_read(scene.perf, fd, values, 23), -ENOSPC);
	assert_int_equal(tally_classic_read(scene.perf, fd, NULL, 24), -EFAULT);
	scene_end(&scene);
}

static void rings_have_1_and_2_to_the_n_pages(void **state)
{
	static const size_t bad[] = {0, 1, PAGE, PAGE + 1, 4 * PAGE, 6 * PAGE, 2 * PAGE + 8};
	const struct tally_classic_page *page = NULL;
	struct scene scene;
	int fd;

	scene_begin(&scene);
	fd = scene_faults(&scene);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tally_classic_mmap(scene.perf, fd, bad[i], &page), -EINVAL);
	assert_null(page);
	assert_int_equal(tally_classic_munmap(scene.perf, fd), -EINVAL);
	assert_int_equal(tally_classic_update(scene.perf, fd), -EINVAL);
	for (size_t pages = 1; pages <= 16; pages *= 2) {
		assert_int_equal(tally_classic_mmap(scene.perf, fd, (1 + pages) * PAGE, &page), 0);
		assert_int_equal(tally_classic_mmap(scene.perf, fd, (1 + pages) * PAGE, &page),
				 -EBUSY);
		assert_int_equal(tally_classic_munmap(scene.perf, fd), 0);
	}
	scene_end(&scene);
}

/* tally_classic_update() advances data_head after each fault, for readers that do not use
 * tally_classic_next(). */
static void an_update_moves_data_head(void **state)
{
	const struct tally_classic_page *page;
	struct tally_classic_header header;
	struct scene scene;
	int fd;

	scene_begin(&scene);
	fd = scene_faults(&scene);
	assert_int_equal(tally_classic_mmap(scene.perf, fd, 2 * PAGE, &page), 0);
	fault(&scene, 3);
	assert_int_equal(page->data_head, 0);
	assert_int_equal(tally_classic_update(scene.perf, fd), 0);
	assert_int_equal(page->data_head, 3 * RECORD);
	assert_int_equal(page->index, 0);
	memcpy(&header, (const uint8_t *)page + PAGE, sizeof(header));
	assert_int_equal(header.type, TALLY_CLASSIC_RECORD_TIME);
	assert_int_equal(header.size, RECORD);
	scene_end(&scene);
}

static unsigned count_records(struct scene *scene, int fd)
{
	unsigned nr = 0;

	while (tally_classic_next(scene->perf, fd))
		nr++;
	return nr;
}

/* "What is not read in time is overwritten": overwritten records must be counted. */
static void overwritten_records_are_counted_as_lost(void **state)
{
	const struct tally_classic_page *page;
	unsigned returned;
	struct scene scene;
	int fd;

	scene_begin(&scene);
	fd = scene_faults(&scene);
	assert_int_equal(tally_classic_mmap(scene.perf, fd, 2 * PAGE, &page), 0);
	for (int i = 0; i < 10; i++) {
		fault(&scene, 100);
		assert_int_equal(tally_classic_update(scene.perf, fd), 0);
	}
	assert_int_equal(page->data_head, 1000 * RECORD);
	/* One page of complete records is returned. */
	returned = count_records(&scene, fd);
	assert_int_equal(returned, PAGE / RECORD);
	assert_int_equal(returned + tally_classic_lost(scene.perf, fd), 1000);
	fault(&scene, 7);
	assert_int_equal(count_records(&scene, fd), 7);
	assert_int_equal(returned + tally_classic_lost(scene.perf, fd), 1000);
	scene_end(&scene);
}

/* If the reader only uses tally_classic_next(), records dropped by the core's ring count as
 * lost. */
static void records_that_do_not_fit_are_counted_as_lost(void **state)
{
	const struct tally_classic_page *page;
	unsigned returned;
	struct scene scene;
	int fd;

	scene_begin(&scene);
	fd = scene_faults(&scene);
	assert_int_equal(tally_classic_mmap(scene.perf, fd, 2 * PAGE, &page), 0);
	fault(&scene, 1000);
	returned = count_records(&scene, fd);
	assert_in_range(returned, 400, 512);
	/* The core reports the number of lost records with the next record. */
	fault(&scene, 1);
	returned += count_records(&scene, fd);
	assert_int_equal(returned + tally_classic_lost(scene.perf, fd), 1001);
	scene_end(&scene);
}

/* The returned record is a copy, so it does not change when the ring is written to. */
static void returned_records_stay_valid_until_the_next_call(void **state)
{
	const struct tally_classic_header *record;
	const struct tally_classic_page *page;
	struct tally_classic_sample before, after;
	struct scene scene;
	int fd;

	scene_begin(&scene);
	fd = scene_faults(&scene);
	assert_int_equal(tally_classic_mmap(scene.perf, fd, 2 * PAGE, &page), 0);
	fault(&scene, 1);
	record = tally_classic_next(scene.perf, fd);
	assert_non_null(record);
	assert_int_equal(tally_classic_sample_decode(record, &before), 0);
	tally_sim_run(scene.harness.sim, US);
	fault(&scene, 300);
	assert_int_equal(tally_classic_sample_decode(record, &after), 0);
	assert_int_equal(after.time, before.time);
	scene_end(&scene);
}

static void polling_needs_a_transport_that_can(void **state)
{
	struct scene scene;

	scene_begin(&scene);
	assert_int_equal(tally_classic_poll(scene.perf, NULL, 0, 0), -EOPNOTSUPP);
	scene_end(&scene);
}

/* After a fork, the child has none of its parent's rings. The child must not unmap its own mappings
 * at the same addresses. */
static void the_child_of_a_fork_has_no_rings(void **state)
{
	const struct tally_classic_page *page;
	struct scene scene;
	int fd, status = -1;
	pid_t child;

	scene_begin(&scene);
	fd = scene_faults(&scene);
	assert_int_equal(tally_classic_mmap(scene.perf, fd, 2 * PAGE, &page), 0);
	fault(&scene, 3);
	child = fork();
	if (!child) {
		bool is_right = tally_classic_update(scene.perf, fd) == -EINVAL &&
				!tally_classic_next(scene.perf, fd) &&
				tally_classic_mmap(scene.perf, fd, 2 * PAGE, &page) == -EBUSY;

		tally_classic_free(scene.perf);
		_exit(is_right ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(count_records(&scene, fd), 3);
	scene_end(&scene);
}

/* The members of a closed leader become leaders themselves. */
static void prctl_reaches_members_of_a_closed_leader(void **state)
{
	struct tally_classic_attr attr = {.config = TALLY_CLASSIC_EVENT(1, 1)};
	uint64_t before = 0, after = 0;
	struct scene scene;
	int leader, member;

	scene_begin(&scene);
	leader = tally_classic_open(scene.perf, &attr, 0, -1, -1, 0);
	member = tally_classic_open(scene.perf, &attr, 0, -1, leader, 0);
	assert_true(leader >= 0 && member >= 0);
	assert_int_equal(tally_classic_close(scene.perf, leader), 0);
	assert_int_equal(tally_classic_prctl(scene.perf, TALLY_CLASSIC_PRCTL_DISABLE), 0);
	assert_int_equal(tally_classic_read(scene.perf, member, &before, 8), 8);
	tally_sim_run(scene.harness.sim, MS);
	assert_int_equal(tally_classic_read(scene.perf, member, &after, 8), 8);
	assert_int_equal(after, before);
	scene_end(&scene);
}

/* The descriptors of members stay valid when their leader is closed. */
static void members_can_be_read_after_their_leader_is_closed(void **state)
{
	struct tally_classic_attr attr = {.record_type = TALLY_CLASSIC_RECORD_GROUP};
	int32_t tid;
	int leader, member;
	struct scene scene;
	uint64_t value;

	scene_begin(&scene);
	tid = tally_sim_task_tid(scene.task);
	leader = scene_open(&scene, attr);
	member = tally_classic_open(scene.perf, &attr, tid, -1, leader, 0);
	assert_true(leader >= 0 && member >= 0);
	tally_sim_run(scene.harness.sim, 100 * US);
	assert_int_equal(tally_classic_close(scene.perf, leader), 0);
	assert_int_equal(tally_classic_read(scene.perf, member, &value, sizeof(value)), 8);
	assert_true(value > 0);
	scene_end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_descriptors_are_ebadf),
		cmocka_unit_test(rejected_attrs_are_explained),
		cmocka_unit_test(missing_rights_are_explained),
		cmocka_unit_test(requests_of_the_current_abi_are_enotty),
		cmocka_unit_test(buffers_that_are_too_small_are_enospc),
		cmocka_unit_test(rings_have_1_and_2_to_the_n_pages),
		cmocka_unit_test(an_update_moves_data_head),
		cmocka_unit_test(overwritten_records_are_counted_as_lost),
		cmocka_unit_test(records_that_do_not_fit_are_counted_as_lost),
		cmocka_unit_test(returned_records_stay_valid_until_the_next_call),
		cmocka_unit_test(polling_needs_a_transport_that_can),
		cmocka_unit_test(members_can_be_read_after_their_leader_is_closed),
		cmocka_unit_test(the_child_of_a_fork_has_no_rings),
		cmocka_unit_test(prctl_reaches_members_of_a_closed_leader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

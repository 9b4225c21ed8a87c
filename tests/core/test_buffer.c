/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes to the ring buffer that are interrupted by other writes. No wakeup may be lost, and none
 * may be spurious. */
#include <stdlib.h>
#include <string.h>

#include "core/buffer.h"
#include "core/minimal/mini.h"
#include "test.h"

enum { SIZE = 4096, WATERMARK = 2048 };

/* A one-page buffer, and an interrupt that writes `nr` records before `word` is accessed. */
struct scene {
	struct tally_core_buffer buffer;
	struct perf_event_mmap_page page;
	uint8_t data[SIZE], scratch[SIZE];
	uint8_t *chunks[1];
	bool wake; /* a writer reported a wakeup */
	const volatile void *word;
	unsigned nr, len;
};

static struct mini mini;

static bool write_record(struct scene *scene, uint32_t len)
{
	struct tally_slot slot;

	if (!tally_buffer_reserve(&scene->buffer, false, len, scene->scratch, &scene->wake, &slot))
		return false;
	memset(slot.to, 0, len);
	scene->wake |= tally_buffer_commit(&slot);
	return true;
}

static void interrupt(struct mini *host, enum mini_point point, const volatile void *what)
{
	struct scene *scene = host->arg;

	if (point != MINI_AT_ATOMIC || what != scene->word)
		return;
	scene->word = NULL;
	for (unsigned i = 0; i < scene->nr; i++)
		write_record(scene, scene->len);
}

static struct scene *scene_begin(void)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	mini_begin(&mini, 1, NULL);
	mini.arg = scene;
	mini.at = interrupt;
	scene->chunks[0] = scene->data;
	scene->buffer.page = &scene->page;
	scene->buffer.chunks = scene->chunks;
	scene->buffer.nr_chunks = 1;
	scene->buffer.chunk_shift = 12;
	scene->buffer.size = SIZE;
	scene->buffer.watermark = WATERMARK;
	return scene;
}

static void scene_end(struct scene *scene)
{
	mini.at = NULL;
	mini_end(&mini);
	free(scene);
}

/* The interrupt takes the remaining free space, so the interrupted writer fails. It must still
 * report the wakeup, because it has to publish the interrupt's records. */
static void an_interrupt_that_fills_the_ring_passes_the_wakeup_on(void **state)
{
	struct scene *scene = scene_begin();

	scene->nr = 63;
	scene->len = 64;
	scene->word = &scene->page.data_tail;
	assert_false(write_record(scene, 128));
	assert_int_equal(scene->page.data_head, 63 * 64);
	assert_true(scene->wake);
	assert_int_equal(scene->buffer.poll, TALLY_CORE_POLLIN);
	scene_end(scene);
}

/* Return the number of wakeups for `nr` records of `len` bytes with a reader that keeps up. */
static unsigned count_wakeups(struct scene *scene, unsigned nr, uint32_t len)
{
	unsigned wakeups = 0;

	for (unsigned i = 0; i < nr; i++) {
		scene->wake = false;
		assert_true(write_record(scene, len));
		wakeups += scene->wake;
		scene->page.data_tail = scene->page.data_head;
	}
	return wakeups;
}

/* No matter where the interrupt occurs, later wakeups keep their normal spacing. */
static void wakeups_stay_evenly_spaced_after_an_interrupt(void **state)
{
	for (unsigned where = 0; where < 3; where++) {
		struct scene *scene = scene_begin();
		const volatile void *const words[] = {&scene->buffer.head, &scene->buffer.wakeup,
						      &scene->buffer.wake};

		scene->nr = 40;
		scene->len = 64;
		scene->word = words[where];
		assert_true(write_record(scene, 64));
		assert_true(scene->word == NULL || where == 2);
		scene->page.data_tail = scene->page.data_head;
		assert_in_range(count_wakeups(scene, 10000, 64), 10000 * 64 / WATERMARK - 1,
				10000 * 64 / WATERMARK + 1);
		scene_end(scene);
	}
}

/* Each record that is longer than the watermark causes one wakeup. Small records after it cause no
 * additional wakeups. */
static void long_records_wake_once_each(void **state)
{
	struct scene *scene = scene_begin();

	scene->buffer.watermark = 100;
	assert_int_equal(count_wakeups(scene, 50, 1024), 50);
	assert_in_range(count_wakeups(scene, 1000, 8), 79, 81);
	scene_end(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interrupt_that_fills_the_ring_passes_the_wakeup_on),
		cmocka_unit_test(wakeups_stay_evenly_spaced_after_an_interrupt),
		cmocka_unit_test(long_records_wake_once_each),
	};

	return cmocka_run_group_tests_name("core/buffer", tests, NULL, NULL);
}

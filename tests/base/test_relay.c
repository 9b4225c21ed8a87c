/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/relay.h"
#include "base/thread.h"

enum { SLOTS = 8, ENOUGH = 3, ITEMS = 20000 };

struct passing {
	struct tally_relay relay;
	int slots[SLOTS];
	int nr_taken, leaves_after; /* number of items after which the consumer leaves, or 0 */
	bool in_order;
};

static void *take(void *arg)
{
	struct passing *passing = arg;
	size_t slot;

	while (tally_relay_take(&passing->relay, &slot)) {
		passing->in_order &= passing->slots[slot] == passing->nr_taken;
		passing->nr_taken++;
		tally_relay_return(&passing->relay);
		if (passing->nr_taken == passing->leaves_after) {
			tally_relay_leave(&passing->relay);
			return NULL;
		}
	}
	return NULL;
}

/* Give items until the consumer has left, waiting for it after each `wait_every` items. Returns the
 * number of items given. */
static int give(struct passing *passing, int nr, int wait_every)
{
	size_t slot;
	int i;

	for (i = 0; i < nr && tally_relay_room(&passing->relay, &slot); i++) {
		passing->slots[slot] = i;
		tally_relay_give(&passing->relay);
		if ((i + 1) % wait_every)
			continue;
		tally_relay_wait(&passing->relay);
		if (!passing->leaves_after)
			assert_int_equal(passing->nr_taken, i + 1);
	}
	tally_relay_end(&passing->relay);
	return i;
}

/* Pass items, and return true if that was futile. */
static bool pass(struct passing *passing, int nr, int wait_every)
{
	pthread_t thread;
	bool is_futile;
	int given;

	passing->in_order = true;
	tally_relay_init(&passing->relay, SLOTS, ENOUGH);
	assert_int_equal(tally_thread_start(&thread, take, passing), 0);
	given = give(passing, nr, wait_every);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(passing->in_order);
	if (!passing->leaves_after)
		assert_int_equal(given, nr);
	is_futile = tally_relay_is_futile(&passing->relay);
	tally_relay_free(&passing->relay);
	return is_futile;
}

static void passes_all_items_in_order(void **state)
{
	static const int waits[] = {1, 2, SLOTS, SLOTS + 1, 1000, ITEMS + 1};

	(void)state;
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		struct passing passing = {0};

		pass(&passing, ITEMS, waits[i]);
		assert_int_equal(passing.nr_taken, ITEMS);
	}
}

/* Fewer items than those for which a thread is woken arrive at the end. */
static void passes_few_items(void **state)
{
	(void)state;
	for (int nr = 0; nr < 2 * SLOTS; nr++) {
		struct passing passing = {0};

		pass(&passing, nr, ITEMS);
		assert_int_equal(passing.nr_taken, nr);
	}
}

static void ends_when_the_consumer_leaves(void **state)
{
	(void)state;
	for (int nr = 1; nr < 2 * SLOTS; nr++) {
		struct passing passing = {.leaves_after = nr};

		pass(&passing, ITEMS, nr % 2 ? 5 : ITEMS);
		assert_int_equal(passing.nr_taken, nr);
	}
}

static void waiting_after_each_item_is_futile(void **state)
{
	struct passing passing = {0}, other = {0}, few = {0};

	(void)state;
	assert_true(pass(&passing, 1000, 1));
	assert_false(pass(&other, 1000, 3));
	assert_false(pass(&few, 200, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waiting_after_each_item_is_futile),
		cmocka_unit_test(passes_all_items_in_order),
		cmocka_unit_test(passes_few_items),
		cmocka_unit_test(ends_when_the_consumer_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

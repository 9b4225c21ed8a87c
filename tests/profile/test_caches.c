/* SPDX-License-Identifier: BSD-2-Clause */
/* Check that results stay the same when address caches grow and, with many addresses, evict
 * entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/abi_record.h"
#include "profile/process/machine_private.h"
#include "profile/profile_model.h"

#include <cmocka.h>

enum { PID = 42, BASE = 0x100000, ADDRESSES = 3 * LOCATE_FIRST_SLOTS, ROUNDS = 3 };

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_thread *thread;
};

static int setup(void **state)
{
	static struct fixture f;
	struct perf_event_header header = {PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, 64};
	uint8_t mmap[64] = {0};

	assert_int_equal(tally_symbols_new(NULL, &f.symbols), 0);
	assert_int_equal(tally_machine_new(f.symbols, &f.machine), 0);
	memcpy(mmap, &header, sizeof(header));
	tally_put_u32(mmap + 8, PID);
	tally_put_u32(mmap + 12, PID);
	tally_put_u64(mmap + 16, BASE);
	tally_put_u64(mmap + 24, ADDRESSES);
	strcpy((char *)mmap + 40, "/nonexistent/prog");
	assert_int_equal(tally_machine_record(f.machine, mmap, sizeof(mmap)), 0);
	f.thread = tally_machine_thread(f.machine, PID, PID);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
	return 0;
}

/* Callers found with frame pointers, which are validated. */
static const struct perf_event_attr walked = {.sample_type = PERF_SAMPLE_CALLCHAIN};

/* Add samples. Each address is a separate function, which calls the function at the previous
 * address. */
static void add_all(struct fixture *f, struct tally_profile *profile)
{
	for (uint64_t i = 0; i < ADDRESSES * ROUNDS; i++) {
		uint64_t ips[] = {(uint64_t)PERF_CONTEXT_USER, BASE + i % ADDRESSES,
				  BASE + (i + 1) % ADDRESSES};
		struct tally_sample sample = {.ip = ips[1]};

		sample.callchain = (struct tally_words){(const uint8_t *)ips, 3};
		assert_int_equal(tally_profile_add(profile,
						   &(struct tally_feed_sample){
							   .sample = sample,
							   .attr = &walked,
							   .thread = f->thread,
							   .period = 1,
							   .number = i,
							   .cpumode = PERF_RECORD_MISC_USER}),
				 0);
	}
	assert_int_equal(tally_profile_finish(profile), 0);
}

static void counts_in_profiles_with_growing_caches(void **state)
{
	struct tally_profile_options options = {.by = TALLY_BY_FRAME | TALLY_BY_PATH};
	struct fixture *f = *state;
	struct tally_profile profile;
	size_t first;

	assert_int_equal(tally_profile_init(&profile, f->machine, &options), 0);
	first = profile.address_slots;
	add_all(f, &profile);
	assert_true(profile.address_slots > first && profile.callers_slots > first);
	assert_int_equal(profile.buckets.len, ADDRESSES);
	tally_vec_for_each (bucket, &profile.buckets) {
		assert_int_equal(bucket->nr, ROUNDS);
		assert_int_equal(tally_stacks_get(&profile.stacks, bucket->key.callers).nr, 1);
	}
	tally_profile_free(&profile);
}

static void locates_more_addresses_than_the_cache_has_slots(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < ADDRESSES * ROUNDS; i++) {
		const struct tally_location *where = tally_machine_locate(
			f->machine, f->thread, PERF_RECORD_MISC_USER, BASE + i % ADDRESSES);

		assert_int_equal(where->ip, BASE + i % ADDRESSES);
		assert_int_equal(where->addr, i % ADDRESSES);
	}
	assert_int_equal(f->machine->nr_slots, LOCATE_SLOTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_in_profiles_with_growing_caches, setup,
						teardown),
		cmocka_unit_test_setup_teardown(locates_more_addresses_than_the_cache_has_slots,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

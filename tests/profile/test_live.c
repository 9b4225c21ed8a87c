/* SPDX-License-Identifier: BSD-2-Clause */
/* Test a profile that runs for days. Weights decay and memory is freed, but the results must stay
 * correct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/hash.h"
#include "profile/hist.h"
#include "profile/process/machine_private.h"
#include "random.h"

#include <cmocka.h>

enum { BASE = 0x10000, SIZE = 0x1000, DEPTH = 6 };

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_profile profile;
};

static void setup(struct fixture *f, unsigned by)
{
	struct tally_profile_options options = {.by = by, .is_live = true};

	assert_int_equal(tally_symbols_new(NULL, &f->symbols), 0);
	assert_int_equal(tally_machine_new(f->symbols, &f->machine), 0);
	tally_machine_follow(f->machine);
	assert_int_equal(tally_profile_init(&f->profile, f->machine, &options), 0);
}

static void teardown(struct fixture *f)
{
	tally_profile_free(&f->profile);
	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
}

/* ---- records ----------------------------------------------------------------- */

static void feed(struct fixture *f, uint32_t type, uint16_t misc, uint8_t *record, size_t len)
{
	struct perf_event_header header = {type, misc, (uint16_t)len};

	memcpy(record, &header, sizeof(header));
	assert_int_equal(tally_machine_record(f->machine, record, len), 0);
}

static void feed_task(struct fixture *f, uint32_t type, int pid, int parent)
{
	uint8_t record[32] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)parent);
	tally_put_u32(record + 16, (uint32_t)pid);
	tally_put_u32(record + 20, (uint32_t)parent);
	feed(f, type, 0, record, sizeof(record));
}

static void feed_exec(struct fixture *f, int pid, const char *comm)
{
	uint8_t record[48] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)pid);
	strcpy((char *)record + 16, comm);
	feed(f, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, record, sizeof(record));
}

static void feed_mmap(struct fixture *f, int pid, uint64_t start, const char *name)
{
	uint8_t record[128] = {0};

	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)pid);
	tally_put_u64(record + 16, start);
	tally_put_u64(record + 24, SIZE);
	strcpy((char *)record + 40, name);
	feed(f, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, record, sizeof(record));
}

/* Start a process with its own executable. The executable's name contains the pid. */
static void start_process(struct fixture *f, int pid)
{
	char name[32];

	feed_task(f, PERF_RECORD_FORK, pid, 1);
	snprintf(name, sizeof(name), "comm%d", pid);
	feed_exec(f, pid, name);
	snprintf(name, sizeof(name), "/nowhere/file%d", pid);
	feed_mmap(f, pid, BASE, name);
}

/* Callers found with frame pointers, which are validated. */
static const struct perf_event_attr walked = {.sample_type = PERF_SAMPLE_CALLCHAIN};

/* Add a sample with `depth` frames from `chain`, or without a callchain if `depth` is 0. */
static void add_sample(struct fixture *f, int pid, uint64_t ip, const uint64_t *chain, size_t depth,
		       uint64_t weight)
{
	uint64_t words[DEPTH + 1] = {(uint64_t)PERF_CONTEXT_USER};
	struct tally_sample sample = {.ip = ip};
	struct tally_thread *thread = tally_machine_thread(f->machine, pid, pid);

	for (size_t i = 0; i < depth; i++)
		words[i + 1] = chain[i];
	if (depth)
		sample.callchain = (struct tally_words){(const uint8_t *)words, depth + 1};
	assert_int_equal(
		tally_profile_add(&f->profile,
				  &(struct tally_feed_sample){.sample = sample,
							      .attr = &walked,
							      .thread = thread,
							      .period = weight,
							      .cpumode = PERF_RECORD_MISC_USER}),
		0);
}

static void add_flat(struct fixture *f, int pid, uint64_t ip, uint64_t weight)
{
	add_sample(f, pid, ip, NULL, 0, weight);
}

/* ---- decay ------------------------------------------------------------------- */

static void decay_keeps_seven_eighths(void **state)
{
	struct fixture f;

	setup(&f, TALLY_BY_FRAME);
	for (int i = 0; i < 16; i++)
		add_flat(&f, 5, BASE, 1000);
	assert_int_equal(tally_profile_decay(&f.profile), 0);
	assert_int_equal(f.profile.buckets.len, 1);
	assert_int_equal(f.profile.buckets.data[0].nr, 14);
	assert_int_equal(f.profile.buckets.data[0].period, 14000);
	assert_int_equal(f.profile.totals.data[0].period, 14000);
	assert_int_equal(f.profile.totals.data[0].period_shown, 14000);
	teardown(&f);
}

static void drops_negligible_buckets(void **state)
{
	struct fixture f;

	setup(&f, TALLY_BY_FRAME);
	add_flat(&f, 5, BASE, 1ull << 30);
	add_flat(&f, 5, BASE + 8, 1);
	add_flat(&f, 5, BASE + 16, 1ull << 12);
	assert_int_equal(tally_profile_decay(&f.profile), 0);
	assert_int_equal(f.profile.buckets.len, 2);
	assert_int_equal(f.profile.totals.data[0].period_shown,
			 (1ull << 30) / 8 * 7 + (1ull << 12) / 8 * 7);
	/* New samples are added to the remaining buckets. */
	add_flat(&f, 5, BASE + 16, 1);
	add_flat(&f, 5, BASE, 1);
	assert_int_equal(tally_profile_finish(&f.profile), 0);
	assert_int_equal(f.profile.buckets.len, 2);
	assert_int_equal(f.profile.buckets.data[0].period, (1ull << 30) / 8 * 7 + 1);
	assert_int_equal(f.profile.buckets.data[1].period, (1ull << 12) / 8 * 7 + 1);
	teardown(&f);
}

static void decays_to_nothing_without_samples(void **state)
{
	struct fixture f;
	int rounds = 0;

	setup(&f, TALLY_BY_FRAME | TALLY_BY_PATH);
	add_flat(&f, 5, BASE, UINT64_MAX / 2);
	do {
		assert_int_equal(tally_profile_decay(&f.profile), 0);
		assert_true(!f.profile.buckets.len || f.profile.buckets.data[0].nr >= 1);
	} while (f.profile.buckets.len && ++rounds < 1000);
	assert_in_range(rounds, 200, 400);
	teardown(&f);
}

static void zero_drops_all_samples(void **state)
{
	struct fixture f;

	setup(&f, TALLY_BY_FRAME);
	add_flat(&f, 5, BASE, 7);
	tally_profile_zero(&f.profile);
	assert_int_equal(f.profile.buckets.len, 0);
	assert_int_equal(f.profile.totals.data[0].period, 0);
	add_flat(&f, 5, BASE, 3);
	assert_int_equal(tally_profile_finish(&f.profile), 0);
	assert_int_equal(f.profile.buckets.len, 1);
	assert_int_equal(f.profile.buckets.data[0].period, 3);
	teardown(&f);
}

/* ---- garbage collection ------------------------------------------------------ */

static uint64_t hash_frame(const struct fixture *f, uint32_t number, uint64_t hash)
{
	const struct tally_frame *frame = &f->profile.frames.all.data[number];
	const char *name = frame->dso ? tally_dso_name(frame->dso) : "";

	return tally_hash_bytes(name, strlen(name), tally_hash_u64(hash, frame->addr));
}

/* Return a hash over all buckets: the sum of the hashes of their names and frames, each multiplied
 * by the bucket's period. The hash does not depend on bucket or frame numbers. */
static uint64_t fingerprint(struct fixture *f)
{
	uint64_t sum = 0;

	assert_int_equal(tally_profile_finish(&f->profile), 0);
	tally_vec_for_each (bucket, &f->profile.buckets) {
		const struct tally_thread *thread =
			tally_machine_thread_at(f->machine, bucket->key.thread);
		const char *comm =
			tally_intern_text(tally_machine_comms(f->machine), bucket->key.comm);
		struct tally_stack callers =
			tally_stacks_get(&f->profile.stacks, bucket->key.callers);
		uint64_t hash = tally_hash_bytes(comm, strlen(comm), (uint64_t)thread->tid);

		hash = hash_frame(f, bucket->key.leaf - 1, hash);
		for (uint32_t i = 0; i < callers.nr; i++)
			hash = hash_frame(f, callers.frames[i], hash);
		sum += hash * bucket->period;
	}
	return sum;
}

static void age(struct fixture *f, int rounds)
{
	for (int i = 0; i < rounds; i++)
		assert_int_equal(tally_profile_decay(&f->profile), 0);
}

static size_t expire(struct fixture *f)
{
	return tally_machine_expire(f->machine, NULL);
}

static void frees_memory_of_exited_tasks(void **state)
{
	enum { MANY = 3000, ONE = 100000 };
	struct fixture f;

	setup(&f, TALLY_BY_COMM | TALLY_BY_THREAD | TALLY_BY_FRAME);
	start_process(&f, ONE);
	for (int pid = 10; pid < 10 + MANY; pid++) {
		start_process(&f, pid);
		add_flat(&f, pid, BASE + 8, 1);
		feed_task(&f, PERF_RECORD_EXIT, pid, 1);
	}
	assert_int_equal(tally_profile_collect(&f.profile, expire(&f)), 0);
	/* Names of exited tasks are kept while their samples are shown. */
	assert_true(f.machine->all_threads.len > MANY);
	add_flat(&f, ONE, BASE + 8, 1ull << 40);
	age(&f, 1);
	assert_int_equal(f.profile.buckets.len, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tally_profile_collect(&f.profile, expire(&f)), 0);
	assert_int_equal(f.machine->all_threads.len, 3); /* the idle task, 1 and ONE */
	assert_int_equal(f.machine->comms.strings.len, 3);
	assert_int_equal(tally_symbols_nr_dsos(f.symbols), 1);
	assert_int_equal(f.profile.frames.all.len, 1);
	assert_string_equal(tally_dso_name(f.profile.frames.all.data[0].dso),
			    "/nowhere/file100000");
	/* New samples are added to the same bucket. */
	add_flat(&f, ONE, BASE + 8, 1);
	assert_int_equal(tally_profile_finish(&f.profile), 0);
	assert_int_equal(f.profile.buckets.len, 1);
	assert_int_equal(f.profile.buckets.data[0].period, (1ull << 40) / 8 * 7 + 1);
	teardown(&f);
}

static void names_late_samples_of_exited_tasks(void **state)
{
	struct fixture f;

	setup(&f, TALLY_BY_COMM | TALLY_BY_FRAME);
	start_process(&f, 7);
	feed_task(&f, PERF_RECORD_EXIT, 7, 1);
	assert_int_equal(tally_profile_collect(&f.profile, 1 << 20), 0);
	assert_string_equal(tally_machine_comm(f.machine, tally_machine_thread(f.machine, 7, 7)),
			    "comm7");
	teardown(&f);
}

static bool odd_is_gone(int32_t pid, int32_t tid)
{
	return tid & 1;
}

static void expires_tasks_whose_exit_was_not_recorded(void **state)
{
	struct fixture f;

	setup(&f, TALLY_BY_FRAME);
	for (int pid = 2; pid < 12; pid++)
		start_process(&f, pid);
	assert_int_equal(tally_machine_expire(f.machine, odd_is_gone), 6); /* includes task 1 */
	for (int i = 0; i < 3; i++)
		assert_int_equal(tally_profile_collect(&f.profile, 1 << 20), 0);
	assert_int_equal(f.machine->all_threads.len, 6); /* includes the idle task */
	teardown(&f);
}

static void exec_drops_mappings(void **state)
{
	struct fixture f;

	setup(&f, TALLY_BY_FRAME);
	start_process(&f, 7);
	feed_exec(&f, 7, "other");
	add_flat(&f, 7, BASE + 8, 1);
	assert_int_equal(tally_profile_finish(&f.profile), 0);
	assert_null(f.profile.frames.all.data[0].dso);
	teardown(&f);
}

/* Add a random task or sample to a profile. One profile is garbage-collected repeatedly and the
 * other is not; their fingerprints must always be equal. */
static void random_step(struct random *random, struct fixture *f, int pid, uint64_t what)
{
	uint64_t chain[DEPTH];
	size_t depth = 1 + what % DEPTH;

	if (what % 13 == 0) {
		feed_task(f, PERF_RECORD_EXIT, pid, 1);
		start_process(f, pid);
		return;
	}
	for (size_t i = 0; i < depth; i++)
		chain[i] = BASE + random_below(random, 5) * 16;
	add_sample(f, pid, chain[0], chain, depth, 1 + what % 1000);
}

static void garbage_collection_keeps_results(void **state)
{
	enum { ROUNDS = 60, STEPS = 400, PIDS = 40 };
	unsigned by = TALLY_BY_COMM | TALLY_BY_THREAD | TALLY_BY_FRAME | TALLY_BY_PATH;
	struct random random = random_start();
	struct fixture swept, kept;

	setup(&swept, by);
	setup(&kept, by);
	for (int pid = 10; pid < 10 + PIDS; pid++) {
		start_process(&swept, pid);
		start_process(&kept, pid);
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (int step = 0; step < STEPS; step++) {
			int pid = 10 + (int)random_below(&random, PIDS);
			uint64_t what = random_u64(&random);
			struct random same = random;

			random_step(&random, &swept, pid, what);
			random_step(&same, &kept, pid, what);
		}
		age(&swept, 12);
		age(&kept, 12);
		/* Garbage-collect as if many tasks had exited. */
		(void)expire(&swept);
		assert_int_equal(tally_profile_collect(&swept.profile, 1 << 20), 0);
		assert_int_equal(fingerprint(&swept), fingerprint(&kept));
	}
	assert_true(swept.machine->all_threads.len < kept.machine->all_threads.len / 2);
	teardown(&kept);
	teardown(&swept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decay_keeps_seven_eighths),
		cmocka_unit_test(drops_negligible_buckets),
		cmocka_unit_test(decays_to_nothing_without_samples),
		cmocka_unit_test(zero_drops_all_samples),
		cmocka_unit_test(frees_memory_of_exited_tasks),
		cmocka_unit_test(names_late_samples_of_exited_tasks),
		cmocka_unit_test(expires_tasks_whose_exit_was_not_recorded),
		cmocka_unit_test(exec_drops_mappings),
		cmocka_unit_test(garbage_collection_keeps_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

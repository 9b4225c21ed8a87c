/* SPDX-License-Identifier: BSD-2-Clause */
/* Test broken callchains, which must end at the first invalid return address. Random chains consist
 * of words of known kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "profile/profile_model.h"
#include "random.h"
#include "symbols/elf_image.h"

#include <cmocka.h>

enum { PID = 42, STRANGER = 43, SAMPLES = 2000, DEPTH = 8, PAGE = 0x1000 };

/* Kinds of addresses in the process. */
enum place {
	MISSING_FILE,   /* code of a missing file */
	JITTED,         /* code in memory without a file */
	AFTER_CALL,     /* after a call in an existing file */
	NOT_AFTER_CALL, /* elsewhere in that file */
	DATA,           /* data of the missing file */
	NOWHERE,
	MARKER, /* has the value of a context marker */
	PLACES,
};

static const uint64_t starts[] = {
	[MISSING_FILE] = 0x400000, [JITTED] = 0x500000,
	[AFTER_CALL] = 0x600000,   [NOT_AFTER_CALL] = 0x600000,
	[DATA] = 0x700000,         [NOWHERE] = 0xbad00000,
	[MARKER] = -1ull,
};

static bool is_caller(enum place place)
{
	return place == MISSING_FILE || place == JITTED || place == AFTER_CALL;
}

/* Callers found with frame pointers, which are validated, and callers found by an unwinder. */
static const struct perf_event_attr walked = {.sample_type = PERF_SAMPLE_CALLCHAIN};
static const struct perf_event_attr unwound_attr = {0};

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_profile profile;
	const struct perf_event_attr *attr; /* of the samples to add */
	char path[64];
};

/* ---- the machine ------------------------------------------------------------- */

static void feed_mmap(struct fixture *f, int pid, enum place place, uint64_t pgoff,
		      const char *name)
{
	uint8_t record[128] = {0};
	struct perf_event_header header = {PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(record)};

	if (place == DATA)
		header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	memcpy(record, &header, sizeof(header));
	tally_put_u32(record + 8, (uint32_t)pid);
	tally_put_u32(record + 12, (uint32_t)pid);
	tally_put_u64(record + 16, starts[place]);
	tally_put_u64(record + 24, PAGE);
	tally_put_u64(record + 32, pgoff);
	strcpy((char *)record + 40, name);
	assert_int_equal(tally_machine_record(f->machine, record, sizeof(record)), 0);
}

/* Offsets of the entry function, where callchains end, and of an ordinary function. */
enum { START = 0x800, MAIN = 0xa00 };

/* Write a page of code: each 16 bytes contain a 5-byte call, followed by bytes that are not a
 * call. */
static void write_code(struct fixture *f)
{
	static const struct image_symbol functions[] = {
		{"__libc_start_main@@GLIBC_2.34", IMAGE_TEXT + START, 0x100, STB_GLOBAL, STT_FUNC},
		{"__libc_start_mainly", IMAGE_TEXT + MAIN, 0x100, STB_GLOBAL, STT_FUNC},
	};
	struct image image;
	int fd = mkstemp(strcpy(f->path, "/tmp/tally-astray-XXXXXX"));

	image_build(&image, true, false, functions, 2);
	assert_true(image.len <= PAGE && fd >= 0);
	for (size_t i = 0; i < PAGE; i++)
		image.data[PAGE + i] = i % 16 ? i % 16 < 5 ? 0 : 0xcc : 0xe8;
	assert_int_equal(write(fd, image.data, 2 * PAGE), 2 * PAGE);
	close(fd);
}

static void setup(struct fixture *f, const struct tally_profile_options *options)
{
	memset(f, 0, sizeof(*f));
	f->attr = &walked;
	write_code(f);
	assert_int_equal(tally_symbols_new(NULL, &f->symbols), 0);
	assert_int_equal(tally_machine_new(f->symbols, &f->machine), 0);
	if (options->is_live)
		tally_machine_follow(f->machine);
	assert_int_equal(tally_profile_init(&f->profile, f->machine, options), 0);
	feed_mmap(f, PID, MISSING_FILE, 0, "/nonexistent/prog");
	feed_mmap(f, PID, JITTED, 0, "//anon");
	feed_mmap(f, PID, AFTER_CALL, PAGE, f->path);
	feed_mmap(f, PID, DATA, PAGE, "/nonexistent/prog");
}

static void teardown(struct fixture *f)
{
	tally_profile_free(&f->profile);
	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
	unlink(f->path);
}

static uint64_t random_word(struct random *random, enum place place)
{
	uint64_t at = random_below(random, 4) * 16;

	switch (place) {
	case AFTER_CALL: return starts[place] + at + 5;
	case NOT_AFTER_CALL: return starts[place] + at + 6 + random_below(random, 4);
	case MARKER: return starts[place] - random_below(random, 700);
	default: return starts[place] + at;
	}
}

static int add(struct fixture *f, int pid, const uint64_t *words, uint64_t nr, uint32_t cpu)
{
	struct tally_thread *thread = tally_machine_thread(f->machine, pid, pid);
	struct tally_sample sample = {
		.ip = words[1],
		.cpu = cpu,
		.callchain = {(const uint8_t *)words, nr},
	};
	bool in_kernel = words[0] == (uint64_t)PERF_CONTEXT_KERNEL;

	return tally_profile_add(
		&f->profile,
		&(struct tally_feed_sample){.sample = sample,
					    .attr = f->attr,
					    .thread = thread,
					    .period = 1,
					    .number = cpu,
					    .cpumode = in_kernel ? PERF_RECORD_MISC_KERNEL
								 : PERF_RECORD_MISC_USER});
}

/* ---- random chains ------------------------------------------------------------- */

/* A callchain and the frames expected from it. */
struct chain {
	uint64_t words[2 * DEPTH + 4], shown[2 * DEPTH + 4];
	size_t nr, nr_shown; /* `shown` does not include markers */
	bool is_raw, is_astray;
};

static const uint64_t kernel_text = 0xffffffff81000000;

static void chain_push(struct chain *chain, uint64_t word)
{
	chain->words[chain->nr++] = word;
	if (!chain->is_astray)
		chain->shown[chain->nr_shown++] = word;
}

static struct chain random_chain(struct random *random)
{
	struct chain chain = {.is_raw = random_below(random, 4) == 0};
	uint64_t inner = random_below(random, 3), outer = random_below(random, DEPTH);

	if (inner)
		chain.words[chain.nr++] = (uint64_t)PERF_CONTEXT_KERNEL;
	for (uint64_t i = 0; i < inner; i++)
		chain_push(&chain, kernel_text + random_below(random, 4));
	if (inner && !outer)
		return chain;
	chain.words[chain.nr++] = (uint64_t)PERF_CONTEXT_USER;
	/* The sampled address may be of any kind. */
	chain_push(&chain, random_word(random, (enum place)random_below(random, MARKER)));
	for (uint64_t i = 1; i < outer; i++) {
		enum place place = random_below(random, 4)
					   ? (enum place)random_below(random, NOT_AFTER_CALL)
					   : (enum place)random_below(random, PLACES);

		if (chain.is_raw && place == MARKER)
			continue; /* this word would be mistaken for a marker */
		chain.is_astray |= !chain.is_raw && !is_caller(place);
		chain_push(&chain, random_word(random, place));
	}
	return chain;
}

static const char *name_of(const struct tally_frame *frame)
{
	return tally_symbol_name(frame->dso, frame->symbol);
}

static bool frame_is(const struct fixture *f, uint32_t number, uint64_t word)
{
	const struct tally_frame *frame = &f->profile.frames.all.data[number];
	uint64_t addr = word;

	if (frame->symbol && !strcmp(name_of(frame), TALLY_CUT))
		return false;
	/* Frames in files are identified by file offset. */
	if (word - starts[MISSING_FILE] < PAGE)
		addr = word - starts[MISSING_FILE];
	else if (word - starts[AFTER_CALL] < PAGE || word - starts[DATA] < PAGE)
		addr = word % PAGE + PAGE;
	return frame->addr == addr;
}

static void stack_check(const struct fixture *f, const struct tally_bucket *bucket,
			const struct chain *chain)
{
	struct tally_stack stack = tally_stacks_get(&f->profile.stacks, bucket->key.callers);
	const struct tally_frame *last;

	assert_int_equal(stack.nr + 1, chain->nr_shown + chain->is_astray);
	assert_true(frame_is(f, bucket->key.leaf - 1, chain->shown[0]));
	for (size_t i = 1; i < chain->nr_shown; i++)
		assert_true(frame_is(f, stack.frames[i - 1], chain->shown[i]));
	if (!chain->is_astray)
		return;
	last = &f->profile.frames.all.data[stack.frames[stack.nr - 1]];
	assert_string_equal(name_of(last), TALLY_CUT);
	assert_string_equal(tally_dso_name(last->dso), TALLY_CUT);
}

/* Check that each chain ends with [cut] at the first invalid return address. The result must not
 * depend on whether the address has been seen before: in another chain, as a sampled address, or in
 * a chain that is not validated. */
static void ends_chains_at_the_first_invalid_caller(void **state)
{
	struct tally_profile_options options = {.by = TALLY_BY_CPU | TALLY_BY_PATH};
	static struct chain chains[SAMPLES];
	struct random random = random_start();
	uint64_t astray = 0, judged = 0;
	struct fixture f;

	setup(&f, &options);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		chains[i] = random_chain(&random);
		f.profile.options.raw_chains = chains[i].is_raw;
		f.attr = chains[i].is_raw && !(i % 2) ? &unwound_attr : &walked;
		astray += chains[i].is_astray;
		judged += !chains[i].is_raw;
		assert_int_equal(add(&f, PID, chains[i].words, chains[i].nr, i), 0);
	}
	assert_int_equal(tally_profile_finish(&f.profile), 0);
	assert_int_equal(f.profile.stats.astray, astray);
	assert_int_equal(f.profile.stats.judged, judged);
	assert_int_equal(f.profile.stats.bad_chains, 0);
	assert_true(astray > SAMPLES / 10 && astray < judged);
	assert_int_equal(f.profile.buckets.len, SAMPLES);
	tally_vec_for_each (bucket, &f.profile.buckets)
		stack_check(&f, bucket, &chains[bucket->key.cpu]);
	teardown(&f);
}

/* ---- single chains --------------------------------------------------------------- */

/* Add a chain, and check its number of callers and the total number of broken chains. */
static void expect(struct fixture *f, int pid, const uint64_t *words, uint64_t nr, uint32_t callers,
		   uint64_t astray)
{
	const struct tally_bucket *bucket;

	assert_int_equal(add(f, pid, words, nr, (uint32_t)f->profile.buckets.len), 0);
	assert_int_equal(tally_profile_flush(&f->profile), 0);
	bucket = &f->profile.buckets.data[f->profile.buckets.len - 1];
	assert_int_equal(tally_stacks_get(&f->profile.stacks, bucket->key.callers).nr, callers);
	assert_int_equal(f->profile.stats.astray, astray);
}

/* Callers are validated only if the kernel recorded them using frame pointers and the process's
 * mappings are known. */
static void validates_only_frame_pointer_chains_of_known_processes(void **state)
{
	struct tally_profile_options options = {.by = TALLY_BY_CPU | TALLY_BY_PATH};
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER;
	const uint64_t guest = (uint64_t)PERF_CONTEXT_GUEST_USER;
	const uint64_t words[] = {user, starts[MISSING_FILE], starts[NOWHERE],
				  starts[MISSING_FILE]};
	const uint64_t unwound[] = {guest, starts[MISSING_FILE], starts[NOWHERE],
				    starts[MISSING_FILE]};
	struct fixture f;

	setup(&f, &options);
	expect(&f, PID, words, 4, 1, 1);
	/* The mappings of another process are unknown. */
	expect(&f, STRANGER, words, 4, 2, 1);
	f.profile.options.raw_chains = true;
	expect(&f, PID, words, 4, 2, 1);
	f.profile.options.raw_chains = false;
	expect(&f, PID, unwound, 4, 2, 1);
	expect(&f, PID, words, 4, 1, 2);
	/* The process gets its first mapping. */
	feed_mmap(&f, STRANGER, MISSING_FILE, 0, "/nonexistent/prog");
	expect(&f, STRANGER, words, 4, 1, 3);
	teardown(&f);
}

/* An entry function has no caller, so the words after it are dropped, and the chain does not count
 * as broken. */
static void ends_chains_at_the_entry_function(void **state)
{
	struct tally_profile_options options = {.by = TALLY_BY_CPU | TALLY_BY_PATH};
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER, bad = starts[NOWHERE];
	const uint64_t start = starts[AFTER_CALL] + START + 5,
		       other = starts[AFTER_CALL] + MAIN + 5;
	const uint64_t begun[] = {user, starts[MISSING_FILE], other, start, bad, other};
	const uint64_t by_code[] = {user, starts[MISSING_FILE], other, start, start + 1, other};
	const uint64_t named[] = {user, starts[MISSING_FILE], other, bad};
	const uint64_t through[] = {user, starts[MISSING_FILE], start, other, bad};
	const uint64_t first[] = {user, start, bad};
	struct fixture f;

	setup(&f, &options);
	for (int again = 0; again < 2; again++) {
		uint64_t astray = f.profile.stats.astray;

		expect(&f, PID, begun, 6, 2, astray);
		expect(&f, PID, by_code, 6, 2, astray);
		expect(&f, PID, named, 4, 2, astray + 1);
		expect(&f, PID, through, 5, 3, astray + 2);
		/* A sampled address in the entry function does not end the chain. */
		expect(&f, PID, first, 3, 1, astray + 3);
	}
	assert_int_equal(f.profile.stats.judged, 10);
	teardown(&f);
}

/* [cut] counts against the limit. A chain that exceeds the limit does not end with [cut]. */
static void counts_the_cut_mark_against_max_stack(void **state)
{
	struct tally_profile_options options = {.by = TALLY_BY_CPU | TALLY_BY_PATH, .max_stack = 3};
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER, good = starts[MISSING_FILE];
	const uint64_t late[] = {user, good, good, good, starts[NOWHERE]};
	const uint64_t last[] = {user, good, good, starts[NOWHERE], good};
	struct fixture f;

	setup(&f, &options);
	expect(&f, PID, late, 5, 2, 0);
	assert_int_equal(f.profile.stats.cut_chains, 1);
	expect(&f, PID, last, 5, 2, 1);
	assert_int_equal(f.profile.stats.cut_chains, 1);
	teardown(&f);
}

/* Check that [cut] is still recognized after a garbage collection, whatever its frame number. */
static void finds_the_cut_mark_after_garbage_collection(void **state)
{
	struct tally_profile_options options = {.by = TALLY_BY_CPU | TALLY_BY_PATH,
						.is_live = true};
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER;
	uint64_t words[] = {user, starts[MISSING_FILE], starts[AFTER_CALL] + 5,
			    starts[NOT_AFTER_CALL] + 6};
	struct fixture f;

	setup(&f, &options);
	for (int turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < 6000; i++) {
			words[1] = starts[MISSING_FILE] + i % PAGE;
			assert_int_equal(add(&f, PID, words, 4, i), 0);
		}
		assert_int_equal(tally_profile_finish(&f.profile), 0);
		assert_int_equal(f.profile.stats.astray, 6000 * (turn + 1));
		assert_int_equal(f.profile.buckets.len, 6000);
		tally_vec_for_each (bucket, &f.profile.buckets) {
			struct tally_stack stack =
				tally_stacks_get(&f.profile.stacks, bucket->key.callers);

			assert_int_equal(stack.nr, 2);
			assert_string_equal(name_of(&f.profile.frames.all.data[stack.frames[1]]),
					    TALLY_CUT);
		}
		tally_profile_zero(&f.profile);
		assert_int_equal(tally_profile_collect(&f.profile, 0), 0);
		assert_int_equal(f.profile.frames.all.len, 0);
	}
	teardown(&f);
}

/* In a second pass, only the callers of marked buckets are validated. */
static void validates_callers_in_the_second_pass(void **state)
{
	struct tally_profile_options options = {.by = TALLY_BY_CPU, .second_pass = true};
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER;
	const uint64_t words[] = {user, starts[MISSING_FILE], starts[NOWHERE]};
	const uint64_t *wanted;
	struct fixture f;
	uint64_t nr;

	setup(&f, &options);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(add(&f, PID, words, 3, i), 0);
	assert_int_equal(tally_profile_flush(&f.profile), 0);
	assert_int_equal(f.profile.stats.chains, 4);
	assert_int_equal(f.profile.stats.judged, 0);
	for (uint8_t i = 0; i < 4; i++)
		assert_int_equal(tally_vec_push(&f.profile.marked, i % 2), 0);
	assert_int_equal(tally_profile_second_pass(&f.profile, &wanted, &nr), 1);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(add(&f, PID, words, 3, i), 0);
	assert_int_equal(tally_profile_finish(&f.profile), 0);
	assert_int_equal(f.profile.stats.judged, 2);
	assert_int_equal(f.profile.stats.astray, 2);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_chains_at_the_first_invalid_caller),
		cmocka_unit_test(validates_only_frame_pointer_chains_of_known_processes),
		cmocka_unit_test(ends_chains_at_the_entry_function),
		cmocka_unit_test(counts_the_cut_mark_against_max_stack),
		cmocka_unit_test(finds_the_cut_mark_after_garbage_collection),
		cmocka_unit_test(validates_callers_in_the_second_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

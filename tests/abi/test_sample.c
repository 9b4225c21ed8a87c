/* SPDX-License-Identifier: BSD-2-Clause */
/* Property test: encoding random samples, decoding them and encoding them again yields the same
 * bytes, in both byte orders, for every valid combination of sample_type and read_format. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "abi/abi_record.h"
#include "abi/abi_sample.h"
#include "random.h"

#include <cmocka.h>

static uint8_t pool[1 << 16];

static struct tally_words random_words(struct random *random, uint64_t nr)
{
	return (struct tally_words){pool + random_below(random, 4096), nr};
}

static struct tally_bytes random_bytes(struct random *random, uint64_t len)
{
	return (struct tally_bytes){pool + random_below(random, 4096), len};
}

static struct perf_event_attr random_attr(struct random *random, uint64_t sample_type)
{
	struct perf_event_attr attr = {.sample_type = sample_type};

	attr.read_format = random_below(random, PERF_FORMAT_MAX);
	attr.branch_sample_type = random_below(random, PERF_SAMPLE_BRANCH_MAX);
	attr.sample_regs_user = random_u64(random);
	attr.sample_regs_intr = random_u64(random);
	attr.sample_id_all = random_below(random, 2);
	return attr;
}

/* Return vector and predicate registers, in one of two buffers, as a sample has two sets. */
static struct tally_words random_simd(struct random *random)
{
	static uint64_t sets[2][TALLY_SIMD_HEAD + 64];
	static unsigned next;
	uint64_t *set = sets[next++ % 2];

	for (int i = 0; i < TALLY_SIMD_HEAD; i++)
		set[i] = random_below(random, 5);
	for (int i = TALLY_SIMD_HEAD; i < TALLY_SIMD_HEAD + 64; i++)
		set[i] = random_u64(random);
	return (struct tally_words){(uint8_t *)set, TALLY_SIMD_HEAD + tally_simd_words(set)};
}

static struct tally_regs random_regs(struct random *random, uint64_t mask)
{
	struct tally_regs regs = {.abi = random_below(random, 3), .mask = mask};

	if (regs.abi)
		regs.values = random_words(random, (uint64_t)__builtin_popcountll(mask));
	if (regs.abi && random_below(random, 2)) {
		regs.abi |= PERF_SAMPLE_REGS_ABI_SIMD;
		regs.simd = random_simd(random);
	}
	return regs;
}

static uint64_t read_stride(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

static struct tally_read random_read(struct random *random, uint64_t format)
{
	struct tally_read read = {.format = format, .nr = 1};

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		read.time_enabled = random_u64(random);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		read.time_running = random_u64(random);
	if (format & PERF_FORMAT_GROUP) {
		read.nr = random_below(random, 9);
		read.group = random_words(random, read.nr * read_stride(format));
		return read;
	}
	read.single.value = random_u64(random);
	if (format & PERF_FORMAT_ID)
		read.single.id = random_u64(random);
	if (format & PERF_FORMAT_LOST)
		read.single.lost = random_u64(random);
	return read;
}

static struct tally_sample random_sample(struct random *random, const struct perf_event_attr *attr)
{
	struct tally_sample s;
	uint64_t branches = random_below(random, 5);

	random_fill(random, &s, sizeof(s));
	s.read = random_read(random, attr->read_format);
	s.callchain = random_words(random, random_below(random, 64));
	s.raw = random_bytes(random, 4 + 8 * random_below(random, 20));
	s.branches = random_words(random, 3 * branches);
	s.branch_counters = random_words(random, branches);
	s.regs_user = random_regs(random, attr->sample_regs_user);
	s.regs_intr = random_regs(random, attr->sample_regs_intr);
	s.stack_user_size = 8 * random_below(random, 64);
	s.stack_user = random_bytes(random, random_below(random, s.stack_user_size + 1));
	s.aux = random_bytes(random, 8 * random_below(random, 16));
	return s;
}

static void check_words(struct tally_words a, struct tally_words b)
{
	assert_int_equal(a.nr, b.nr);
	if (a.nr)
		assert_memory_equal(a.data, b.data, 8 * a.nr);
}

static void check_bytes(struct tally_bytes a, struct tally_bytes b)
{
	assert_int_equal(a.len, b.len);
	if (a.len)
		assert_memory_equal(a.data, b.data, a.len);
}

static void check_read(const struct tally_read *a, const struct tally_read *b)
{
	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->time_enabled, b->time_enabled);
	assert_int_equal(a->time_running, b->time_running);
	for (uint64_t i = 0; i < a->nr; i++) {
		struct tally_read_value x = tally_read_get(a, i), y = tally_read_get(b, i);

		assert_memory_equal(&x, &y, sizeof(x));
	}
}

static void check_field(const struct tally_sample_field *field, const struct tally_sample *a,
			const struct tally_sample *b)
{
	const uint8_t *x = (const uint8_t *)a + field->offset;
	const uint8_t *y = (const uint8_t *)b + field->offset;

	switch ((enum tally_sample_kind)field->kind) {
	case TALLY_SAMPLE_U64:
	case TALLY_SAMPLE_PAIR:
	case TALLY_SAMPLE_WEIGHT: assert_memory_equal(x, y, 8); break;
	case TALLY_SAMPLE_READ: check_read(&a->read, &b->read); break;
	case TALLY_SAMPLE_CALLCHAIN: check_words(a->callchain, b->callchain); break;
	case TALLY_SAMPLE_RAW: check_bytes(a->raw, b->raw); break;
	case TALLY_SAMPLE_BRANCH: check_words(a->branches, b->branches); break;
	case TALLY_SAMPLE_REGS:
		check_words(((struct tally_regs *)x)->values, ((struct tally_regs *)y)->values);
		check_words(((struct tally_regs *)x)->simd, ((struct tally_regs *)y)->simd);
		break;
	case TALLY_SAMPLE_STACK: check_bytes(a->stack_user, b->stack_user); break;
	case TALLY_SAMPLE_AUX: check_bytes(a->aux, b->aux); break;
	}
}

static void round_trip(struct random *random, uint64_t sample_type)
{
	static uint8_t bytes[65536], other[65536];
	struct perf_event_attr attr = random_attr(random, sample_type);
	struct tally_sample sample = random_sample(random, &attr), back;
	struct tally_sample_layout layout;
	struct tally_error err = {0};
	size_t len, len2;

	assert_int_equal(tally_sample_layout_init(&layout, &attr), 0);
	assert_int_equal(tally_sample_encode(&layout, &sample, 2, bytes, sizeof(bytes), &len), 0);
	assert_int_equal(len, tally_sample_size(&layout, &sample));
	assert_int_equal(tally_sample_decode(&layout, bytes, len, &back, &err), 0);
	assert_int_equal(back.present, sample_type);
	for (int i = 0; i < layout.nr; i++)
		check_field(&tally_sample_fields[layout.rows[i]], &sample, &back);
	assert_int_equal(tally_sample_encode(&layout, &back, 2, other, sizeof(other), &len2), 0);
	assert_int_equal(len, len2);
	assert_memory_equal(bytes, other, len);
	/* Swap to the other byte order and back. */
	assert_int_equal(tally_sample_swap(&layout, other, len, true, &err), 0);
	assert_int_equal(tally_sample_swap(&layout, other, len, false, &err), 0);
	assert_memory_equal(bytes, other, len);
	if (layout.sample_id >= 0)
		assert_int_equal(tally_get_u64(bytes + layout.sample_id),
				 sample_type & PERF_SAMPLE_IDENTIFIER ? sample.identifier
								      : sample.id);
	if (layout.sample_time >= 0)
		assert_int_equal(tally_get_u64(bytes + layout.sample_time), sample.time);
}

static void samples_of_every_type_round_trip(void **state)
{
	struct random random = random_start();

	random_fill(&random, pool, sizeof(pool));
	for (size_t i = 0; i < tally_sample_nr_fields; i++) {
		uint64_t bits = tally_sample_fields[i].bit;

		for (int n = 0; n < 200; n++)
			round_trip(&random, bits & -bits);
	}
	for (int n = 0; n < 60000; n++)
		round_trip(&random, random_below(&random, PERF_SAMPLE_MAX));
}

static void every_read_format_round_trips(void **state)
{
	struct random random = random_start();
	uint8_t bytes[1024];

	for (uint64_t format = 0; format < PERF_FORMAT_MAX; format++) {
		for (int n = 0; n < 50; n++) {
			struct tally_read read = random_read(&random, format), back;
			size_t used, len = tally_read_size(format, read.nr);

			tally_read_encode(&read, bytes);
			assert_int_equal(tally_read_decode(bytes, len, format, &back, &used, NULL),
					 0);
			assert_int_equal(used, len);
			check_read(&read, &back);
			assert_int_equal(
				tally_read_decode(bytes, len - 1, format, &back, &used, NULL),
				-EINVAL);
		}
	}
}

/* A sample truncated at any offset is rejected or decoded, but never read past its end (ASan checks
 * this). */
static void truncated_samples_are_rejected(void **state)
{
	struct random random = random_start();
	uint8_t bytes[65536];

	for (int n = 0; n < 3000; n++) {
		struct perf_event_attr attr =
			random_attr(&random, random_below(&random, PERF_SAMPLE_MAX));
		struct tally_sample sample = random_sample(&random, &attr), back;
		struct tally_sample_layout layout;
		size_t len, cut;
		uint8_t *copy;

		assert_int_equal(tally_sample_layout_init(&layout, &attr), 0);
		assert_int_equal(
			tally_sample_encode(&layout, &sample, 0, bytes, sizeof(bytes), &len), 0);
		cut = random_below(&random, len);
		copy = malloc(cut + 1);
		memcpy(copy, bytes, cut);
		if (tally_sample_decode(&layout, copy, cut, &back, NULL) == 0)
			assert_true(len - cut < 8);
		for (size_t i = 8; i < cut; i++)
			copy[i] ^= (uint8_t)(random_u64(&random) & random_u64(&random));
		tally_sample_decode(&layout, copy, cut, &back, NULL);
		tally_sample_swap(&layout, copy, cut, true, NULL);
		free(copy);
	}
}

/* If the members of a register set are not known, the fields after it are not guessed. */
static void unknown_register_abis_are_rejected(void **state)
{
	static const struct {
		uint64_t abi;
		int ret;
	} cases[] = {{0, 0},
		     {1, 0},
		     {2, 0},
		     {5, 0},
		     {6, 0},
		     {3, -EINVAL},
		     {4, -EINVAL},
		     {7, -EINVAL},
		     {8, -EINVAL},
		     {10, -EINVAL},
		     {1ull << 63 | 2, -EINVAL}};
	struct perf_event_attr attr = {.sample_type =
					       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_PHYS_ADDR};
	struct tally_sample_layout layout;

	assert_int_equal(tally_sample_layout_init(&layout, &attr), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* 1 vector and 2 predicates of 1 word each follow a set with SIMD. */
		uint64_t record[] = {0, cases[i].abi, 1, 1, 2, 1, 7, 8, 9, 0x1234};
		size_t len = cases[i].abi & 4 ? sizeof(record) : 24;
		struct tally_error err = {0};
		struct tally_sample sample;

		record[cases[i].abi & 4 ? 9 : 2] = 0x1234;
		assert_int_equal(tally_sample_decode(&layout, record, len, &sample, &err),
				 cases[i].ret);
		if (!cases[i].ret)
			assert_int_equal(sample.phys_addr, 0x1234);
		else
			assert_non_null(strstr(err.text, "register ABI"));
		assert_int_equal(tally_sample_swap(&layout, record, len, true, &err), cases[i].ret);
	}
}

/* Numbers of registers that do not fit, or that overflow if multiplied, are rejected. */
static void too_many_vector_registers_are_rejected(void **state)
{
	static const uint64_t heads[][TALLY_SIMD_HEAD] = {{1, 2, 0, 0},
							  {0, 0, 2, 1},
							  {1ull << 32, 1ull << 32, 0, 0},
							  {UINT64_MAX, 1, 0, 0},
							  {1, 0, UINT64_MAX, UINT64_MAX}};
	struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_REGS_INTR};
	struct tally_sample_layout layout;

	assert_int_equal(tally_sample_layout_init(&layout, &attr), 0);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		uint64_t record[3 + TALLY_SIMD_HEAD] = {0, 6};
		struct tally_sample sample;

		memcpy(record + 2, heads[i], sizeof(heads[i]));
		assert_int_equal(
			tally_sample_decode(&layout, record, sizeof(record), &sample, NULL),
			-EINVAL);
		assert_int_equal(tally_sample_swap(&layout, record, sizeof(record), false, NULL),
				 -EINVAL);
	}
}

static void trailers_round_trip_and_agree_with_the_offsets(void **state)
{
	struct random random = random_start();
	uint8_t record[64 + 8];

	for (int n = 0; n < 20000; n++) {
		struct perf_event_attr attr =
			random_attr(&random, random_below(&random, PERF_SAMPLE_MAX));
		struct tally_sample sample = random_sample(&random, &attr), back;
		struct tally_sample_layout layout;
		struct perf_event_header header = {PERF_RECORD_COMM, 0, 0};
		size_t len, trailer;

		assert_int_equal(tally_sample_layout_init(&layout, &attr), 0);
		trailer = tally_trailer_size(&layout);
		len = 24 + trailer;
		memset(record, 0, sizeof(record));
		memcpy(record, &header, sizeof(header));
		tally_trailer_encode(&layout, &sample, record + 24);
		assert_int_equal(tally_trailer_decode(&layout, record, len, &back, NULL), 0);
		if (back.present & PERF_SAMPLE_TIME) {
			assert_int_equal(back.time, sample.time);
			assert_int_equal(tally_get_u64(record + len + layout.trailer_time),
					 sample.time);
		}
		if (back.present & PERF_SAMPLE_CPU)
			assert_int_equal(back.cpu, sample.cpu);
		if (trailer)
			assert_int_equal(
				tally_trailer_decode(&layout, record, 8 + trailer - 1, &back, NULL),
				-EINVAL);
		header.type = 68;
		memcpy(record, &header, sizeof(header));
		assert_int_equal(tally_trailer_decode(&layout, record, len, &back, NULL), 0);
		assert_int_equal(back.present, 0);
	}
}

static void unknown_bits_are_refused(void **state)
{
	struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_MAX};
	struct tally_sample_layout layout;

	assert_int_equal(tally_sample_layout_init(&layout, &attr), -EOPNOTSUPP);
}

/* Swap the flags of a branch entry that a big-endian machine stored. */
static void big_endian_branch_flags_are_swapped(void **state)
{
	struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_BRANCH_STACK};
	struct tally_sample_layout layout;
	struct tally_sample sample;
	struct perf_branch_entry entry;
	uint8_t record[48] = {0};

	if (TALLY_HOST_BIG_ENDIAN) {
		print_message("# skipped: this machine is big-endian itself\n");
		skip();
	}
	record[15] = 1;    /* nr */
	record[23] = 0x10; /* from */
	record[31] = 0x20; /* to */
	record[32] = 0x40; /* predicted: second bit from the top */
	record[34] = 0x30; /* cycles 3: 16 bits starting at bit 4 from the top, so 0x0003 << 44 */
	record[32] |= 0x00;
	assert_int_equal(tally_sample_layout_init(&layout, &attr), 0);
	assert_int_equal(tally_sample_swap(&layout, record, 40, false, NULL), 0);
	assert_int_equal(tally_sample_decode(&layout, record, 40, &sample, NULL), 0);
	memcpy(&entry, sample.branches.data, sizeof(entry));
	assert_int_equal(entry.from, 0x10);
	assert_int_equal(entry.to, 0x20);
	assert_int_equal(entry.predicted, 1);
	assert_int_equal(entry.mispred, 0);
	assert_int_equal(entry.cycles, 3);
	assert_int_equal(entry.type, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_every_type_round_trip),
		cmocka_unit_test(every_read_format_round_trips),
		cmocka_unit_test(truncated_samples_are_rejected),
		cmocka_unit_test(unknown_register_abis_are_rejected),
		cmocka_unit_test(too_many_vector_registers_are_rejected),
		cmocka_unit_test(trailers_round_trip_and_agree_with_the_offsets),
		cmocka_unit_test(unknown_bits_are_refused),
		cmocka_unit_test(big_endian_branch_flags_are_swapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

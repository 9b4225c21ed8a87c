/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "abi/attr.h"
#include "base/endian.h"
#include "random.h"

#include <cmocka.h>

static const uint32_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 176};
enum { NR_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* Return an attr with random values in all named fields. Reserved fields remain zero. */
static struct perf_event_attr random_attr(struct random *random)
{
	struct perf_event_attr attr = {0};

	for (size_t i = 0; i < tally_attr_nr_fields; i++)
		tally_attr_set(&attr, &tally_attr_fields[i], random_u64(random));
	return attr;
}

static void fields_cover_the_attr_once(void **state)
{
	struct perf_event_attr attr = {0}, whole;

	for (size_t i = 0; i < tally_attr_nr_fields; i++) {
		const struct tally_attr_field *field = &tally_attr_fields[i];
		struct perf_event_attr one = {0};

		assert_ptr_equal(tally_attr_find_field(field->name), field);
		tally_attr_set(&one, field, UINT64_MAX);
		for (size_t at = 0; at < sizeof(one); at++)
			assert_int_equal(((uint8_t *)&one)[at] & ((uint8_t *)&attr)[at], 0);
		tally_attr_set(&attr, field, UINT64_MAX);
	}
	memset(&whole, 0xff, sizeof(whole));
	whole.__reserved_1 = 0;
	whole.__reserved_2 = 0;
	whole.__reserved_4 = 0;
	assert_memory_equal(&attr, &whole, sizeof(attr));
	assert_null(tally_attr_find_field("nonsense"));
}

static void fields_have_their_names(void **state)
{
	struct perf_event_attr attr = {0};

	attr.precise_ip = 2;
	attr.sigtrap = 1;
	attr.clockid = -3;
	attr.sample_max_stack = 7;
	assert_int_equal(tally_attr_get(&attr, tally_attr_find_field("precise_ip")), 2);
	assert_int_equal(tally_attr_get(&attr, tally_attr_find_field("sigtrap")), 1);
	assert_int_equal(tally_attr_get(&attr, tally_attr_find_field("clockid")), -3);
	assert_int_equal(tally_attr_get(&attr, tally_attr_find_field("sample_max_stack")), 7);
	assert_int_equal(tally_attr_get(&attr, tally_attr_find_field("defer_output")), 0);
}

static void encode_and_decode_are_inverse(void **state)
{
	struct random random = random_start();
	uint8_t bytes[256], again[256];

	for (int round = 0; round < 20000; round++) {
		struct perf_event_attr attr = random_attr(&random), back;
		uint32_t size = sizes[random_below(&random, NR_SIZES)];
		bool swap = random_below(&random, 2);

		memset(bytes, 0xaa, sizeof(bytes));
		tally_attr_encode(&attr, size, swap, bytes);
		assert_int_equal(bytes[size], 0xaa);
		assert_int_equal(tally_attr_decode(bytes, size, swap, &back, NULL), 0);
		attr.size = size;
		assert_memory_equal(&back, &attr, size);
		memset(again, 0xaa, sizeof(again));
		tally_attr_encode(&back, size, swap, again);
		assert_memory_equal(bytes, again, sizeof(bytes));
	}
}

/* The bytes are written by hand as a big-endian machine would store them. */
static void other_byte_order_is_read(void **state)
{
	uint8_t bytes[64] = {0};
	struct perf_event_attr attr;

	if (TALLY_HOST_BIG_ENDIAN) {
		print_message("# skipped: this machine is big-endian itself\n");
		skip();
	}
	bytes[3] = 1;         /* type 1 */
	bytes[7] = 64;        /* size */
	bytes[15] = 0x42;     /* config */
	bytes[40] = 0x80;     /* disabled: first bit from the top */
	bytes[40 + 1] = 0x01; /* upper bit of precise_ip: bit 15 from the top */
	bytes[40 + 2] = 0x20; /* sample_id_all: bit 18 from the top */
	assert_int_equal(tally_attr_decode(bytes, 64, true, &attr, NULL), 0);
	assert_int_equal(attr.type, 1);
	assert_int_equal(attr.config, 0x42);
	assert_int_equal(attr.disabled, 1);
	assert_int_equal(attr.inherit, 0);
	assert_int_equal(attr.precise_ip, 2);
	assert_int_equal(attr.sample_id_all, 1);
}

static void decode_rejects_invalid_sizes(void **state)
{
	struct perf_event_attr attr = {.size = 72}, out;
	struct tally_error err;

	assert_int_equal(tally_attr_decode(&attr, 63, false, &out, &err), -EINVAL);
	assert_string_equal(err.text, "attr shorter than 64 bytes");
	assert_int_equal(tally_attr_decode(&attr, 64, false, &out, &err), -EINVAL);
	assert_int_equal(err.offset, 4);
	attr.size = 8;
	assert_int_equal(tally_attr_decode(&attr, 64, false, &out, &err), -EINVAL);
	attr.size = 0;
	assert_int_equal(tally_attr_decode(&attr, 64, false, &out, &err), 0);
	assert_int_equal(out.size, 0);
}

static void negotiation_follows_the_kernel(void **state)
{
	uint8_t bytes[4096] = {0};
	struct perf_event_attr attr;
	uint32_t size = 1;

	tally_put_u32(bytes + 4, 0);
	assert_int_equal(tally_attr_negotiate(bytes, 144, &attr, &size), 0);
	assert_int_equal(attr.size, 64);
	tally_put_u32(bytes + 4, 4096);
	assert_int_equal(tally_attr_negotiate(bytes, 144, &attr, &size), 0);
	assert_int_equal(size, 1);
	bytes[4095] = 1;
	assert_int_equal(tally_attr_negotiate(bytes, 144, &attr, &size), -E2BIG);
	assert_int_equal(size, 144);
	tally_put_u32(bytes + 4, 4097);
	assert_int_equal(tally_attr_negotiate(bytes, 136, &attr, &size), -E2BIG);
	assert_int_equal(size, 136);
	tally_put_u32(bytes + 4, 63);
	assert_int_equal(tally_attr_negotiate(bytes, 144, &attr, &size), -E2BIG);
}

static void smallest_size_holds_every_field(void **state)
{
	struct perf_event_attr attr = {0};

	assert_int_equal(tally_attr_min_size(&attr), 64);
	attr.bp_len = 1;
	assert_int_equal(tally_attr_min_size(&attr), 72);
	attr.sample_max_stack = 1;
	assert_int_equal(tally_attr_min_size(&attr), 112);
	attr.config3 = 1;
	assert_int_equal(tally_attr_min_size(&attr), 136);
	attr.config4 = 1;
	assert_int_equal(tally_attr_min_size(&attr), 144);
	attr.sample_simd_vec_reg_qwords = 1;
	assert_int_equal(tally_attr_min_size(&attr), 176);
}

static void detects_callchains_walked_by_frame_pointers(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		bool walks;
	} rows[] = {
		{{.sample_type = PERF_SAMPLE_IP}, false},
		{{.sample_type = PERF_SAMPLE_CALLCHAIN}, true},
		{{.sample_type = PERF_SAMPLE_CALLCHAIN, .exclude_callchain_kernel = 1}, true},
		{{.sample_type = PERF_SAMPLE_CALLCHAIN, .defer_callchain = 1}, true},
		{{.sample_type = PERF_SAMPLE_CALLCHAIN, .exclude_callchain_user = 1}, false},
		{{.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER}, false},
		{{.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK}, true},
		{{.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
		  .branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK},
		 false},
		{{.sample_type = PERF_SAMPLE_CALLCHAIN,
		  .branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK},
		 true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tally_attr_walks_user(&rows[i].attr), rows[i].walks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_cover_the_attr_once),
		cmocka_unit_test(fields_have_their_names),
		cmocka_unit_test(encode_and_decode_are_inverse),
		cmocka_unit_test(other_byte_order_is_read),
		cmocka_unit_test(decode_rejects_invalid_sizes),
		cmocka_unit_test(negotiation_follows_the_kernel),
		cmocka_unit_test(smallest_size_holds_every_field),
		cmocka_unit_test(detects_callchains_walked_by_frame_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Convert the encoding of the design document (docs/classic.md) to the current ABI and back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "abi/abi_sample.h"
#include "base/arith.h"
#include "base/endian.h"
#include "random.h"
#include "tally/abi.h"
#include "tally/classic.h"

#include <cmocka.h>

enum { PAGE = 4096 };

/* ---- attr ------------------------------------------------------------------------------- */

/* Check the encodings that the design document lists. */
static void config_has_three_bit_fields(void **state)
{
	static const struct {
		uint64_t config;
		uint32_t type;
		uint64_t modern;
	} rows[] = {
		{0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{6, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
		{1ull << 56 | 8, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
		{2ull << 56 | 372, PERF_TYPE_TRACEPOINT, 372},
		{0x00ffffffffffffff, PERF_TYPE_HARDWARE, 0x00ffffffffffffff},
		/* "External bus cycles while bus lock signal asserted" */
		{0x8000000000004064, PERF_TYPE_RAW, 0x4064},
		{0xffffffffffffffff, PERF_TYPE_RAW, 0x7fffffffffffffff},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_classic_attr classic = {.config = rows[i].config}, back;
		struct perf_event_attr attr;

		assert_int_equal(tally_classic_attr_decode(&classic, PAGE, &attr, NULL), 0);
		assert_int_equal(attr.type, rows[i].type);
		assert_int_equal(attr.config, rows[i].modern);
		assert_int_equal(tally_classic_attr_encode(&attr, PAGE, &back, NULL), 0);
		assert_memory_equal(&back, &classic, sizeof(back));
	}
}

static void attr_is_laid_out_as_the_document_has_it(void **state)
{
	struct tally_classic_attr attr = {.munmap = 1};

	assert_int_equal(sizeof(attr), 56);
	assert_int_equal(offsetof(struct tally_classic_attr, irq_period), 8);
	assert_int_equal(offsetof(struct tally_classic_attr, record_type), 16);
	assert_int_equal(offsetof(struct tally_classic_attr, read_format), 20);
	assert_int_equal(tally_get_u64((uint8_t *)&attr + 24), 1 << 9);
	assert_int_equal(offsetof(struct tally_classic_attr, extra_config_len), 32);
	assert_int_equal(offsetof(struct tally_classic_attr, wakeup_events), 36);
	assert_int_equal(offsetof(struct tally_classic_page, data_head), 24);
}

static void invalid_attrs_are_rejected(void **state)
{
	static const struct {
		struct tally_classic_attr attr;
		size_t offset;
	} rows[] = {
		{{.config = 3ull << 56}, 0},     {{.config = 0x7full << 56}, 0},
		{{.irq_period = 1ull << 63}, 8}, {{.record_type = 1 << 6}, 16},
		{{.record_type = 1u << 31}, 16}, {{.read_format = 1 << 2}, 20},
		{{.__reserved_1 = 1}, 24},       {{.__reserved_1 = 1ull << 52}, 24},
		{{.extra_config_len = 1}, 32},   {{.__reserved_2 = 1}, 40},
		{{.__reserved_3 = 1}, 48},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = {.type = 99};
		struct tally_classic_error err;

		assert_int_equal(tally_classic_attr_decode(&rows[i].attr, PAGE, &attr, &err),
				 -EINVAL);
		assert_int_equal(err.offset, rows[i].offset);
		assert_non_null(err.text);
		assert_int_equal(attr.type, 99);
	}
}

static void attrs_without_a_classic_encoding_are_rejected(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		size_t offset;
	} rows[] = {
		{{.type = PERF_TYPE_HW_CACHE}, 0},
		{{.type = PERF_TYPE_BREAKPOINT}, 0},
		{{.type = 11}, 0},
		{{.config = 1ull << 56}, 8},
		{{.type = PERF_TYPE_RAW, .config = 1ull << 63}, 8},
		{{.sample_period = 1ull << 63}, 16},
		{{.sample_type = PERF_SAMPLE_CPU}, 24},
		{{.sample_type = PERF_SAMPLE_READ}, 24},
		{{.read_format = PERF_FORMAT_ID}, 32},
		{{.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID}, 32},
		{{.freq = 1}, 40},
		{{.mmap2 = 1}, 40},
		{{.exclude_guest = 1}, 40},
		{{.wakeup_events = 0}, 48},
		{{.watermark = 1, .wakeup_events = 100}, 48},
		{{.bp_type = 1}, 52},
		{{.config1 = 1}, 56},
		{{.config4 = 1}, 56},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = rows[i].attr;
		struct tally_classic_attr classic = {.config = 99};
		struct tally_classic_error err;

		if (rows[i].offset != offsetof(struct perf_event_attr, wakeup_events))
			attr.wakeup_events = 1;
		assert_int_equal(tally_classic_attr_encode(&attr, PAGE, &classic, &err),
				 -EOPNOTSUPP);
		assert_int_equal(err.offset, rows[i].offset);
		assert_int_equal(classic.config, 99);
	}
}

static struct tally_classic_attr random_classic(struct random *random)
{
	struct tally_classic_attr classic = {
		.config = random_u64(random) & ~TALLY_CLASSIC_TYPE_MASK,
		.irq_period = random_u64(random) >> 1,
		.record_type = (uint32_t)random_below(random, 1 << 6),
		.read_format = (uint32_t)random_below(random, 1 << 2),
	};

	classic.config |= random_below(random, 3) << TALLY_CLASSIC_TYPE_SHIFT;
	tally_put_u64((uint8_t *)&classic + 24, random_below(random, 1 << 11));
	classic.wakeup_events = (uint32_t)random_below(random, 3);
	return classic;
}

/* Encoding restores the attr, except for munmap, which the caller handles, and for the thread ID in
 * inherited groups. */
static void decode_and_encode_are_inverse(void **state)
{
	struct random random = random_start();

	for (int i = 0; i < 100000; i++) {
		struct tally_classic_attr classic = random_classic(&random), back;
		struct perf_event_attr attr, again;

		assert_int_equal(tally_classic_attr_decode(&classic, PAGE, &attr, NULL), 0);
		assert_int_equal(tally_classic_attr_encode(&attr, PAGE, &back, NULL), 0);
		assert_int_equal(tally_classic_attr_decode(&back, PAGE, &again, NULL), 0);
		assert_memory_equal(&again, &attr, sizeof(attr));
		if (classic.inherit && classic.record_type & TALLY_CLASSIC_RECORD_GROUP)
			classic.record_type |= TALLY_CLASSIC_RECORD_TID;
		classic.munmap = 0;
		assert_memory_equal(&back, &classic, sizeof(back));
	}
}

static void without_wakeup_events_each_page_wakes(void **state)
{
	struct tally_classic_attr classic = {.irq_period = 1000};
	struct perf_event_attr attr;

	assert_int_equal(tally_classic_attr_decode(&classic, PAGE, &attr, NULL), 0);
	assert_int_equal(attr.watermark, 1);
	assert_int_equal(attr.wakeup_watermark, PAGE);
	classic.wakeup_events = 7;
	assert_int_equal(tally_classic_attr_decode(&classic, PAGE, &attr, NULL), 0);
	assert_int_equal(attr.watermark, 0);
	assert_int_equal(attr.wakeup_events, 7);
}

/* "If a CPU is not able to count the selected event, then the system call will return -EINVAL." */
static void events_that_the_cpu_cannot_count_are_einval(void **state)
{
	static const int absent[] = {-ENOENT, -ENODEV, -EOPNOTSUPP};
	struct tally_classic_attr hardware = {.config = 6}, raw = {.config = 1ull << 63},
				  software = {.config = 1ull << 56};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(absent); i++) {
		assert_int_equal(tally_classic_open_error(&hardware, absent[i]), -EINVAL);
		assert_int_equal(tally_classic_open_error(&raw, absent[i]), -EINVAL);
		assert_int_equal(tally_classic_open_error(&software, absent[i]), absent[i]);
	}
	assert_int_equal(tally_classic_open_error(&hardware, -EACCES), -EACCES);
}

static void only_calls_of_the_document_are_accepted(void **state)
{
	assert_int_equal(tally_classic_check_flags(0), 0);
	assert_int_equal(tally_classic_check_flags(PERF_FLAG_FD_CLOEXEC), -EINVAL);
	assert_int_equal(TALLY_CLASSIC_IOC_ENABLE, PERF_EVENT_IOC_ENABLE);
	assert_int_equal(TALLY_CLASSIC_IOC_DISABLE, PERF_EVENT_IOC_DISABLE);
	assert_int_equal(tally_classic_check_request(PERF_EVENT_IOC_ENABLE), 0);
	assert_int_equal(tally_classic_check_request(PERF_EVENT_IOC_DISABLE), 0);
	assert_int_equal(tally_classic_check_request(PERF_EVENT_IOC_REFRESH), 0);
	assert_int_equal(tally_classic_check_request(PERF_EVENT_IOC_ID), -ENOTTY);
	assert_int_equal(tally_classic_check_prctl(31), 0);
	assert_int_equal(tally_classic_check_prctl(32), 0);
	assert_int_equal(tally_classic_check_prctl(33), -EINVAL);
}

/* ---- counts -------------------------------------------------------------------------------- */

static void values_follow_in_order_of_their_bits(void **state)
{
	static const uint64_t modern[] = {1000, 20, 10};
	uint64_t out[3];

	for (uint32_t format = 0; format < 4; format++) {
		struct tally_classic_attr classic = {.read_format = format};
		size_t nr = 1 + (format & 1) + (format >> 1);
		uint64_t bytes[] = {modern[0], modern[format & 1 ? 1 : 2], modern[2]};

		assert_int_equal(tally_classic_counts_size(&classic, 1), nr * 8);
		assert_int_equal(tally_classic_counts(&classic, bytes, nr * 8, 5, out, sizeof(out)),
				 nr * 8);
		assert_memory_equal(out, bytes, nr * 8);
		assert_int_equal(tally_classic_counts(&classic, bytes, nr * 8, 5, out, nr * 8 - 1),
				 -ENOSPC);
		assert_int_equal(
			tally_classic_counts(&classic, bytes, nr * 8 - 1, 5, out, sizeof(out)),
			-EINVAL);
		assert_int_equal(tally_classic_counts(&classic, bytes, 0, 5, out, sizeof(out)), 0);
	}
}

static void own_value_is_found_in_a_group(void **state)
{
	struct tally_classic_attr classic = {.record_type = TALLY_CLASSIC_RECORD_GROUP,
					     .read_format = 3};
	uint64_t bytes[] = {2, 20, 10, 111, 7, 222, 8}, out[3];

	assert_int_equal(tally_classic_counts_size(&classic, 2), sizeof(bytes));
	assert_int_equal(tally_classic_counts(&classic, bytes, sizeof(bytes), 8, out, sizeof(out)),
			 24);
	assert_int_equal(out[0], 222);
	assert_int_equal(out[1], 20);
	assert_int_equal(out[2], 10);
	assert_int_equal(tally_classic_counts(&classic, bytes, sizeof(bytes), 9, out, sizeof(out)),
			 -EINVAL);
}

/* ---- records -------------------------------------------------------------------------------- */

static uint64_t config_of(void *arg, uint64_t id)
{
	return id + *(uint64_t *)arg;
}

/* Encode a sample for this attr as a current kernel would. */
static size_t modern_sample(const struct tally_classic_attr *classic, struct tally_sample *sample,
			    uint16_t misc, uint8_t *out, size_t cap)
{
	struct tally_sample_layout layout;
	struct perf_event_attr attr;
	size_t len;

	assert_int_equal(tally_classic_attr_decode(classic, PAGE, &attr, NULL), 0);
	assert_int_equal(tally_sample_layout_init(&layout, &attr), 0);
	sample->read.format = attr.read_format;
	assert_int_equal(tally_sample_encode(&layout, sample, misc, out, cap, &len), 0);
	return len;
}

static const uint64_t chain[] = {
	(uint64_t)PERF_CONTEXT_HV,
	0xa1,
	(uint64_t)PERF_CONTEXT_KERNEL,
	0xb1,
	0xb2,
	(uint64_t)PERF_CONTEXT_USER,
	0xc1,
	0xc2,
	0xc3,
	(uint64_t)PERF_CONTEXT_GUEST_USER,
	0xd1,
};
static const uint64_t group[] = {100, 1, 200, 2};

static struct tally_sample the_sample(void)
{
	return (struct tally_sample){
		.ip = 0x1111,
		.pid = 22,
		.tid = 23,
		.time = 0x3333,
		.addr = 0x4444,
		.read = {.nr = 2, .group = {(const uint8_t *)group, 4}},
		.callchain = {(const uint8_t *)chain, TALLY_ARRAY_SIZE(chain)},
	};
}

/* Build the overflow record for record type `type` by hand, following the design document. */
static size_t expected_sample(uint32_t type, uint8_t *out)
{
	static const struct {
		uint32_t bit;
		size_t len;
		uint64_t words[8];
	} parts[] = {
		{TALLY_CLASSIC_RECORD_IP, 8, {0x1111}},
		{TALLY_CLASSIC_RECORD_TID, 8, {23ull << 32 | 22}},
		{TALLY_CLASSIC_RECORD_TIME, 8, {0x3333}},
		{TALLY_CLASSIC_RECORD_ADDR, 8, {0x4444}},
		{TALLY_CLASSIC_RECORD_GROUP, 40, {2, 1001, 100, 1002, 200}},
		/* 6 entries: 1 in the hypervisor, 2 in the kernel, 3 in user space */
		{TALLY_CLASSIC_RECORD_CALLCHAIN,
		 56,
		 {0x0003000200010006, 0xa1, 0xb1, 0xb2, 0xc1, 0xc2, 0xc3}},
	};
	size_t len = 8;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(parts); i++) {
		if (!(type & parts[i].bit))
			continue;
		memcpy(out + len, parts[i].words, parts[i].len);
		len += parts[i].len;
	}
	tally_put_u32(out, type);
	tally_put_u16(out + 4, TALLY_CLASSIC_MISC_USER | TALLY_CLASSIC_MISC_OVERFLOW);
	tally_put_u16(out + 6, (uint16_t)len);
	return len;
}

static void overflow_records_of_every_type_are_translated(void **state)
{
	uint8_t record[512], out[512], expected[512];
	uint64_t base = 1000;

	for (uint32_t i = 0; i < 1 << 9; i++) {
		struct tally_classic_attr classic = {.irq_period = 1,
						     .record_type = i & 63,
						     .read_format = i >> 6 & 3,
						     .inherit = i >> 8};
		struct tally_sample sample = the_sample();
		size_t len = modern_sample(&classic, &sample, PERF_RECORD_MISC_USER, record,
					   sizeof(record));
		size_t wanted = expected_sample(i & 63, expected);

		assert_int_equal(tally_classic_record(&classic, record, len, config_of, &base, out,
						      sizeof(out)),
				 wanted);
		assert_memory_equal(out, expected, wanted);
		assert_int_equal(tally_classic_record(&classic, record, len, config_of, &base, out,
						      wanted - 1),
				 -ENOSPC);
	}
}

static void unknown_members_keep_their_id(void **state)
{
	struct tally_classic_attr classic = {.irq_period = 1,
					     .record_type = TALLY_CLASSIC_RECORD_GROUP};
	struct tally_sample sample = the_sample();
	uint8_t record[512], out[512];
	size_t len =
		modern_sample(&classic, &sample, PERF_RECORD_MISC_KERNEL, record, sizeof(record));

	assert_int_equal(tally_classic_record(&classic, record, len, NULL, NULL, out, sizeof(out)),
			 48);
	assert_int_equal(tally_get_u16(out + 4),
			 TALLY_CLASSIC_MISC_KERNEL | TALLY_CLASSIC_MISC_OVERFLOW);
	assert_int_equal(tally_get_u64(out + 16), 1);
}

/* A callchain that does not begin with a context marker belongs to the interrupted mode. */
static void chains_without_a_marker_use_the_interrupted_mode(void **state)
{
	static const struct {
		uint16_t misc, counts[4];
	} rows[] = {
		{PERF_RECORD_MISC_KERNEL, {2, 0, 2, 0}},
		{PERF_RECORD_MISC_USER, {2, 0, 0, 2}},
		{PERF_RECORD_MISC_GUEST_USER, {0, 0, 0, 0}},
	};
	static const uint64_t ips[] = {0x10, 0x20};
	struct tally_classic_attr classic = {.irq_period = 1,
					     .record_type = TALLY_CLASSIC_RECORD_CALLCHAIN};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_sample sample = {.callchain = {(const uint8_t *)ips, 2}};
		uint8_t record[64], out[64];
		size_t len = modern_sample(&classic, &sample, rows[i].misc, record, sizeof(record));

		assert_int_equal(
			tally_classic_record(&classic, record, len, NULL, NULL, out, sizeof(out)),
			16 + 8 * rows[i].counts[0]);
		assert_memory_equal(out + 8, rows[i].counts, 8);
	}
}

/* For MMAP, MUNMAP and COMM records: the core's type, the design document's type, and the number of
 * bytes before the string. */
static void mapping_and_comm_records_are_translated(void **state)
{
	static const struct {
		uint32_t modern, classic;
		size_t fixed;
	} rows[] = {
		{PERF_RECORD_MMAP, 1, 40},
		{TALLY_CLASSIC_CORE_MUNMAP, 2, 40},
		{PERF_RECORD_COMM, 3, 16},
	};
	struct random random = random_start();

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_classic_attr all = {.mmap = 1, .munmap = 1, .comm = 1}, none = {0};
		size_t len = rows[i].fixed + 8;
		uint8_t record[64], out[64];

		random_fill(&random, record, sizeof(record));
		memcpy(record + rows[i].fixed, "a name\0", 8);
		tally_put_u32(record, rows[i].modern);
		tally_put_u16(record + 4, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_COMM_EXEC);
		tally_put_u16(record + 6, (uint16_t)len);
		assert_int_equal(
			tally_classic_record(&all, record, len, NULL, NULL, out, sizeof(out)), len);
		assert_int_equal(tally_get_u32(out), rows[i].classic);
		assert_int_equal(tally_get_u16(out + 4), TALLY_CLASSIC_MISC_USER);
		assert_memory_equal(out + 8, record + 8, len - 8);
		assert_int_equal(
			tally_classic_record(&none, record, len, NULL, NULL, out, sizeof(out)), 0);
		record[len - 1] = 'x';
		assert_int_equal(
			tally_classic_record(&all, record, len, NULL, NULL, out, sizeof(out)),
			-EINVAL);
	}
}

static void other_records_are_left_out(void **state)
{
	struct tally_classic_attr all = {.mmap = 1, .munmap = 1, .comm = 1};
	uint8_t record[64] = {0}, out[64];

	for (uint32_t type = 0; type < 64; type++) {
		if (type == PERF_RECORD_MMAP || type == PERF_RECORD_COMM ||
		    type == PERF_RECORD_SAMPLE)
			continue;
		tally_put_u32(record, type);
		tally_put_u16(record + 6, sizeof(record));
		assert_int_equal(tally_classic_record(&all, record, sizeof(record), NULL, NULL, out,
						      sizeof(out)),
				 0);
	}
	assert_int_equal(tally_classic_record(&all, record, 7, NULL, NULL, out, 64), -EINVAL);
	assert_int_equal(tally_classic_record(&all, record, 32, NULL, NULL, out, 64), -EINVAL);
}

/* ---- decoding packets ------------------------------------------------------------------------ */

/* Decode each packet produced by the translator and compare it with the original values. */
static void packets_are_decoded(void **state)
{
	_Alignas(8) uint8_t out[512];

	for (uint32_t type = 0; type < 64; type++) {
		struct tally_classic_sample sample;
		uint64_t group_words[] = {1001, 100, 1002, 200};
		uint64_t ips[] = {0xa1, 0xb1, 0xb2, 0xc1, 0xc2, 0xc3};
		struct tally_classic_header *record = (void *)out;

		expected_sample(type, out);
		assert_int_equal(tally_classic_sample_decode(record, &sample), 0);
		assert_int_equal(sample.ip, type & TALLY_CLASSIC_RECORD_IP ? 0x1111 : 0);
		assert_int_equal(sample.pid, type & TALLY_CLASSIC_RECORD_TID ? 22 : 0);
		assert_int_equal(sample.tid, type & TALLY_CLASSIC_RECORD_TID ? 23 : 0);
		assert_int_equal(sample.time, type & TALLY_CLASSIC_RECORD_TIME ? 0x3333 : 0);
		assert_int_equal(sample.addr, type & TALLY_CLASSIC_RECORD_ADDR ? 0x4444 : 0);
		assert_int_equal(sample.nr_group, type & TALLY_CLASSIC_RECORD_GROUP ? 2 : 0);
		if (sample.nr_group)
			assert_memory_equal(sample.group, group_words, sizeof(group_words));
		assert_int_equal(sample.nr, type & TALLY_CLASSIC_RECORD_CALLCHAIN ? 6 : 0);
		assert_int_equal(sample.hv, sample.nr / 6);
		assert_int_equal(sample.kernel, sample.nr / 3);
		assert_int_equal(sample.user, sample.nr / 2);
		if (sample.nr)
			assert_memory_equal(sample.ips, ips, sizeof(ips));
		record->size -= 8;
		if (type)
			assert_int_equal(tally_classic_sample_decode(record, &sample), -EINVAL);
	}
}

static void invalid_packets_are_rejected(void **state)
{
	_Alignas(8) uint8_t out[512];
	struct tally_classic_header *record = (void *)out;
	struct tally_classic_sample sample;

	expected_sample(TALLY_CLASSIC_RECORD_GROUP, out);
	tally_put_u64(out + 8, 3);
	assert_int_equal(tally_classic_sample_decode(record, &sample), -EINVAL);
	tally_put_u64(out + 8, UINT64_MAX / 8);
	assert_int_equal(tally_classic_sample_decode(record, &sample), -EINVAL);
	expected_sample(TALLY_CLASSIC_RECORD_CALLCHAIN, out);
	tally_put_u16(out + 8, 7);
	assert_int_equal(tally_classic_sample_decode(record, &sample), -EINVAL);
	expected_sample(0, out);
	record->misc = TALLY_CLASSIC_MISC_USER;
	assert_int_equal(tally_classic_sample_decode(record, &sample), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(config_has_three_bit_fields),
		cmocka_unit_test(attr_is_laid_out_as_the_document_has_it),
		cmocka_unit_test(invalid_attrs_are_rejected),
		cmocka_unit_test(attrs_without_a_classic_encoding_are_rejected),
		cmocka_unit_test(decode_and_encode_are_inverse),
		cmocka_unit_test(without_wakeup_events_each_page_wakes),
		cmocka_unit_test(events_that_the_cpu_cannot_count_are_einval),
		cmocka_unit_test(only_calls_of_the_document_are_accepted),
		cmocka_unit_test(values_follow_in_order_of_their_bits),
		cmocka_unit_test(own_value_is_found_in_a_group),
		cmocka_unit_test(overflow_records_of_every_type_are_translated),
		cmocka_unit_test(unknown_members_keep_their_id),
		cmocka_unit_test(chains_without_a_marker_use_the_interrupted_mode),
		cmocka_unit_test(mapping_and_comm_records_are_translated),
		cmocka_unit_test(other_records_are_left_out),
		cmocka_unit_test(packets_are_decoded),
		cmocka_unit_test(invalid_packets_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

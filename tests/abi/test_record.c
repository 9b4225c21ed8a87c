/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "abi/abi_record.h"
#include "random.h"

#include <cmocka.h>

static size_t put_header(uint8_t *at, uint32_t type, uint16_t misc, size_t len)
{
	struct perf_event_header header = {type, misc, (uint16_t)len};

	memcpy(at, &header, sizeof(header));
	return len;
}

static void mmap2_walks_by_its_misc_bits(void **state)
{
	uint8_t record[96] = {0};
	struct tally_record_cursor cursor;
	struct tally_record_value value;
	const char *names[16];
	int n = 0;

	put_header(record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, sizeof(record));
	record[40] = 20;
	memset(record + 44, 0xab, 20);
	strcpy((char *)record + 72, "/bin/true");
	tally_record_walk(&cursor, tally_record_describe(PERF_RECORD_MMAP2), record, sizeof(record),
			  8, 0);
	while (tally_record_next(&cursor, &value, NULL) == 1) {
		names[n++] = value.field->name;
		if (value.field->kind == TALLY_FIELD_BUILD_ID)
			assert_int_equal(value.bytes.len, 20);
	}
	assert_int_equal(n, 9);
	assert_string_equal(names[5], "build_id");
	assert_string_equal(names[8], "filename");
	assert_int_equal(value.bytes.len, 9);
}

static void u32_fields_are_read_unsigned(void **state)
{
	const uint32_t ids[2] = {0xfffffff0, 0x12345678};
	uint8_t record[24] = {0};
	struct tally_record_cursor cursor;
	struct tally_record_value value;
	int nr = 0;

	put_header(record, PERF_RECORD_COMM, 0, sizeof(record));
	memcpy(record + 8, ids, sizeof(ids));
	tally_record_walk(&cursor, tally_record_describe(PERF_RECORD_COMM), record, sizeof(record),
			  8, 0);
	while (tally_record_next(&cursor, &value, NULL) == 1) {
		if (value.field->kind == TALLY_FIELD_U32)
			assert_true(value.number == ids[nr++]);
	}
	assert_int_equal(nr, 2);
}

static void short_records_are_refused(void **state)
{
	uint8_t record[32] = {0};
	struct tally_record_cursor cursor;
	struct tally_record_value value;
	struct tally_error err;

	put_header(record, PERF_RECORD_LOST, 0, 16);
	tally_record_walk(&cursor, tally_record_describe(PERF_RECORD_LOST), record, 20, 0, 0);
	assert_int_equal(tally_record_next(&cursor, &value, &err), 1);
	assert_int_equal(tally_record_next(&cursor, &value, &err), -EINVAL);
	assert_int_equal(err.offset, 16);
	assert_int_equal(tally_record_swap(tally_record_describe(PERF_RECORD_LOST), record, 20, 0,
					   0, true, &err),
			 -EINVAL);
}

/* Swapping twice restores every record. Records that were swapped only once are rejected by the
 * accessors. */
static void swapping_twice_restores_records(void **state)
{
	struct random random = random_start();

	for (uint32_t type = 1; type < PERF_RECORD_MAX; type++) {
		const struct tally_record_desc *desc = tally_record_describe(type);

		assert_non_null(desc);
		assert_int_equal(desc->type, type);
		for (int n = 0; n < 500; n++) {
			uint8_t record[256], copy[256];
			uint16_t misc = (uint16_t)random_u64(&random);
			uint64_t format = random_below(&random, PERF_FORMAT_MAX);

			random_fill(&random, record, sizeof(record));
			put_header(record, type, misc, sizeof(record));
			if (type == PERF_RECORD_NAMESPACES || type == PERF_RECORD_READ)
				tally_put_u64(record + 16, random_below(&random, 8));
			if (type == PERF_RECORD_CALLCHAIN_DEFERRED)
				tally_put_u64(record + 16, random_below(&random, 20));
			memcpy(copy, record, sizeof(record));
			assert_int_equal(
				tally_record_swap(desc, copy, sizeof(copy), 16, format, true, NULL),
				0);
			assert_int_equal(tally_record_swap(desc, copy, sizeof(copy), 16, format,
							   false, NULL),
					 0);
			assert_memory_equal(record, copy, sizeof(record));
		}
	}
	assert_null(tally_record_describe(0));
	assert_null(tally_record_describe(PERF_RECORD_MAX));
}

static void accessors_agree_with_the_table(void **state)
{
	struct random random = random_start();
	struct tally_mmap mmap;
	struct tally_task task;
	struct tally_comm comm;
	uint8_t record[96];

	random_fill(&random, record, sizeof(record));
	strcpy((char *)record + 72, "/lib/libc.so.6");
	put_header(record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(record));
	assert_int_equal(tally_record_mmap(record, sizeof(record), &mmap), 0);
	assert_int_equal(mmap.start, tally_get_u64(record + 16));
	assert_int_equal(mmap.ino, tally_get_u64(record + 48));
	assert_int_equal(mmap.prot, tally_get_u32(record + 64));
	assert_string_equal(mmap.filename, "/lib/libc.so.6");
	assert_int_equal(tally_record_mmap(record, 72, &mmap), -EINVAL);
	assert_int_equal(tally_record_mmap(record, 80, &mmap), -EINVAL);
	put_header(record, PERF_RECORD_FORK, 0, sizeof(record));
	assert_int_equal(tally_record_task(record, 32, &task), 0);
	assert_int_equal(task.ptid, (int32_t)tally_get_u32(record + 20));
	assert_int_equal(tally_record_task(record, 31, &task), -EINVAL);
	strcpy((char *)record + 16, "make");
	put_header(record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(record));
	assert_int_equal(tally_record_comm(record, sizeof(record), &comm), 0);
	assert_true(comm.exec);
	assert_string_equal(comm.comm, "make");
	assert_int_equal(tally_record_comm(record, 18, &comm), -EINVAL);
}

static void deferred_callers_end_before_the_trailer(void **state)
{
	struct tally_callers_deferred deferred;
	uint8_t record[64] = {0};

	put_header(record, PERF_RECORD_CALLCHAIN_DEFERRED, 0, sizeof(record));
	tally_put_u64(record + 8, 77);
	tally_put_u64(record + 16, 3);
	tally_put_u64(record + 40, 5);
	assert_int_equal(tally_record_callers_deferred(record, 64, 16, &deferred), 0);
	assert_int_equal(deferred.cookie, 77);
	assert_int_equal(deferred.callers.nr, 3);
	assert_int_equal(tally_words_get(deferred.callers, 2), 5);
	assert_int_equal(tally_record_callers_deferred(record, 64, 24, &deferred), -EINVAL);
	assert_int_equal(tally_record_callers_deferred(record, 48, 0, &deferred), 0);
	assert_int_equal(tally_record_callers_deferred(record, 47, 0, &deferred), -EINVAL);
	assert_int_equal(tally_record_callers_deferred(record, 24, 8, &deferred), -EINVAL);
	assert_int_equal(tally_record_callers_deferred(record, 23, 0, &deferred), -EINVAL);
	tally_put_u64(record + 16, UINT64_MAX / 8 + 1);
	assert_int_equal(tally_record_callers_deferred(record, 64, 0, &deferred), -EINVAL);
	tally_put_u64(record + 16, 0);
	assert_int_equal(tally_record_callers_deferred(record, 24, 0, &deferred), 0);
	assert_int_equal(deferred.callers.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mmap2_walks_by_its_misc_bits),
		cmocka_unit_test(u32_fields_are_read_unsigned),
		cmocka_unit_test(short_records_are_refused),
		cmocka_unit_test(swapping_twice_restores_records),
		cmocka_unit_test(accessors_agree_with_the_table),
		cmocka_unit_test(deferred_callers_end_before_the_trailer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

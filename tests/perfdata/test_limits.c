/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings with rounds that never end. The size of the record queue is limited, no record is
 * lost, and a note reports that the limit was reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata/reader.h"

enum { NR_SAMPLES = 100000, LIMIT = 1 << 20 };

struct sample {
	struct perf_event_header header;
	uint64_t ip, time;
};

/* Write a file of samples, compressed if the level is not 0. Timestamps decrease within each block
 * of 64 samples, and increase from block to block. */
static int make_file(int compress_level)
{
	static struct sample samples[NR_SAMPLES];
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME};
	const struct tally_perfdata_writer_options options = {.compress_level = compress_level};
	struct tally_perfdata_writer *writer;
	int fd = memfd_create("limits", MFD_CLOEXEC);

	for (uint64_t i = 0; i < NR_SAMPLES; i++)
		samples[i] = (struct sample){
			{PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(samples[i])},
			i * 0x9e3779b97f4a7c15ull,
			1 + (i ^ 63)};
	assert_int_equal(tally_perfdata_writer_new(fd, &options, &writer), 0);
	assert_int_equal(tally_perfdata_writer_add_event(writer, &attr, NULL, NULL, 0), 0);
	assert_int_equal(tally_perfdata_writer_start(writer), 0);
	assert_int_equal(tally_perfdata_writer_write(writer, samples, sizeof(samples)), 0);
	assert_int_equal(tally_perfdata_writer_finish(writer), 0);
	tally_perfdata_writer_free(writer);
	return fd;
}

static bool has_note(const struct tally_perfdata *data, enum tally_perfdata_note_kind kind)
{
	const struct tally_perfdata_note *note;

	for (size_t i = 0; (note = tally_perfdata_note(data, i)); i++) {
		if (note->kind == kind)
			return true;
	}
	return false;
}

/* Read all records with this limit. Returns the maximum memory used by queued records. */
static uint64_t read_all(struct tally_perfdata *data, uint64_t limit)
{
	struct tally_perfdata_record record;
	uint64_t nr = 0, last = 0, most = 0;
	int ret;

	data->waiting_max = limit;
	while ((ret = tally_perfdata_next_ordered(data, &record, NULL)) > 0) {
		uint64_t used = data->pool.used + data->order.used;

		most = used > most ? used : most;
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		nr++;
		assert_true(record.flags & TALLY_PERFDATA_LATE || record.time >= last);
		last = record.time;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(nr, NR_SAMPLES);
	return most;
}

static void test_waiting_records_are_limited(void **state)
{
	struct tally_perfdata *data;
	int fd = make_file(1);

	(void)state;
	assert_int_equal(tally_perfdata_open_fd(fd, &data, NULL), 0);
	assert_true(read_all(data, LIMIT) < LIMIT + 2 * TALLY_CHUNK_SIZE);
	assert_true(has_note(data, TALLY_NOTE_LIMIT));
	tally_perfdata_close(data);
	close(fd);
}

static void sorts_completely_within_the_limit(void **state)
{
	struct tally_perfdata *data;
	int fd = make_file(1);

	(void)state;
	assert_int_equal(tally_perfdata_open_fd(fd, &data, NULL), 0);
	assert_true(read_all(data, TALLY_QUEUED_MAX) > LIMIT);
	assert_false(has_note(data, TALLY_NOTE_LIMIT));
	assert_int_equal(tally_perfdata_info(data)->nr_late, 0);
	tally_perfdata_close(data);
	close(fd);
}

/* Change the file after its records have been queued and before they are returned, as another
 * process can do to a mapped file. */
static void reads_record_sizes_once(void **state)
{
	const uint16_t huge = UINT16_MAX;
	struct tally_perfdata_record record;
	struct tally_perfdata *data;
	int fd = make_file(0);
	uint64_t nr = 0;

	assert_int_equal(tally_perfdata_open_fd(fd, &data, NULL), 0);
	while (tally_perfdata_next_ordered(data, &record, NULL) > 0) {
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		assert_int_equal(record.size, sizeof(struct sample));
		/* All records are queued now. */
		for (uint64_t i = 0; !nr && i < NR_SAMPLES; i++) {
			off_t at = (off_t)(tally_perfdata_info(data)->data_offset +
					   i * sizeof(struct sample) +
					   offsetof(struct perf_event_header, size));

			assert_int_equal(pwrite(fd, &huge, sizeof(huge), at), sizeof(huge));
		}
		nr++;
	}
	assert_int_equal(nr, NR_SAMPLES);
	tally_perfdata_close(data);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiting_records_are_limited),
		cmocka_unit_test(sorts_completely_within_the_limit),
		cmocka_unit_test(reads_record_sizes_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that another thread reads ahead are returned in the same order as without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata/ahead.h"
#include "perfdata/reader.h"

enum { NR_RECORDS = 5000, NR_FILES = 100, ROUND_EVERY = 20, SPREAD = 60 };

struct sample {
	struct perf_event_header header;
	uint64_t ip, time;
};

struct returned {
	uint64_t number;
	uint32_t type, flags;
};

static uint64_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Write a file of samples and rounds. Some samples have no time, and some arrive one or several
 * rounds late. */
static int make_file(uint64_t seed)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME};
	const struct perf_event_header round = {TALLY_PERFDATA_FINISHED_ROUND, 0, sizeof(round)};
	const struct tally_perfdata_writer_options options = {0};
	struct tally_perfdata_writer *writer;
	int fd = memfd_create("ahead", MFD_CLOEXEC);

	assert_int_equal(tally_perfdata_writer_new(fd, &options, &writer), 0);
	assert_int_equal(tally_perfdata_writer_add_event(writer, &attr, NULL, NULL, 0), 0);
	assert_int_equal(tally_perfdata_writer_start(writer), 0);
	for (uint64_t i = 0; i < NR_RECORDS; i++) {
		struct sample sample = {{PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample)},
					i,
					1000 + i - random_next(&seed) % SPREAD};

		if (!(random_next(&seed) % 200))
			sample.time = 0;
		assert_int_equal(tally_perfdata_writer_write(writer, &sample, sizeof(sample)), 0);
		if (!(random_next(&seed) % ROUND_EVERY))
			assert_int_equal(tally_perfdata_writer_write(writer, &round, sizeof(round)),
					 0);
	}
	assert_int_equal(tally_perfdata_writer_finish(writer), 0);
	tally_perfdata_writer_free(writer);
	return fd;
}

/* Read all records. Returns their number. */
static size_t read_all(int fd, bool ahead, struct returned *all)
{
	struct tally_perfdata_record record;
	struct tally_perfdata *data;
	size_t nr = 0;

	assert_int_equal(tally_perfdata_open_fd(fd, &data, NULL), 0);
	if (ahead)
		tally_perfdata_read_ahead(data);
	while (tally_perfdata_next_ordered(data, &record, NULL) > 0) {
		assert_true(nr < 2 * NR_RECORDS);
		all[nr++] = (struct returned){record.number, record.type, record.flags};
	}
	tally_perfdata_close(data);
	return nr;
}

static void test_the_order_is_the_same(void **state)
{
	static struct returned alone[2 * NR_RECORDS], ahead[2 * NR_RECORDS];
	size_t nr_late = 0;

	(void)state;
	for (uint64_t seed = 0; seed < NR_FILES; seed++) {
		int fd = make_file(seed);
		size_t nr = read_all(fd, false, alone);

		assert_true(nr > NR_RECORDS);
		assert_int_equal(read_all(fd, true, ahead), nr);
		for (size_t i = 0; i < nr; i++) {
			assert_int_equal(ahead[i].number, alone[i].number);
			assert_int_equal(ahead[i].type, alone[i].type);
			assert_int_equal(ahead[i].flags, alone[i].flags);
			nr_late += (alone[i].flags & TALLY_PERFDATA_LATE) != 0;
		}
		close(fd);
	}
	assert_true(nr_late > NR_FILES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_order_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

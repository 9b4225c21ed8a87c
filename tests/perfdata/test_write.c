/* SPDX-License-Identifier: BSD-2-Clause */
/* Read files created by the writer: complete, truncated and damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "base/endian.h"
#include "base/error.h"
#include "tally/perfdata.h"
#include "tier.h"

enum { NR_SAMPLES = 40, SAMPLE_WORDS = 5, VARIANTS = 8 };

struct bytes {
	uint8_t *data;
	size_t len;
};

static struct tally_perfdata_writer_options variant(int i)
{
	return (struct tally_perfdata_writer_options){
		.pipe = i & 1, .foreign = i & 2, .compress_level = i & 4 ? 3 : 0};
}

/* Samples contain identifier, ip, time and period; trailers contain time and identifier. */
static struct perf_event_attr make_attr(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = 1000,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
		.precise_ip = 2,
		.exclude_hv = 1,
	};
}

static size_t make_sample(uint64_t *words, uint64_t id, uint64_t time)
{
	struct perf_event_header header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
					   8 * SAMPLE_WORDS};

	memcpy(words, &header, sizeof(header));
	words[1] = id;
	words[2] = 0x401000 + time;
	words[3] = time;
	words[4] = 1000;
	return header.size;
}

static size_t make_comm(uint8_t *record, const char *name, uint64_t id, uint64_t time)
{
	struct perf_event_header header = {PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC,
					   16 + 16 + 16};

	memset(record, 0, header.size);
	memcpy(record, &header, sizeof(header));
	tally_put_u32(record + 8, 77);
	tally_put_u32(record + 12, 78);
	strncpy((char *)record + 16, name, 15);
	tally_put_u64(record + 32, time);
	tally_put_u64(record + 40, id);
	return header.size;
}

/* Write records from two rings, one ring after the other in each round: the timestamps are 100, 102
 * and so on, and then 101, 103 and so on. */
static void write_records(struct tally_perfdata_writer *writer)
{
	uint64_t words[SAMPLE_WORDS], more[SAMPLE_WORDS];
	uint8_t comm[64];

	assert_int_equal(tally_perfdata_writer_write(writer, comm, make_comm(comm, "fib", 11, 0)),
			 0);
	for (int round = 0; round < 4; round++) {
		for (int ring = 0; ring < 2; ring++) {
			for (int i = 0; i < NR_SAMPLES / 8; i += 1) {
				uint64_t time = 100 + (uint64_t)round * 20 + (uint64_t)ring +
						2 * (uint64_t)i;
				struct iovec iov[] = {{words, 24}, {(char *)words + 24, 16}};

				make_sample(words, 11 + (uint64_t)ring, time);
				assert_int_equal(tally_perfdata_writer_writev(writer, iov, 2), 0);
			}
		}
		assert_int_equal(tally_perfdata_writer_finish_round(writer), 0);
	}
	make_sample(more, 999, 1000);
	assert_int_equal(tally_perfdata_writer_write(writer, more, sizeof(more)), 0);
}

static const char *const words[] = {"tally", "record", "-g", ""};
static const char *const cores[] = {"0-1", "2-3"};
static const struct tally_perfdata_cpu cpus[] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 1}, {1, 0, 1}};
static const struct tally_perfdata_node nodes[] = {{0, 1 << 20, 1 << 19, "0-3"}};
static const struct tally_perfdata_pmu pmus[] = {{1, "software"}, {5, "breakpoint"}};
static const struct tally_perfdata_group groups[] = {{"", 0, 2}, {"second", 1, 1}};
static const struct tally_perfdata_cache caches[] = {{1, 64, 64, 8, "Data", "32K", "0-1"}};

/* Tracing data: magic, version "0.6", little-endian, 8-byte longs, page size 4096, one ftrace
 * format, and one system with one event. */
static const char tracing[] = "\x17\x08\x44tracing0.6\0\0\x08\x00\x10\0\0"
			      "header_page\0\4\0\0\0\0\0\0\0page"
			      "header_event\0\5\0\0\0\0\0\0\0event"
			      "\1\0\0\0\3\0\0\0\0\0\0\0fun"
			      "\1\0\0\0sched\0\1\0\0\0\x16\0\0\0\0\0\0\0name: wake\nID: 42\nrest"
			      "\2\0\0\0ks\1\0\0\0p\3\0\0\0\0\0\0\0cmd";

static void set_features(struct tally_perfdata_writer *writer)
{
	struct tally_perfdata_env env = {
		.core_siblings = {cores, 2},
		.thread_siblings = {cores, 1},
		.die_siblings = {cores, 2},
		.cpus = cpus,
		.nr_cpus = 4,
	};
	struct tally_perfdata_build_id build_id = {.pid = -1,
						   .misc = PERF_RECORD_MISC_USER,
						   .size = 8,
						   .bytes = "12345678",
						   .filename = "/bin/fib"};

	assert_int_equal(tally_perfdata_writer_string(writer, TALLY_FEATURE_HOSTNAME, "host"), 0);
	assert_int_equal(tally_perfdata_writer_string(writer, TALLY_FEATURE_CPUID, ""), 0);
	assert_int_equal(tally_perfdata_writer_string(writer, TALLY_FEATURE_NRCPUS, ""), -EINVAL);
	assert_int_equal(tally_perfdata_writer_nrcpus(writer, 3, 4), 0);
	assert_int_equal(tally_perfdata_writer_cmdline(writer, 4, words), 0);
	assert_int_equal(tally_perfdata_writer_total_mem(writer, 123456), 0);
	assert_int_equal(tally_perfdata_writer_cpu_topology(writer, &env), 0);
	assert_int_equal(tally_perfdata_writer_numa(writer, nodes, 1), 0);
	assert_int_equal(tally_perfdata_writer_pmus(writer, pmus, 2), 0);
	assert_int_equal(tally_perfdata_writer_groups(writer, groups, 2), 0);
	assert_int_equal(tally_perfdata_writer_caches(writer, caches, 1), 0);
	assert_int_equal(tally_perfdata_writer_sample_time(writer, 100, 1000), 0);
	assert_int_equal(tally_perfdata_writer_clockid(writer, 1), 0);
	assert_int_equal(tally_perfdata_writer_clock_data(writer, 4, 5555, 6666), 0);
	assert_int_equal(tally_perfdata_writer_build_id(writer, &build_id), 0);
	assert_int_equal(tally_perfdata_writer_tracing(writer, tracing, sizeof(tracing) - 1), 0);
	assert_int_equal(tally_perfdata_writer_feature(writer, 200, "odd", 3), 0);
	assert_int_equal(tally_perfdata_writer_feature(writer, 256, "odd", 3), -EINVAL);
}

static struct bytes make_file(struct tally_perfdata_writer_options options, bool finish)
{
	struct perf_event_attr cycles = make_attr(PERF_TYPE_HARDWARE, 0);
	struct perf_event_attr wake = make_attr(PERF_TYPE_TRACEPOINT, 42);
	uint64_t ids[] = {11, 12}, more[] = {13};
	struct tally_perfdata_writer *writer;
	struct bytes bytes;
	int fd = memfd_create("made", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(tally_perfdata_writer_new(fd, &options, &writer), 0);
	assert_int_equal(tally_perfdata_writer_write(writer, ids, 8), -EINVAL);
	assert_int_equal(tally_perfdata_writer_add_event(writer, &cycles, "cycles:pp", ids, 2), 0);
	assert_int_equal(tally_perfdata_writer_add_event(writer, &wake, "sched:wake", more, 1), 0);
	set_features(writer);
	assert_int_equal(tally_perfdata_writer_start(writer), 0);
	assert_int_equal(tally_perfdata_writer_start(writer), -EBUSY);
	write_records(writer);
	if (finish)
		assert_int_equal(tally_perfdata_writer_finish(writer), 0);
	tally_perfdata_writer_free(writer);
	bytes.len = (size_t)lseek(fd, 0, SEEK_END);
	bytes.data = malloc(bytes.len);
	assert_int_equal(pread(fd, bytes.data, bytes.len, 0), bytes.len);
	close(fd);
	return bytes;
}

/* ---- contents ------------------------------------------------------------ */

static void check_order(struct tally_perfdata *data)
{
	struct tally_perfdata_record record;
	uint64_t last = 0;
	int samples = 0, comms = 0, ret;

	while ((ret = tally_perfdata_next_ordered(data, &record, NULL)) > 0) {
		if (record.type == PERF_RECORD_COMM) {
			struct tally_comm comm;

			assert_int_equal(tally_record_comm(record.data, record.size, &comm), 0);
			assert_string_equal(comm.comm, "fib");
			assert_int_equal(comm.tid, 78);
			comms++;
		}
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(record.time > last);
		assert_int_equal(tally_get_u64((const uint8_t *)record.data + 16),
				 0x401000 + record.time);
		assert_int_equal(record.event->index, 0); /* ID 999 is unknown */
		last = record.time;
		samples++;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(samples, NR_SAMPLES + 1);
	assert_int_equal(comms, 1);
	assert_int_equal(tally_perfdata_info(data)->nr_late, 0);
}

static void check_events(struct tally_perfdata *data)
{
	const struct tally_perfdata_event *event;

	assert_int_equal(tally_perfdata_nr_events(data), 2);
	event = tally_perfdata_event(data, 0);
	assert_string_equal(event->name, "cycles:pp");
	assert_int_equal(event->nr_ids, 2);
	assert_int_equal(event->attr.precise_ip, 2);
	assert_int_equal(event->attr.exclude_hv, 1);
	assert_int_equal(event->attr.size, PERF_ATTR_SIZE_VER7);
	assert_ptr_equal(tally_perfdata_event_by_id(data, 12), event);
	assert_string_equal(tally_perfdata_event_by_id(data, 13)->name, "sched:wake");
	assert_null(tally_perfdata_event_by_id(data, 14));
	assert_null(tally_perfdata_event(data, 2));
}

static void check_env(struct tally_perfdata *data)
{
	const struct tally_perfdata_env *env;

	assert_int_equal(tally_perfdata_env(data, &env), 0);
	assert_string_equal(env->hostname, "host");
	assert_string_equal(env->cpuid, "");
	assert_int_equal(env->nr_cpus_online, 3);
	assert_int_equal(env->nr_cpus_avail, 4);
	assert_int_equal(env->cmdline.nr, 4);
	assert_string_equal(env->cmdline.items[1], "record");
	assert_int_equal(env->total_mem_kb, 123456);
	assert_string_equal(env->core_siblings.items[1], "2-3");
	assert_int_equal(env->thread_siblings.nr, 1);
	assert_int_equal(env->nr_cpus, 4);
	assert_memory_equal(env->cpus, cpus, sizeof(cpus));
	assert_int_equal(env->nodes[0].mem_free_kb, 1 << 19);
	assert_string_equal(env->nodes[0].cpus, "0-3");
	assert_string_equal(env->pmus[1].name, "breakpoint");
	assert_string_equal(env->groups[1].name, "second");
	assert_int_equal(env->groups[0].nr_members, 2);
	assert_int_equal(env->caches[0].ways, 8);
	assert_string_equal(env->caches[0].cpus, "0-1");
	assert_int_equal(env->sample_time_last, 1000);
	assert_int_equal(env->clock_data_clock_ns, 6666);
	assert_int_equal(env->nr_event_desc, 2);
	assert_string_equal(env->event_desc[1].name, "sched:wake");
	assert_int_equal(env->event_desc[0].ids[1], 12);
}

static void check_rest(struct tally_perfdata *data)
{
	const struct tally_perfdata_build_id *build_id = tally_perfdata_build_id(data, 0);
	const struct tally_perfdata_tracing *parsed;

	assert_non_null(build_id);
	assert_int_equal(build_id->pid, -1);
	assert_int_equal(build_id->size, 8);
	assert_memory_equal(build_id->bytes, "12345678", 8);
	assert_string_equal(build_id->filename, "/bin/fib");
	assert_null(tally_perfdata_build_id(data, 1));
	assert_int_equal(tally_perfdata_tracing(data, &parsed, NULL), 0);
	assert_string_equal(parsed->version, "0.6");
	assert_int_equal(parsed->long_size, 8);
	assert_int_equal(parsed->page_size, 4096);
	assert_int_equal(parsed->nr_formats, 2);
	assert_string_equal(parsed->formats[0].system, "ftrace");
	assert_string_equal(parsed->formats[1].system, "sched");
	assert_memory_equal(parsed->formats[1].text.data, "name: wake", 10);
	assert_int_equal(parsed->saved_cmdlines.len, 3);
}

static void reads_what_was_written(void **state)
{
	(void)state;
	for (int i = 0; i < VARIANTS; i++) {
		struct bytes bytes = make_file(variant(i), true);
		struct tally_perfdata *data;

		assert_int_equal(tally_perfdata_open_bytes(bytes.data, bytes.len, &data, NULL), 0);
		check_order(data);
		check_events(data);
		check_env(data);
		check_rest(data);
		assert_null(tally_perfdata_note(data, 0));
		assert_int_equal(tally_perfdata_rewind(data), 0);
		check_order(data);
		check_events(data);
		tally_perfdata_close(data);
		free(bytes.data);
	}
}

/* Read a file from a recorder that was killed. The file contains all records but no features, and
 * is reported as unfinished. */
static void reads_unfinished_files(void **state)
{
	(void)state;
	for (int i = 0; i < VARIANTS; i += 2) {
		struct bytes bytes = make_file(variant(i), false);
		struct tally_perfdata_feature feature;
		struct tally_perfdata *data;

		assert_int_equal(tally_perfdata_open_bytes(bytes.data, bytes.len, &data, NULL), 0);
		assert_true(tally_perfdata_info(data)->is_unfinished);
		assert_int_equal(tally_perfdata_note(data, 0)->kind, TALLY_NOTE_UNFINISHED);
		assert_false(tally_perfdata_feature(data, 0, &feature));
		check_order(data);
		tally_perfdata_close(data);
		free(bytes.data);
	}
}

/* ---- truncated and damaged ----------------------------------------------- */

/* Read all records. Returns their number. */
static int read_all(const uint8_t *bytes, size_t len)
{
	const struct tally_perfdata_env *env;
	struct tally_perfdata_record record;
	struct tally_perfdata *data;
	uint8_t *exact = malloc(len ? len : 1); /* so that ASan reports reads beyond the end */
	uint64_t used = 0;
	int nr = 0;

	memcpy(exact, bytes, len);
	if (!tally_perfdata_open_bytes(exact, len, &data, NULL)) {
		for (; tally_perfdata_next(data, &record, NULL) > 0; nr++) {
			assert_true(record.size >= sizeof(struct perf_event_header));
			if (record.offset == UINT64_MAX)
				continue;
			/* Records do not overlap in the file. */
			assert_true(record.offset < len);
			used += record.size;
		}
		assert_true(used <= len);
		assert_int_equal(tally_perfdata_rewind(data), 0);
		for (int i = 0; i < nr; i++)
			assert_int_equal(tally_perfdata_next_ordered(data, &record, NULL), 1);
		assert_true(tally_perfdata_next_ordered(data, &record, NULL) <= 0);
		assert_int_equal(tally_perfdata_env(data, &env), 0);
		tally_perfdata_close(data);
	}
	free(exact);
	return nr;
}

static void reads_files_truncated_anywhere(void **state)
{
	(void)state;
	for (int i = 0; i < VARIANTS; i++) {
		struct bytes bytes = make_file(variant(i), true);
		int last = 0;

		/* Truncate the file at every length. Compressed files are slow to read, so use only
		 * every fifth length. */
		for (size_t len = 0; len <= bytes.len; len += (i & 4 ? 5 : 1) * tier_step(37)) {
			int nr = read_all(bytes.data, len);

			assert_true(nr >= last); /* more bytes must not yield fewer records */
			last = nr;
		}
		free(bytes.data);
	}
}

/* Set each word of the header, attrs and feature table to problematic values. */
static void survives_damaged_headers(void **state)
{
	static const uint64_t values[] = {0,  1,          7,          UINT64_MAX, UINT64_MAX - 7,
					  64, UINT32_MAX, 1ull << 62, INT64_MAX};

	(void)state;
	for (int i = 0; i < VARIANTS; i++) {
		struct bytes bytes = make_file(variant(i), true);

		for (size_t at = 8; at + 8 <= bytes.len; at += at < 600 ? 8 : 104 * tier_step(5)) {
			uint64_t before = tally_get_u64(bytes.data + at);

			/* In the quick tier, try only one value at each offset, and use a different
			 * value at the next offset. */
			for (size_t v = at / 8 % tier_step(9);
			     v < sizeof(values) / sizeof(values[0]); v += tier_step(9)) {
				tally_put_u64(bytes.data + at, values[v]);
				(void)read_all(bytes.data, bytes.len);
			}
			tally_put_u64(bytes.data + at, before);
		}
		free(bytes.data);
	}
}

/* Reading ends at a record size below 8, after the valid records have been returned, and every
 * later read fails as well. */
static void a_record_without_size_ends_reading(void **state)
{
	uint8_t bytes[16 + 8 + 8] = "PERFILE2\x10";
	struct tally_perfdata_record record;
	struct tally_perfdata *data;
	struct tally_error err;

	(void)state;
	bytes[16] = TALLY_PERFDATA_FINISHED_ROUND;
	bytes[22] = 8;
	bytes[24] = PERF_RECORD_SAMPLE;
	assert_int_equal(tally_perfdata_open_bytes(bytes, sizeof(bytes), &data, NULL), 0);
	assert_int_equal(tally_perfdata_next(data, &record, &err), 1);
	assert_int_equal(tally_perfdata_next(data, &record, &err), -EINVAL);
	assert_int_equal(err.offset, 24);
	assert_int_equal(tally_perfdata_next(data, &record, &err), -EINVAL);
	tally_perfdata_close(data);
}

static void reports_trailing_garbage(void **state)
{
	uint8_t bytes[16 + 8 + 3] = "PERFILE2\x10";
	struct tally_perfdata_record record;
	struct tally_perfdata *data;
	struct tally_error err;

	(void)state;
	bytes[16] = TALLY_PERFDATA_FINISHED_ROUND;
	bytes[22] = 8;
	assert_int_equal(tally_perfdata_open_bytes(bytes, sizeof(bytes), &data, NULL), 0);
	assert_int_equal(tally_perfdata_next(data, &record, NULL), 1);
	assert_int_equal(tally_perfdata_next(data, &record, NULL), 0);
	assert_int_equal(tally_perfdata_note(data, 0)->kind, TALLY_NOTE_STRAY_BYTES);
	assert_int_equal(tally_perfdata_note(data, 0)->bytes, 3);
	assert_int_equal(tally_perfdata_note(data, 0)->offset, 24);
	tally_perfdata_close(data);
	assert_int_equal(tally_perfdata_open_bytes("PERFILE3xxxxxxxxxx", 18, &data, &err), -EINVAL);
	assert_int_equal(tally_perfdata_open_bytes("PERFILE2", 8, &data, &err), -EINVAL);
	assert_int_equal(err.offset, 8);
}

/* Attrs larger than 128 bytes are written only if needed, because readers before 6.3 may not accept
 * them. */
static void writes_large_attrs_only_if_needed(void **state)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_RAW, 1);
	struct tally_perfdata_writer *writer;
	struct tally_perfdata *data;
	int fd = memfd_create("attr", MFD_CLOEXEC);

	(void)state;
	attr.config3 = 7;
	assert_int_equal(tally_perfdata_writer_new(fd, NULL, &writer), 0);
	assert_int_equal(tally_perfdata_writer_add_event(writer, &attr, NULL, NULL, 0), 0);
	assert_int_equal(tally_perfdata_writer_start(writer), 0);
	assert_int_equal(tally_perfdata_writer_finish(writer), 0);
	assert_int_equal(tally_perfdata_writer_finish(writer), 0);
	tally_perfdata_writer_free(writer);
	assert_int_equal(tally_perfdata_open_fd(fd, &data, NULL), 0);
	assert_int_equal(tally_perfdata_info(data)->attr_size, PERF_ATTR_SIZE_VER8);
	assert_int_equal(tally_perfdata_event(data, 0)->attr.config3, 7);
	assert_string_equal(tally_perfdata_event(data, 0)->name, "raw 0x1:kupp");
	tally_perfdata_close(data);
	close(fd);
}

/* Fill the disk. Complete records are kept, and the file ends with a complete record. */
static void a_full_disk_leaves_complete_records(void **state)
{
	struct perf_event_attr attr = make_attr(PERF_TYPE_HARDWARE, 0);
	uint64_t samples[100][SAMPLE_WORDS];
	struct tally_perfdata_writer *writer;
	struct tally_perfdata_record record;
	struct tally_perfdata *data;
	struct iovec iov[] = {{samples, 1004}, {(char *)samples + 1004, sizeof(samples) - 1004}};
	struct rlimit before, limit;
	int fd = memfd_create("full", MFD_CLOEXEC), nr = 0;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		make_sample(samples[i], 0, 1 + i);
	assert_int_equal(tally_perfdata_writer_new(fd, NULL, &writer), 0);
	assert_int_equal(tally_perfdata_writer_add_event(writer, &attr, NULL, NULL, 0), 0);
	assert_int_equal(tally_perfdata_writer_start(writer), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)lseek(fd, 0, SEEK_CUR) + 50 * 8 * SAMPLE_WORDS + 13;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(tally_perfdata_writer_writev(writer, iov, 2), -EFBIG);
	assert_int_equal(tally_perfdata_writer_finish(writer), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	tally_perfdata_writer_free(writer);
	assert_int_equal(tally_perfdata_open_fd(fd, &data, NULL), 0);
	while (tally_perfdata_next(data, &record, NULL) > 0)
		nr++;
	assert_int_equal(nr, 50);
	assert_null(tally_perfdata_note(data, 0));
	tally_perfdata_close(data);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_written),
		cmocka_unit_test(reads_unfinished_files),
		cmocka_unit_test(reads_files_truncated_anywhere),
		cmocka_unit_test(survives_damaged_headers),
		cmocka_unit_test(a_record_without_size_ends_reading),
		cmocka_unit_test(reports_trailing_garbage),
		cmocka_unit_test(writes_large_attrs_only_if_needed),
		cmocka_unit_test(a_full_disk_leaves_complete_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

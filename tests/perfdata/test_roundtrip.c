/* SPDX-License-Identifier: BSD-2-Clause */
/* Pass every real file through the reader, the writer and the reader again, and through a pipe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "base/error.h"
#include "fixtures.h"
#include "tally/perfdata.h"
#include "tier.h"

/* Return true for records that the writer generates, or that depend on compression. */
static bool is_own(uint32_t type)
{
	return type == TALLY_PERFDATA_HEADER_ATTR || type == TALLY_PERFDATA_HEADER_FEATURE ||
	       type == TALLY_PERFDATA_BUILD_ID || type == TALLY_PERFDATA_TRACING_DATA ||
	       type == TALLY_PERFDATA_EVENT_UPDATE || type == TALLY_PERFDATA_COMPRESSED ||
	       type == TALLY_PERFDATA_COMPRESSED2;
}

static int next_kept(struct tally_perfdata *data, struct tally_perfdata_record *ret_record)
{
	int ret;

	do
		ret = tally_perfdata_next(data, ret_record, NULL);
	while (ret > 0 && is_own(ret_record->type));
	return ret;
}

static void compare_records(const char *path, struct tally_perfdata *a, struct tally_perfdata *b)
{
	struct tally_perfdata_record x, y;
	unsigned nr = 0;

	for (; next_kept(a, &x) > 0; nr++) {
		if (next_kept(b, &y) != 1)
			fail_msg("%s: record at %llx lost", path, (unsigned long long)x.offset);
		assert_int_equal(x.type, y.type);
		assert_int_equal(x.size, y.size);
		assert_memory_equal(x.data, y.data, x.size);
		assert_int_equal(x.time, y.time);
		assert_int_equal(!x.event, !y.event);
		assert_int_equal(x.payload_len, y.payload_len);
		if (x.payload_len)
			assert_memory_equal(x.payload, y.payload, x.payload_len);
		if (x.event)
			assert_int_equal(x.event->index, y.event->index);
	}
	/* A file without records is written with a FINISHED_ROUND. */
	assert_true(next_kept(b, &y) <= 0 || (!nr && y.type == TALLY_PERFDATA_FINISHED_ROUND));
}

static void compare_events(struct tally_perfdata *a, struct tally_perfdata *b)
{
	size_t nr = tally_perfdata_nr_events(a);

	assert_int_equal(tally_perfdata_nr_events(b), nr);
	for (size_t i = 0; i < nr; i++) {
		const struct tally_perfdata_event *x = tally_perfdata_event(a, i);
		const struct tally_perfdata_event *y = tally_perfdata_event(b, i);
		struct perf_event_attr attr = x->attr;

		attr.size = y->attr.size;
		assert_memory_equal(&attr, &y->attr, sizeof(attr));
		assert_string_equal(x->name, y->name);
		assert_int_equal(x->nr_ids, y->nr_ids);
		if (x->nr_ids)
			assert_memory_equal(x->ids, y->ids, 8 * x->nr_ids);
	}
}

static void compare_build_ids(const char *path, struct tally_perfdata *a, struct tally_perfdata *b)
{
	const struct tally_perfdata_build_id *x, *y;

	for (size_t i = 0; (x = tally_perfdata_build_id(a, i)); i++) {
		y = tally_perfdata_build_id(b, i);
		if (!y)
			fail_msg("%s: build-id %zu lost", path, i);
		assert_int_equal(x->pid, y->pid);
		assert_int_equal(x->size, y->size);
		assert_memory_equal(x->bytes, y->bytes, x->size);
		assert_string_equal(x->filename, y->filename);
	}
}

/* Copy build IDs, and other features if `alike` is set. Features are in the file's byte order, so
 * they can only be copied if the byte order stays the same. */
static void copy_features(struct tally_perfdata *from, struct tally_perfdata_writer *to, bool alike)
{
	struct tally_perfdata_feature feature;
	const struct tally_perfdata_build_id *build_id;

	for (size_t i = 0; alike && tally_perfdata_feature(from, i, &feature); i++) {
		if (feature.id != TALLY_FEATURE_EVENT_DESC &&
		    feature.id != TALLY_FEATURE_COMPRESSED && feature.id != TALLY_FEATURE_BUILD_ID)
			assert_int_equal(tally_perfdata_writer_feature(to, feature.id,
								       feature.bytes.data,
								       feature.bytes.len),
					 0);
	}
	for (size_t i = 0; (build_id = tally_perfdata_build_id(from, i)); i++)
		assert_int_equal(tally_perfdata_writer_build_id(to, build_id), 0);
}

/* Copy the records. This fails for a record of unknown layout, which cannot be byte-swapped; the
 * fuzzer's file contains such a record. */
static int copy_records(struct tally_perfdata *from, struct tally_perfdata_writer *to)
{
	struct tally_perfdata_record record;
	int ret = 0;

	while (!ret && next_kept(from, &record) > 0) {
		if (record.payload)
			ret = tally_perfdata_writer_payload(to, record.data, record.payload,
							    record.payload_len);
		else
			ret = tally_perfdata_writer_write(to, record.data, record.size);
	}
	return ret;
}

static int copy(struct tally_perfdata *from, int fd, struct tally_perfdata_writer_options options)
{
	bool alike = tally_perfdata_info(from)->is_foreign == options.foreign;
	struct tally_perfdata_writer *to;
	int ret;

	assert_int_equal(tally_perfdata_writer_new(fd, &options, &to), 0);
	for (size_t i = 0; i < tally_perfdata_nr_events(from); i++) {
		const struct tally_perfdata_event *event = tally_perfdata_event(from, i);

		assert_int_equal(tally_perfdata_writer_add_event(to, &event->attr, event->name,
								 event->ids, event->nr_ids),
				 0);
	}
	copy_features(from, to, alike);
	assert_int_equal(tally_perfdata_writer_start(to), 0);
	assert_int_equal(tally_perfdata_rewind(from), 0);
	ret = copy_records(from, to);
	assert_int_equal(tally_perfdata_writer_finish(to), 0);
	tally_perfdata_writer_free(to);
	return ret;
}

static void check_variant(const char *path, struct tally_perfdata *from,
			  struct tally_perfdata_writer_options options)
{
	int fd = memfd_create("roundtrip", MFD_CLOEXEC);
	struct tally_perfdata *again;

	assert_true(fd >= 0);
	if (copy(from, fd, options)) {
		assert_true(options.foreign && strstr(path, "/fuzz-"));
		close(fd);
		return;
	}
	assert_int_equal(tally_perfdata_open_fd(fd, &again, NULL), 0);
	assert_int_equal(tally_perfdata_info(again)->is_pipe, options.pipe);
	assert_int_equal(tally_perfdata_info(again)->is_foreign, options.foreign);
	assert_int_equal(tally_perfdata_rewind(from), 0);
	compare_records(path, from, again);
	compare_events(from, again);
	compare_build_ids(path, from, again);
	if (!options.pipe)
		assert_false(tally_perfdata_info(again)->is_unfinished);
	tally_perfdata_close(again);
	close(fd);
}

static void check_roundtrip(const char *path)
{
	struct tally_perfdata *from;
	struct tally_perfdata_record record;

	assert_int_equal(tally_perfdata_open(path, &from, NULL), 0);
	/* In pipe mode, attrs are stored as records, so read all records first. */
	while (tally_perfdata_next(from, &record, NULL) > 0)
		;
	for (int i = 0; i < 8; i += (int)tier_step(3))
		check_variant(path, from,
			      (struct tally_perfdata_writer_options){
				      .pipe = i & 1,
				      .foreign = i & 2,
				      .compress_level = i & 4 ? 1 : 0,
			      });
	tally_perfdata_close(from);
}

static void test_roundtrip(void **state)
{
	(void)state;
	fixtures_each(check_roundtrip);
}

/* ---- reading from a pipe ------------------------------------------------- */

static void check_stream(const char *path)
{
	char command[FIXTURE_PATH * 2];
	struct tally_perfdata *map, *stream;
	struct stat st;
	FILE *pipe;

	assert_int_equal(stat(path, &st), 0);
	if (S_ISDIR(st.st_mode))
		return;
	snprintf(command, sizeof(command), "cat '%s'", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(tally_perfdata_open(path, &map, NULL), 0);
	assert_int_equal(tally_perfdata_open_fd(fileno(pipe), &stream, NULL), 0);
	assert_int_equal(tally_perfdata_info(stream)->is_stream, tally_perfdata_info(map)->is_pipe);
	compare_records(path, map, stream);
	compare_events(map, stream);
	compare_build_ids(path, map, stream);
	tally_perfdata_close(stream);
	tally_perfdata_close(map);
	pclose(pipe);
}

static void test_stream(void **state)
{
	(void)state;
	fixtures_each(check_stream);
}

/* Check the time order of records read from a stream, which are stored in temporary chunks. */
static void check_ordered_stream(const char *path)
{
	char command[FIXTURE_PATH * 2];
	struct tally_perfdata *map, *stream;
	struct tally_perfdata_record x, y;
	struct stat st;
	FILE *pipe;
	int ret;

	assert_int_equal(stat(path, &st), 0);
	if (S_ISDIR(st.st_mode))
		return;
	snprintf(command, sizeof(command), "cat '%s'", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(tally_perfdata_open(path, &map, NULL), 0);
	assert_int_equal(tally_perfdata_open_fd(fileno(pipe), &stream, NULL), 0);
	while ((ret = tally_perfdata_next_ordered(map, &x, NULL)) > 0) {
		assert_int_equal(tally_perfdata_next_ordered(stream, &y, NULL), 1);
		assert_int_equal(x.size, y.size);
		assert_memory_equal(x.data, y.data, x.size);
		assert_int_equal(x.offset, y.offset);
		assert_int_equal(x.flags, y.flags);
	}
	assert_int_equal(tally_perfdata_next_ordered(stream, &y, NULL), ret);
	tally_perfdata_close(stream);
	tally_perfdata_close(map);
	pclose(pipe);
}

static void test_ordered_stream(void **state)
{
	(void)state;
	fixtures_each(check_ordered_stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roundtrip),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_ordered_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

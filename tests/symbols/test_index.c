/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"
#include "symbols/cache/index_format.h"
#include "symbols/cache/index_write.h"
#include "probe.h"

static const struct tally_build_id object = {"\x01\x23\x45\x67\x89\xab\xcd\xef", 8};
static const char name[] = "0123456789abcdef.index";

struct index_dir_fixture {
	char above[64], path[80], file[128];
	struct tally_index_dir dir;
};

static int place_setup(void **state)
{
	struct index_dir_fixture *place = calloc(1, sizeof(*place));

	strcpy(place->above, "/tmp/tally-index-XXXXXX");
	assert_non_null(mkdtemp(place->above));
	snprintf(place->path, sizeof(place->path), "%s/tally", place->above);
	snprintf(place->file, sizeof(place->file), "%s/%s", place->path, name);
	assert_int_equal(tally_index_dir_open(place->path, 1 << 20, &place->dir), 0);
	*state = place;
	return 0;
}

static int place_teardown(void **state)
{
	struct index_dir_fixture *place = *state;

	tally_index_dir_close(&place->dir);
	temporary_remove(place->above);
	free(place);
	return 0;
}

/* Reopen the directory, as a later process would. */
static void place_reopen(struct index_dir_fixture *place, uint64_t limit)
{
	tally_index_dir_close(&place->dir);
	assert_int_equal(tally_index_dir_open(place->path, limit, &place->dir), 0);
}

/* Write one section of `len` bytes, all of which are `byte`. */
static int write_section(struct index_dir_fixture *place, const struct tally_build_id *id,
			 enum tally_index_id section, int byte, size_t len)
{
	struct tally_index_writer *writer;
	uint8_t *data = malloc(len + 1);
	int ret = tally_index_writer_open(&place->dir, id, len, &writer);

	memset(data, byte, len + 1);
	if (!ret) {
		tally_index_writer_begin(writer, section);
		/* Add the data in chunks of irregular sizes. */
		for (size_t at = 0, step = 1; at < len; at += step, step = step * 3 + 1) {
			step = step > len - at ? len - at : step;
			tally_index_writer_add(writer, data + at, step);
		}
		ret = tally_index_writer_close(writer, 0);
	}
	free(data);
	return ret;
}

/* Return 0 if the section contains the bytes that were written, or a negative error code. */
static int read_section(struct index_dir_fixture *place, const struct tally_build_id *id,
			enum tally_index_id section, int byte, size_t len)
{
	struct tally_index index;
	const uint8_t *data;
	size_t got;
	int ret = tally_index_open(&place->dir, id, &index);

	if (ret)
		return ret;
	data = tally_index_section(&index, section, &got);
	ret = data ? 0 : -ENODATA;
	if (data)
		assert_int_equal((uintptr_t)data % 8, 0);
	if (data)
		assert_int_equal(got, len);
	for (size_t i = 0; i < got; i++)
		assert_int_equal(data[i], byte);
	tally_index_free(&index);
	return ret;
}

static size_t nr_files(const struct index_dir_fixture *place)
{
	char command[160];
	size_t nr = 0;
	FILE *list;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", place->path);
	list = popen(command, "r");
	assert_non_null(list);
	assert_int_equal(fscanf(list, "%zu", &nr), 1);
	pclose(list);
	return nr;
}

static void reads_what_was_written(void **state)
{
	struct index_dir_fixture *place = *state;
	struct stat st;

	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 0, 0), -ENOENT);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 200001), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 200001), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_RULES, 0, 0), -ENODATA);
	assert_int_equal(stat(place->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(place->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(nr_files(place), 1);
}

/* Chunks of any size are stored in the order in which they were added. */
static void keeps_the_order_of_pieces(void **state)
{
	static const size_t sizes[] = {1,     32767, 3, 32768,  32769, 40000, 2,    65535,
				       65536, 65537, 7, 200000, 30000, 30000, 30000};
	struct index_dir_fixture *place = *state;
	struct tally_index_writer *writer;
	struct tally_index index;
	uint8_t *data = malloc(200000);
	const uint8_t *got;
	size_t len, at = 0;

	assert_int_equal(tally_index_writer_open(&place->dir, &object, 700000, &writer), 0);
	tally_index_writer_begin(writer, TALLY_INDEX_NAMES);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(data, (int)i + 1, sizes[i]);
		tally_index_writer_add(writer, data, sizes[i]);
	}
	assert_int_equal(tally_index_writer_close(writer, 0), 0);
	assert_int_equal(tally_index_open(&place->dir, &object, &index), 0);
	got = tally_index_section(&index, TALLY_INDEX_NAMES, &len);
	assert_non_null(got);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); at += sizes[i++]) {
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(got[at + j], i + 1);
	}
	assert_int_equal(len, at);
	tally_index_free(&index);
	free(data);
}

/* Exceed RLIMIT_FSIZE. SIGXFSZ must not kill the process. */
static void survives_a_file_size_limit(void **state)
{
	struct index_dir_fixture *place = *state;
	struct rlimit before, limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 50000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 60000), -EFBIG);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_RULES, 'r', 9000), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(nr_files(place), 1);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_RULES, 'r', 9000), 0);
}

/* Sections are kept until they are rewritten or replaced by an empty section. */
static void keeps_sections_that_are_not_rewritten(void **state)
{
	struct index_dir_fixture *place = *state;

	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 77), 0);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_RULES, 'r', 99999), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 77), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_RULES, 'r', 99999), 0);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'N', 5), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'N', 5), 0);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 0, 0), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 0, 0), -ENODATA);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_RULES, 'r', 99999), 0);
}

static void separates_objects_by_build_id(void **state)
{
	struct tally_build_id other = object, longer = object, brief = {"\x01\x23", 2};
	struct index_dir_fixture *place = *state;

	other.id[7]++;
	longer.size = TALLY_BUILD_ID_MAX;
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), 0);
	assert_int_equal(read_section(place, &other, TALLY_INDEX_NAMES, 0, 0), -ENOENT);
	assert_int_equal(read_section(place, &longer, TALLY_INDEX_NAMES, 0, 0), -ENOENT);
	assert_int_equal(write_section(place, &brief, TALLY_INDEX_NAMES, 'n', 9), -ENOENT);
	assert_int_equal(read_section(place, &brief, TALLY_INDEX_NAMES, 0, 0), -ENOENT);
	/* An index under another object's name is not used for that object. */
	assert_int_equal(write_section(place, &longer, TALLY_INDEX_NAMES, 'l', 9), 0);
	assert_int_equal(linkat(place->dir.fd, name, place->dir.fd, "0123456789abcdf0.index", 0),
			 0);
	assert_int_equal(read_section(place, &other, TALLY_INDEX_NAMES, 0, 0), -EBADMSG);
}

static uint8_t *load(const char *path, size_t *ret_len)
{
	uint8_t *data;
	char *text;

	assert_int_equal(tally_file_read(path, 1 << 20, &text, ret_len), 0);
	data = aligned_alloc(8, (*ret_len + 7) / 8 * 8);
	memcpy(data, text, *ret_len);
	free(text);
	return data;
}

/* Return true if the bytes are an index that contains names. */
static bool has_names(const uint8_t *data, size_t len)
{
	uint8_t *copy = aligned_alloc(8, (len + 8) / 8 * 8);
	struct tally_index index;
	bool has = false;
	size_t got;

	memcpy(copy, data, len);
	if (!tally_index_parse(copy, len, &object, &index))
		has = tally_index_section(&index, TALLY_INDEX_NAMES, &got);
	free(copy);
	return has;
}

/* Check that an index has no names if it is truncated or has a flipped bit or a zeroed range. */
static void rejects_damaged_indexes(void **state)
{
	struct index_dir_fixture *place = *state;
	uint8_t *data, *zeroed;
	size_t len;

	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 333), 0);
	data = load(place->file, &len);
	zeroed = malloc(len);
	assert_true(has_names(data, len));
	for (size_t i = 0; i < len; i++)
		assert_false(has_names(data, i));
	/* The last bytes are padding, which is not read. */
	for (size_t i = 0; i < (len - 7) * 8; i++) {
		data[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_false(has_names(data, len));
		data[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	for (size_t size = 8; size < len; size *= 2) {
		for (size_t at = 0; at + size <= len; at += size) {
			memcpy(zeroed, data, len);
			memset(zeroed + at, 0, size);
			assert_int_equal(has_names(zeroed, len), !memcmp(zeroed, data, len));
		}
	}
	free(zeroed);
	free(data);
}

/* Check headers with wrong values but valid checksums. */
static void rejects_wrong_headers_with_valid_checksums(void **state)
{
	struct index_dir_fixture *place = *state;
	struct tally_index_header header;
	struct tally_index_section *section = &header.sections[0];
	static const uint64_t sizes[] = {0, 1, 7, 1000, UINT64_MAX, UINT64_MAX - 7, 1ull << 63};
	uint8_t *data;
	size_t len;

	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 333), 0);
	data = load(place->file, &len);
	for (size_t i = 0; i < 7 * 7 * 2; i++) {
		memcpy(&header, data, sizeof(header));
		section->offset = i % 2 ? sizes[i / 2 % 7] : section->offset;
		section->size = sizes[i / 14];
		header.sum = tally_index_header_sum(&header);
		memcpy(data, &header, sizeof(header));
		assert_false(has_names(data, len));
	}
	free(data);
}

/* The checksum depends on every bit, but not on the sizes of the chunks. */
static void checksums_depend_on_every_bit(void **state)
{
	uint8_t data[300];
	uint64_t whole;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	for (size_t len = 0; len < sizeof(data); len++) {
		whole = tally_index_sum(data, len);
		assert_true(whole != tally_index_sum(data, len + 1));
		for (size_t step = 1; step < 100; step += 13) {
			struct tally_index_sum sum;

			tally_index_sum_begin(&sum);
			for (size_t at = 0; at < len; at += step)
				tally_index_sum_add(&sum, data + at,
						    step < len - at ? step : len - at);
			assert_true(tally_index_sum_end(&sum) == whole);
		}
	}
	whole = tally_index_sum(data, sizeof(data));
	for (size_t i = 0; i < sizeof(data) * 8; i++) {
		data[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_true(tally_index_sum(data, sizeof(data)) != whole);
		data[i / 8] ^= (uint8_t)(1 << i % 8);
	}
}

/* Files that other users own or can change are not used, and neither are symbolic links. */
static void ignores_files_that_others_can_change(void **state)
{
	struct index_dir_fixture *place = *state;
	char elsewhere[160];

	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), 0);
	chmod(place->file, 0620);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -EPERM);
	chmod(place->file, 0602);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -EPERM);
	chmod(place->file, 0644);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), 0);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", place->above);
	assert_int_equal(rename(place->file, elsewhere), 0);
	assert_int_equal(symlink(elsewhere, place->file), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -ELOOP);
	assert_int_equal(unlink(place->file), 0);
	assert_int_equal(mkfifo(place->file, 0600), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -EPERM);
	assert_int_equal(rename(elsewhere, place->file), 0);
	chmod(place->path, 0770);
	place_reopen(place, 1 << 20);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -ENOENT);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -EPERM);
	assert_int_equal(rename(place->path, elsewhere), 0);
	chmod(elsewhere, 0700);
	assert_int_equal(symlink(elsewhere, place->path), 0);
	place_reopen(place, 1 << 20);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -ENOTDIR);
}

static void ignores_files_of_other_users(void **state)
{
	struct index_dir_fixture *place = *state;

	if (!probe_chown(1000))
		probe_skip("files cannot be given to other users here");
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), 0);
	assert_int_equal(chown(place->file, 1000, 0), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -EPERM);
	/* Another user's file is replaced by ours. */
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), 0);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), 0);
	assert_int_equal(chown(place->path, 1000, 0), 0);
	place_reopen(place, 1 << 20);
	assert_int_equal(read_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -ENOENT);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -EPERM);
	/* Nothing is created in other users' directories. */
	assert_int_equal(unlink(place->file) || rmdir(place->path), 0);
	assert_int_equal(chown(place->above, 1000, 0), 0);
	assert_int_equal(write_section(place, &object, TALLY_INDEX_NAMES, 'n', 9), -EPERM);
	assert_int_equal(access(place->path, F_OK), -1);
}

/* Write an index for object `number` that was last used `days` days ago. */
static void write_aged(struct index_dir_fixture *place, uint8_t number, int days)
{
	struct timespec times[2] = {{.tv_sec = time(NULL) - days * 86400}};
	struct tally_build_id id = object;
	char path[128];

	id.id[0] = number;
	assert_int_equal(write_section(place, &id, TALLY_INDEX_NAMES, 'n', 60000), 0);
	snprintf(path, sizeof(path), "%s/%02x%s", place->path, number, name + 2);
	times[1] = times[0];
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const struct index_dir_fixture *place, const char *file)
{
	return !faccessat(place->dir.fd, file, F_OK, 0);
}

static void put(const struct index_dir_fixture *place, const char *file, int age)
{
	struct timespec times[2] = {{.tv_sec = time(NULL) - age}};
	int fd = openat(place->dir.fd, file, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100000), 0);
	times[1] = times[0];
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

/* The least recently used indexes are removed to stay below the limit. Other files are kept, except
 * old temporary files. */
static void removes_the_least_recently_used_index(void **state)
{
	static const char *const others[] = {"README",
					     "0123456789abcdef.index.bak",
					     "0123456789abcde.index",
					     "0123456789ABCDEF.index",
					     "x0123456789abcdef.index",
					     ".0123456789abcdef.index.0123",
					     "0123456789abcdef.indey"};
	struct tally_build_id id = object;
	struct index_dir_fixture *place = *state;

	place_reopen(place, 200000);
	for (uint8_t i = 1; i <= 3; i++)
		write_aged(place, i, i == 2 ? 9 : i);
	for (size_t i = 0; i < 7; i++)
		put(place, others[i], 86400 * 365);
	put(place, ".0123456789abcdef.index.0123456789abcdef", 60);
	put(place, ".0123456789abcdef.index.0123456789abcde0", 7200);
	/* Using an index updates its file's timestamp, at most once a day. */
	id.id[0] = 3;
	assert_int_equal(read_section(place, &id, TALLY_INDEX_NAMES, 'n', 60000), 0);
	write_aged(place, 4, 0);
	assert_false(is_there(place, "0223456789abcdef.index"));
	assert_true(is_there(place, "0123456789abcdef.index"));
	write_aged(place, 5, 0);
	assert_false(is_there(place, "0123456789abcdef.index"));
	assert_true(is_there(place, "0323456789abcdef.index"));
	for (size_t i = 0; i < 7; i++)
		assert_true(is_there(place, others[i]));
	assert_true(is_there(place, ".0123456789abcdef.index.0123456789abcdef"));
	assert_false(is_there(place, ".0123456789abcdef.index.0123456789abcde0"));
	/* A section that exceeds the limit is rejected, and no index is removed to make space for
	 * it. */
	assert_int_equal(write_section(place, &id, TALLY_INDEX_NAMES, 'n', 200000), -ENOSPC);
	assert_true(is_there(place, "0323456789abcdef.index"));
	assert_true(is_there(place, "0423456789abcdef.index"));
	assert_true(is_there(place, "0523456789abcdef.index"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksums_depend_on_every_bit),
		cmocka_unit_test_setup_teardown(reads_what_was_written, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(keeps_the_order_of_pieces, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(survives_a_file_size_limit, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(keeps_sections_that_are_not_rewritten, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(separates_objects_by_build_id, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(rejects_damaged_indexes, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(rejects_wrong_headers_with_valid_checksums,
						place_setup, place_teardown),
		cmocka_unit_test_setup_teardown(ignores_files_that_others_can_change, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(ignores_files_of_other_users, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(removes_the_least_recently_used_index, place_setup,
						place_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

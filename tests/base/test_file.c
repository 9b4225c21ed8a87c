/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "probe.h"

#include <cmocka.h>

static void reads_and_maps_what_was_written(void **state)
{
	char path[] = "/tmp/tally-file-XXXXXX", *data;
	static char block[100000];
	struct tally_file_map map;
	size_t len;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(tally_file_map(path, &map), 0);
	assert_int_equal(map.len, 0);
	memset(block, 'x', sizeof(block));
	assert_int_equal(tally_file_write_all(fd, block, sizeof(block)), 0);
	assert_int_equal(tally_file_read(path, sizeof(block), &data, &len), 0);
	assert_int_equal(len, sizeof(block));
	assert_memory_equal(data, block, len);
	assert_int_equal(data[len], 0);
	free(data);
	assert_int_equal(tally_file_read(path, sizeof(block) - 1, &data, &len), -EFBIG);
	assert_int_equal(tally_file_map(path, &map), 0);
	assert_memory_equal(map.data, block, map.len);
	tally_file_unmap(&map);
	assert_null(map.data);
	close(fd);
	unlink(path);
}

static void returns_errors_of_the_system(void **state)
{
	struct tally_file_map map;
	char *data;
	size_t len;

	assert_int_equal(tally_file_read("/nonexistent", 10, &data, &len), -ENOENT);
	assert_int_equal(tally_file_map("/nonexistent", &map), -ENOENT);
	assert_int_equal(tally_file_map("/", &map), -EINVAL);
	assert_int_equal(tally_file_write_all(-1, "x", 1), -EBADF);
}

static int open_one(const char *path, const struct tally_file_owners *owners)
{
	int fd, ret = tally_file_open(path, owners, &fd);

	if (!ret)
		close(fd);
	return ret;
}

/* Opening a FIFO without a writer would block forever. */
static void opens_regular_files_only(void **state)
{
	char dir[] = "/tmp/tally-file-XXXXXX", path[64], link[128];
	int fd;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(open_one(path, NULL), -EINVAL);
	assert_int_equal(open_one(dir, NULL), -EINVAL);
	assert_int_equal(open_one("/dev/null", NULL), -ENODEV);
	snprintf(link, sizeof(link), "%s/x", path);
	assert_int_equal(open_one(link, NULL), -ENOTDIR);
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(symlink("/dev/zero", link), 0);
	assert_int_equal(open_one(link, NULL), -ENODEV);
	unlink(path);
	unlink(link);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_int_equal(open_one(path, NULL), 0);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(open_one(link, NULL), 0);
	close(fd);
	unlink(path);
	unlink(link);
	rmdir(dir);
}

/* A directory with an empty file and a symbolic link to the file, all owned by the current user. */
struct linked_file {
	char dir[32], path[64], link[64];
};

static void linked_make(struct linked_file *it)
{
	int fd;

	snprintf(it->dir, sizeof(it->dir), "/tmp/tally-file-XXXXXX");
	assert_non_null(mkdtemp(it->dir));
	snprintf(it->path, sizeof(it->path), "%s/file", it->dir);
	snprintf(it->link, sizeof(it->link), "%s/link", it->dir);
	fd = open(it->path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(symlink(it->path, it->link), 0);
}

static void linked_remove(const struct linked_file *it)
{
	unlink(it->path);
	unlink(it->link);
	rmdir(it->dir);
}

/* Another user's link may point to files that the current user does not own, so the owners of links
 * are checked as well. */
static void checks_owners_of_files_and_links(void **state)
{
	uid_t me[] = {geteuid()}, nobody[] = {me[0] == 65534 ? 65533 : 65534};
	struct tally_file_owners mine = {me, 1}, theirs = {nobody, 1}, both = {me, 0};
	struct linked_file it;

	linked_make(&it);
	assert_int_equal(open_one(it.path, &mine), 0);
	assert_int_equal(open_one(it.link, &mine), 0);
	assert_int_equal(open_one(it.path, &theirs), -EPERM);
	assert_int_equal(open_one(it.path, &both), -EPERM);
	linked_remove(&it);
}

static void rejects_links_of_other_users(void **state)
{
	uid_t me[] = {geteuid()}, nobody[] = {me[0] == 65534 ? 65533 : 65534};
	struct tally_file_owners mine = {me, 1}, theirs = {nobody, 1};
	struct linked_file it;

	if (!probe_chown(nobody[0]))
		probe_skip("files cannot be given to other users here");
	linked_make(&it);
	assert_int_equal(lchown(it.link, nobody[0], nobody[0]), 0);
	assert_int_equal(open_one(it.link, NULL), 0);
	assert_int_equal(open_one(it.link, &mine), -EPERM);
	assert_int_equal(open_one(it.link, &theirs), -EPERM);
	linked_remove(&it);
}

/* Files above the limit are not read at all, because they may be sparse and terabytes in size. */
static void does_not_read_files_beyond_the_limit(void **state)
{
	char path[] = "/tmp/tally-file-XXXXXX", *data;
	size_t len;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 5), 0);
	assert_int_equal(tally_file_read_checked(path, NULL, 5, &data, &len), 0);
	assert_int_equal(len, 5);
	free(data);
	assert_int_equal(tally_file_read_checked(path, NULL, 4, &data, &len), -EFBIG);
	if (ftruncate(fd, 1ll << 40)) {
		close(fd);
		unlink(path);
		probe_skip("files of /tmp cannot be as large as 1 TB");
	}
	assert_int_equal(tally_file_read_checked(path, NULL, 1 << 30, &data, &len), -EFBIG);
	assert_int_equal(tally_file_read_checked("/dev/zero", NULL, 4, &data, &len), -ENODEV);
	close(fd);
	unlink(path);
}

static void detects_a_truncated_file(void **state)
{
	char path[] = "/tmp/tally-file-XXXXXX";
	struct tally_file_map map;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 10000), 0);
	assert_int_equal(tally_file_map(path, &map), 0);
	assert_int_equal(tally_file_map_check(&map), 0);
	unlink(path); /* a new file with the same name must not matter */
	assert_int_equal(ftruncate(fd, 20000), 0);
	assert_int_equal(tally_file_map_check(&map), 0);
	assert_int_equal(ftruncate(fd, 9999), 0);
	assert_int_equal(tally_file_map_check(&map), -EIO);
	tally_file_unmap(&map);
	assert_int_equal(tally_file_map_check(&map), 0);
	close(fd);
}

/* Return true if the file system used for temporary files reports holes. */
static bool has_holes(int fd)
{
	return lseek(fd, 0, SEEK_DATA) < 0 && errno == ENXIO;
}

static void assert_data(const struct tally_file_map *map, uint64_t from, uint64_t end,
			uint64_t start, uint64_t stop)
{
	uint64_t at, until;

	tally_file_map_data(map, from, end, &at, &until);
	assert_int_equal(at, start);
	assert_int_equal(until, stop);
}

/* Offset added to the positions of data and holes that lseek(2) returns. It simulates user-space
 * file systems, which may return anything. */
static off_t answers_wrong_by;

off_t lseek(int fd, off_t offset, int whence)
{
	off_t at = (off_t)syscall(SYS_lseek, fd, offset, whence);

	return at >= 0 && (whence == SEEK_DATA || whence == SEEK_HOLE) ? at + answers_wrong_by : at;
}

static void survives_wrong_results_of_lseek(void **state)
{
	enum { MB = 1 << 20 };
	char path[] = "/tmp/tally-file-XXXXXX";
	struct tally_file_map map;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 16 * MB), 0);
	assert_int_equal(pwrite(fd, "x", 1, 5 * MB), 1);
	assert_int_equal(tally_file_map_fd(fd, 16 * MB, &map), 0);
	map.is_sparse = true;
	for (answers_wrong_by = -6 * MB; answers_wrong_by; answers_wrong_by += MB)
		tally_file_map_has_large_holes(&map, 0, map.len);
	answers_wrong_by = -MB;
	assert_data(&map, 5 * MB, map.len, 5 * MB, map.len);
	answers_wrong_by = 0;
	tally_file_unmap(&map);
	close(fd);
	unlink(path);
}

static void detects_large_holes(void **state)
{
	enum { MB = 1 << 20 };
	char path[] = "/tmp/tally-file-XXXXXX";
	static char block[2 * MB];
	struct tally_file_map map;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 16 * MB), 0);
	if (!has_holes(fd)) {
		close(fd);
		unlink(path);
		skip();
	}
	memset(block, 'x', sizeof(block));
	assert_int_equal(pwrite(fd, block, sizeof(block), 4 * MB), sizeof(block));
	assert_int_equal(tally_file_map(path, &map), 0);
	assert_int_equal(lseek(map.fd, 123, SEEK_SET), 123);
	assert_true(tally_file_map_has_large_holes(&map, 0, map.len));
	/* The map shares its file offset with the original descriptor, so the offset must not
	 * change. */
	assert_int_equal(lseek(map.fd, 0, SEEK_CUR), 123);
	assert_true(tally_file_map_has_large_holes(&map, 0, 2 * MB));
	assert_true(tally_file_map_has_large_holes(&map, 6 * MB, 10 * MB));
	assert_true(tally_file_map_has_large_holes(&map, 5 * MB, 3 * MB));
	assert_false(tally_file_map_has_large_holes(&map, 4 * MB, 2 * MB));
	assert_false(tally_file_map_has_large_holes(&map, 3 * MB, 3 * MB));
	assert_false(tally_file_map_has_large_holes(&map, 0, MB));
	assert_data(&map, 0, map.len, 4 * MB, 6 * MB);
	assert_data(&map, 0, 5 * MB, 4 * MB, 5 * MB);
	assert_data(&map, 5 * MB, map.len, 5 * MB, 6 * MB);
	assert_data(&map, 6 * MB, map.len, map.len, map.len);
	assert_data(&map, 0, MB, MB, MB);
	tally_file_unmap(&map);
	/* Replace the contents with data without holes. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	assert_int_equal(tally_file_map(path, &map), 0);
	assert_false(tally_file_map_has_large_holes(&map, 0, map.len));
	assert_data(&map, 0, map.len, 0, map.len);
	tally_file_unmap(&map);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_and_maps_what_was_written),
		cmocka_unit_test(returns_errors_of_the_system),
		cmocka_unit_test(opens_regular_files_only),
		cmocka_unit_test(checks_owners_of_files_and_links),
		cmocka_unit_test(rejects_links_of_other_users),
		cmocka_unit_test(does_not_read_files_beyond_the_limit),
		cmocka_unit_test(detects_a_truncated_file),
		cmocka_unit_test(detects_large_holes),
		cmocka_unit_test(survives_wrong_results_of_lseek),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

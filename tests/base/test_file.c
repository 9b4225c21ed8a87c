/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

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

static void errors_are_the_systems(void **state)
{
	struct tally_file_map map;
	char *data;
	size_t len;

	assert_int_equal(tally_file_read("/nonexistent", 10, &data, &len), -ENOENT);
	assert_int_equal(tally_file_map("/nonexistent", &map), -ENOENT);
	assert_int_equal(tally_file_map("/", &map), -EINVAL);
	assert_int_equal(tally_file_write_all(-1, "x", 1), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_and_maps_what_was_written),
		cmocka_unit_test(errors_are_the_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

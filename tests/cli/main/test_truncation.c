/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are mapped, truncated, and then read. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../symbols/elf_image.h"
#include "base/file.h"
#include "cli/main/truncation.h"
#include "symbols/dso_files.h"
#include "tally/perfdata.h"

enum { LEN = 64 << 10, PAGE = 4096 };

static char path[64];
static int fd;

static int setup(void **state)
{
	static uint8_t block[LEN];

	strcpy(path, "/tmp/tally-truncation-XXXXXX");
	fd = mkstemp(path);
	memset(block, 'x', sizeof(block));
	return fd < 0 || tally_file_write_all(fd, block, sizeof(block));
}

static int teardown(void **state)
{
	close(fd);
	return unlink(path);
}

static void truncated_parts_read_as_zeros(void **state)
{
	struct tally_file_map map;
	const char *name;

	tally_truncation_survive(); /* cmocka installs its own handler for each test */
	assert_int_equal(tally_file_map(path, &map), 0);
	assert_null(tally_truncation_pop());
	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	assert_int_equal(map.data[LEN - 1], 0);
	assert_int_equal(map.data[3 * PAGE], 0);
	assert_int_equal(map.data[2 * PAGE], 0);
	assert_int_equal(map.data[2 * PAGE - 1], 'x');
	name = tally_truncation_pop();
	assert_non_null(name);
	assert_string_equal(name, path);
	assert_null(tally_truncation_pop());
	/* Truncate the file a second time. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(map.data[0], 0);
	assert_int_equal(map.data[LEN - 1], 0);
	assert_non_null(tally_truncation_pop());
	assert_int_equal(tally_file_map_check(&map), -EIO);
	tally_file_unmap(&map);
}

static void *touch(void *arg)
{
	const volatile uint8_t *at = arg;
	unsigned sum = 0;

	for (size_t i = 0; i < LEN; i += PAGE)
		sum += at[i];
	return sum ? arg : NULL;
}

/* Two threads read the same truncated file at the same time. */
static void threads_may_fault_together(void **state)
{
	tally_truncation_survive();
	for (int round = 0; round < 300; round++) {
		struct tally_file_map map;
		pthread_t thread;
		void *found;

		assert_int_equal(ftruncate(fd, LEN), 0);
		assert_int_equal(tally_file_map(path, &map), 0);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pthread_create(&thread, NULL, touch, (void *)(uintptr_t)map.data),
				 0);
		assert_null(touch((void *)(uintptr_t)map.data));
		assert_int_equal(pthread_join(thread, &found), 0);
		assert_null(found);
		assert_string_equal(tally_truncation_pop(), path);
		tally_file_unmap(&map);
	}
}

/* In other mappings, zeros could be misinterpreted, so SIGBUS still terminates the process. */
static void faults_in_other_mappings_end_the_process(void **state)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		const uint8_t *data;

		tally_truncation_survive();
		data = mmap(NULL, LEN, PROT_READ, MAP_PRIVATE, fd, 0);

		if (data == MAP_FAILED || ftruncate(fd, 0))
			_exit(1);
		_exit(((volatile const uint8_t *)data)[PAGE] ? 2 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
}

static void put_record(uint8_t *at, uint32_t type, uint16_t size)
{
	memcpy(at, &type, sizeof(type));
	memcpy(at + 6, &size, sizeof(size));
}

/* Write a recording with one event and many 4 KB records. */
static void write_recording(void)
{
	static uint8_t file[LEN];
	const uint64_t header[] = {0x32454c4946524550, 104, 144, 104, 144, 248, LEN - 248, 0, 0};

	memset(file, 0, sizeof(file));
	memcpy(file, header, sizeof(header));
	file[104] = 1;   /* type: software */
	file[108] = 128; /* size */
	for (size_t at = 248; at + PAGE <= LEN; at += PAGE)
		put_record(file + at, 3, PAGE);
	assert_int_equal(pwrite(fd, file, LEN, 0), LEN);
}

static void truncated_recordings_are_reported(void **state)
{
	struct tally_perfdata_record record;
	struct tally_error err = {0};
	struct tally_perfdata *data;
	int ret, nr = 0;

	tally_truncation_survive();
	write_recording();
	assert_int_equal(tally_perfdata_open(path, &data, &err), 0);
	assert_int_equal(tally_perfdata_next(data, &record, &err), 1);
	assert_int_equal(tally_perfdata_check(data, &err), 0);
	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	while ((ret = tally_perfdata_next(data, &record, &err)) > 0)
		nr++;
	assert_true(nr >= 2 && nr < 5);
	assert_int_equal(tally_perfdata_check(data, &err), -EINVAL);
	assert_int_equal(err.offset, 4 * PAGE);
	assert_non_null(strstr(err.text, "truncated"));
	tally_perfdata_close(data);
}

/* The image's symbols are in the part that is truncated. */
static void truncated_images_are_reported(void **state)
{
	static const struct image_symbol symbols[] = {
		{"func", IMAGE_TEXT, 16, STB_GLOBAL, STT_FUNC}};
	struct tally_symtab table = {0};
	struct tally_dso dso = {0};
	struct image built;

	tally_truncation_survive();
	image_build(&built, true, false, symbols, 1);
	assert_int_equal(pwrite(fd, built.data, built.len, LEN), built.len);
	assert_int_equal(ftruncate(fd, LEN), 0);
	assert_int_equal(pwrite(fd, built.data, built.len, 0), built.len);
	assert_int_equal(tally_image_open(path, NULL, &dso.files.image), 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	/* The zeros in place of the truncated data neither cause a crash nor yield symbols. */
	assert_int_equal(tally_elf_add_symbols(&dso.files.image.elf, NULL, &table), 0);
	assert_int_equal(table.entries.len, 0);
	tally_symtab_free(&table);
	assert_int_equal(tally_dso_release(&dso), -EIO);
	assert_int_equal(tally_image_open(path, NULL, &dso.files.image), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(truncated_parts_read_as_zeros, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_may_fault_together, setup, teardown),
		cmocka_unit_test_setup_teardown(faults_in_other_mappings_end_the_process, setup,
						teardown),
		cmocka_unit_test_setup_teardown(truncated_recordings_are_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(truncated_images_are_reported, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

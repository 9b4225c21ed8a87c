/* SPDX-License-Identifier: BSD-2-Clause */
/* Test the files that regions are written to, and writing at exit. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "region_fake.h"
#include "temporary.h"

static void test_write(void **state)
{
	char dir[] = "/tmp/regions.XXXXXX", path[64], *text;
	struct tally_regions *regions = open_fake("task-clock");
	size_t len;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/%%p.json", dir);
	tally_region_start(regions, "a \"b\"\x1b[31m");
	advance_counters(7, 0);
	tally_region_stop(regions);
	unsetenv("TALLY_REGIONS");
	assert_int_equal(tally_regions_write(regions, NULL), 0);
	setenv("TALLY_REGIONS", path, 1);
	assert_int_equal(tally_regions_write(regions, NULL), 0);
	snprintf(path, sizeof(path), "%s/%d.json", dir, (int)getpid());
	assert_int_equal(tally_file_read(path, 1 << 16, &text, &len), 0);
	assert_non_null(strstr(text, "\"name\":\"task-clock\""));
	assert_non_null(strstr(text, "a \\\"b\\\"\\u001b[31m"));
	assert_non_null(strstr(text, "\"value\":7,\"enabled\":100,\"running\":100,"
				     "\"quality\":\"exact\""));
	free(text);
	assert_int_equal(tally_regions_write(regions, path), 0);
	unlink(path);
	rmdir(dir);
	assert_int_equal(tally_regions_write(regions, path), -ENOENT);
	tally_regions_close(regions);
}

/* A file of another type stays what it is. For root, a device could otherwise be replaced. */
static void pipes_and_links_are_written_not_replaced(void **state)
{
	char dir[] = "/tmp/regions.XXXXXX", fifo[64], link[64], target[64], text[4096];
	struct tally_regions *regions = open_fake("task-clock");
	struct stat st;
	int reader;

	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(target, sizeof(target), "%s/target", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("target", link), 0);
	assert_int_equal(tally_regions_write(regions, fifo), -ENXIO);
	reader = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_int_equal(tally_regions_write(regions, fifo), 0);
	assert_true(read(reader, text, sizeof(text)) > 2 && *text == '{');
	assert_int_equal(tally_regions_write(regions, link), 0);
	assert_true(!lstat(fifo, &st) && S_ISFIFO(st.st_mode));
	assert_true(!lstat(link, &st) && S_ISLNK(st.st_mode));
	assert_true(!lstat(target, &st) && st.st_size > 2);
	close(reader);
	temporary_remove(dir);
	tally_regions_close(regions);
}

/* A process that was terminated while it wrote has left its file. Process IDs are often the same in
 * containers. */
static void a_file_that_was_left_does_not_prevent_writing(void **state)
{
	char dir[] = "/tmp/regions.XXXXXX", path[64], left[96];
	struct tally_regions *regions = open_fake("task-clock");

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/r.json", dir);
	snprintf(left, sizeof(left), "%s.%d.0.new", path, (int)getpid());
	close(open(left, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(tally_regions_write(regions, path), 0);
	assert_int_equal(access(path, F_OK), 0);
	temporary_remove(dir);
	tally_regions_close(regions);
}

/* Run a region in a child that exits, after it closed the object or not. The child's own child also
 * exits, and must not write the regions of its parent. */
static void exit_with_regions(bool closes)
{
	struct tally_regions_options options = {.transport = &fake.transport, .at_exit = true};
	struct tally_regions *regions;
	int status;
	pid_t pid;

	if (tally_regions_open("task-clock", &options, &regions, NULL))
		_exit(1);
	pid = fork();
	if (!pid)
		exit(0);
	waitpid(pid, &status, 0);
	if (!access(getenv("TALLY_REGIONS"), F_OK))
		_exit(2);
	tally_region_start(regions, "last");
	tally_region_stop(regions);
	if (closes)
		tally_regions_close(regions);
	if (closes && access(getenv("TALLY_REGIONS"), F_OK))
		_exit(3);
	exit(0);
}

static void test_at_exit(void **state)
{
	char path[] = "/tmp/regions.XXXXXX", *text;
	size_t len;
	int status;
	pid_t pid;

	close(mkstemp(path));
	setenv("TALLY_REGIONS", path, 1);
	for (int closes = 0; closes < 2; closes++) {
		unlink(path);
		pid = fork();
		if (!pid)
			exit_with_regions(closes);
		waitpid(pid, &status, 0);
		assert_int_equal(status, 0);
		assert_int_equal(tally_file_read(path, 1 << 16, &text, &len), 0);
		assert_non_null(strstr(text, "\"name\":\"last\",\"parent\":-1,\"calls\":1"));
		free(text);
	}
	unlink(path);
	unsetenv("TALLY_REGIONS");
}

/* Use the running kernel. If it rejects the event, the error must be reported. */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_write, set_up),
		cmocka_unit_test_setup(pipes_and_links_are_written_not_replaced, set_up),
		cmocka_unit_test_setup(a_file_that_was_left_does_not_prevent_writing, set_up),
		cmocka_unit_test_setup(test_at_exit, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/selftest/selftest_program.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

/* Write the path of this program to `path`. The child's /proc/self/exe is the same file, but a
 * recording would contain that name. */
static int own_path(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);

	if (len < 0)
		return -errno;
	path[len] = '\0';
	return 0;
}

enum selftest_result selftest_program_start(struct selftest *test, char *const *words,
					    struct tally_child *child)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	TALLY_VEC(char *) argv = {0};
	char path[4096];
	int ret = null < 0 ? -errno : own_path(path, sizeof(path));

	if (!ret)
		ret = tally_vec_push(&argv, path);
	for (; !ret && *words; words++)
		ret = tally_vec_push(&argv, *words);
	if (!ret)
		ret = tally_vec_push(&argv, NULL);
	if (!ret)
		ret = tally_child_start(child, argv.data, null);
	tally_vec_free(&argv);
	if (null >= 0)
		close(null);
	return ret ? selftest_fail(test, "cannot run this program: %s", strerror(-ret))
		   : SELFTEST_OK;
}

enum selftest_result selftest_program_finish(struct selftest *test, struct tally_child *child)
{
	int ret = tally_child_exec(child);

	if (!ret)
		tally_child_wait(child, true);
	if (!ret)
		ret = tally_child_exec_error(child);
	if (ret)
		return selftest_fail(test, "cannot run this program: %s", strerror(-ret));
	ret = tally_child_exit_status(child);
	return ret ? selftest_fail(test, "the exit status of this program was %d", ret)
		   : SELFTEST_OK;
}

enum selftest_result selftest_program_run(struct selftest *test, char *const *words)
{
	struct tally_child child = {0};
	enum selftest_result result = selftest_program_start(test, words, &child);

	if (result == SELFTEST_OK)
		result = selftest_program_finish(test, &child);
	tally_child_free(&child);
	return result;
}

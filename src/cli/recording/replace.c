/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static void ending_set(sigset_t *ret_set)
{
	sigemptyset(ret_set);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ending); i++)
		sigaddset(ret_set, ending[i]);
}

int tally_replacement_print_error(const char *path, int code)
{
	tally_print_error("cannot write %s: %s", path, strerror(-code));
	return code;
}

/* A link to a file stays one. One that leads nowhere becomes the file. */
static char *path_followed(const char *path)
{
	char *followed = realpath(path, NULL);

	return followed ? followed : strdup(path);
}

int tally_replacement_open(const char *path, struct tally_replacement *ret_replacement)
{
	struct tally_replacement made = {.path = path_followed(path), .fd = -1};
	struct stat st;
	sigset_t set;
	int ret = made.path ? 0 : -ENOMEM;

	if (!ret && !stat(made.path, &st) && !S_ISREG(st.st_mode))
		ret = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (!ret && asprintf(&made.temporary, "%s.XXXXXX", made.path) < 0) {
		made.temporary = NULL;
		ret = -ENOMEM;
	}
	ending_set(&set);
	sigprocmask(SIG_BLOCK, &set, &made.mask);
	if (!ret) {
		made.fd = mkostemp(made.temporary, O_CLOEXEC);
		ret = made.fd < 0 ? -errno : 0;
	}
	if (ret) {
		tally_replacement_print_error(path, ret);
		sigprocmask(SIG_SETMASK, &made.mask, NULL);
		free(made.temporary);
		free(made.path);
		return ret;
	}
	*ret_replacement = made;
	return 0;
}

int tally_replacement_check(void *replacement)
{
	sigset_t set;

	if (sigpending(&set))
		return 0;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ending); i++) {
		if (sigismember(&set, ending[i]) == 1)
			return -EINTR;
	}
	return 0;
}

/* Whose it is cannot be kept by everybody; that only its readers can read it has to. */
static int take_after(int fd, int like)
{
	struct timespec times[2];
	struct stat st, own;
	mode_t mode;

	if (fstat(like, &st) || fstat(fd, &own))
		return -errno;
	mode = st.st_mode & 0777;
	if ((st.st_uid != own.st_uid || st.st_gid != own.st_gid) &&
	    fchown(fd, st.st_uid, st.st_gid))
		mode &= 0700;
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	return fchmod(fd, mode) || futimens(fd, times) ? -errno : 0;
}

static int take_mode(const struct tally_replacement *replacement)
{
	mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	mask = stat(replacement->path, &st) ? 0666 & ~mask : st.st_mode & 0777;
	return fchmod(replacement->fd, mask) ? -errno : 0;
}

int tally_replacement_commit(struct tally_replacement *replacement, int like)
{
	int ret = like < 0 ? take_mode(replacement) : take_after(replacement->fd, like);

	/* The bytes are on the disk before they take the name: after a crash the name has one of
	 * the two files, and that is complete. */
	if (!ret && fsync(replacement->fd))
		ret = -errno;
	if (!ret)
		ret = tally_replacement_check(replacement);
	if (!ret && rename(replacement->temporary, replacement->path))
		ret = -errno;
	if (ret)
		return ret == -EINTR ? ret : tally_replacement_print_error(replacement->path, ret);
	free(replacement->temporary);
	replacement->temporary = NULL;
	return 0;
}

void tally_replacement_close(struct tally_replacement *replacement)
{
	close(replacement->fd);
	if (replacement->temporary)
		unlink(replacement->temporary);
	free(replacement->temporary);
	free(replacement->path);
	sigprocmask(SIG_SETMASK, &replacement->mask, NULL);
}

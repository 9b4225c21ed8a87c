/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output file and its names.
 *
 * The file is locked with flock(2) while it is being written. A second recorder using the same name
 * is rejected: otherwise it would rename the first recorder's file to FILE.old, and a third
 * recorder would overwrite FILE.old. As with perf, an existing file that is no longer being written
 * is renamed to FILE.old, replacing the previous FILE.old.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/main/print.h"
#include "cli/record/record_file.h"
#include "tally/perfdata.h"

/* Maximum number of retries if other processes create and rename the same files. */
enum { TRIES = 100 };

/* ---- ownership -------------------------------------------------------------- */

static bool is_at(int fd, const char *path)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !stat(path, &there) && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

/* Return 0, or -EBUSY if another process holds the lock. Lack of lock support in the file system is
 * not an error. */
static int lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ? -EBUSY : 0;
}

static bool is_being_written(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool busy = fd >= 0 && lock(fd);

	if (fd >= 0)
		close(fd);
	return busy;
}

static int print_busy(const char *path)
{
	tally_print_error("cannot write %s: another recorder is writing to it", path);
	tally_print_hint("write to another file: -o FILE");
	return -EBUSY;
}

static int print_denied(const char *path)
{
	tally_print_error("cannot write %s: %s", path, strerror(EACCES));
	return -EACCES;
}

/* Return true if there is no file, or an older recording that may be replaced. */
static bool is_replaceable(const char *path)
{
	struct stat st;

	return stat(path, &st) || (S_ISREG(st.st_mode) && !is_being_written(path) &&
				   (!st.st_size || tally_perfdata_is_recording(path)));
}

/* ---- existing files ---------------------------------------------------------- */

/* Find a new name for the existing file: FILE.old; or FILE.old.1, FILE.old.2 etc. if FILE.old is
 * not a recording or is still being written, because perf renames files that are being written. */
static int old_name(const char *path, char **ret_name)
{
	for (int i = 0; i < TRIES; i++) {
		char *name;

		if ((i ? asprintf(&name, "%s.old.%d", path, i) : asprintf(&name, "%s.old", path)) <
		    0)
			return -ENOMEM;
		if (is_replaceable(name)) {
			*ret_name = name;
			return 0;
		}
		free(name);
	}
	return -EBUSY;
}

static int keep_old(struct record_output *output)
{
	char *name;
	int ret = old_name(output->path, &name);

	if (!ret && rename(output->path, name)) {
		ret = -errno;
		free(name);
	}
	if (ret) {
		tally_print_error("cannot keep %s as %s.old: %s", output->path, output->path,
				  strerror(-ret));
		tally_print_hint("write to another file (-o FILE), or remove the .old file");
		return ret;
	}
	free(output->saved);
	output->saved = name;
	return 0;
}

/* ---- opening ------------------------------------------------------------------- */

/* Open a file of any kind. A file that is not writable may still be renamed, so open it
 * read-only. */
static int open_any(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600), ret = -errno;

	if (fd >= 0 || (ret != -EACCES && ret != -EPERM && ret != -EROFS))
		return fd < 0 ? ret : fd;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? ret : fd;
}

/* Try once to open the file. Returns 0 if an empty, locked file or a device was opened; -EAGAIN
 * if an old file was renamed or the name changed concurrently; or prints an error and returns
 * -errno. */
static int try_open(struct record_output *output)
{
	int fd = open_any(output->path), ret;
	struct stat st;

	if (fd < 0) {
		tally_print_error("cannot write %s: %s", output->path, strerror(-fd));
		return fd;
	}
	output->is_device = fstat(fd, &st) || !S_ISREG(st.st_mode);
	if (output->is_device) {
		output->fd = fd;
		return 0;
	}
	if (lock(fd))
		ret = print_busy(output->path);
	else if (fstat(fd, &st) || !is_at(fd, output->path))
		ret = -EAGAIN;
	else if (st.st_size)
		ret = keep_old(output);
	else
		ret = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR ? 0 : print_denied(output->path);
	if (ret || st.st_size) {
		close(fd);
		return ret ? ret : -EAGAIN;
	}
	output->fd = fd;
	return 0;
}

int record_file_open(struct record_output *output)
{
	int ret = -EAGAIN;

	free(output->saved);
	output->saved = NULL;
	for (int i = 0; ret == -EAGAIN && i < TRIES; i++)
		ret = try_open(output);
	return ret == -EAGAIN ? print_busy(output->path) : ret;
}

void record_file_discard(struct record_output *output)
{
	if (output->fd < 0 || !output->path || output->is_pipe || output->is_device ||
	    !is_at(output->fd, output->path))
		return;
	/* Rename atomically, so that the name always exists. */
	if (!output->saved)
		unlink(output->path);
	else
		rename(output->saved, output->path);
}

/* ---- names --------------------------------------------------------------------- */

char *record_file_name(const struct record_output *output)
{
	char link[64], name[PATH_MAX];
	ssize_t len;

	if (!output->path)
		return strdup("-");
	if (output->is_pipe || is_at(output->fd, output->path))
		return strdup(output->path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", output->fd);
	len = readlink(link, name, sizeof(name) - 1);
	tally_print_warning("%s was renamed or replaced during the recording", output->path);
	return len < 0 ? strdup(output->path) : strndup(name, (size_t)len);
}

/* Generate a name such as "perf.data.2026112109274812" from the local time in hundredths of a
 * second, plus `later` hundredths. */
static int stamp(const struct record_output *output, unsigned later, char **ret_name)
{
	struct timeval now;
	struct tm tm;
	char when[32];

	gettimeofday(&now, NULL);
	now.tv_usec += (suseconds_t)later * 10000;
	now.tv_sec += now.tv_usec / 1000000;
	now.tv_usec %= 1000000;
	if (!localtime_r(&now.tv_sec, &tm) || !strftime(when, sizeof(when), "%Y%m%d%H%M%S", &tm))
		return -EINVAL;
	if (asprintf(ret_name, "%s.%s%02u", output->path, when, (unsigned)(now.tv_usec / 10000)) <
	    0)
		return -ENOMEM;
	return 0;
}

/* Generate a name that does not exist yet. Two files may be finished within a hundredth of a
 * second. */
static int fresh_name(const struct record_output *output, char **ret_name)
{
	enum { MOST = 1000 };
	int ret = -EEXIST;

	for (unsigned later = 0; ret == -EEXIST && later < MOST; later++) {
		char *name;

		ret = stamp(output, later, &name);
		if (!ret && !access(name, F_OK)) {
			free(name);
			ret = -EEXIST;
		} else if (!ret) {
			*ret_name = name;
		}
	}
	return ret;
}

static void drop_oldest(struct record_output *output)
{
	unlink(output->names.data[0]);
	free(output->names.data[0]);
	memmove(output->names.data, output->names.data + 1,
		(output->names.len - 1) * sizeof(*output->names.data));
	output->names.len--;
}

int record_file_stamp(struct record_output *output, uint64_t most)
{
	char *name;
	int ret;

	if (!is_at(output->fd, output->path))
		return -ESTALE;
	ret = fresh_name(output, &name);
	if (ret)
		return ret;
	if (rename(output->path, name)) {
		ret = -errno;
		tally_print_error("cannot rename %s to %s: %s", output->path, name, strerror(-ret));
		free(name);
		return ret;
	}
	ret = tally_vec_push(&output->names, name);
	if (ret) {
		free(name);
		return ret;
	}
	if (most && output->names.len > most)
		drop_oldest(output);
	return 0;
}

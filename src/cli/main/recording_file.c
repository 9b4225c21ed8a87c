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

#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "cli/main/recording_file.h"
#include "tally/perfdata.h"

/* Maximum number of retries if other processes create and rename the same files. */
enum { TRIES = 100 };

/* ---- standard output -------------------------------------------------------- */

void tally_recording_file_choose(struct tally_recording_file *file, const char *output)
{
	struct stat st;

	file->path = output;
	if (!file->path && (fstat(STDOUT_FILENO, &st) || !S_ISFIFO(st.st_mode)))
		file->path = "perf.data";
	if (file->path && !strcmp(file->path, "-"))
		file->path = NULL;
	file->is_pipe = !file->path || (!stat(file->path, &st) && S_ISFIFO(st.st_mode));
}

int tally_recording_file_check_stdout(void)
{
	if (!isatty(STDOUT_FILENO))
		return 0;
	tally_print_error("refusing to write binary data to a terminal");
	tally_print_hint("write to a file (-o FILE) or a pipe");
	return -EINVAL;
}

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

/* Return true if there is no file, or a recording, which may be empty. */
static bool is_ours(const char *path)
{
	struct stat st;

	return stat(path, &st) ||
	       (S_ISREG(st.st_mode) && (!st.st_size || tally_perfdata_is_recording(path)));
}

/* Return true if there is no file, or an older recording that may be replaced. */
static bool is_replaceable(const char *path)
{
	return is_ours(path) && !is_being_written(path);
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

static int keep_old(struct tally_recording_file *file)
{
	bool is_foreign = !is_ours(file->path);
	char *name;
	int ret = old_name(file->path, &name);

	if (!ret && rename(file->path, name)) {
		ret = -errno;
		free(name);
	}
	if (ret) {
		tally_print_error("cannot keep %s as %s.old: %s", file->path, file->path,
				  strerror(-ret));
		tally_print_hint("write to another file (-o FILE), or remove the .old file");
		return ret;
	}
	if (is_foreign)
		tally_print_warning("%s was not a recording, and is now %s", file->path, name);
	free(file->saved);
	file->saved = name;
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
static int try_open(struct tally_recording_file *file)
{
	int fd = open_any(file->path), ret;
	struct stat st = {0};

	if (fd < 0) {
		tally_print_error("cannot write %s: %s", file->path, strerror(-fd));
		return fd;
	}
	file->is_device = fstat(fd, &st) || !S_ISREG(st.st_mode);
	if (file->is_device && tally_overwrite_check_mode("-o", file->path, st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	if (file->is_device) {
		file->fd = fd;
		return 0;
	}
	if (lock(fd))
		ret = print_busy(file->path);
	else if (fstat(fd, &st) || !is_at(fd, file->path))
		ret = -EAGAIN;
	else if (st.st_size)
		ret = keep_old(file);
	else
		ret = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR ? 0 : print_denied(file->path);
	if (ret || st.st_size) {
		close(fd);
		return ret ? ret : -EAGAIN;
	}
	file->fd = fd;
	return 0;
}

int tally_recording_file_open(struct tally_recording_file *file)
{
	int ret = -EAGAIN;

	free(file->saved);
	file->saved = NULL;
	for (int i = 0; ret == -EAGAIN && i < TRIES; i++)
		ret = try_open(file);
	return ret == -EAGAIN ? print_busy(file->path) : ret;
}

void tally_recording_file_discard(struct tally_recording_file *file)
{
	if (file->fd < 0 || !file->path || file->is_pipe || file->is_device ||
	    !is_at(file->fd, file->path))
		return;
	/* Rename atomically, so that the name always exists. */
	if (!file->saved)
		unlink(file->path);
	else
		rename(file->saved, file->path);
}

/* ---- names --------------------------------------------------------------------- */

char *tally_recording_file_name(const struct tally_recording_file *file)
{
	char link[64], name[PATH_MAX];
	ssize_t len;

	if (!file->path)
		return strdup("-");
	if (file->is_pipe || is_at(file->fd, file->path))
		return strdup(file->path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	len = readlink(link, name, sizeof(name) - 1);
	tally_print_warning("%s was renamed or replaced during the recording", file->path);
	return len < 0 ? strdup(file->path) : strndup(name, (size_t)len);
}

/* Generate a name such as "perf.data.2026112109274812" from the local time in hundredths of a
 * second, plus `later` hundredths. */
static int stamp(const struct tally_recording_file *file, unsigned later, char **ret_name)
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
	if (asprintf(ret_name, "%s.%s%02u", file->path, when, (unsigned)(now.tv_usec / 10000)) < 0)
		return -ENOMEM;
	return 0;
}

/* Generate a name that does not exist yet. Two files may be finished within a hundredth of a
 * second. */
static int fresh_name(const struct tally_recording_file *file, char **ret_name)
{
	enum { MOST = 1000 };
	int ret = -EEXIST;

	for (unsigned later = 0; ret == -EEXIST && later < MOST; later++) {
		char *name;

		ret = stamp(file, later, &name);
		if (!ret && !access(name, F_OK)) {
			free(name);
			ret = -EEXIST;
		} else if (!ret) {
			*ret_name = name;
		}
	}
	return ret;
}

static void drop_oldest(struct tally_recording_file *file)
{
	unlink(file->names.data[0]);
	free(file->names.data[0]);
	memmove(file->names.data, file->names.data + 1,
		(file->names.len - 1) * sizeof(*file->names.data));
	file->names.len--;
}

int tally_recording_file_stamp(struct tally_recording_file *file, uint64_t most)
{
	char *name;
	int ret;

	if (!is_at(file->fd, file->path))
		return -ESTALE;
	ret = fresh_name(file, &name);
	if (ret)
		return ret;
	if (rename(file->path, name)) {
		ret = -errno;
		tally_print_error("cannot rename %s to %s: %s", file->path, name, strerror(-ret));
		free(name);
		return ret;
	}
	ret = tally_vec_push(&file->names, name);
	if (ret) {
		free(name);
		return ret;
	}
	if (most && file->names.len > most)
		drop_oldest(file);
	return 0;
}

void tally_recording_file_close(struct tally_recording_file *file)
{
	if (file->fd > STDERR_FILENO)
		close(file->fd);
	file->fd = -1;
	tally_vec_for_each (name, &file->names)
		free(*name);
	tally_vec_free(&file->names);
	free(file->saved);
	file->saved = NULL;
}

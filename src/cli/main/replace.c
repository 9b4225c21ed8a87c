/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "cli/main/print.h"

struct tally_temporary {
	struct tally_temporary *next;
	char path[];
};

/* Temporary files that exist. Changed only while the signals in `ending` are blocked. */
static struct tally_temporary *temporaries;

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

/* Return the path of the file to replace. If the path is a symbolic link, this is the link's
 * target, or the link itself if it is dangling. */
static char *path_followed(const char *path)
{
	char *followed = realpath(path, NULL);

	return followed ? followed : strdup(path);
}

/* Detect a symbolic link that another user created in a world-writable sticky directory. With
 * fs.protected_symlinks the kernel does not follow such links either. */
static bool is_untrusted_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *up = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	struct stat link, folder;
	bool is = !up || (!lstat(path, &link) && S_ISLNK(link.st_mode) && !stat(up, &folder) &&
			  (folder.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) &&
			  link.st_uid != geteuid() && link.st_uid != folder.st_uid);

	free(up);
	return is;
}

/* ---- temporary files ------------------------------------------------------------- */

/* Create a temporary file next to `path`. Returns its descriptor or -errno. */
static int temporary_create(const char *path, struct tally_temporary **ret_temporary)
{
	static const char suffix[] = ".XXXXXX";
	size_t len = strlen(path);
	struct tally_temporary *made = malloc(sizeof(*made) + len + sizeof(suffix));
	int fd;

	if (!made)
		return -ENOMEM;
	memcpy(made->path, path, len);
	memcpy(made->path + len, suffix, sizeof(suffix));
	fd = mkostemp(made->path, O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		free(made);
		return fd;
	}
	made->next = temporaries;
	temporaries = made;
	*ret_temporary = made;
	return fd;
}

static void temporary_forget(struct tally_temporary *temporary)
{
	struct tally_temporary **at = &temporaries;

	while (*at && *at != temporary)
		at = &(*at)->next;
	if (*at)
		*at = temporary->next;
	free(temporary);
}

static void end_program(int number)
{
	for (const struct tally_temporary *at = temporaries; at; at = at->next)
		unlink(at->path);
	signal(number, SIG_DFL);
	raise(number);
}

/* Replace the action of the ending signals, unless it is another one than `from`. */
static void ending_set_action(void (*from)(int), void (*to)(int))
{
	struct sigaction action;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ending); i++) {
		if (sigaction(ending[i], NULL, &action) || action.sa_handler != from)
			continue;
		action.sa_handler = to;
		sigaction(ending[i], &action, NULL);
	}
}

void tally_replacement_release(void)
{
	sigset_t set;

	if (!temporaries)
		return;
	ending_set_action(SIG_DFL, end_program);
	ending_set(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void tally_replacement_hold(void)
{
	sigset_t set;

	if (!temporaries)
		return;
	ending_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ending_set_action(end_program, SIG_DFL);
}

/* ---- replacing ------------------------------------------------------------------- */

int tally_replacement_open(const char *path, struct tally_replacement *ret_replacement)
{
	struct tally_replacement made = {.path = path_followed(path), .fd = -1};
	struct stat st;
	sigset_t set;
	int ret = made.path ? 0 : -ENOMEM;

	made.is_new = !ret && lstat(made.path, &st) && errno == ENOENT;
	if (!ret && is_untrusted_link(path))
		ret = -EACCES;
	if (!ret && !stat(made.path, &st) && !S_ISREG(st.st_mode))
		ret = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	ending_set(&set);
	sigprocmask(SIG_BLOCK, &set, &made.mask);
	if (!ret) {
		made.fd = temporary_create(made.path, &made.temporary);
		ret = made.fd < 0 ? made.fd : 0;
	}
	if (ret) {
		tally_replacement_print_error(path, ret);
		sigprocmask(SIG_SETMASK, &made.mask, NULL);
		free(made.path);
		return ret;
	}
	*ret_replacement = made;
	return 0;
}

int tally_replacement_rename(struct tally_replacement *replacement, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	free(replacement->path);
	replacement->path = copy;
	replacement->is_new = false;
	return 0;
}

int tally_replacement_check(void *replacement)
{
	struct sigaction action;
	sigset_t set;

	if (sigpending(&set))
		return 0;
	/* A blocked signal is pending even if it is ignored, as by nohup. */
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ending); i++) {
		if (sigismember(&set, ending[i]) == 1 && !sigaction(ending[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			return -EINTR;
	}
	return 0;
}

int tally_replacement_write(struct tally_replacement *replacement, const void *bytes, size_t len)
{
	int ret = tally_replacement_check(replacement);

	if (ret)
		return ret;
	ret = tally_file_write_all(replacement->fd, bytes, len);
	return ret ? tally_replacement_print_error(replacement->path, ret) : 0;
}

/* Copy the permissions, times and owner of `like`. The owner cannot be copied without privileges;
 * in that case, only the new owner gets access. */
static int copy_attributes(int fd, int like)
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

/* Give the file the owner, group and mode of the file that it replaces, without granting access to
 * any other user. A new file gets the default mode (umask), or is private. */
static int copy_permissions(const struct tally_replacement *replacement)
{
	mode_t mode = umask(0);
	struct stat st, own;

	umask(mode);
	mode = (replacement->is_private ? 0600 : 0666) & ~mode;
	if (fstat(replacement->fd, &own))
		return -errno;
	if (!stat(replacement->path, &st)) {
		mode = st.st_mode & 0777;
		if ((st.st_uid != own.st_uid || st.st_gid != own.st_gid) &&
		    fchown(replacement->fd, st.st_uid, st.st_gid) &&
		    fchown(replacement->fd, (uid_t)-1, st.st_gid))
			mode &= 0707;
	}
	return fchmod(replacement->fd, mode) ? -errno : 0;
}

/* Give the temporary file its final name. Some file systems cannot check atomically that the name
 * is unused. */
static int rename_final(const struct tally_replacement *replacement)
{
	const char *from = replacement->temporary->path, *to = replacement->path;
	struct stat st;

	if (replacement->is_new) {
		if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
			return 0;
		if (errno != EINVAL && errno != ENOSYS)
			return -errno;
		if (!lstat(to, &st))
			return -EEXIST;
	}
	return rename(from, to) ? -errno : 0;
}

int tally_replacement_commit(struct tally_replacement *replacement, int like)
{
	int ret = like < 0 ? copy_permissions(replacement) : copy_attributes(replacement->fd, like);

	/* Write the data to disk before the rename, so that after a crash the name refers to either
	 * the old or the new file, and that file is complete. */
	if (!ret && fsync(replacement->fd))
		ret = -errno;
	if (!ret)
		ret = tally_replacement_check(replacement);
	if (!ret)
		ret = rename_final(replacement);
	if (ret)
		return ret == -EINTR ? ret : tally_replacement_print_error(replacement->path, ret);
	temporary_forget(replacement->temporary);
	replacement->temporary = NULL;
	return 0;
}

void tally_replacement_close(struct tally_replacement *replacement)
{
	close(replacement->fd);
	if (replacement->temporary) {
		unlink(replacement->temporary->path);
		temporary_forget(replacement->temporary);
	}
	free(replacement->path);
	sigprocmask(SIG_SETMASK, &replacement->mask, NULL);
}

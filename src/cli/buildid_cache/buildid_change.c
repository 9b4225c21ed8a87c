/* SPDX-License-Identifier: BSD-2-Clause */
/* Add entries to the cache, and remove them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/buildid_cache/buildid_dir.h"
#include "cli/main/replace.h"

/* Files that perf and this program create in the directory of an entry. */
static const char *const known[] = {"elf",    "vdso",    "kallsyms", "debug",
				    "probes", "modules", "kcore",    "vmlinux"};

/* ---- adding ------------------------------------------------------------- */

/* Create a directory and its parents. */
static int make_directories(const char *path)
{
	char *copy = strdup(path);
	int ret = copy ? 0 : -ENOMEM;

	for (char *slash = copy; !ret && slash;) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			ret = -errno;
		if (slash)
			*slash = '/';
	}
	free(copy);
	return ret;
}

static int copy_bytes(int from, struct tally_replacement *to)
{
	enum { PIECE = 1 << 16 };
	char bytes[PIECE];
	ssize_t len;
	int ret = 0;

	while (!ret && (len = read(from, bytes, sizeof(bytes))) != 0) {
		if (len < 0 && errno == EINTR)
			continue;
		ret = len < 0 ? -errno : tally_file_write_all(to->fd, bytes, (size_t)len);
		if (!ret)
			ret = tally_replacement_check(to);
	}
	return ret;
}

static int copy_file(const char *from, const char *to)
{
	struct tally_replacement replacement;
	int fd, ret = tally_file_open(from, NULL, &fd);

	if (ret)
		return ret;
	ret = tally_replacement_open(to, &replacement);
	if (!ret) {
		ret = copy_bytes(fd, &replacement);
		if (!ret)
			ret = tally_replacement_commit(&replacement, -1);
		tally_replacement_close(&replacement);
	}
	close(fd);
	return ret;
}

/* Create the link of an entry. An old link with the same ID is replaced, as its target may have
 * been removed. */
static int make_link(const char *dir, const char *path, const char *id)
{
	struct tally_str folder = {0}, link = {0}, target = {0};
	int ret;

	tally_str_addf(&folder, "%s/.build-id/%.2s", dir, id);
	tally_str_addf(&link, "%s/%s", tally_str_text(&folder), id + 2);
	tally_str_addf(&target, "../..%s/%s", path, id);
	ret = tally_str_error(&folder) || tally_str_error(&link) || tally_str_error(&target)
		      ? -ENOMEM
		      : make_directories(tally_str_text(&folder));
	if (!ret && unlink(tally_str_text(&link)) && errno != ENOENT)
		ret = -errno;
	if (!ret && symlink(tally_str_text(&target), tally_str_text(&link)))
		ret = -errno;
	tally_str_free(&target);
	tally_str_free(&link);
	tally_str_free(&folder);
	return ret;
}

/* Return true if the link of this ID leads to a file. */
static bool is_cached(const char *dir, const char *id)
{
	struct tally_str path = {0};
	bool is;

	buildid_dir_link(&path, dir, id);
	tally_str_add(&path, "/elf");
	is = !tally_str_error(&path) && !access(tally_str_text(&path), F_OK);
	tally_str_free(&path);
	return is;
}

int buildid_dir_add(const char *dir, const char *path, const char *id)
{
	struct tally_str folder = {0}, file = {0};
	int ret;

	if (is_cached(dir, id))
		return 0;
	tally_str_addf(&folder, "%s%s/%s", dir, path, id);
	tally_str_addf(&file, "%s/elf", tally_str_text(&folder));
	ret = tally_str_error(&folder) || tally_str_error(&file)
		      ? -ENOMEM
		      : make_directories(tally_str_text(&folder));
	if (!ret)
		ret = copy_file(path, tally_str_text(&file));
	if (!ret)
		ret = make_link(dir, path, id);
	tally_str_free(&file);
	tally_str_free(&folder);
	return ret;
}

/* ---- removing ------------------------------------------------------------ */

/* Open the directory of an entry. A symbolic link in its path could lead out of the cache, so the
 * path must not have any. Returns a descriptor or -errno. */
static int entry_open(const char *dir, const char *folder)
{
	char real_dir[PATH_MAX], real[PATH_MAX];
	size_t len;
	int fd;

	if (!realpath(dir, real_dir) || !realpath(folder, real))
		return -errno;
	len = strlen(real_dir);
	if (strncmp(real, real_dir, len) || strcmp(real + len, folder + strlen(dir)))
		return -EXDEV;
	fd = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Remove the directory at `path` and its parents up to `dir`, as far as they are empty. */
static void remove_empty(const char *dir, char *path)
{
	size_t least = strlen(dir);

	while (strlen(path) > least && !rmdir(path))
		*strrchr(path, '/') = '\0';
}

static int remove_files(int folder)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(known); i++)
		if (unlinkat(folder, known[i], 0) && errno != ENOENT)
			return -errno;
	return 0;
}

/* Remove the link of an entry, unless it leads to a file with another name. */
static int remove_link(const char *dir, const struct buildid_entry *entry)
{
	struct buildid_entry linked;
	struct tally_str link = {0};
	bool is_ours;
	int ret;

	if (buildid_dir_get(dir, entry->id, &linked))
		return 0;
	is_ours = !strcmp(linked.name, entry->name);
	buildid_entry_free(&linked);
	if (!is_ours)
		return 0;
	buildid_dir_link(&link, dir, entry->id);
	ret = tally_str_error(&link);
	if (!ret && unlink(tally_str_text(&link)))
		ret = -errno;
	if (!ret) {
		*strrchr(link.data, '/') = '\0';
		remove_empty(dir, link.data);
	}
	tally_str_free(&link);
	return ret;
}

int buildid_dir_remove(const char *dir, const struct buildid_entry *entry)
{
	struct tally_str folder = {0};
	int ret, fd;

	tally_str_addf(&folder, "%s/%s/%s", dir, entry->name + (entry->name[0] == '/'), entry->id);
	ret = tally_str_error(&folder);
	fd = ret ? ret : entry_open(dir, tally_str_text(&folder));
	if (!ret && fd != -ENOENT)
		ret = fd < 0 ? fd : remove_files(fd);
	if (fd >= 0)
		close(fd);
	if (!ret && rmdir(tally_str_text(&folder)) && errno != ENOENT)
		ret = errno == EEXIST ? -ENOTEMPTY : -errno;
	if (!ret)
		ret = remove_link(dir, entry);
	if (!ret) {
		*strrchr(folder.data, '/') = '\0';
		remove_empty(dir, folder.data);
	}
	tally_str_free(&folder);
	return ret;
}

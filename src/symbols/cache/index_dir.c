/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "symbols/cache/index_format.h"

/* ID_LEAST is the minimum length of a build-id, because shorter ones could be equal by coincidence.
 * DAY, in seconds, is the minimum interval between timestamp updates of a file in use. */
enum { ID_LEAST = 8, DAY = 24 * 3600 };

bool tally_index_default_dir(struct tally_str *path)
{
	static const struct {
		const char *variable, *below;
	} places[] = {{"XDG_CACHE_HOME", "/tally"}, {"HOME", "/.cache/tally"}};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *above = getenv(places[i].variable);

		if (!above || *above != '/')
			continue;
		tally_str_add(path, above);
		tally_str_add(path, places[i].below);
		return true;
	}
	return false;
}

bool tally_index_file_name(const struct tally_build_id *object, struct tally_str *name)
{
	if (object->size < ID_LEAST)
		return false;
	tally_str_add_hex_bytes(name, object->id, object->size);
	tally_str_add(name, ".index");
	return true;
}

/* Return true if the file is ours and other users cannot modify it. */
static bool is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static int dir_open(struct tally_index_dir *dir)
{
	int fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !is_trusted(&st)) {
		close(fd);
		return -EPERM;
	}
	dir->fd = fd;
	dir->is_open = true;
	return 0;
}

int tally_index_dir_open(const char *path, uint64_t limit, struct tally_index_dir *ret_dir)
{
	struct tally_index_dir dir = {.path = strdup(path), .limit = limit};

	if (!dir.path)
		return -ENOMEM;
	(void)dir_open(&dir);
	*ret_dir = dir;
	return 0;
}

void tally_index_dir_close(struct tally_index_dir *dir)
{
	if (dir->is_open)
		close(dir->fd);
	free(dir->path);
	*dir = (struct tally_index_dir){0};
}

/* Create a directory, but only if its parent directory is ours. If root runs with another user's
 * HOME, it must not leave files there that the user cannot use. */
static int create_dir(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct tally_str above = {0};
	struct stat st;
	int ret;

	if (!slash)
		return -ENOENT;
	tally_str_add_bytes(&above, path, (size_t)TALLY_MAX(slash - path, 1));
	ret = tally_str_error(&above);
	if (!ret && stat(tally_str_text(&above), &st))
		ret = -errno;
	if (!ret && st.st_uid != geteuid())
		ret = -EPERM;
	if (!ret && mkdir(path, 0700) && errno != EEXIST)
		ret = -errno;
	tally_str_free(&above);
	return ret;
}

int tally_index_dir_create(struct tally_index_dir *dir)
{
	struct tally_str above = {0};
	const char *slash = strrchr(dir->path, '/');
	int ret;

	if (dir->is_open)
		return 0;
	ret = create_dir(dir->path);
	if (ret == -ENOENT && slash) {
		tally_str_add_bytes(&above, dir->path, (size_t)(slash - dir->path));
		ret = tally_str_error(&above);
		if (!ret)
			ret = create_dir(tally_str_text(&above));
		if (!ret)
			ret = create_dir(dir->path);
	}
	tally_str_free(&above);
	return ret ? ret : dir_open(dir);
}

static int file_check(const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || !is_trusted(st))
		return -EPERM;
	return (uint64_t)st->st_size < sizeof(struct tally_index_header) ? -EBADMSG : 0;
}

/* Map the file. Close the descriptor, because a recording can refer to more files than can be open.
 * The mapping is shared and read-only, because the SIGBUS handler recognises file mappings by these
 * properties (cli/main/truncation.h). */
static int file_map(int fd, const struct stat *st, const struct tally_build_id *object,
		    struct tally_index *ret_index)
{
	size_t len = (size_t)st->st_size;
	void *data = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	int ret;

	if (data == MAP_FAILED)
		return -errno;
	ret = tally_index_parse(data, len, object, ret_index);
	if (ret)
		munmap(data, len);
	else
		ret_index->is_mapped = true;
	return ret;
}

/* Update the timestamp, because tally_index_dir_evict() removes the least recently used indexes. */
static void file_touch(int fd, const struct stat *st)
{
	struct timespec now;

	if (!clock_gettime(CLOCK_REALTIME, &now) && st->st_mtime < now.tv_sec - DAY)
		(void)futimens(fd, NULL);
}

int tally_index_open(const struct tally_index_dir *dir, const struct tally_build_id *object,
		     struct tally_index *ret_index)
{
	enum { FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
	struct tally_str name = {0};
	struct stat st;
	int ret = -ENOENT, fd;

	if (!dir->is_open || !tally_index_file_name(object, &name) || tally_str_error(&name))
		goto out;
	fd = openat(dir->fd, tally_str_text(&name), FLAGS);
	if (fd < 0) {
		ret = -errno;
		goto out;
	}
	ret = fstat(fd, &st) ? -errno : file_check(&st);
	if (!ret)
		ret = file_map(fd, &st, object, ret_index);
	if (!ret)
		file_touch(fd, &st);
	close(fd);
out:
	tally_str_free(&name);
	return ret;
}

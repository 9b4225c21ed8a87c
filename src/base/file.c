/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

/* Call read(2), and retry if a signal interrupts it. */
static ssize_t read_some(int fd, void *to, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, to, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int tally_file_read_fd(int fd, size_t max, char **ret_data, size_t *ret_len)
{
	enum { STEP = 4096 };
	char *data = NULL, *grown;
	size_t len = 0, cap = 0;
	ssize_t n;
	int ret;

	for (;;) {
		if (len + STEP + 1 > cap) {
			grown = tally_vec_grow(data, &cap, 1, len + STEP + 1);
			if (!grown) {
				ret = -ENOMEM;
				goto out;
			}
			data = grown;
		}
		n = read_some(fd, data + len, cap - len - 1);
		ret = (int)n;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (len > max) {
			ret = -EFBIG;
			break;
		}
	}
out:
	if (ret < 0) {
		free(data);
		return ret;
	}
	data[len] = '\0';
	grown = realloc(data, len + 1); /* shrink the buffer; up to half of it is unused */
	*ret_data = grown ? grown : data;
	*ret_len = len;
	return 0;
}

int tally_file_read(const char *path, size_t max, char **ret_data, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = tally_file_read_fd(fd, max, ret_data, ret_len);
	close(fd);
	return ret;
}

static int check_regular(const struct stat *st)
{
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		return -ENODEV;
	return S_ISREG(st->st_mode) ? 0 : -EINVAL;
}

static int check_owner(const struct stat *st, const struct tally_file_owners *owners)
{
	for (size_t i = 0; owners && i < owners->nr; i++) {
		if (owners->uids[i] == st->st_uid)
			return 0;
	}
	return owners ? -EPERM : 0;
}

/* Check that a trusted owner owns the last component of the path, even if it is a symbolic link. */
static int check_link(int dir, const char *path, const struct tally_file_owners *owners)
{
	struct stat st;

	if (owners && fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return owners ? check_owner(&st, owners) : 0;
}

/* Open the file to which the O_PATH descriptor `at` refers, for reading. Without procfs, open the
 * file by name, and then check that it is still the same file. */
static int reopen(int at, int dir, const char *path, const struct stat *found)
{
	enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };
	char link[32];
	struct stat st;
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	fd = open(link, FLAGS);
	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	fd = openat(dir, path, FLAGS);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_dev == found->st_dev && st.st_ino == found->st_ino)
		return fd;
	close(fd);
	return -ESTALE;
}

int tally_file_open_at(int dir, const char *name, const struct tally_file_owners *owners,
		       int *ret_fd)
{
	int at = openat(dir, name, O_PATH | O_CLOEXEC), ret;
	struct stat st;

	if (at < 0)
		return -errno;
	ret = fstat(at, &st) ? -errno : check_regular(&st);
	if (!ret)
		ret = check_owner(&st, owners);
	/* Reject hard links: anyone may create one to a file that only its owner can read. */
	if (!ret && owners && st.st_nlink != 1)
		ret = -EPERM;
	if (!ret)
		ret = check_link(dir, name, owners);
	if (!ret)
		ret = reopen(at, dir, name, &st);
	close(at);
	if (ret < 0)
		return ret;
	*ret_fd = ret;
	return 0;
}

int tally_file_open(const char *path, const struct tally_file_owners *owners, int *ret_fd)
{
	return tally_file_open_at(AT_FDCWD, path, owners, ret_fd);
}

int tally_file_read_checked(const char *path, const struct tally_file_owners *owners, size_t max,
			    char **ret_data, size_t *ret_len)
{
	struct stat st;
	int fd, ret = tally_file_open(path, owners, &fd);

	if (ret)
		return ret;
	ret = fstat(fd, &st) ? -errno : 0;
	if (!ret && (uint64_t)st.st_size > max)
		ret = -EFBIG;
	if (!ret)
		ret = tally_file_read_fd(fd, max, ret_data, ret_len);
	close(fd);
	return ret;
}

/* Return true if the file uses fewer bytes than its length. st_blocks is in units of 512 bytes,
 * regardless of the file system's block size. */
static bool is_sparse(const struct stat *st)
{
	return (uint64_t)st->st_blocks < (uint64_t)st->st_size / 512;
}

int tally_file_map_fd(int fd, size_t len, struct tally_file_map *ret_map)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0), ret = 0;
	struct stat st;
	void *data;

	if (own < 0)
		return -errno;
	if (fstat(own, &st))
		st = (struct stat){0};
	data = mmap(NULL, len, PROT_READ, MAP_SHARED, own, 0);
	if (data == MAP_FAILED) {
		ret = -errno;
		close(own);
		return ret;
	}
	*ret_map = (struct tally_file_map){data, len, own, is_sparse(&st)};
	return 0;
}

int tally_file_map(const char *path, struct tally_file_map *ret_map)
{
	struct stat st;
	int fd = -1, ret = tally_file_open(path, NULL, &fd);

	if (ret)
		return ret;
	ret = fstat(fd, &st) ? -errno : 0;
	if (!ret && st.st_size)
		ret = tally_file_map_fd(fd, (size_t)st.st_size, ret_map);
	else if (!ret)
		*ret_map = (struct tally_file_map){0};
	close(fd);
	return ret;
}

int tally_file_map_check(const struct tally_file_map *map)
{
	struct stat st;

	if (!map->data)
		return 0;
	if (fstat(map->fd, &st))
		return -errno;
	return (uint64_t)st.st_size < map->len ? -EIO : 0;
}

/* Find the next data, or the next hole after the data at `from`, but not beyond `end`. Return false
 * if the file system does not provide this information. A file system in user space can return a
 * position before `from`; this is rejected because it would cause an endless loop. The file offset
 * is restored, because the caller's descriptor shares it. */
static bool seek_extent(const struct tally_file_map *map, uint64_t from, int what, uint64_t end,
			uint64_t *ret_at)
{
	off_t before = lseek(map->fd, 0, SEEK_CUR);
	off_t at = lseek(map->fd, (off_t)from, what);
	bool is_known = at < 0 ? errno == ENXIO : (uint64_t)at >= from + (what == SEEK_HOLE);

	if (at >= 0 && before >= 0)
		(void)lseek(map->fd, before, SEEK_SET);
	*ret_at = at < 0 || (uint64_t)at > end ? end : (uint64_t)at;
	return is_known;
}

void tally_file_map_data(const struct tally_file_map *map, uint64_t from, uint64_t end,
			 uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = from;
	*ret_end = end;
	if (!map->is_sparse || from >= end)
		return;
	if (!seek_extent(map, from, SEEK_DATA, end, ret_start))
		*ret_start = from;
	else if (*ret_start < end && !seek_extent(map, *ret_start, SEEK_HOLE, end, ret_end))
		*ret_end = end;
}

bool tally_file_map_has_large_holes(const struct tally_file_map *map, uint64_t offset, uint64_t len)
{
	enum { HOLES_MAX = 1 << 20 };
	uint64_t at = offset, end = offset + len, holes = 0, data, next;

	if (!map->is_sparse || len <= HOLES_MAX)
		return false;
	while (at < end && holes <= HOLES_MAX) {
		tally_file_map_data(map, at, end, &data, &next);
		holes += data - at;
		at = next;
	}
	return holes > HOLES_MAX;
}

void tally_file_unmap(struct tally_file_map *map)
{
	if (map->data) {
		munmap((void *)map->data, map->len);
		close(map->fd);
	}
	*map = (struct tally_file_map){0};
}

int tally_file_write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

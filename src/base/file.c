/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

/* read(2) that resumes after signals. */
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
	grown = realloc(data, len + 1); /* what is kept for long is up to half of it room */
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

static int file_map_fd(int fd, struct tally_file_map *ret_map)
{
	struct stat st;
	void *data = NULL;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED)
			return -errno;
	}
	*ret_map = (struct tally_file_map){data, (size_t)st.st_size};
	return 0;
}

int tally_file_map(const char *path, struct tally_file_map *ret_map)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int ret;

	if (fd < 0)
		return -errno;
	ret = file_map_fd(fd, ret_map);
	close(fd);
	return ret;
}

void tally_file_unmap(struct tally_file_map *map)
{
	if (map->data)
		munmap((void *)map->data, map->len);
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

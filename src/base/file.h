/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files as bytes, for readers that take (bytes, length). */
#ifndef TALLY_BASE_FILE_H
#define TALLY_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read a file of unknown size (procfs, sysfs, tracefs) to its end. `*ret_data` is
 * NUL-terminated behind `*ret_len` bytes and the caller frees it. `max` bounds the read.
 * 0, -EFBIG beyond `max`, -ENOMEM, or the error of open(2) or read(2). */
int tally_file_read(const char *path, size_t max, char **ret_data, size_t *ret_len);

/* The same with an open descriptor, from its present position; leaves it open. */
int tally_file_read_fd(int fd, size_t max, char **ret_data, size_t *ret_len);

/* A read-only private mapping of a whole regular file. */
struct tally_file_map {
	const uint8_t *data; /* NULL for an empty file */
	size_t len;
};

/* 0, -EINVAL if `path` is no regular file, or the error of open(2), fstat(2) or mmap(2).
 * A mapped file that is truncated meanwhile raises SIGBUS on access, as any mapping does. */
int tally_file_map(const char *path, struct tally_file_map *ret_map);
void tally_file_unmap(struct tally_file_map *map);

/* Write all of `len` bytes, resuming after EINTR and short writes. 0 or -errno of write(2). */
int tally_file_write_all(int fd, const void *data, size_t len);

#endif

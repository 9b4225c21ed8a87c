/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files as bytes, for readers that take (bytes, length). */
#ifndef TALLY_BASE_FILE_H
#define TALLY_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read a file of unknown size (procfs, sysfs, tracefs) to its end. `*ret_data` is
 * NUL-terminated behind `*ret_len` bytes and the caller frees it. `max` bounds the read.
 * 0, -EFBIG beyond `max`, -ENOMEM, or the error of open(2) or read(2). */
int tally_file_read(const char *path, size_t max, char **ret_data, size_t *ret_len);

/* The same with an open descriptor, from its present position; leaves it open. */
int tally_file_read_fd(int fd, size_t max, char **ret_data, size_t *ret_len);

/* Users whose files are trusted. */
struct tally_file_owners {
	const uid_t *uids;
	size_t nr;
};

/* Open a regular file for reading. This is the way to every file that is named by a recording or by
 * another process: what it is is found out before it is opened, as opening a device has effects
 * (a watchdog starts) and opening a FIFO waits. With `owners` (NULL: anybody's) both the file
 * and, where the last part of `path` is a symbolic link, the link have to belong to one of them;
 * for names in directories that everybody may write to, where it may have no second name (hard
 * link) either. The caller closes `*ret_fd`. 0, -ENODEV for a device, -EINVAL for anything else
 * that is no regular file, -EPERM if it is of another owner, or the error of open(2) or fstat(2).
 */
int tally_file_open(const char *path, const struct tally_file_owners *owners, int *ret_fd);

/* The same of a name below the open directory `dir`. */
int tally_file_open_at(int dir, const char *name, const struct tally_file_owners *owners,
		       int *ret_fd);

/* Read all of what tally_file_open() opens, as tally_file_read() does; a file that is too large is
 * not begun. 0, -EFBIG, -ENOMEM, or an error of tally_file_open() or read(2). */
int tally_file_read_named(const char *path, const struct tally_file_owners *owners, size_t max,
			  char **ret_data, size_t *ret_len);

/* A read-only shared mapping of a whole regular file. All zero is none. */
struct tally_file_map {
	const uint8_t *data; /* NULL for an empty file */
	size_t len;
	int fd;         /* of the mapped file; open where `data` is not NULL */
	bool is_sparse; /* the file takes less room than its length: by holes, or packed */
};

/* Map what tally_file_open() opens. 0, an error of tally_file_open(), or that of mmap(2).
 * Where a mapped file became shorter, access raises SIGBUS, as with any mapping: a program that
 * wants to survive that has to put zeros there in a signal handler (cli/main/truncation.h), and
 * tally_file_map_check() tells whether what was read can be relied on. */
int tally_file_map(const char *path, struct tally_file_map *ret_map);

/* The same of an open regular file, at least one byte of which is mapped: `len` is what fstat(2)
 * says. `fd` stays the caller's. 0, or the error of fcntl(2) or mmap(2). */
int tally_file_map_fd(int fd, size_t len, struct tally_file_map *ret_map);

/* 0 if the file is as long as it was when it was mapped, or longer; -EIO if it became shorter. */
int tally_file_map_check(const struct tally_file_map *map);

/* Whether more than 1 MB of a part of the file is holes. A hole costs its writer nothing, and those
 * who read it memory and time as any bytes do, so a size that is claimed may not be made of holes.
 * What is small, or has a few holes as copies of files have where bytes are zero, is not hollow. */
bool tally_file_map_is_hollow(const struct tally_file_map *map, uint64_t offset, uint64_t len);

/* The next part of [from, end) that is not a hole; it begins at `end` if the rest is a hole. All of
 * it if the file system does not report holes. The file offset that the map shares with the file it
 * was made of is moved meanwhile, and put back: nobody else may read or move it at that time. */
void tally_file_map_data(const struct tally_file_map *map, uint64_t from, uint64_t end,
			 uint64_t *ret_start, uint64_t *ret_end);

void tally_file_unmap(struct tally_file_map *map);

/* Write all of `len` bytes, resuming after EINTR and short writes. 0 or -errno of write(2). */
int tally_file_write_all(int fd, const void *data, size_t len);

#endif

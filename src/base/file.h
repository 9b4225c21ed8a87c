/* SPDX-License-Identifier: BSD-2-Clause */
/* Read or map whole files, for parsers that take (bytes, length). */
#ifndef TALLY_BASE_FILE_H
#define TALLY_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read a file of unknown size (procfs, sysfs, tracefs) to its end. `*ret_data` has a NUL after
 * `*ret_len` bytes, and the caller frees it. Return 0; -EFBIG if the file is larger than `max`;
 * -ENOMEM; or the error from open(2) or read(2). */
int tally_file_read(const char *path, size_t max, char **ret_data, size_t *ret_len);

/* Like tally_file_read(), but read an open descriptor from its current position. The descriptor
 * stays open. */
int tally_file_read_fd(int fd, size_t max, char **ret_data, size_t *ret_len);

/* Users that own trusted files. */
struct tally_file_owners {
	const uid_t *uids;
	size_t nr;
};

/* Open a regular file for reading. All files that are named by a recording or another process must
 * be opened with this function. It checks the type of the file before opening it, because opening a
 * device can have side effects (such as starting a watchdog) and opening a FIFO blocks. If `owners`
 * is not NULL, the file must belong to one of the owners and must not have a second hard link; if
 * the last component of `path` is a symbolic link, the link must also belong to one of the owners.
 * These checks are for names in world-writable directories. The caller closes `*ret_fd`. Return 0;
 * -ENODEV for a device; -EINVAL for anything else that is not a regular file; -EPERM if the owner
 * or the number of links is wrong; or the error from open(2) or fstat(2). */
int tally_file_open(const char *path, const struct tally_file_owners *owners, int *ret_fd);

/* Like tally_file_open(), but with a name relative to the open directory `dir`. */
int tally_file_open_at(int dir, const char *name, const struct tally_file_owners *owners,
		       int *ret_fd);

/* Open a file like tally_file_open(), and read it like tally_file_read(). A file that is too large
 * is not read. Return 0; -EFBIG; -ENOMEM; or an error from tally_file_open() or read(2). */
int tally_file_read_checked(const char *path, const struct tally_file_owners *owners, size_t max,
			    char **ret_data, size_t *ret_len);

/* A read-only shared mapping of a whole regular file. An all-zero structure has no mapping. */
struct tally_file_map {
	const uint8_t *data; /* NULL for an empty file */
	size_t len;
	int fd;         /* descriptor of the mapped file; open if `data` is not NULL */
	bool is_sparse; /* the file has holes or is compressed: it uses fewer bytes than its length
	                 */
};

/* Open a file like tally_file_open(), and map it. Return 0, or an error from tally_file_open() or
 * mmap(2). If the mapped file is truncated, an access raises SIGBUS. A program that must survive
 * this can map zeros at the address in a signal handler (cli/main/truncation.h), and then check
 * with tally_file_map_check() whether the data was valid. */
int tally_file_map(const char *path, struct tally_file_map *ret_map);

/* Map an open regular file. `len` must be its size and must not be 0. `fd` belongs to the caller.
 * Return 0, or the error from fcntl(2) or mmap(2). */
int tally_file_map_fd(int fd, size_t len, struct tally_file_map *ret_map);

/* Return 0 if the file is at least as long as when it was mapped; -EIO if it is shorter; or the
 * error from fstat(2). */
int tally_file_map_check(const struct tally_file_map *map);

/* Return true if a range of the file contains more than 1 MiB of holes. Holes cost their writer
 * nothing, but cost their reader as much memory and time as data, so a size that a file claims must
 * be backed by data. Small ranges are ignored, as are the few holes that copying a file creates
 * where the file contains zeros. */
bool tally_file_map_has_large_holes(const struct tally_file_map *map, uint64_t offset,
				    uint64_t len);

/* Find the next part of [from, end) that is not a hole. If only a hole remains, the part begins at
 * `end`. If the file system does not report holes, the part is the whole range. The function
 * changes and restores the file offset, which the mapping shares with the descriptor from which it
 * was created; no other thread may use the offset during the call. */
void tally_file_map_data(const struct tally_file_map *map, uint64_t from, uint64_t end,
			 uint64_t *ret_start, uint64_t *ret_end);

/* Remove the mapping and close its descriptor. An all-zero structure is allowed. */
void tally_file_unmap(struct tally_file_map *map);

/* Write all `len` bytes, retrying after EINTR and short writes. Return 0 or the error from
 * write(2). */
int tally_file_write_all(int fd, const void *data, size_t len);

#endif

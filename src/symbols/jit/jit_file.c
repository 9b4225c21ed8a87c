/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/jit/jit_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "symbols/jit/jitdump.h"
#include "symbols/jit/perfmap.h"

/* Initial and maximum read size. */
enum { CHUNK_FIRST = 1 << 20, CHUNK_MAX = 256 << 20 };

static int file_pread(int fd, uint8_t *to, size_t len, uint64_t offset, size_t *ret_got)
{
	size_t got = 0;

	while (got < len) {
		ssize_t nr = pread(fd, to + got, len - got, (off_t)(offset + got));

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		if (!nr)
			break;
		got += (size_t)nr;
	}
	*ret_got = got;
	return 0;
}

/* Return true if the file still contains the last bytes that were read. Otherwise it has been
 * rewritten. */
static bool tail_is_there(const struct tally_jit_file *file, int fd)
{
	uint8_t tail[TALLY_JIT_TAIL];
	size_t got = 0;

	return !file_pread(fd, tail, file->tail_len, file->read - file->tail_len, &got) &&
	       got == file->tail_len && !memcmp(tail, file->tail, got);
}

/* Account for the `used` bytes at the start of `chunk` that have been parsed. */
static void chunk_used(struct tally_jit_file *file, const uint8_t *chunk, size_t used)
{
	size_t len = TALLY_MIN(used, (size_t)TALLY_JIT_TAIL);

	file->read += used;
	if (!len)
		return;
	memcpy(file->tail, chunk + used - len, len);
	file->tail_len = len;
}

static int chunk_parse(struct tally_jit_file *file, const struct tally_jit_reading *reading,
		       const uint8_t *chunk, size_t len, bool is_end, size_t *ret_used)
{
	int ret;

	if (reading->is_dump)
		ret = tally_jitdump_parse(chunk, len, file->read, &file->made, ret_used, NULL);
	else
		ret = tally_perfmap_parse((const char *)chunk, len, is_end && reading->is_final,
					  &file->made, ret_used, NULL);
	if (!ret && !file->read && reading->check)
		ret = reading->check(reading->arg, &file->made);
	return ret;
}

/* Read the new part in chunks, which are enlarged if a record does not fit. The file is not mapped,
 * because the process may still be writing to it, or another process may rewrite it. */
static int chunks_read(struct tally_jit_file *file, const struct tally_jit_reading *reading, int fd)
{
	size_t room = CHUNK_FIRST, got = room, used;
	uint8_t *chunk = NULL, *grown;
	int ret = 0;

	while (!ret && got == room) {
		grown = realloc(chunk, room);
		if (!grown) {
			ret = -ENOMEM;
			break;
		}
		chunk = grown;
		ret = file_pread(fd, chunk, room, file->read, &got);
		file->total += got;
		if (!ret)
			ret = chunk_parse(file, reading, chunk, got, got < room, &used);
		if (ret)
			break;
		chunk_used(file, chunk, used);
		if (!used && got == room && room >= CHUNK_MAX)
			ret = -EFBIG;
		else if (!used && got == room)
			got = room *= 4;
	}
	free(chunk);
	return ret;
}

/* Start from the beginning if `st` describes a file other than the one read so far. */
static int file_begin(struct tally_jit_file *file, const struct tally_jit_reading *reading,
		      const struct stat *st, int fd)
{
	bool is_same = file->dev == st->st_dev && file->ino == st->st_ino &&
		       (uint64_t)st->st_size >= file->read && tail_is_there(file, fd);

	if (reading->is_same && !is_same)
		return -ESTALE;
	file->dev = st->st_dev;
	file->ino = st->st_ino;
	file->size = (uint64_t)st->st_size;
	if (is_same)
		return 0;
	file->changes += file->made.codes.len != 0;
	tally_jit_clear(&file->made);
	file->read = file->tail_len = 0;
	return 0;
}

int tally_jit_file_read(struct tally_jit_file *file, const struct tally_jit_reading *reading,
			int fd)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	ret = file_begin(file, reading, &st, fd);
	if (ret)
		return ret;
	if (file->size - file->read > reading->most)
		return -EFBIG;
	ret = chunks_read(file, reading, fd);
	file->changes += file->made.codes.len != file->made.nr_finished;
	if (!ret)
		ret = tally_jit_finish(&file->made);
	if (ret) {
		tally_jit_clear(&file->made);
		file->read = file->tail_len = 0;
	}
	return ret || file->made.codes.len ? ret : -ENODATA;
}

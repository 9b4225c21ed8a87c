/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/random_bytes.h"
#include "symbols/cache/index_format.h"

/* Size of the buffer that collects small pieces before they are written. */
enum { BUFFER = 64 << 10 };

struct tally_index_writer {
	const struct tally_index_dir *dir;
	struct tally_build_id object;
	struct tally_index_header header;
	struct tally_index_section *section; /* section being written, or NULL */
	struct tally_index_sum sum;          /* checksum of `section` */
	struct tally_str name, unfinished;
	uint64_t at;                /* end offset of the data added so far */
	size_t nr;                  /* number of sections */
	uint64_t written, file_max; /* bytes; exceeding file_max (RLIMIT_FSIZE) raises SIGXFSZ */
	int fd, error;
	size_t len; /* bytes in the buffer */
	uint8_t buffer[BUFFER];
};

static int writer_names(struct tally_index_writer *writer)
{
	uint64_t random;

	if (!tally_index_file_name(&writer->object, &writer->name))
		return -ENOENT;
	if (tally_random_bytes(&random, sizeof(random)))
		return -EAGAIN;
	tally_str_addf(&writer->unfinished, ".%s.", tally_str_text(&writer->name));
	tally_str_add_hex(&writer->unfinished, random, 16);
	return tally_str_error(&writer->name) ? -ENOMEM : tally_str_error(&writer->unfinished);
}

static int writer_create(struct tally_index_writer *writer)
{
	struct rlimit limit;

	writer->file_max = getrlimit(RLIMIT_FSIZE, &limit) ? UINT64_MAX : limit.rlim_cur;
	writer->fd = openat(writer->dir->fd, tally_str_text(&writer->unfinished),
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return writer->fd < 0 ? -errno : 0;
}

static void writer_free(struct tally_index_writer *writer)
{
	tally_str_free(&writer->name);
	tally_str_free(&writer->unfinished);
	free(writer);
}

int tally_index_writer_open(struct tally_index_dir *dir, const struct tally_build_id *object,
			    uint64_t size, struct tally_index_writer **ret_writer)
{
	struct tally_index_writer *writer;
	struct tally_build_id producer;
	int ret = tally_index_producer(&producer);

	if (!ret)
		ret = tally_index_dir_create(dir);
	if (!ret)
		ret = tally_index_dir_evict(dir, size + sizeof(writer->header));
	if (ret)
		return ret;
	writer = malloc(sizeof(*writer));
	if (!writer)
		return -ENOMEM;
	memset(writer, 0, offsetof(struct tally_index_writer, buffer));
	writer->dir = dir;
	writer->object = *object;
	ret = writer_names(writer);
	if (!ret)
		ret = writer_create(writer);
	if (ret) {
		writer_free(writer);
		return ret;
	}
	memcpy(writer->header.magic, TALLY_INDEX_MAGIC, sizeof(writer->header.magic));
	writer->header.version = TALLY_INDEX_VERSION;
	writer->header.order = TALLY_INDEX_ORDER;
	tally_index_name_set(&writer->header.object, object);
	tally_index_name_set(&writer->header.producer, &producer);
	/* Reserve space for the header, which is written last. */
	tally_index_writer_add(writer, &writer->header, sizeof(writer->header));
	*ret_writer = writer;
	return 0;
}

static void writer_write(struct tally_index_writer *writer, const void *data, size_t len)
{
	if (!writer->error && !tally_range_ok(writer->written, len, writer->file_max))
		writer->error = -EFBIG;
	if (!writer->error && len)
		writer->error = tally_file_write_all(writer->fd, data, len);
	writer->written += len;
}

static void writer_flush(struct tally_index_writer *writer)
{
	writer_write(writer, writer->buffer, writer->len);
	writer->len = 0;
}

void tally_index_writer_add(struct tally_index_writer *writer, const void *data, size_t len)
{
	if (!len)
		return;
	writer->at += len;
	if (writer->section)
		tally_index_sum_add(&writer->sum, data, len);
	if (len > BUFFER - writer->len || len > BUFFER / 2)
		writer_flush(writer);
	if (len > BUFFER / 2) {
		writer_write(writer, data, len);
		return;
	}
	memcpy(writer->buffer + writer->len, data, len);
	writer->len += len;
}

/* End the section, and pad to the aligned start of the next one. */
static void section_end(struct tally_index_writer *writer)
{
	static const uint8_t zeros[TALLY_INDEX_ALIGN];

	if (writer->section) {
		writer->section->size = writer->at - writer->section->offset;
		writer->section->sum = tally_index_sum_end(&writer->sum);
		writer->section = NULL;
	}
	tally_index_writer_add(writer, zeros, -writer->at % TALLY_INDEX_ALIGN);
}

void tally_index_writer_begin(struct tally_index_writer *writer, enum tally_index_id id)
{
	section_end(writer);
	writer->section = &writer->header.sections[writer->nr++];
	*writer->section = (struct tally_index_section){.id = id, .offset = writer->at};
	tally_index_sum_begin(&writer->sum);
}

static bool has_section(const struct tally_index_writer *writer, uint32_t id)
{
	for (size_t i = 0; i < writer->nr; i++) {
		if (writer->header.sections[i].id == id)
			return true;
	}
	return false;
}

/* Copy the sections of the existing index that were not rewritten. */
static void writer_merge(struct tally_index_writer *writer)
{
	struct tally_index old;
	const void *data;
	size_t len;

	if (tally_index_open(writer->dir, &writer->object, &old))
		return;
	for (uint32_t id = 1; id < TALLY_INDEX_END; id++) {
		data = has_section(writer, id) ? NULL : tally_index_section(&old, id, &len);
		if (!data)
			continue;
		tally_index_writer_begin(writer, id);
		tally_index_writer_add(writer, data, len);
	}
	tally_index_free(&old);
}

static void writer_finish(struct tally_index_writer *writer)
{
	section_end(writer);
	writer_flush(writer);
	writer->header.size = writer->at;
	writer->header.sum = tally_index_header_sum(&writer->header);
	if (!writer->error && lseek(writer->fd, 0, SEEK_SET))
		writer->error = -errno;
	writer->written = 0;
	writer_write(writer, &writer->header, sizeof(writer->header));
}

int tally_index_writer_close(struct tally_index_writer *writer, int error)
{
	const char *unfinished = tally_str_text(&writer->unfinished);
	int ret;

	if (error)
		writer->error = error;
	if (!writer->error)
		writer_merge(writer);
	writer_finish(writer);
	if (close(writer->fd) && !writer->error)
		writer->error = -errno;
	if (!writer->error &&
	    renameat(writer->dir->fd, unfinished, writer->dir->fd, tally_str_text(&writer->name)))
		writer->error = -errno;
	ret = writer->error;
	if (ret)
		(void)unlinkat(writer->dir->fd, unfinished, 0);
	writer_free(writer);
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals of the writer, shared by its source files. */
#ifndef TALLY_PERFDATA_WRITER_H
#define TALLY_PERFDATA_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/str.h"
#include "base/vec.h"
#include "perfdata/perfdata_events.h"
#include "tally/perfdata.h"

struct tally_deflater;

struct tally_writer_feature {
	uint32_t id;
	bool written; /* already written; pipe mode writes each feature only once */
	uint8_t *bytes;
	size_t len;
};

struct tally_perfdata_writer {
	int fd;
	struct tally_perfdata_writer_options options;
	bool started, finished;
	/* -errno once compressed records have been lost and no further records can be written;
	 * otherwise 0. */
	int broken;
	struct tally_perfdata_events events;
	TALLY_VEC(struct tally_writer_feature) features;
	struct tally_str build_ids; /* build ID table, in the file's byte order */
	struct tally_str copy;      /* copy for byte-swapping foreign records */
	struct tally_deflater *deflater;
	uint64_t position; /* offset in the file */
	uint64_t data_offset, data_bytes, raw_bytes;
};

/* ---- write_bytes.c ------------------------------------------------------- */

/* Write all pieces, which are in the file's byte order, and advance the position. Returns 0,
 * -errno, or the error from the `writev` option. */
int tally_writer_writev(struct tally_perfdata_writer *writer, const struct iovec *iov, int nr);

/* Do the same as tally_writer_writev() for one piece. */
int tally_writer_write(struct tally_perfdata_writer *writer, const void *bytes, size_t len);

/* Write the encoded bytes and free them. If `data` is set, count them as record data. Returns 0 or
 * -errno. */
int tally_writer_write_str(struct tally_perfdata_writer *writer, struct tally_str *str, bool data);

/* Return the size in bytes of an attr in this file. The size is the same for all attrs. */
uint32_t tally_writer_attr_size(const struct tally_perfdata_writer *writer);

/* ---- write_header.c: file mode; write_pipe.c: pipe mode ------------------ */

int tally_writer_start_file(struct tally_perfdata_writer *writer);
int tally_writer_finish_file(struct tally_perfdata_writer *writer);
int tally_writer_start_pipe(struct tally_perfdata_writer *writer);
int tally_writer_finish_pipe(struct tally_perfdata_writer *writer);

/* ---- write_features.c ---------------------------------------------------- */

/* Build the features that are derived from the writer's own state: EVENT_DESC, COMPRESSED,
 * BRANCH_STACK and the build ID table. Returns 0 or -ENOMEM. */
int tally_writer_build_features(struct tally_perfdata_writer *writer);
struct tally_writer_feature *tally_writer_find_feature(struct tally_perfdata_writer *writer,
						       uint32_t id);

/* ---- deflate.c ----------------------------------------------------------- */

/* Maximum expanded size of a COMPRESSED record. The COMPRESSED feature declares a buffer of twice
 * this size. */
#define TALLY_DEFLATE_SLICE ((size_t)256 << 10)

int tally_deflater_new(int level, struct tally_deflater **ret_deflater);
void tally_deflater_free(struct tally_deflater *deflater);

/* Compress and write records, and flush the compressor at the end. Returns 0 or -errno. */
int tally_deflate(struct tally_perfdata_writer *writer, const struct iovec *iov, int nr);

#endif

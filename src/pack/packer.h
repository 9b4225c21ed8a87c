/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compresses a stream with zlib, in several threads. The stream is divided into blocks of a fixed
 * size. Each is compressed with the end of the previous block as its dictionary, so the output does
 * not depend on the number of threads. Threads are started when the second block is full.
 *
 * Sources: RFC 1950 (zlib), RFC 1951 (deflate), RFC 1952 (gzip).
 */
#ifndef TALLY_PACK_PACKER_H
#define TALLY_PACK_PACKER_H

#include <stddef.h>
#include <stdint.h>

enum tally_packing { TALLY_PACK_ZLIB, TALLY_PACK_GZIP };

struct tally_packer_options {
	enum tally_packing format;
	uint64_t threads; /* including the caller's; 0 is 1; at most 8 are used */
	/* Called in the caller's thread with the output in order. Returns 0 or -errno. */
	int (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
};

struct tally_packer;

/* Returns 0 or -ENOMEM. */
int tally_packer_new(const struct tally_packer_options *options, struct tally_packer **ret_packer);

/* Compress `len` bytes, which are copied. Returns 0, -ENOMEM, -EIO if zlib fails, or an error from
 * options->write(). After an error, call only tally_packer_free(). */
int tally_packer_add(struct tally_packer *packer, const void *bytes, size_t len);

/* End the stream. Returns the same as tally_packer_add(). Call only tally_packer_free() after
 * it. */
int tally_packer_end(struct tally_packer *packer);

/* `packer` may be NULL. */
void tally_packer_free(struct tally_packer *packer);

#endif

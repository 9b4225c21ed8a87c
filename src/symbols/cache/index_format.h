/* SPDX-License-Identifier: BSD-2-Clause */
/* Layout of an index file, in host byte order. See docs/internals/index-format.md. */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_FORMAT_H
#define TALLY_SYMBOLS_CACHE_INDEX_FORMAT_H

#include "symbols/elf/image.h"

#define TALLY_INDEX_MAGIC "TALLYIDX"

enum {
	TALLY_INDEX_VERSION = 1,
	TALLY_INDEX_ORDER = 0x01020304,
	TALLY_INDEX_ALIGN = 8,
	TALLY_INDEX_SECTIONS = 24, /* number of section headers in the file header */
};

/* Build-id, zero-padded. */
struct tally_index_name {
	uint32_t size;
	uint8_t id[TALLY_BUILD_ID_MAX];
};

struct tally_index_section {
	uint32_t id; /* enum tally_index_id, or 0 if unused */
	uint32_t zero;
	uint64_t offset, size; /* in the file; the offset is aligned */
	uint64_t sum;
};

struct tally_index_header {
	char magic[8];
	uint32_t version, order;
	struct tally_index_name object, producer;
	uint64_t size; /* size of the file */
	uint64_t sum;  /* checksum of this header, computed with sum = 0 */
	struct tally_index_section sections[TALLY_INDEX_SECTIONS];
};

/* State of a checksum that is computed piece by piece. */
struct tally_index_sum {
	uint64_t lanes[8];
	uint64_t len;
	uint8_t rest[64];
};

void tally_index_sum_begin(struct tally_index_sum *sum);
void tally_index_sum_add(struct tally_index_sum *sum, const void *data, size_t len);
uint64_t tally_index_sum_end(const struct tally_index_sum *sum);

/* Return the checksum of contiguous bytes. */
uint64_t tally_index_sum(const void *data, size_t len);

uint64_t tally_index_header_sum(const struct tally_index_header *header);

/* Get the build-id of the program or library that contains this code. Returns 0, or -ENOENT if it
 * was linked without a build-id. */
int tally_index_producer(struct tally_build_id *ret_id);

void tally_index_name_set(struct tally_index_name *name, const struct tally_build_id *id);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PERF_RECORD_SAMPLE and the sample_id trailer of other records. Freestanding.
 *
 * A single table of fields (sample_fields.c) drives the decoder, the encoder, the byte swapper and
 * the printers. A *layout* is that table filtered by an attr, created once for each attr. Bytes are
 * in host order except in tally_sample_swap(). Nothing is copied: a decoded sample points into the
 * record, to words that may be unaligned. Arrays are therefore read through tally_get_u64() or
 * tally_words_get().
 */
#ifndef TALLY_ABI_SAMPLE_H
#define TALLY_ABI_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/endian.h"
#include "base/error.h"
#include "tally/abi.h"
#include "tally/config.h"
#include "tally/sample.h"

/* Return the number of words per group member: its value, and its ID and lost count if
 * requested. */
static inline size_t tally_read_stride(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

/* Return the size in bytes of counts for `nr` members in `format`. */
size_t tally_read_size(uint64_t format, uint64_t nr);

/* Write tally_read_size() bytes of counts in the form that tally_read_decode() parses. */
void tally_read_encode(const struct tally_read *read, void *out);

/* Parse counts in `read_format` from `len` bytes. The length of the counts is stored in *ret_used
 * (may be NULL). Return 0, or -EINVAL with the reason if the counts do not fit. */
int tally_read_decode(const void *bytes, size_t len, uint64_t read_format,
		      struct tally_read *ret_read, size_t *ret_used, struct tally_error *err);

/* Return true if the members of a register set are known for this `abi`: NONE, 32 or 64, the latter
 * two also with SIMD. */
static inline bool tally_regs_abi_is_known(uint64_t abi)
{
	uint64_t width = abi & ~(uint64_t)PERF_SAMPLE_REGS_ABI_SIMD;

	return !abi || width == PERF_SAMPLE_REGS_ABI_32 || width == PERF_SAMPLE_REGS_ABI_64;
}

/* Return the number of words after a TALLY_SIMD_HEAD, or UINT64_MAX if a record cannot contain so
 * many. `head` has the values of its words. */
uint64_t tally_simd_words(const uint64_t *head);

/* Return the whole weight, or with WEIGHT_STRUCT its first part: for memory accesses, the latency
 * in cycles. */
static inline uint64_t tally_sample_weight(const struct tally_sample *sample)
{
	return sample->present & PERF_SAMPLE_WEIGHT_STRUCT ? (uint32_t)sample->weight
							   : sample->weight;
}

/* Layout of a field in a record. */
enum tally_sample_kind {
	TALLY_SAMPLE_U64,
	TALLY_SAMPLE_PAIR, /* two u32 */
	TALLY_SAMPLE_READ,
	TALLY_SAMPLE_CALLCHAIN, /* u64 nr, ips */
	TALLY_SAMPLE_RAW,       /* u32 size, bytes */
	TALLY_SAMPLE_BRANCH,
	TALLY_SAMPLE_REGS,
	TALLY_SAMPLE_STACK,
	TALLY_SAMPLE_WEIGHT, /* u64, or u32 and two u16 */
	TALLY_SAMPLE_AUX,    /* u64 size, bytes */
};

/* A row of the sample field table. Rows are in the order of the fields in the record. */
struct tally_sample_field {
	uint64_t bit;       /* PERF_SAMPLE_* */
	const char *name;   /* as in quipper; NULL if its parts have names of their own */
	const char *second; /* name of the second half of a PAIR, if it has a meaning */
	uint8_t kind;       /* enum tally_sample_kind */
	int8_t trailer;     /* position in the trailer of other records, from 0; -1 if absent */
	uint16_t offset;    /* offset of the (first) member in struct tally_sample */
};

extern const struct tally_sample_field tally_sample_fields[];
extern const size_t tally_sample_nr_fields;

#define TALLY_SAMPLE_MAX_FIELDS  (TALLY_CORE_SAMPLE_PARTS ? 25 : 9)
#define TALLY_TRAILER_MAX_FIELDS 6

/* The sample field table filtered by an attr. It is plain data that may be copied. */
struct tally_sample_layout {
	uint32_t sample_type;
	uint32_t read_format;
	uint32_t branch_sample_type;
#if TALLY_CORE_SAMPLE_PARTS
	uint64_t regs_user, regs_intr; /* register masks */
#endif
	uint8_t nr;         /* rows of a sample, in order */
	uint8_t nr_words;   /* leading rows that are one word each */
	uint8_t nr_trailer; /* rows of a trailer, in order; 0 without sample_id_all */
	uint8_t rows[TALLY_SAMPLE_MAX_FIELDS];
	uint8_t trailer_rows[TALLY_TRAILER_MAX_FIELDS];
	/* Byte offsets of fields needed before decoding: in a sample, from the start of the record
	 * (-1 if absent); in a trailer, from the end of the record (negative, or 0 if absent). */
	int16_t sample_id, sample_time;
	int16_t trailer_id, trailer_time;
};

/* Initialize the layout for an attr. Return 0. If sample_type or read_format has unknown bits,
 * return -EOPNOTSUPP and leave the layout untouched, because fields after an unknown one cannot be
 * located. */
int tally_sample_layout_init(struct tally_sample_layout *layout,
			     const struct perf_event_attr *attr);

/* Decode a SAMPLE record (including the header) of `len` bytes in host order. Every size in the
 * record is checked against the bytes left. Extra bytes at the end are allowed. Return 0, or
 * -EINVAL with the reason and the offset in the record; `*ret_sample` is then undefined. */
int tally_sample_decode(const struct tally_sample_layout *layout, const void *record, size_t len,
			struct tally_sample *ret_sample, struct tally_error *err);

/* Decode the sample_id trailer at the end of a record of another type (below 64). Without
 * sample_id_all, and for user-space types, return 0 with all fields absent. Return 0, or -EINVAL if
 * the record is too short. */
int tally_trailer_decode(const struct tally_sample_layout *layout, const void *record, size_t len,
			 struct tally_sample *ret_sample, struct tally_error *err);

/* Return true if user space (perf.data) defines the record type. These types start at 64, and their
 * records have no trailer. */
static inline bool tally_record_is_user(uint32_t type)
{
	return type >= 64;
}

/* Return the size in bytes of the trailer that this layout adds to a record. */
static inline size_t tally_trailer_size(const struct tally_sample_layout *layout)
{
	return (size_t)layout->nr_trailer * 8;
}

/* Return the size in bytes of the fields that are not single words. */
size_t tally_sample_parts_size(const struct tally_sample_layout *layout,
			       const struct tally_sample *sample);

/* Return the size in bytes that tally_sample_encode() will need, including the header. Most samples
 * contain only words. */
static inline size_t tally_sample_size(const struct tally_sample_layout *layout,
				       const struct tally_sample *sample)
{
	size_t size = sizeof(struct perf_event_header) + (size_t)8 * layout->nr_words;

	return !TALLY_CORE_SAMPLE_PARTS || layout->nr == layout->nr_words
		       ? size
		       : size + tally_sample_parts_size(layout, sample);
}

/* Write `sample` as a record with this `misc` to `out`, which has space for `cap` bytes. This is
 * the inverse of decoding. Fields that are in the layout but not in the sample are written with the
 * values they have in the struct. Return 0 with the length in *ret_len, -ENOSPC if the record is
 * longer than `cap`, or -E2BIG if it is longer than 65,528 bytes. */
int tally_sample_encode(const struct tally_sample_layout *layout, const struct tally_sample *sample,
			uint16_t misc, void *out, size_t cap, size_t *ret_len);

/* Write the trailer of `sample` to `out`, which has tally_trailer_size() bytes. */
void tally_trailer_encode(const struct tally_sample_layout *layout,
			  const struct tally_sample *sample, void *out);

/* Swap the body of a SAMPLE record in place (the header is already in host order). If `from_host`
 * is false, the body is converted from the other byte order to the host's; if true, vice versa.
 * Return 0, or -EINVAL with the reason if a size in the record does not fit. */
int tally_sample_swap(const struct tally_sample_layout *layout, void *record, size_t len,
		      bool from_host, struct tally_error *err);

/* Swap the trailer of a record of another type in place. A record that is too short is left
 * unchanged. */
void tally_trailer_swap(const struct tally_sample_layout *layout, void *record, size_t len);

#endif

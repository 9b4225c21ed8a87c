/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PERF_RECORD_SAMPLE and the sample_id trailer of other records. Freestanding.
 *
 * ONE table of fields (sample_fields.c) drives the decoder, the encoder, the byte swapper
 * and the printers. A *layout* is that table filtered by one attr, made once per attr.
 * Bytes are in host order everywhere but in tally_sample_swap(); nothing is copied: the
 * decoded sample points into the record, at words that may be unaligned, which is why all
 * arrays are read through tally_get_u64() or tally_words_get().
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

/* `nr` u64 in host order at a possibly unaligned place inside a record. */
struct tally_words {
	const uint8_t *data;
	uint64_t nr;
};

static inline uint64_t tally_words_get(struct tally_words words, uint64_t i)
{
	return tally_get_u64(words.data + 8 * i);
}

struct tally_read_value {
	uint64_t value, id, lost; /* id and lost 0 when not asked for */
};

/* Counts as read(2) and PERF_SAMPLE_READ give them: one, or with PERF_FORMAT_GROUP as many
 * as the group has members. */
struct tally_read {
	uint64_t format;                     /* PERF_FORMAT_* */
	uint64_t time_enabled, time_running; /* 0 when not asked for */
	uint64_t nr;                         /* 1 unless PERF_FORMAT_GROUP */
	struct tally_read_value single;      /* unless PERF_FORMAT_GROUP */
	struct tally_words group;            /* with it: nr times value, id, lost as asked for */
};

/* The i-th value, i < read->nr. */
struct tally_read_value tally_read_get(const struct tally_read *read, uint64_t i);

/* Bytes that counts of `nr` members take in `format`. */
size_t tally_read_size(uint64_t format, uint64_t nr);

/* Write counts as tally_read_decode() reads them; tally_read_size() bytes. */
void tally_read_encode(const struct tally_read *read, void *out);

/* Parse counts in `read_format` from `len` bytes. `*ret_used` (may be NULL) is their length.
 * 0, or -EINVAL with the reason when they do not fit. */
int tally_read_decode(const void *bytes, size_t len, uint64_t read_format,
		      struct tally_read *ret_read, size_t *ret_used, struct tally_error *err);

struct tally_regs {
	uint64_t abi;              /* PERF_SAMPLE_REGS_ABI_* */
	uint64_t mask;             /* the attr's; which register each word is */
	struct tally_words values; /* none when abi is NONE */
};

struct tally_bytes {
	const uint8_t *data;
	uint64_t len;
};

/* Every field a sample can have; `present` tells which ones (PERF_SAMPLE_*) this one has.
 * Fields that are absent are 0, cpu is UINT32_MAX, pid and tid are -1. */
struct tally_sample {
	uint64_t present;
	uint64_t identifier;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time;
	uint64_t addr;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu, cpu_reserved;
	uint64_t period;
	struct tally_read read;
	struct tally_words callchain; /* context markers included */
	struct tally_bytes raw;
	uint64_t branch_hw_idx;             /* with PERF_SAMPLE_BRANCH_HW_INDEX, else ~0 */
	struct tally_words branches;        /* 3 words each: nr is the number of words */
	struct tally_words branch_counters; /* with PERF_SAMPLE_BRANCH_COUNTERS */
	struct tally_regs regs_user;
	struct tally_bytes stack_user; /* the dyn_size bytes that are valid */
	uint64_t stack_user_size;      /* bytes dumped, dyn_size of which are valid */
	uint64_t weight; /* whole word; WEIGHT_STRUCT: var1 low 32, var2 next 16, var3 high 16 */
	uint64_t data_src;
	uint64_t transaction;
	struct tally_regs regs_intr;
	uint64_t phys_addr;
	struct tally_bytes aux;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	uint64_t left; /* decoding: bytes of the record behind all fields, 0 of most */
};

/* How a field is laid out in a record. */
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

/* A row of the one table. Rows stand in the order of the fields in the record. */
struct tally_sample_field {
	uint64_t bit;       /* PERF_SAMPLE_* */
	const char *name;   /* as quipper names it; NULL where the kind has parts of its own */
	const char *second; /* name of the second half of a PAIR, if it has a meaning */
	uint8_t kind;       /* enum tally_sample_kind */
	int8_t trailer;     /* place in the trailer of other records from 0 up; -1: not there */
	uint16_t offset;    /* of the (first) member in struct tally_sample */
};

extern const struct tally_sample_field tally_sample_fields[];
extern const size_t tally_sample_nr_fields;

#define TALLY_SAMPLE_MAX_FIELDS  (TALLY_CORE_SAMPLE_PARTS ? 25 : 9)
#define TALLY_TRAILER_MAX_FIELDS 6

/* What one attr makes of the table. Plain data; copy freely. */
struct tally_sample_layout {
	uint32_t sample_type;
	uint32_t read_format;
	uint32_t branch_sample_type;
#if TALLY_CORE_SAMPLE_PARTS
	uint64_t regs_user, regs_intr; /* masks */
#endif
	uint8_t nr;         /* rows of a sample, in order */
	uint8_t nr_words;   /* the first rows that are one word each */
	uint8_t nr_trailer; /* rows of a trailer, in order; 0 without sample_id_all */
	uint8_t rows[TALLY_SAMPLE_MAX_FIELDS];
	uint8_t trailer_rows[TALLY_TRAILER_MAX_FIELDS];
	/* Byte offsets of what is needed before a whole decode, -1 where absent: in a sample
	 * from the record's start, in a trailer from the record's end (negative; 0: absent). */
	int16_t sample_id, sample_time;
	int16_t trailer_id, trailer_time;
};

/* `sample_type` bits the table does not know make -EOPNOTSUPP: nothing behind such a field
 * could be found. The layout is untouched then. */
int tally_sample_layout_init(struct tally_sample_layout *layout,
			     const struct perf_event_attr *attr);

/* Decode a SAMPLE record (header included) of `len` bytes in host order. Every inner size is
 * checked against what is left before it is used. Bytes left over are allowed.
 * 0, or -EINVAL with the reason and the offset in the record; `*ret_sample` is undefined then. */
int tally_sample_decode(const struct tally_sample_layout *layout, const void *record, size_t len,
			struct tally_sample *ret_sample, struct tally_error *err);

/* Decode the sample_id trailer of a record of another type (below 64), found from its end.
 * Without sample_id_all, or for types of user space, everything is absent and the answer 0.
 * 0, or -EINVAL when the record is too short. */
int tally_trailer_decode(const struct tally_sample_layout *layout, const void *record, size_t len,
			 struct tally_sample *ret_sample, struct tally_error *err);

/* Records from 64 up are user space's own (perf.data) and carry no trailer. */
static inline bool tally_record_is_user(uint32_t type)
{
	return type >= 64;
}

/* Bytes of the trailer that this layout puts at a record's end. */
static inline size_t tally_trailer_size(const struct tally_sample_layout *layout)
{
	return (size_t)layout->nr_trailer * 8;
}

/* Bytes of the fields that are more than a word. */
size_t tally_sample_parts_size(const struct tally_sample_layout *layout,
			       const struct tally_sample *sample);

/* Size in bytes, header included, that tally_sample_encode() will need. Most samples are words
 * and no more. */
static inline size_t tally_sample_size(const struct tally_sample_layout *layout,
				       const struct tally_sample *sample)
{
	size_t size = sizeof(struct perf_event_header) + (size_t)8 * layout->nr_words;

	return !TALLY_CORE_SAMPLE_PARTS || layout->nr == layout->nr_words
		       ? size
		       : size + tally_sample_parts_size(layout, sample);
}

/* Write `sample` as a record with this `misc` into `out` of `cap` bytes: the inverse of
 * decode. Fields that the layout has and the sample lacks are written as they stand there.
 * 0 with `*ret_len`; -ENOSPC; -E2BIG for a record over 65,528 bytes. */
int tally_sample_encode(const struct tally_sample_layout *layout, const struct tally_sample *sample,
			uint16_t misc, void *out, size_t cap, size_t *ret_len);

/* Write the trailer of `sample` to `out`, which has tally_trailer_size() bytes. */
void tally_trailer_encode(const struct tally_sample_layout *layout,
			  const struct tally_sample *sample, void *out);

/* Swap a SAMPLE record's body in place (its header is in host order already). With
 * `from_host` false the body is foreign and becomes host order; with true the other way.
 * 0, or -EINVAL with the reason when an inner size does not fit. */
int tally_sample_swap(const struct tally_sample_layout *layout, void *record, size_t len,
		      bool from_host, struct tally_error *err);

/* Swap the trailer of another record in place; too short a record is left alone. */
void tally_trailer_swap(const struct tally_sample_layout *layout, void *record, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All records other than SAMPLE, as tables of fields. Freestanding.
 *
 * A description lists the fields of a record in order. The byte swapper, the length check, the JSON
 * dump and the tests use it. perf.data's own records (types 64 and above) have the same kind of
 * descriptions in perfdata/. Readers that need only two or three fields of a record use the
 * accessors at the end.
 */
#ifndef TALLY_ABI_RECORD_H
#define TALLY_ABI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/error.h"
#include "tally/abi.h"

enum tally_field_kind {
	TALLY_FIELD_U8,
	TALLY_FIELD_U16,
	TALLY_FIELD_U32,
	TALLY_FIELD_S32,
	TALLY_FIELD_U64,
	TALLY_FIELD_STRING,   /* NUL-terminated, padded; everything up to the trailer */
	TALLY_FIELD_STRING_N, /* fixed array of `count` bytes that holds a string */
	TALLY_FIELD_BYTES_N,  /* fixed array of `count` bytes */
	TALLY_FIELD_BYTES,    /* everything up to the trailer */
	TALLY_FIELD_SKIP,     /* `count` ignored bytes */
	TALLY_FIELD_WORDS,    /* u64 array; the previous field is its length */
	TALLY_FIELD_LINKS,    /* perf_ns_link_info array; the previous field is its length */
	TALLY_FIELD_READ,     /* counts in the attr's read_format */
	TALLY_FIELD_BUILD_ID, /* MMAP2 with misc bit 14: u8 size, 3 bytes, 20 bytes */
};

struct tally_record_field {
	const char *name;    /* as in quipper; NULL with SKIP */
	uint8_t kind;        /* enum tally_field_kind */
	uint16_t count;      /* for SKIP and the kinds ending in _N */
	uint16_t misc_set;   /* the field exists only if all of these misc bits are set ... */
	uint16_t misc_clear; /* ... and none of these bits is set */
};

struct tally_record_desc {
	uint32_t type;
	const char *name; /* the type's name without the prefix PERF_RECORD_ */
	const struct tally_record_field *fields;
	uint8_t nr_fields;
};

/* Return the description of a kernel record type, or NULL if unknown. The description of SAMPLE has
 * no fields. */
const struct tally_record_desc *tally_record_describe(uint32_t type);

/* A decoded field. */
struct tally_record_value {
	const struct tally_record_field *field;
	uint64_t number;          /* value of integers; S32 is sign-extended */
	struct tally_bytes bytes; /* strings without NUL, bytes, arrays, build IDs */
	struct tally_read read;
};

/* Iterator over the fields of a record. */
struct tally_record_cursor {
	const struct tally_record_desc *desc;
	const uint8_t *record;
	size_t at, end; /* `end` excludes the trailer */
	uint64_t last;  /* the previous integer, which is the length if an array follows */
	uint64_t read_format;
	uint16_t misc;
	uint8_t next;
};

/* Start iterating over a record of `len` bytes in host order that ends with `trailer` bytes of
 * sample_id. `read_format` is the attr's, for READ records. */
void tally_record_walk(struct tally_record_cursor *cursor, const struct tally_record_desc *desc,
		       const void *record, size_t len, size_t trailer, uint64_t read_format);

/* Return 1 with the next field, 0 at the end, or -EINVAL if the record ends within a field. If a
 * record ends right before an integer, it is an older form of its type and simply ends there. The
 * available part of a truncated string is returned. */
int tally_record_next(struct tally_record_cursor *cursor, struct tally_record_value *ret_value,
		      struct tally_error *err);

/* Swap the body of a record, without the trailer, in place. Return 0, or -EINVAL if the record is
 * too short for its fields. */
int tally_record_swap(const struct tally_record_desc *desc, void *record, size_t len,
		      size_t trailer, uint64_t read_format, bool from_host,
		      struct tally_error *err);

/* ---- commonly used records ---------------------------------------------- */

/* An MMAP or MMAP2 record. `filename` is NUL-terminated within the record. */
struct tally_mmap {
	int32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags; /* from MMAP2; for MMAP, prot is PROT_EXEC, or 0 for data */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0 if there is no build ID */
	bool is_data;          /* PERF_RECORD_MISC_MMAP_DATA */
	const char *filename;
};

struct tally_comm {
	int32_t pid, tid;
	bool exec;
	const char *comm; /* NUL-terminated within the record */
};

/* A FORK or EXIT record. */
struct tally_task {
	int32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* Decode `record`, which must be of the function's type and have `len` bytes in host order. Return
 * 0, or -EINVAL if the record is too short or its string has no NUL. */
int tally_record_mmap(const void *record, size_t len, struct tally_mmap *ret_mmap);
int tally_record_comm(const void *record, size_t len, struct tally_comm *ret_comm);
int tally_record_task(const void *record, size_t len, struct tally_task *ret_task);

/* A CALLCHAIN_DEFERRED record. `callers` points into the record. */
struct tally_callers_deferred {
	uint64_t cookie;
	struct tally_words callers; /* with context markers */
};

/* Decode a record that ends with `trailer` bytes of sample_id, like the functions above. */
int tally_record_callers_deferred(const void *record, size_t len, size_t trailer,
				  struct tally_callers_deferred *ret_deferred);

static inline struct perf_event_header tally_record_header(const void *record)
{
	struct perf_event_header header;

	__builtin_memcpy(&header, record, sizeof(header));
	return header;
}

#endif

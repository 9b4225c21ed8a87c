/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_event_attr as bytes: size negotiation, byte order, and a table of its fields. Freestanding.
 * All functions are pure.
 */
#ifndef TALLY_ABI_ATTR_H
#define TALLY_ABI_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tally/abi.h"

/* Read an attr of `len` bytes as stored in a file. attr.size (0 means 64) is the number of valid
 * bytes: missing bytes are zero, and bytes beyond the newest known attr are ignored. With `swap`,
 * the bytes are in the other byte order: words are swapped, bit fields are mirrored, and precise_ip
 * is reversed again (perfdata-facts.md 2, 3, 5). `ret_attr->size` keeps the writer's value. Return
 * 0, or -EINVAL with the reason if `len` is less than 64 or less than the attr's own size. */
int tally_attr_decode(const void *bytes, size_t len, bool swap, struct perf_event_attr *ret_attr,
		      struct tally_error *err);

/* Write the first `size` bytes of `attr` (a PERF_ATTR_SIZE_*, at most sizeof(*attr)) to `out`, with
 * `size` as attr.size. This is the inverse of tally_attr_decode() for both byte orders. */
void tally_attr_encode(const struct perf_event_attr *attr, uint32_t size, bool swap, void *out);

/* Apply the kernel's rule for attrs that differ in size from its own (perf_event_open(2), E2BIG).
 * `bytes` is an attr of attr.size bytes; `limit` is the size known to the callee. Shorter attrs are
 * extended with zeros; the unknown tail of longer attrs must be zero. Return 0 with the attr in
 * *ret_attr; *ret_size is then untouched. Return -E2BIG with `limit` in *ret_size if the size is
 * under 64 or over 4096, or if the unknown tail is not zero. */
int tally_attr_negotiate(const void *bytes, uint32_t limit, struct perf_event_attr *ret_attr,
			 uint32_t *ret_size);

/* Return the smallest PERF_ATTR_SIZE_VER* that includes every nonzero field of `attr`. */
uint32_t tally_attr_min_size(const struct perf_event_attr *attr);

/* Return true if the kernel finds the user-space callers in the event's callchains by walking frame
 * pointers. With other methods (`--call-graph lbr`, `dwarf`, `auto`), the callers, or at least the
 * inner ones, are in the branch stack or the stack dump next to the callchain. */
bool tally_attr_walks_user(const struct perf_event_attr *attr);

/* Return true if the event counts nanoseconds, so its sample periods are durations. */
bool tally_attr_is_clock(const struct perf_event_attr *attr);

/* Return true if the samples are made by BPF programs, which add their own data. */
bool tally_attr_is_bpf_output(const struct perf_event_attr *attr);

/* A named field of the attr: a whole integer (bits == 0) or a bit field. */
struct tally_attr_field {
	const char *name;
	uint16_t offset; /* in bytes from the start of the attr */
	uint8_t size;    /* size of the field or of the word containing it: 2, 4 or 8 bytes */
	uint8_t shift;   /* for bit fields: position from the least significant bit */
	uint8_t bits;    /* for bit fields: width; 0 for a whole integer */
	bool is_signed;
};

/* All fields in ABI order, except reserved ones. Each union is listed under the first of its names
 * in perf_event_open(2), except that bp_addr and bp_len are listed as config1 and config2. */
extern const struct tally_attr_field tally_attr_fields[];
extern const size_t tally_attr_nr_fields;

/* Find a field by name; get or set a field's value. tally_attr_find_field() returns NULL if the
 * name is unknown, and tally_attr_get() sign-extends signed fields. */
const struct tally_attr_field *tally_attr_find_field(const char *name);
uint64_t tally_attr_get(const struct perf_event_attr *attr, const struct tally_attr_field *field);
void tally_attr_set(struct perf_event_attr *attr, const struct tally_attr_field *field,
		    uint64_t value);

#endif

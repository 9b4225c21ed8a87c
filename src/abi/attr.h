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
 * bytes: missing ones are zero, and those beyond the newest known attr are ignored. With `swap`,
 * the bytes are in the other byte order: words are swapped, bit fields are mirrored, and precise_ip
 * is reversed again (perfdata-facts.md 2, 3, 5). `ret_attr->size` keeps the writer's value. Return
 * 0, or -EINVAL with the reason if `len` is less than 64 or than the attr's own size. */
int tally_attr_decode(const void *bytes, size_t len, bool swap, struct perf_event_attr *ret_attr,
		      struct tally_error *err);

/* Write the first `size` bytes of `attr` (a PERF_ATTR_SIZE_*, at most sizeof(*attr)) to `out`, with
 * `size` as attr.size. The inverse of tally_attr_decode() for both byte orders. */
void tally_attr_encode(const struct perf_event_attr *attr, uint32_t size, bool swap, void *out);

/* Apply the kernel's rule for attrs of a different size than its own (perf_event_open(2), E2BIG).
 * `bytes` is an attr of attr.size bytes; `limit` is the size known to the callee. Shorter attrs are
 * extended with zeros; in longer ones the unknown tail must be zero. Return 0 with the attr in
 * *ret_attr; *ret_size is then untouched. Return -E2BIG with `limit` in *ret_size if the size is
 * under 64 or over 4096, or if the unknown tail is not zero. */
int tally_attr_negotiate(const void *bytes, uint32_t limit, struct perf_event_attr *ret_attr,
			 uint32_t *ret_size);

/* Return the smallest PERF_ATTR_SIZE_VER* that includes every nonzero field of `attr`. */
uint32_t tally_attr_min_size(const struct perf_event_attr *attr);

/* Return true if the kernel finds the user-space callers in the event's callchains by walking frame
 * pointers. With other methods (`--call-graph lbr`, `dwarf`, `auto`), the callers, or at least the
 * inner ones, come from the branch stack or the stack dump next to the callchain. */
bool tally_attr_walks_user(const struct perf_event_attr *attr);

/* Return true if the event counts ns, so that the periods of its samples are times. */
bool tally_attr_is_clock(const struct perf_event_attr *attr);

/* A named field of the attr: a whole integer (bits == 0) or a bit field. */
struct tally_attr_field {
	const char *name;
	uint16_t offset; /* in bytes from the start of the attr */
	uint8_t size;    /* bytes of the integer that it is, or is in: 2, 4 or 8 */
	uint8_t shift;   /* bit fields: from the least significant bit */
	uint8_t bits;    /* bit fields: width; 0 for a whole integer */
	bool is_signed;
};

/* All fields in ABI order, except reserved ones. Unions have the first name that perf_event_open(2)
 * gives them; bp_addr and bp_len are called config1 and config2. */
extern const struct tally_attr_field tally_attr_fields[];
extern const size_t tally_attr_nr_fields;

/* Find a field by name; NULL if unknown. Get or set the value of a field; tally_attr_get()
 * sign-extends signed fields. */
const struct tally_attr_field *tally_attr_find_field(const char *name);
uint64_t tally_attr_get(const struct perf_event_attr *attr, const struct tally_attr_field *field);
void tally_attr_set(struct perf_event_attr *attr, const struct tally_attr_field *field,
		    uint64_t value);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_event_attr as bytes: size negotiation, byte order, and a table of its fields.
 * Freestanding. All functions are pure.
 */
#ifndef TALLY_ABI_ATTR_H
#define TALLY_ABI_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tally/abi.h"

/* Read an attr of `len` bytes as a file holds it: `attr.size` (0 means 64) says how much
 * of it counts, what is missing is zero, a tail beyond the newest attr known is skipped.
 * With `swap` the bytes are of the other byte order: words are swapped, the bit fields
 * mirrored, precise_ip turned round again (perfdata-facts.md 2, 3, 5).
 * `ret_attr->size` keeps the writer's value.
 * 0; -EINVAL with the reason if `len` is under 64 or under the attr's own size. */
int tally_attr_decode(const void *bytes, size_t len, bool swap, struct perf_event_attr *ret_attr,
		      struct tally_error *err);

/* Write the first `size` bytes of `attr` (a PERF_ATTR_SIZE_*, at most sizeof(*attr)), with
 * that size in them, into `out`; the inverse of tally_attr_decode for both orders. */
void tally_attr_encode(const struct perf_event_attr *attr, uint32_t size, bool swap, void *out);

/* The kernel's rule for attrs of other sizes than its own (perf_event_open(2), E2BIG):
 * `bytes` starts an attr that claims attr.size bytes; `limit` is the size that the callee
 * knows. Shorter attrs are zero-extended; of longer ones the unknown tail must be zero.
 * 0; -E2BIG with `*ret_size` = `limit` for a size under 64, over 4096, or an unknown tail
 * that is not zero. On success `*ret_attr` holds the attr, `*ret_size` is untouched. */
int tally_attr_negotiate(const void *bytes, uint32_t limit, struct perf_event_attr *ret_attr,
			 uint32_t *ret_size);

/* The smallest PERF_ATTR_SIZE_VER* that holds every field of `attr` that is not zero. */
uint32_t tally_attr_min_size(const struct perf_event_attr *attr);

/* Whether callchains of this event have callers in user space that the kernel walked to, from frame
 * pointer to frame pointer. With other means of finding them (`--call-graph lbr`, `dwarf`, `auto`)
 * they come, at least the inner ones, from the stack of branches or the dump of the stack beside
 * the chain. */
bool tally_attr_walks_user(const struct perf_event_attr *attr);

/* Whether the event counts ns: periods of its samples are times. */
bool tally_attr_is_clock(const struct perf_event_attr *attr);

/* One named field of the attr: a whole integer (bits == 0) or a bit field. */
struct tally_attr_field {
	const char *name;
	uint16_t offset; /* bytes from the start of the attr */
	uint8_t size;    /* bytes of the integer it is (in): 2, 4 or 8 */
	uint8_t shift;   /* of a bit field, from the least significant bit */
	uint8_t bits;    /* of a bit field; 0 for a whole integer */
	bool is_signed;
};

/* All fields in ABI order, reserved ones left out; unions appear under the name that
 * perf_event_open(2) gives them first, bp_addr and bp_len as config1 and config2. */
extern const struct tally_attr_field tally_attr_fields[];
extern const size_t tally_attr_nr_fields;

/* Field by name, NULL if unknown. */
const struct tally_attr_field *tally_attr_find_field(const char *name);
uint64_t tally_attr_get(const struct perf_event_attr *attr, const struct tally_attr_field *field);
void tally_attr_set(struct perf_event_attr *attr, const struct tally_attr_field *field,
		    uint64_t value);

#endif

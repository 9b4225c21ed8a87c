/* SPDX-License-Identifier: BSD-2-Clause */
/* Generate call frame information byte by byte. */
#ifndef TALLY_TESTS_UNWIND_FRAME_BYTES_H
#define TALLY_TESTS_UNWIND_FRAME_BYTES_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "unwind/cfi.h"

struct frame_bytes {
	uint8_t data[16384];
	size_t len;
	size_t open; /* offset of the unfinished entry */
	bool is_debug, is_wide;
};

/* x86-64 registers. */
enum { RAX = 0, RDX = 1, RCX = 2, RBX = 3, RSI = 4, RDI = 5, RBP = 6, RSP = 7, R12 = 12, RIP = 16 };

static inline void put(struct frame_bytes *bytes, const void *data, size_t len)
{
	assert(bytes->len + len <= sizeof(bytes->data));
	if (len)
		memcpy(bytes->data + bytes->len, data, len);
	bytes->len += len;
}

static inline void put_u8(struct frame_bytes *bytes, unsigned value)
{
	uint8_t stored = (uint8_t)value;

	put(bytes, &stored, 1);
}

static inline void put_u16(struct frame_bytes *bytes, uint16_t value)
{
	put(bytes, &value, 2);
}

static inline void put_u32(struct frame_bytes *bytes, uint32_t value)
{
	put(bytes, &value, 4);
}

static inline void put_u64(struct frame_bytes *bytes, uint64_t value)
{
	put(bytes, &value, 8);
}

static inline void put_uleb(struct frame_bytes *bytes, uint64_t value)
{
	do {
		put_u8(bytes, (value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
}

static inline void put_sleb(struct frame_bytes *bytes, int64_t value)
{
	for (;;) {
		uint8_t byte = value & 0x7f;

		value = value < 0 ? ~(~value >> 7) : value >> 7;
		if ((!value && !(byte & 0x40)) || (value == -1 && byte & 0x40)) {
			put_u8(bytes, byte);
			return;
		}
		put_u8(bytes, byte | 0x80);
	}
}

/* Begin an entry. entry_end() sets its length. */
static inline size_t entry_begin(struct frame_bytes *bytes)
{
	size_t at = bytes->len;

	if (bytes->is_wide)
		put_u32(bytes, UINT32_MAX);
	bytes->open = bytes->len;
	if (bytes->is_wide)
		put_u64(bytes, 0);
	else
		put_u32(bytes, 0);
	return at;
}

static inline void entry_end(struct frame_bytes *bytes)
{
	size_t head = bytes->is_wide ? 8 : 4;
	uint64_t len = bytes->len - bytes->open - head;

	memcpy(bytes->data + bytes->open, &len, head);
}

/* Begin a CIE: write its fields up to the return address register, which is `ra`. The data
 * alignment is -8. Returns the CIE's offset. */
static inline size_t common_begin(struct frame_bytes *bytes, unsigned version, const char *letters,
				  unsigned ra)
{
	size_t at = entry_begin(bytes);

	if (!bytes->is_debug)
		put_u32(bytes, 0);
	else if (bytes->is_wide)
		put_u64(bytes, UINT64_MAX);
	else
		put_u32(bytes, UINT32_MAX);
	put_u8(bytes, version);
	put(bytes, letters, strlen(letters) + 1);
	if (version == 4)
		put_u16(bytes, 8); /* 8-byte addresses, no segments */
	put_uleb(bytes, 1);
	put_sleb(bytes, -8);
	if (version == 1)
		put_u8(bytes, ra);
	else
		put_uleb(bytes, ra);
	return at;
}

/* Begin an FDE that refers to the CIE at `common`, and write all fields before the addresses. */
static inline void code_begin(struct frame_bytes *bytes, size_t common)
{
	entry_begin(bytes);
	if (!bytes->is_debug)
		put_u32(bytes, (uint32_t)(bytes->len - common));
	else if (bytes->is_wide)
		put_u64(bytes, common);
	else
		put_u32(bytes, (uint32_t)common);
}

/* Write a plain CIE for x86-64: the CFA is the stack pointer + 8, and the return address is at CFA
 * - 8. */
static inline size_t common_plain(struct frame_bytes *bytes)
{
	size_t at = common_begin(bytes, 1, "", RIP);

	put(bytes, (uint8_t[]){0x0c, RSP, 8, 0x80 | RIP, 1}, 5);
	entry_end(bytes);
	return at;
}

/* Write a complete FDE with absolute addresses. */
static inline void code_entry(struct frame_bytes *bytes, size_t common, uint64_t start,
			      uint64_t size, const uint8_t *program, size_t len)
{
	code_begin(bytes, common);
	put_u64(bytes, start);
	put_u64(bytes, size);
	put(bytes, program, len);
	entry_end(bytes);
}

static inline struct tally_cfi_section section_of(const struct frame_bytes *bytes, uint64_t vaddr)
{
	return (struct tally_cfi_section){.data = bytes->data,
					  .len = bytes->len,
					  .vaddr = vaddr,
					  .is_debug = bytes->is_debug};
}

#endif

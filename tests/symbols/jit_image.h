/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated jitdump files of either byte order. */
#ifndef TALLY_TESTS_SYMBOLS_JIT_IMAGE_H
#define TALLY_TESTS_SYMBOLS_JIT_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { JIT_IMAGE_HEADER = 40, JIT_IMAGE_CODE = 0xc3 };

struct jit_image {
	uint8_t *data;
	size_t len, cap;
	bool swaps;
};

struct jit_image_line {
	uint64_t addr;
	uint32_t line;
	const char *file;
};

static inline void jit_image_bytes(struct jit_image *image, const void *data, size_t len)
{
	if (image->len + len > image->cap) {
		image->cap = 2 * (image->len + len);
		image->data = realloc(image->data, image->cap);
		assert_non_null(image->data);
	}
	memcpy(image->data + image->len, data, len);
	image->len += len;
}

static inline void jit_image_u32(struct jit_image *image, uint32_t value)
{
	value = image->swaps ? __builtin_bswap32(value) : value;
	jit_image_bytes(image, &value, sizeof(value));
}

static inline void jit_image_u64(struct jit_image *image, uint64_t value)
{
	value = image->swaps ? __builtin_bswap64(value) : value;
	jit_image_bytes(image, &value, sizeof(value));
}

static inline struct jit_image jit_image_begin(uint32_t pid, bool swaps)
{
	const uint32_t words[] = {0x4a695444, 1, JIT_IMAGE_HEADER, 62, 0, pid};
	struct jit_image image = {.swaps = swaps};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		jit_image_u32(&image, words[i]);
	jit_image_u64(&image, 1);
	jit_image_u64(&image, 0);
	return image;
}

static inline void jit_image_record(struct jit_image *image, uint32_t id, size_t len, uint64_t time)
{
	jit_image_u32(image, id);
	jit_image_u32(image, (uint32_t)(16 + len));
	jit_image_u64(image, time);
}

static inline void jit_image_load(struct jit_image *image, uint64_t time, uint64_t addr,
				  uint64_t size, uint64_t index, const char *name)
{
	const uint8_t code = JIT_IMAGE_CODE;

	jit_image_record(image, 0, 40 + strlen(name) + 1 + size, time);
	jit_image_u64(image, 0); /* pid, tid */
	jit_image_u64(image, addr);
	jit_image_u64(image, addr);
	jit_image_u64(image, size);
	jit_image_u64(image, index);
	jit_image_bytes(image, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		jit_image_bytes(image, &code, 1);
}

static inline void jit_image_move(struct jit_image *image, uint64_t time, uint64_t from,
				  uint64_t to, uint64_t size, uint64_t index)
{
	const uint64_t words[] = {0, to, from, to, size, index};

	jit_image_record(image, 1, sizeof(words), time);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		jit_image_u64(image, words[i]);
}

static inline void jit_image_lines(struct jit_image *image, uint64_t time, uint64_t addr,
				   const struct jit_image_line *lines, size_t nr)
{
	size_t len = 16;

	for (size_t i = 0; i < nr; i++)
		len += 16 + strlen(lines[i].file) + 1;
	jit_image_record(image, 2, len, time);
	jit_image_u64(image, addr);
	jit_image_u64(image, nr);
	for (size_t i = 0; i < nr; i++) {
		jit_image_u64(image, lines[i].addr);
		jit_image_u32(image, lines[i].line);
		jit_image_u32(image, 0);
		jit_image_bytes(image, lines[i].file, strlen(lines[i].file) + 1);
	}
}

static inline void jit_image_free(struct jit_image *image)
{
	free(image->data);
}

#endif

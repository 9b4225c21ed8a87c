/* SPDX-License-Identifier: BSD-2-Clause */
/* An ELF file, or a compressed one, in memory. */
#ifndef TALLY_SYMBOLS_IMAGE_H
#define TALLY_SYMBOLS_IMAGE_H

#include "base/file.h"
#include "symbols/elf.h"

struct tally_build_id {
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size; /* 0: not known */
};

/* All zero is no image. */
struct tally_image {
	struct tally_file_map map;
	uint8_t *copy; /* of what was unpacked or read from memory; NULL for a plain file */
	struct tally_elf elf;
	struct tally_build_id build_id;
	char *path;
	int32_t place; /* the number that the caller gave to where it was found */
};

/* Map the regular file at `path`, unpack it if need be, check its header. With `want` (may be
 * NULL) of a known id the file has to have the same. 0; -ENOEXEC no ELF; -EBADMSG broken;
 * -ESTALE another build-id, or none; -ENOSYS compressed and no decompressor; -EIO became shorter
 * meanwhile; -ENODEV a device; -ENOMEM; or the error of tally_file_open(). */
int tally_image_open(const char *path, const struct tally_build_id *want,
		     struct tally_image *ret_image);

/* The same, but what is packed stays packed, and is no ELF file: -ENOEXEC. What is mapped is never
 * unpacked before, and unpacking costs what the file's owner likes. */
int tally_image_open_plain(const char *path, const struct tally_build_id *want,
			   struct tally_image *ret_image);

/* That of an open regular file; `fd` stays the caller's. The image has no path. */
int tally_image_open_fd(int fd, const struct tally_build_id *want, struct tally_image *ret_image);

/* The same of bytes in memory, which the image takes over and frees also on failure. */
int tally_image_adopt(uint8_t *data, size_t len, const struct tally_build_id *want,
		      struct tally_image *ret_image);

/* NULL and all zero are allowed. */
void tally_image_free(struct tally_image *image);

/* True where both are known and the same in their common length. */
bool tally_build_id_equal(const struct tally_build_id *a, const struct tally_build_id *b);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* An ELF file in memory, decompressed if necessary. */
#ifndef TALLY_SYMBOLS_ELF_IMAGE_H
#define TALLY_SYMBOLS_ELF_IMAGE_H

#include "base/file.h"
#include "symbols/elf/elf.h"

struct tally_build_id {
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size; /* 0 if unknown */
};

/* An all-zero struct is empty. */
struct tally_image {
	struct tally_file_map map;
	uint8_t *copy; /* decompressed bytes, or a copy of memory; NULL for a plain file */
	struct tally_elf elf;
	struct tally_build_id build_id;
	char *path;
	int32_t place; /* index of the candidate path, set by the caller */
};

/* Map the regular file at `path`, decompress it if necessary, and check its header. If `want` (may
 * be NULL) has a build-id, the file must have the same build-id. Returns 0; -ENOEXEC if it is not
 * ELF; -EBADMSG if it is malformed; -ESTALE if the build-id differs or is missing; -ENOSYS if it is
 * compressed and there is no decompressor; -EIO if it was truncated in the meantime; -ENODEV for a
 * device; -ENOMEM; or the error from tally_file_open(). */
int tally_image_open(const char *path, const struct tally_build_id *want,
		     struct tally_image *ret_image);

/* Like tally_image_open(), but fail with -ENOEXEC if the file is compressed. Used for mapped
 * files: they are never compressed, and the file's owner could make decompression arbitrarily
 * expensive. */
int tally_image_open_plain(const char *path, const struct tally_build_id *want,
			   struct tally_image *ret_image);

/* Do the same as tally_image_open_plain() for a regular file that is already open. The caller keeps
 * ownership of `fd`. The image has no path. */
int tally_image_open_fd(int fd, const struct tally_build_id *want, struct tally_image *ret_image);

/* Open an image from bytes in memory. The image takes ownership of `data`, which is freed even on
 * failure. Returns the same errors as tally_image_open(). */
int tally_image_adopt(uint8_t *data, size_t len, const struct tally_build_id *want,
		      struct tally_image *ret_image);

/* Free an image. NULL and an all-zero image are allowed. */
void tally_image_free(struct tally_image *image);

/* Return true if both IDs are known and equal up to the length of the shorter one. If their lengths
 * differ, the shorter ID must have at least 8 bytes. */
bool tally_build_id_equal(const struct tally_build_id *a, const struct tally_build_id *b);

#endif

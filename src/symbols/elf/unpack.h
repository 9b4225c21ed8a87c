/* SPDX-License-Identifier: BSD-2-Clause */
/* Decompression in memory, for .gnu_debugdata, kernel modules and ELF sections. */
#ifndef TALLY_SYMBOLS_ELF_UNPACK_H
#define TALLY_SYMBOLS_ELF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return true if the bytes start with the magic number of xz, gzip or zstd. */
bool tally_is_packed(const uint8_t *data, size_t len);

/* Return false if this build cannot decompress xz. */
bool tally_unpack_has_xz(void);

/* Decompress the bytes. The magic number determines the format. The caller frees `*ret_data`.
 * Returns 0; -ENOSYS if the format is unknown or not supported by this build; -EFBIG if the result
 * exceeds 256 MiB; -EINVAL if the bytes are malformed; or -ENOMEM. */
int tally_unpack(const uint8_t *data, size_t len, uint8_t **ret_data, size_t *ret_len);

/* Decompress the contents of a section with SHF_COMPRESSED, without its header, to exactly `size`
 * bytes. `type` is ch_type. Returns the same errors as tally_unpack(), and also -EINVAL if the
 * decompressed size is not `size`. */
int tally_unpack_section(uint32_t type, const uint8_t *data, size_t len, size_t size,
			 uint8_t **ret_data);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressed bytes in memory: .gnu_debugdata, kernel modules, sections of ELF files. */
#ifndef TALLY_SYMBOLS_UNPACK_H
#define TALLY_SYMBOLS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the bytes begin like a file of xz, gzip or zstd. */
bool tally_is_packed(const uint8_t *data, size_t len);

/* Unpack by the magic number; the caller frees `*ret_data`. 0; -ENOSYS when the format is unknown
 * or not in this build; -EFBIG beyond 256 MiB; -EINVAL for broken bytes; -ENOMEM. */
int tally_unpack(const uint8_t *data, size_t len, uint8_t **ret_data, size_t *ret_len);

/* The contents of a section with SHF_COMPRESSED, behind its header, which are exactly `size` bytes;
 * `type` is ch_type. As tally_unpack(); -EINVAL if there are fewer or more. */
int tally_unpack_section(uint32_t type, const uint8_t *data, size_t len, size_t size,
			 uint8_t **ret_data);

#endif

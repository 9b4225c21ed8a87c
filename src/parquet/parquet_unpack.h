/* SPDX-License-Identifier: BSD-2-Clause */
/* Decompress the pages of Parquet files. */
#ifndef TALLY_PARQUET_PARQUET_UNPACK_H
#define TALLY_PARQUET_PARQUET_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/* Decompress `len` bytes with a codec of enum parquet_codec to exactly `size` bytes at `out`.
 * Returns 0; -EINVAL if the data are damaged or have another size; or -EOPNOTSUPP for another
 * codec. */
int parquet_unpack(int codec, const uint8_t *bytes, size_t len, uint8_t *out, size_t size);

#endif

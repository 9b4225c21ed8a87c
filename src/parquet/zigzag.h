/* SPDX-License-Identifier: BSD-2-Clause */
/* Signed numbers as unsigned ones that are small for small absolute values. */
#ifndef TALLY_PARQUET_ZIGZAG_H
#define TALLY_PARQUET_ZIGZAG_H

#include <stdint.h>

static inline uint64_t parquet_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_BASE_SIZE_H
#define TALLY_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* "64", "512K", "4M", "1G" to bytes; a bare number counts `unit` bytes. False if it is none. */
bool tally_size_parse(const char *text, uint64_t unit, uint64_t *ret_bytes);

#endif

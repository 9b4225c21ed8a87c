/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_BASE_RANDOM_BYTES_H
#define TALLY_BASE_RANDOM_BYTES_H

#include <stddef.h>

/* Get at most 256 random bytes that other users cannot guess, without waiting for the kernel to
 * collect entropy. Returns 0 or -errno. */
int tally_random_bytes(void *to, size_t len);

#endif

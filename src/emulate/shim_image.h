/* SPDX-License-Identifier: BSD-2-Clause */
/* The preloaded library, embedded as a file by the build (scripts/embed_bytes.py). */
#ifndef TALLY_EMULATE_SHIM_IMAGE_H
#define TALLY_EMULATE_SHIM_IMAGE_H

#include <stddef.h>

extern const unsigned char tally_emulate_shim_image[];
extern const size_t tally_emulate_shim_image_len;

#endif

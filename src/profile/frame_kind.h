/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of code, by which graphics of call trees colour frames. */
#ifndef TALLY_PROFILE_FRAME_KIND_H
#define TALLY_PROFILE_FRAME_KIND_H

#include "profile/profile_frames.h"

enum tally_frame_kind {
	TALLY_KIND_USER, /* a function of a program */
	TALLY_KIND_LIBRARY,
	TALLY_KIND_KERNEL,
	TALLY_KIND_JIT,
	TALLY_KIND_INLINED,
	TALLY_KIND_UNKNOWN, /* code without a symbol */
	TALLY_NR_KINDS,
};

enum tally_frame_kind tally_frame_kind(const struct tally_frame *frame);

/* Return which of the two shades of its kind a frame has, 0 or 1. It depends on the name only, so a
 * function has the same shade everywhere. */
unsigned tally_frame_shade(const struct tally_frame *frame);

#endif

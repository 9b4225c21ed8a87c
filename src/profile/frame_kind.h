/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of code, which determine the colours of frames in graphical call trees. */
#ifndef TALLY_PROFILE_FRAME_KIND_H
#define TALLY_PROFILE_FRAME_KIND_H

#include "profile/profile_frames.h"

enum tally_frame_kind {
	TALLY_KIND_USER, /* a function in a program */
	TALLY_KIND_LIBRARY,
	TALLY_KIND_KERNEL,
	TALLY_KIND_JIT,
	TALLY_KIND_INLINED,
	TALLY_KIND_UNKNOWN, /* code without a symbol */
	TALLY_NR_KINDS,
};

enum tally_frame_kind tally_frame_kind(const struct tally_frame *frame);

/* Return a frame's shade, 0 or 1; each kind has two shades. The shade depends only on the name, so
 * a function has the same shade everywhere. */
unsigned tally_frame_shade(const struct tally_frame *frame);

#endif

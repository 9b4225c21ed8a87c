/* SPDX-License-Identifier: BSD-2-Clause */
/* What kind of code a frame is: by this pictures of call trees colour it. */
#ifndef TALLY_PROFILE_FRAME_KIND_H
#define TALLY_PROFILE_FRAME_KIND_H

#include "profile/frames.h"

enum tally_frame_kind {
	TALLY_KIND_USER, /* a function of a program */
	TALLY_KIND_LIBRARY,
	TALLY_KIND_KERNEL,
	TALLY_KIND_JIT,
	TALLY_KIND_INLINED,
	TALLY_KIND_UNKNOWN, /* code without a name */
	TALLY_NR_KINDS,
};

enum tally_frame_kind tally_frame_kind(const struct tally_frame *frame);

/* Which of the two shades of its kind it has, 0 or 1: a matter of the name, so that the same
 * function has the same one everywhere. */
unsigned tally_frame_shade(const struct tally_frame *frame);

#endif

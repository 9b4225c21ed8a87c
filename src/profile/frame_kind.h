/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of code, which determine the colours of frames in graphical call trees. */
#ifndef TALLY_PROFILE_FRAME_KIND_H
#define TALLY_PROFILE_FRAME_KIND_H

#include <stdbool.h>

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

/* Return true if a frame is not part of the program that was profiled: the kernel, a library of the
 * system, the standard library of C++, Rust or Go (even if it is compiled into the program), or the
 * code that runs before main(). A placeholder for missing callers is not part of the program
 * either. `path` is the path to use for the file, normally tally_dso_name(); NULL if there
 * is no file. */
bool tally_frame_is_foreign(const struct tally_frame *frame, const char *path);

/* Return a frame's shade, 0 or 1; each kind has two shades. The shade depends only on the name, so
 * a function has the same shade everywhere. */
unsigned tally_frame_shade(const struct tally_frame *frame);

#endif

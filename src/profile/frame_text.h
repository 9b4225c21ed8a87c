/* SPDX-License-Identifier: BSD-2-Clause */
/* What frames are called in rows. */
#ifndef TALLY_PROFILE_FRAME_TEXT_H
#define TALLY_PROFILE_FRAME_TEXT_H

#include "base/str.h"
#include "profile/frames.h"

/* Append the name of the frame's file as perf has it: without directories, "[ext4]", "[unknown]";
 * of a JIT compiler's code "[JIT] tid N", or "[JIT]" alone unless `has_pid`: another run has
 * another one. Not escaped. */
void tally_frame_add_file(const struct tally_frame *frame, bool has_pid, struct tally_str *out);

/* Append the function, or where there is none the address, in a module relative to its start. Not
 * escaped. */
void tally_frame_add_name(const struct tally_frame *frame, struct tally_str *out);

/* Append what stands in a box of a flame graph: the function, said to be inlined where it is; code
 * without a name is that of its file. At most some 4 kB of it. Not escaped. */
void tally_frame_add_label(const struct tally_frame *frame, struct tally_str *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of frames in rows. */
#ifndef TALLY_PROFILE_FRAME_TEXT_H
#define TALLY_PROFILE_FRAME_TEXT_H

#include "base/str.h"
#include "profile/profile_frames.h"

/* Append the name of the frame's file as perf prints it: without directories, "[ext4]",
 * "[unknown]". JIT code is "[JIT] tid N" if `has_pid`, otherwise "[JIT]", because the number
 * differs between runs. Not escaped. */
void tally_frame_add_file(const struct tally_frame *frame, bool has_pid, struct tally_str *out);

/* Append the function, or the address outside functions; in a module it is relative to the module's
 * start. Not escaped. */
void tally_frame_add_name(const struct tally_frame *frame, struct tally_str *out);

/* Append the label of a flame graph box: the function, marked if it is inlined. For code without a
 * symbol it is the file. At most about 4 kB. Not escaped. */
void tally_frame_add_label(const struct tally_frame *frame, struct tally_str *out);

#endif

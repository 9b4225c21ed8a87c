/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of frames, as displayed in rows. */
#ifndef TALLY_PROFILE_FRAME_TEXT_H
#define TALLY_PROFILE_FRAME_TEXT_H

#include "base/str.h"
#include "profile/profile_frames.h"

struct tally_profile;

/* Append the name of the frame's file as perf prints it: without directories, or "[ext4]" or
 * "[unknown]". The name of JIT code is "[JIT] tid N" if `has_pid` is set, otherwise "[JIT]",
 * because N differs between runs. Not escaped. */
void tally_frame_add_file(const struct tally_frame *frame, bool has_pid, struct tally_str *out);

/* Append the name of the function, or the address if it is outside all functions. An address in a
 * module is relative to the module's start. Not escaped. */
void tally_frame_add_name(const struct tally_frame *frame, struct tally_str *out);

/* Append the function's name with its parameters, which distinguishes overloads, or the name alone
 * if its parameters are not known. `*left` is the budget of tally_demangle(). Not escaped. */
void tally_frame_add_variant(const struct tally_frame *frame, uint64_t *left,
			     struct tally_str *out);

/* Append the place of a frame without source lines, as perf does: "main+12", or "libc.so.6[1f]" if
 * it is outside all functions. Not escaped. */
void tally_frame_add_place(const struct tally_frame *frame, struct tally_str *out);

/* Return true if the frame is a function that was inlined. */
bool tally_frame_is_inlined(const struct tally_frame *frame);

/* Append the label of a flame graph box: the short name of the function (short_names.h), or the
 * file for code without a symbol. Limited to about 4 kB, in which the
 * function's own name is kept. Not escaped. */
void tally_frame_add_label(const struct tally_profile *profile, uint32_t number,
			   struct tally_str *out);

#endif

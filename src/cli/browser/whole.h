/* SPDX-License-Identifier: BSD-2-Clause */
/* Unabbreviated names for a box, as the screen may show only a part of them. */
#ifndef TALLY_CLI_BROWSER_WHOLE_H
#define TALLY_CLI_BROWSER_WHOLE_H

#include "base/str.h"

struct browser;

/* Append "Heading: text", escaped; nothing if the text is empty. */
void browser_whole_line(const char *heading, const char *text, struct tally_str *out);

/* Append the name and file of a frame; nothing for TALLY_FRAME_NONE. */
void browser_whole_frame(const struct browser *browser, uint32_t frame, struct tally_str *out);

/* Append the path of the frame's file, if it has one. */
void browser_whole_file(const struct browser *browser, uint32_t frame, struct tally_str *out);

/* Append the number and name of a thread. */
void browser_whole_thread(const struct browser *browser, int32_t tid, uint32_t comm,
			  struct tally_str *out);

#endif

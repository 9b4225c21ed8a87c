/* SPDX-License-Identifier: BSD-2-Clause */
/* Names as they are, where the screen has room for a part of them: for a box. */
#ifndef TALLY_CLI_BROWSER_WHOLE_H
#define TALLY_CLI_BROWSER_WHOLE_H

#include "base/str.h"

struct browser;

/* Append a line, escaped: "Heading: text". Nothing of an empty text. */
void browser_whole_line(const char *heading, const char *text, struct tally_str *out);

/* Append the name and the file of a frame; nothing of TALLY_FRAME_NONE. */
void browser_whole_frame(const struct browser *browser, uint32_t frame, struct tally_str *out);

/* Append where the file of a frame is, if it has one. */
void browser_whole_file(const struct browser *browser, uint32_t frame, struct tally_str *out);

/* Append a thread's number and name. */
void browser_whole_thread(const struct browser *browser, int32_t tid, uint32_t comm,
			  struct tally_str *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Full names, shown in a popup because they may be truncated elsewhere on the screen. */
#ifndef TALLY_CLI_BROWSER_FULL_NAMES_H
#define TALLY_CLI_BROWSER_FULL_NAMES_H

#include "base/str.h"

struct browser;

/* Append "Heading: text", escaped, or nothing if the text is empty. */
void browser_names_add_line(const char *heading, const char *text, struct tally_str *out);

/* Append the frame's name and file, or nothing for TALLY_FRAME_NONE. */
void browser_names_add_frame(const struct browser *browser, uint32_t frame, struct tally_str *out);

/* Append the path of the frame's file, if it has one. */
void browser_names_add_file(const struct browser *browser, uint32_t frame, struct tally_str *out);

/* Append a thread's ID and name. */
void browser_names_add_thread(const struct browser *browser, int32_t tid, uint32_t comm,
			      struct tally_str *out);

#endif

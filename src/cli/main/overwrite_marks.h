/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks by which tally recognizes its own output at the start of a file. */
#ifndef TALLY_CLI_MAIN_OVERWRITE_MARKS_H
#define TALLY_CLI_MAIN_OVERWRITE_MARKS_H

#include <stdbool.h>
#include <stddef.h>

/* Return true if the text is the start of output by tally of one of `kinds`, a mask of
 * TALLY_OVERWRITE_*. The text has `len` bytes, is followed by a NUL, and is uncompressed. */
bool tally_overwrite_is_own(const char *text, size_t len, unsigned kinds);

/* Labels of events in the text of tally list, by which it is recognized; indexed by the bit number
 * of enum tally_event_kind. */
enum { TALLY_LIST_LABELS = 10 };
extern const char *const tally_list_labels[TALLY_LIST_LABELS];

#endif

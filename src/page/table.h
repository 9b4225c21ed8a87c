/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a page: what many samples have in common, each once and by number. */
#ifndef TALLY_PAGE_TABLE_H
#define TALLY_PAGE_TABLE_H

#include "page/private.h"

/* What an event is told apart by. */
struct page_event {
	uint32_t name;  /* string */
	uint32_t which; /* of those of its recording that are called so */
	uint32_t is_time;
};

/* Strings longer than this are cut. */
enum { PAGE_STRING_MAX = 1 << 20 };

enum { PAGE_FRAME_WORDS = 3 };

/* All of these: 0 or -ENOMEM. */

/* The number of a string, 0 of an empty one. What is not UTF-8 becomes U+FFFD. */
int page_string(struct tally_html *page, const char *text, uint32_t *ret_string);

/* What a function has in the columns of frames: name, file and flags. */
int page_frame_words(struct tally_html *page, const struct tally_frame *frame,
		     uint32_t words[PAGE_FRAME_WORDS]);

/* The number of a frame with these words, the one of number `which` in its recording. */
int page_frame(struct tally_html *page, const uint32_t words[PAGE_FRAME_WORDS], uint32_t which,
	       uint32_t *ret_frame);

/* Set `last_frames`: frames for the functions of a recording. */
int page_frames(struct tally_html *page, const struct tally_html_recording *recording);

/* The number of a thread of a profile with the comm of this id. */
int page_thread(struct tally_html *page, const struct tally_machine *machine,
		const struct tally_thread *thread, uint32_t comm, uint32_t *ret_thread);

int page_event(struct tally_html *page, const struct page_event *event, uint32_t *ret_event);

/* The node of `frame` below another one. */
int page_node(struct tally_html *page, uint32_t parent, uint32_t frame, uint32_t *ret_node);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a page: data shared by many samples, stored once and referred to by index. */
#ifndef TALLY_PAGE_TABLE_H
#define TALLY_PAGE_TABLE_H

#include "page/page_private.h"

/* The words that identify an event. */
struct page_event {
	uint32_t name;  /* index of a string */
	uint32_t which; /* index among the recording's events with this name */
	uint32_t is_time;
};

/* Bits in the column frame_flags. */
enum {
	FRAME_KERNEL = 1,
	FRAME_HYPERVISOR = 2,
	FRAME_GUEST = 3,
	FRAME_INLINED = 4,
	FRAME_JIT = 8,
	FRAME_NAMELESS = 16,
	FRAME_CUT = 32,
	FRAME_FOREIGN = 64,
};

/* Maximum length of a string; longer strings are truncated. */
enum { PAGE_STRING_MAX = 1 << 20 };

enum {
	PAGE_FRAME_WORDS = 3,
	PAGE_FRAME_VARIANT = PAGE_FRAME_WORDS, /* index of the variant among all words of a frame */
	PAGE_FRAME_ALL_WORDS = PAGE_FRAME_WORDS + 2,
};

/* All functions return 0 or -ENOMEM. */

/* Find or add a string; index 0 is the empty string. Invalid UTF-8 is replaced with U+FFFD. */
int page_string(struct tally_html *page, const char *text, uint32_t *ret_string);

/* Return a function's words for the frame columns: name, file and flags. */
int page_frame_words(struct tally_html *page, const struct tally_frame *frame,
		     uint32_t words[PAGE_FRAME_WORDS]);

/* Note a variant of the function with these words. */
int page_variants_add(struct page_variants *variants, const uint32_t words[PAGE_FRAME_WORDS],
		      uint32_t variant);

/* Find the variant of earlier recordings that is the same function as `variant`, one of the
 * variants in `own`. If the parameters of the only function with a name changed, it is the same
 * function. */
int page_variants_choose(struct page_variants *earlier, struct page_variants *own,
			 const uint32_t words[PAGE_FRAME_WORDS], uint32_t variant,
			 uint32_t *ret_variant);
void page_variants_free(struct page_variants *variants);

/* Find or add the frame with these words and this variant. `which` is its index among the
 * recording's frames with the same words and variant. A new frame gets the short name, which may be
 * NULL. */
int page_frame(struct tally_html *page, const uint32_t words[PAGE_FRAME_WORDS], uint32_t variant,
	       uint32_t which, const char *short_name, uint32_t *ret_frame);

/* Find the string with the path of a frame's file (page_files.c). In a page with two recordings,
 * a file of the second one has the path of the file to which it is compared: the file with the same
 * build ID, path or, if there is only one, base name. */
int page_file(struct tally_html *page, const struct tally_frame *frame, uint32_t *ret_string);

/* Add frames for a recording's functions, and set `last_frames`. */
int page_frames(struct tally_html *page, const struct tally_html_recording *recording);

/* Find or add the page's thread for a profile's thread and comm. */
int page_thread(struct tally_html *page, const struct tally_machine *machine,
		const struct tally_thread *thread, uint32_t comm, uint32_t *ret_thread);

int page_event(struct tally_html *page, const struct page_event *event, uint32_t *ret_event);

/* Find or add the node for `frame` below `parent`. */
int page_node(struct tally_html *page, uint32_t parent, uint32_t frame, uint32_t *ret_node);

#endif

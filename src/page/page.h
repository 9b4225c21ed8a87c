/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording, or two to compare, as one HTML file with its viewer (docs/page-format.md).
 *
 *	ret = tally_html_new(&options, &page);
 *	ret = tally_html_add(page, &recording);		(once, or twice: the baseline first)
 *	ret = tally_html_write(page, write, arg);
 *	tally_html_free(page);
 *
 * Samples are encoded when they are added, so that the profile may be freed then; a page takes some
 * ten bytes for each, and the tables of what they have in common. Not thread-safe.
 *
 * It does not: read recordings, open files, or look up names.
 */
#ifndef TALLY_PAGE_PAGE_H
#define TALLY_PAGE_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "profile/profile.h"

struct tally_html;

struct tally_html_options {
	/* Called now and then while samples are added and the page is written; what is not 0 ends
	 * that with this result. `all` is 0 while it is not known. NULL: not called. */
	int (*at)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

/* An event of the recording. */
struct tally_html_event {
	const char *name;
	bool is_time; /* weights of its samples are ns */
};

/* Where records were lost. */
struct tally_html_loss {
	uint64_t time; /* ns; of times that are not known there is nothing to show */
	uint64_t nr;
	uint32_t cpu; /* UINT32_MAX: not known */
};

/* Borrowed for the call alone. */
struct tally_html_recording {
	const char *name;
	/* Finished, not live; it keeps its samples and tells them apart by path, comm, thread and
	 * CPU. */
	const struct tally_profile *profile;
	const uint8_t *passes; /* by bucket: whether its samples are wanted; NULL: all are */
	const struct tally_html_event *events; /* by number */
	size_t nr_events;
	const struct tally_html_loss *losses;
	size_t nr_losses;
	const char *header; /* lines "label : text" of what the recording says of itself */
	const char *health; /* lines of what a reader has to know */
};

/* A page without recordings. 0 or -ENOMEM. */
int tally_html_new(const struct tally_html_options *options, struct tally_html **ret_page);

/* NULL is allowed. */
void tally_html_free(struct tally_html *page);

/* Add a recording. 0, -ENOMEM, or what the option `at` returned; then the page can only be freed.
 */
int tally_html_add(struct tally_html *page, const struct tally_html_recording *recording);

/* The number in the page of a frame, and of an event, of the recording that was added last; 0 where
 * none of its samples that are wanted is of it. */
uint32_t tally_html_frame(const struct tally_html *page, uint32_t frame);
uint32_t tally_html_event(const struct tally_html *page, uint32_t event);

/* Set the JSON of instructions and source, which is copied. 0 or -ENOMEM. */
int tally_html_set_code(struct tally_html *page, const struct tally_str *json);

/* Add a sentence of what is not in the page, and why. If memory is out tally_html_write() says so.
 */
void tally_html_note(struct tally_html *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Samples in the page so far. */
uint64_t tally_html_nr_samples(const struct tally_html *page);

/* Write the page, once, in pieces of at most 64 KiB. 0; -ENOMEM, also if a note did not fit into
 * memory; -EIO if zlib fails; what the option `at` returned, or what `write` did. */
int tally_html_write(struct tally_html *page,
		     int (*write)(void *arg, const void *bytes, size_t len), void *arg);

#endif

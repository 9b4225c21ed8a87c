/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write a recording, or two to compare, as an HTML file that includes its viewer
 * (docs/internals/page-format.md).
 *
 *	ret = tally_html_new(&options, &page);
 *	ret = tally_html_add(page, &recording);		(once, or twice: the baseline first)
 *	ret = tally_html_write(page, write, arg);
 *	tally_html_free(page);
 *
 * Samples are encoded when they are added, so the profile may be freed afterwards. A page needs
 * about ten bytes for each sample, plus tables of shared data. Not thread-safe.
 *
 * This module does not read recordings, open files, or look up symbols.
 */
#ifndef TALLY_PAGE_PAGE_H
#define TALLY_PAGE_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "profile/profile.h"

struct tally_html;

struct tally_html_options {
	/* Called regularly while samples are added and the page is written. A result other than 0
	 * ends that with this result. `all` is 0 if it is unknown. May be NULL. */
	int (*at)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

/* An event of the recording. */
struct tally_html_event {
	const char *name;
	bool is_time; /* weights of samples are ns */
};

/* A loss of records. */
struct tally_html_loss {
	uint64_t time; /* ns; losses without a time are not shown */
	uint64_t nr;
	uint32_t cpu; /* UINT32_MAX: unknown */
};

/* A recording to add. Borrowed only during the call. */
struct tally_html_recording {
	const char *name;
	/* Finished, not live, with samples kept, by path, comm, thread and CPU. */
	const struct tally_profile *profile;
	const uint8_t *passes; /* by bucket: include its samples; NULL: include all */
	const struct tally_html_event *events; /* indexed by event number */
	size_t nr_events;
	const struct tally_html_loss *losses;
	size_t nr_losses;
	const char *header; /* metadata of the recording: lines "label : text" */
	const char *health; /* lines about the quality of the data */
};

/* Create a page without recordings. Returns 0 or -ENOMEM. */
int tally_html_new(const struct tally_html_options *options, struct tally_html **ret_page);

/* Free a page. NULL is allowed. */
void tally_html_free(struct tally_html *page);

/* Add a recording. Returns 0, -ENOMEM, or the result of `at`; on error only free the page. */
int tally_html_add(struct tally_html *page, const struct tally_html_recording *recording);

/* Return the page's number for a frame or an event of the recording added last; 0 if it has no
 * included samples. */
uint32_t tally_html_frame(const struct tally_html *page, uint32_t frame);
uint32_t tally_html_event(const struct tally_html *page, uint32_t event);

/* Set the JSON of instructions and source, which is copied. Returns 0 or -ENOMEM. */
int tally_html_set_code(struct tally_html *page, const struct tally_str *json);

/* Add a note about something missing in the page. If memory runs out, tally_html_write() fails. */
void tally_html_add_note(struct tally_html *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return the number of samples in the page so far. */
uint64_t tally_html_nr_samples(const struct tally_html *page);

/* Write the page, once, in pieces of at most 64 KiB. Returns 0; -ENOMEM, also if a note could not
 * be stored; -EIO if zlib fails; or the result of `at` or `write`. */
int tally_html_write(struct tally_html *page,
		     int (*write)(void *arg, const void *bytes, size_t len), void *arg);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a recording, or two recordings to compare, as an HTML file that includes its viewer
 * (docs/internals/page-format.md).
 *
 *	ret = tally_html_new(&options, &page);
 *	ret = tally_html_add(page, &recording);		(once, or twice: the baseline first)
 *	ret = tally_html_write(page, threads, write, arg);
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
#include "profile/profile_model.h"

struct tally_html;

struct tally_html_options {
	/* Progress callback, called regularly while samples are added and the page is written. A
	 * nonzero result aborts the operation, which then returns this result. `all` is the total,
	 * or 0 if unknown. The callback may be NULL. */
	int (*at)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

/* An event in the recording. */
struct tally_html_event {
	const char *name;
	bool is_time; /* sample weights are in ns */
};

/* A report of lost records. */
struct tally_html_loss {
	uint64_t time; /* in ns; losses without a timestamp are not shown */
	uint64_t nr;
	uint32_t cpu; /* UINT32_MAX if unknown */
};

/* A recording for tally_html_add(), borrowed only during the call. */
struct tally_html_recording {
	const char *name;
	/* A finished profile that is not live. It must keep its samples, and distinguish paths,
	 * comms, threads and CPUs. */
	const struct tally_profile *profile;
	const uint8_t *passes; /* per-bucket flag: true to include its samples; NULL for all */
	const struct tally_html_event *events; /* indexed by event number */
	size_t nr_events;
	const struct tally_html_loss *losses;
	size_t nr_losses;
	const char *header; /* the recording's metadata: lines of the form "label : text" */
	const char *health; /* lines about data quality */
};

/* Create a page without recordings. Returns 0 or -ENOMEM. */
int tally_html_new(const struct tally_html_options *options, struct tally_html **ret_page);

/* Free a page. NULL is allowed. */
void tally_html_free(struct tally_html *page);

/* Add a recording. Returns 0, -ENOMEM, or the result of `at`. After an error, the page can only be
 * freed. */
int tally_html_add(struct tally_html *page, const struct tally_html_recording *recording);

/* Return the page's number for a frame or an event in the most recently added recording, or 0 if
 * the frame or event has no included samples. */
uint32_t tally_html_frame(const struct tally_html *page, uint32_t frame);
uint32_t tally_html_event(const struct tally_html *page, uint32_t event);

/* Set the JSON that describes instructions and source. The JSON is copied. Returns 0 or -ENOMEM. */
int tally_html_set_code(struct tally_html *page, const struct tally_str *json);

/* A verdict of a comparison on a function. */
struct tally_html_verdict {
	const char *function, *file; /* whole names; the file without directories */
	const char *variant;         /* the function's name with parameters, if known */
	const char *text;
};

/* Add verdicts to a page with two recordings, after both were added. Verdicts on functions that are
 * not in the page are ignored. Returns 0 or -ENOMEM. */
int tally_html_add_verdicts(struct tally_html *page, const struct tally_html_verdict *verdicts,
			    size_t nr);

/* Add a note about something missing from the page. If memory runs out, tally_html_write() will
 * fail. */
void tally_html_add_note(struct tally_html *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return the number of samples in the page so far. */
uint64_t tally_html_nr_samples(const struct tally_html *page);

/* Write the page, in pieces of at most 64 KiB. `threads` are for compression, including the
 * caller's; `write` is called by the caller's. May be called only once. Returns 0; -ENOMEM,
 * including when a note could not be stored; -EIO if zlib fails; or the result of `at` or
 * `write`. */
int tally_html_write(struct tally_html *page, uint64_t threads,
		     int (*write)(void *arg, const void *bytes, size_t len), void *arg);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Export a profile in the formats of other programs. The output is passed to a sink in pieces, so
 * memory use depends on the profile and its frames and stacks, not on the size of the output.
 *
 * Not handled here: rows of a report (view/), and reading these formats.
 */
#ifndef TALLY_EXPORT_EXPORT_H
#define TALLY_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Destination of the output. `write` returns 0, or -errno, which ends the export. */
struct tally_export_sink {
	int (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
};

struct tally_export_event {
	uint32_t number;    /* in the profile */
	const char *name;   /* may contain any bytes */
	bool is_time;       /* weights are ns, otherwise counts */
	uint64_t period;    /* events per sample; 0: unknown */
	uint64_t frequency; /* samples per second; 0: unknown */
};

/* Deviations of the output from the profile. */
struct tally_export_notes {
	bool is_capped;    /* weights or sums were limited to 2^63 - 1 (readers are signed) */
	bool has_no_times; /* samples without times were written 1 ms apart */
};

/* Parameters of an export. All pointers are borrowed. */
struct tally_export {
	struct tally_profile *profile; /* after tally_profile_finish() */
	const struct tally_export_event *events;
	size_t nr_events;    /* at least 1; exactly 1 for formats with one_event */
	const char *title;   /* name of the recording */
	const char *version; /* name and version of this program */
	uint64_t start;      /* time of the recording, ns since 1970; 0: unknown */
	bool packs;          /* compress with gzip; pprof always does */
	struct tally_export_sink sink;
	struct tally_export_notes *notes; /* set while writing */
};

struct tally_export_format {
	const char *name;
	const char *help;   /* programs that read the format */
	bool is_binary;     /* must not be written to a terminal */
	bool one_event;     /* supports only one event */
	bool keeps_samples; /* requires a profile with keeps_samples, and threads */
	unsigned by;        /* required TALLY_BY_*, in addition to FRAME and PATH */
	unsigned lines;     /* TALLY_LINES_* that it can represent */
	/* Write the profile. Returns 0; -ENOMEM; -E2BIG if a number exceeds the limits of the
	 * format or of gzip; -EIO if compression fails; or the error of the sink. */
	int (*write)(const struct tally_export *export);
};

/* All formats in the order in which they are listed, terminated by NULL. */
extern const struct tally_export_format *const tally_export_formats[];

/* Return the format with this name, or NULL. */
const struct tally_export_format *tally_export_format_find(const char *name);

#endif

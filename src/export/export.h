/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile in the formats of other programs. Each is written in pieces to a sink, so that memory
 * is taken by the profile and by what tells its frames and stacks apart, not by the file.
 *
 * It does not: rows of a report (view/); read any of these formats.
 */
#ifndef TALLY_EXPORT_EXPORT_H
#define TALLY_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Where the bytes go: 0, or -errno, which ends the writing with that result. */
struct tally_export_sink {
	int (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
};

struct tally_export_event {
	uint32_t number;    /* of the profile's events */
	const char *name;   /* any bytes */
	bool is_time;       /* weights are ns; else they are counts */
	uint64_t period;    /* one sample in so many; 0: not known */
	uint64_t frequency; /* samples each second; 0: not known */
};

/* What a format's writer did otherwise than the profile has it. */
struct tally_export_notes {
	bool is_capped; /* weights or sums of them, which end at 2^63 - 1: readers have signed ones
			 */
	bool has_no_times; /* of an event: its samples were written as if they were 1 ms apart */
};

/* What is exported. All is borrowed. */
struct tally_export {
	struct tally_profile *profile; /* after tally_profile_finish() */
	const struct tally_export_event *events;
	size_t nr_events;    /* at least 1; 1 where the format has room for one alone */
	const char *title;   /* of the recording */
	const char *version; /* of this program */
	uint64_t start;      /* when it was recorded, in ns since 1970; 0: not known */
	bool packs;          /* with gzip; pprof's is always */
	struct tally_export_sink sink;
	struct tally_export_notes *notes; /* which writing adds to */
};

struct tally_export_format {
	const char *name;
	const char *help;   /* which program takes it */
	bool is_binary;     /* nothing for terminals */
	bool one_event;     /* it has room for one event alone */
	bool keeps_samples; /* of a profile that does, with threads */
	unsigned by;        /* TALLY_BY_* that it needs beside TALLY_BY_FRAME and TALLY_BY_PATH */
	unsigned lines;     /* TALLY_LINES_* that it has room for */
	/* Write it. 0; -ENOMEM; -E2BIG: there is more than the format, or its packing, counts;
	 * -EIO: it could not be packed; or what the sink returned. */
	int (*write)(const struct tally_export *export);
};

/* All formats, in the order in which they are listed; NULL ends them. */
extern const struct tally_export_format *const tally_export_formats[];

/* The format of a name; NULL: there is none. */
const struct tally_export_format *tally_export_format_find(const char *name);

#endif

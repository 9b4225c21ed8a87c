/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Export a profile in other programs' formats. The output is passed to a sink in pieces, so memory
 * use depends on the profile and its frames and stacks, but not on the size of the output.
 *
 * Not handled here: the rows of a report (view/), and reading these formats.
 */
#ifndef TALLY_EXPORT_EXPORT_H
#define TALLY_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile_model.h"

/* Destination of the output. `write` returns 0, or -errno, which stops the export. */
struct tally_export_sink {
	int (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
};

struct tally_export_event {
	uint32_t number;    /* event number in the profile */
	const char *name;   /* may contain arbitrary bytes */
	bool is_time;       /* weights are times in ns, otherwise counts */
	uint64_t period;    /* events per sample; 0 if unknown */
	uint64_t frequency; /* samples per second; 0 if unknown */
};

/* Differences between the output and the profile. */
struct tally_export_notes {
	bool is_capped;    /* weights or sums capped at INT64_MAX (readers use signed numbers) */
	bool has_no_times; /* samples without timestamps were written 1 ms apart */
};

struct tally_export_attribute {
	const char *key, *value; /* may contain arbitrary bytes */
};

/* Host and clock of the recording. Used by formats that combine profiles of many hosts. An
 * all-zero structure is unknown. */
struct tally_export_origin {
	const struct tally_export_attribute *attributes; /* with different keys */
	size_t nr_attributes;
	const char *clock;     /* source of clock_offset; NULL if it is unknown */
	uint64_t clock_offset; /* time since 1970 minus recorded time, modulo 2^64, in ns */
	uint64_t id;           /* of the recording; 0 if unknown */
};

/* Export parameters. All pointers are borrowed. */
struct tally_export {
	struct tally_profile *profile; /* finished by tally_profile_finish() */
	const struct tally_export_event *events;
	size_t nr_events;    /* at least 1; exactly 1 for formats with one_event */
	const char *title;   /* name of the recording */
	const char *version; /* name and version of this program */
	uint64_t start;      /* start of the recording, in ns since 1970; 0 if unknown */
	struct tally_export_origin origin;
	bool packs;       /* compress with gzip (always done for pprof) */
	uint64_t threads; /* for compression, including the caller's; 0 is 1 */
	struct tally_export_sink sink;
	struct tally_export_notes *notes; /* set while writing */
};

struct tally_export_format {
	const char *name;
	const char *help;   /* programs that read the format */
	bool is_binary;     /* must not be written to a terminal */
	bool one_event;     /* supports only one event */
	bool keeps_samples; /* requires threads, and a profile with keeps_samples */
	unsigned by;        /* required TALLY_BY_*, in addition to FRAME and PATH */
	unsigned lines;     /* TALLY_LINES_* that the format can represent */
	/* Write the profile. Returns 0, -ENOMEM, -E2BIG if a number exceeds the limits of the
	 * format, -EIO if compression fails, or an error from the sink. */
	int (*write)(const struct tally_export *export);
};

/* All formats in the order in which they are listed, terminated by NULL. */
extern const struct tally_export_format *const tally_export_formats[];

/* Return the format with this name, or NULL. */
const struct tally_export_format *tally_export_format_find(const char *name);

#endif

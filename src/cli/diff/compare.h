/* SPDX-License-Identifier: BSD-2-Clause */
/* Read several recordings, one after the other, into one diff per event. */
#ifndef TALLY_CLI_DIFF_COMPARE_H
#define TALLY_CLI_DIFF_COMPARE_H

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/diff/diff.h"
#include "session/event_names.h"

/* An event in the recordings. */
struct comparison_event {
	const char *name;
	const char *unit; /* unit of absolute values */
	struct tally_diff *diff;
};

struct comparison {
	const struct diff_config *config;
	struct tally_event_names matches;
	struct tally_intern names;                 /* names of events */
	TALLY_VEC(struct comparison_event) events; /* in order of appearance */
	bool has_samples[TALLY_SIDES];
	char *machine, *release; /* from the first recording that has them */
	int kallsyms_fd;
	struct tally_symbols_options index; /* the index directory; everything else is zero */
	struct tally_str index_dir;         /* `index` points to this string */
	struct tally_str text;              /* comment lines about each file's health */
	struct tally_str json;              /* JSON array of the files and their health */
};

/* Read all recordings. Return 0, or print an error and return -errno. */
int comparison_read(struct comparison *comparison, const struct diff_config *config);
/* Free what comparison_read() allocated. */
void comparison_free(struct comparison *comparison);

#endif

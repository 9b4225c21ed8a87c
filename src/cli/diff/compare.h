/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings, one after the other, into one diff for each event. */
#ifndef TALLY_CLI_DIFF_COMPARE_H
#define TALLY_CLI_DIFF_COMPARE_H

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/diff/diff.h"

/* An event that recordings have. */
struct comparison_event {
	const char *name;
	const char *unit; /* of absolute values */
	struct tally_diff *diff;
};

struct comparison {
	const struct diff_config *config;
	struct tally_intern names;                 /* of events */
	TALLY_VEC(struct comparison_event) events; /* in the order in which they were met */
	bool has_samples[TALLY_SIDES];
	char *machine, *release; /* of the first recording that says so */
	int kallsyms_fd;
	struct tally_str text; /* comment lines of each file's health */
	struct tally_str json; /* an array: the files and their health */
};

/* Read all recordings. What is wrong is printed. 0 or -errno. */
int comparison_read(struct comparison *comparison, const struct diff_config *config);
void comparison_free(struct comparison *comparison);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration of tally diff. */
#ifndef TALLY_CLI_DIFF_DIFF_H
#define TALLY_CLI_DIFF_DIFF_H

#include "cli/main/command.h"
#include "cli/main/arguments.h"
#include "cli/main/recordings.h"
#include "profile/diff/profile_diff.h"
#include "view/view_diff.h"

/* The unit of values. */
enum diff_normalize {
	DIFF_OF_TOTAL,   /* shares of the recording's total period */
	DIFF_OF_SAMPLES, /* shares of the recording's number of samples */
	DIFF_OF_TIME,    /* seconds of CPU time */
	DIFF_OF_COUNT,   /* periods divided by a number given by the user */
};

struct diff_config {
	struct tally_recording_options recording;
	const char *sort, *compute, *order, *by, *normalize, *percentage, *same;
	const char *comms, *dsos, *symbols, *separator, *colour;
	uint64_t count_a, count_b;
	bool matched, has_periods, has_formula, quiet, json, stdio, children, no_verdicts, changed;
	const char *html;                    /* see cli/main/html_file.h */
	bool html_source, html_source_given; /* see cli/main/html_file.h */
	bool raw_dump;                       /* print the records and nothing else */
	bool no_bounds, force, verbose, is_inlined, raw_chains;
	/* Derived from the options. */
	const char **inputs; /* nr_inputs paths; the first nr_baselines are side A */
	uint32_t nr_inputs, nr_baselines;
	bool one_by_one; /* compare each input with the first one, as perf does without "--" */
	struct tally_diff_options diff;
	enum diff_normalize unit;
	enum tally_diff_compute computes;
	double weights[TALLY_SIDES], counts[TALLY_SIDES];
	bool by_baseline;
	struct tally_word_list comm_list, dso_list, symbol_list;
};

extern const struct tally_option diff_options[];

/* Parse argv. Return 0, or the exit status plus 1 after printing an error, like
 * tally_options_parse(). */
int diff_config_parse(struct diff_config *config, int argc, char **argv);
/* Free the configuration's lists. */
void diff_config_free(struct diff_config *config);

/* Check that the options are valid with --html. Return 0, or print an error and return -EINVAL. */
int diff_page_check(const struct diff_config *config);

/* Write both recordings as an HTML page. Return 0, or print an error and return -errno. */
int diff_page(const struct diff_config *config);

#endif

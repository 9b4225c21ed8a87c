/* SPDX-License-Identifier: BSD-2-Clause */
/* What `tally diff` was asked for. */
#ifndef TALLY_CLI_DIFF_DIFF_H
#define TALLY_CLI_DIFF_DIFF_H

#include "cli/main/command.h"
#include "cli/main/words.h"
#include "cli/recording/session.h"
#include "profile/diff.h"
#include "view/diff.h"

/* What values are. */
enum diff_normalize {
	DIFF_OF_TOTAL,   /* shares of the recording's total period */
	DIFF_OF_SAMPLES, /* shares of its number of samples */
	DIFF_OF_TIME,    /* seconds of CPU time */
	DIFF_OF_COUNT,   /* periods for each of a number that the user gave */
};

struct diff_config {
	struct tally_session_options session;
	const char *sort, *compute, *order, *by, *normalize, *percentage, *same;
	const char *comms, *dsos, *symbols, *symfs, *kallsyms, *vmlinux, *separator, *colour;
	uint64_t count_a, count_b;
	bool matched, has_periods, has_formula, quiet, json, stdio, children, no_verdicts, changed;
	const char *html; /* see cli/recording/page.h */
	bool html_source; /* the same */
	bool no_bounds, no_demangle, force, verbose, is_inlined, inlined_given, raw_chains;
	/* From here on derived. */
	const char **inputs; /* nr_inputs, the first nr_baselines of side A */
	uint32_t nr_inputs, nr_baselines;
	struct tally_diff_options diff;
	enum diff_normalize unit;
	enum tally_diff_compute computes;
	double weights[TALLY_SIDES], counts[TALLY_SIDES];
	bool by_baseline;
	struct tally_word_list comm_list, dso_list, symbol_list;
};

extern const struct tally_option diff_options[];

/* Parse argv; what is wrong is printed. 0, or the exit status plus 1, as tally_options_parse(). */
int diff_config_parse(struct diff_config *config, int argc, char **argv);
void diff_config_free(struct diff_config *config);

/* Whether what was asked for goes together with --html; says what does not. 0 or -EINVAL. */
int diff_page_check(const struct diff_config *config);

/* Write both recordings as a page. 0 or -errno, told. */
int diff_page(const struct diff_config *config);

#endif

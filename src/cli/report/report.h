/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tally report share. */
#ifndef TALLY_CLI_REPORT_REPORT_H
#define TALLY_CLI_REPORT_REPORT_H

#include "base/intern.h"
#include "cli/recording/document.h"
#include "cli/recording/rows.h"
#include "cli/recording/session.h"
#include "cli/recording/tracing.h"

struct report {
	struct report_config *config;
	struct tally_session *session;
	struct tally_profile profile;
	struct tally_tracing *tracing; /* NULL: none yet */
	struct tally_intern traces;    /* texts of tracepoints, with the sort key "trace" */
	struct tally_str trace;
	uint64_t trace_bytes, sample_bytes; /* of the texts; of samples that are in the file so */
	uint64_t rows_shown;                /* of all events */
	const char *query;                  /* what the browser begins with; NULL: everything */
	bool browses;                       /* the terminal browser is to show it */
	bool was_tried; /* report_start() was called, and has printed what is wrong */
	bool is_ready;  /* the profile is set up: with the first sample, when events are known */
	int line_width; /* of the terminal that shows it as text; 0: there is none */
	struct tally_str out;
	struct tally_document *document; /* of --svg or --format, while it is written; else NULL */
};

/* How the rows of an event are made. */
struct tally_hist_options report_hist_options(struct report *report, uint32_t event);

/* Print the profile as it was asked for, as text or JSON. 0 or -errno. */
int report_print(struct report *report);

/* Write the profile as --svg has it. 0 or -errno, told. */
int report_svg(struct report *report);

/* Whether the terminal browser is to show it: asked for, or text was not and there is a terminal.
 */
bool report_wants_browser(const struct report_config *config);

/* Whether what was asked for goes together with --html, --svg or --format; says what does not.
 * `word` names the functions to show; or NULL. 0 or -EINVAL. */
int report_documents_check(const struct report_config *config, const char *word);

/* Write it as a page. 0 or -errno, told. */
int report_page(struct report_config *config);

/* Show it in the terminal browser. 0 or -errno, told. */
int report_browse(struct report *report);

#endif

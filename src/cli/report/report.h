/* SPDX-License-Identifier: BSD-2-Clause */
/* State shared by the source files of tally report. */
#ifndef TALLY_CLI_REPORT_REPORT_H
#define TALLY_CLI_REPORT_REPORT_H

#include "base/intern.h"
#include "cli/recording/document.h"
#include "cli/recording/recording_rows.h"
#include "cli/recording/session.h"
#include "cli/recording/recording_tracing.h"

struct report {
	struct report_config *config;
	struct tally_session *session;
	struct tally_profile profile;
	struct tally_tracing *tracing; /* NULL: not used yet */
	struct tally_intern traces;    /* tracepoint texts, for the sort key "trace" */
	struct tally_str trace;
	uint64_t trace_bytes, sample_bytes; /* size of the texts; size of samples in the file, if
	                                     * not compressed */
	uint64_t rows_shown;                /* of all events */
	const char *query;                  /* initial filter of the browser; NULL: none */
	bool browses;                       /* use the terminal browser */
	bool was_tried; /* report_start() was called; if it failed, an error was printed */
	bool is_ready;  /* the profile is initialised: at the first sample, when the events are
	                 * known */
	int line_width; /* width of the terminal for text output; 0: no terminal */
	struct tally_str out;
	struct tally_document *document; /* output of --svg or --format while it is written,
	                                  * otherwise NULL */
};

/* Return the options to build the rows of an event. */
struct tally_hist_options report_hist_options(struct report *report, uint32_t event);

/* Print the profile as text or JSON, according to the options. Returns 0 or -errno. */
int report_print(struct report *report);

/* Write the profile as SVG (--svg). Returns 0, or -errno after printing an error. */
int report_svg(struct report *report);

/* True if the terminal browser should be used: it was requested, or the output is a terminal and no
 * other form was requested. */
bool report_wants_browser(const struct report_config *config);

/* Check that the options are compatible with --html, --svg or --format. `word`, which may be NULL,
 * names the functions to show. Returns 0, or -EINVAL after printing an error. */
int report_documents_check(const struct report_config *config, const char *word);

/* Write an HTML page. Returns 0, or -errno after printing an error. */
int report_page(struct report_config *config);

/* Run the terminal browser. Returns 0, or -errno after printing an error. */
int report_browse(struct report *report);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* State shared by tally report's source files. */
#ifndef TALLY_CLI_REPORT_REPORT_H
#define TALLY_CLI_REPORT_REPORT_H

#include "cli/main/document.h"
#include "cli/report/report_config.h"
#include "cli/report/report_threads.h"
#include "profile/process/branch_stack.h"
#include "profile/process/ignore_callees.h"
#include "session/event_groups.h"
#include "session/session_profile.h"
#include "view/sample_labels.h"

struct report {
	struct report_config *config;
	struct tally_session *session;
	struct tally_profile profile;
	struct tally_session_profile_options reading;
	struct tally_ignore_callees ignore;
	regex_t parent; /* compiled if config->rows.show.parent_regex is set */
	struct tally_branch_chain branch_chain; /* with --branch-history */
	struct report_threads threads;          /* with --threads */
	struct tally_ranges parallelism;        /* empty for any */
	struct tally_labels labels;             /* for sort keys that are computed from samples */
	uint64_t label_bytes, sample_bytes; /* total size of labels, and of uncompressed samples */
	struct tally_event_groups groups;   /* while text or JSON is printed */
	uint64_t rows_shown;                /* total for all events */
	const char *query;                  /* initial filter for the browser, or NULL */
	bool browses, has_colours;          /* use the terminal browser; colour percentages */
	bool summarizes;                    /* print a summary instead of rows */
	int line_width; /* terminal width for text output, or 0 if there is no terminal */
	struct tally_str out;
	struct tally_document *document; /* output of --svg or --format while it is written */
};

/* Return the options for building an event's rows. */
struct tally_shown_rows_options report_rows_options(struct report *report, uint32_t event);

/* Print the profile as text or JSON, according to the options. Returns 0 or -errno. */
int report_print(struct report *report);

/* Write the profile as SVG (--svg). Returns 0, or -errno after printing an error. */
int report_svg(struct report *report);

/* Check that the options are compatible with --html, --svg or --format. `word`, which may be NULL,
 * is the command-line argument that names the functions to show. Returns 0, or -EINVAL after
 * printing an error. */
int report_documents_check(const struct report_config *config, const char *word);

/* Write an HTML page. Returns 0, or -errno after printing an error. */
int report_page(struct report_config *config);

#endif

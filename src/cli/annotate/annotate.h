/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration shared by the source files of tally annotate. */
#ifndef TALLY_CLI_ANNOTATE_ANNOTATE_H
#define TALLY_CLI_ANNOTATE_ANNOTATE_H

#include "cli/main/command.h"
#include "cli/main/recordings.h"
#include "profile/annotate/source_texts.h"
#include "view/annotate_view.h"

struct annotate_config {
	struct tally_recording_options recording;
	const char *symbol, *dsos, *percent_type, *percent_limit, *style, *colour, *objdump;
	struct tally_source_options source;
	uint64_t prefix_strip, max_stack;
	bool has_source, has_bytes, has_lines, has_paths, has_totals, show_samples, show_period;
	bool is_grouped, is_missing_skipped, is_json, is_quiet, is_stdio, is_tui;
	bool has_modules, raw_dump, has_type_stat;
	const char *data_type; /* NULL without --data-type, "" for all types */
	/* Derived from the options above. */
	bool is_global, by_hits, is_intel, has_colours;
	enum tally_annotate_metric measure;
	double limit;          /* hide functions below this percentage of all samples */
	const char **dso_list; /* NULL, or allocated; its strings are in dso_text */
	char *dso_text;
};

extern const struct tally_option annotate_options[];

/* Evaluate the options. Return 0, or -errno after printing an error. */
int annotate_config_finish(struct annotate_config *config);
void annotate_config_free(struct annotate_config *config);

#endif

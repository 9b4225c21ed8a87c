/* SPDX-License-Identifier: BSD-2-Clause */
/* Read one recording, or two recordings to compare, into an HTML page. */
#ifndef TALLY_PAGE_BUILD_H
#define TALLY_PAGE_BUILD_H

#include "base/str.h"
#include "page/page.h"
#include "profile/profile_model.h"
#include "session/session.h"

enum { TALLY_HTML_INPUTS_MAX = 2 };

/* Instructions and source lines in a page. */
enum tally_html_code {
	TALLY_HTML_CODE_NONE,
	TALLY_HTML_CODE_PUBLIC, /* source text only of files that all users may read */
	TALLY_HTML_CODE_ALL,    /* source text of all files with the name of a source file */
};

struct tally_html_request {
	/* Options for opening each input, except for its path. */
	struct tally_session_options session;
	const char *inputs[TALLY_HTML_INPUTS_MAX]; /* paths, starting with the baseline */
	uint32_t nr_inputs;
	struct tally_profile_filter filter;
	uint64_t event_number; /* 1-based number of the only event to show; 0 for all */
	uint32_t max_stack;    /* as in struct tally_profile_options */
	bool raw_chains, no_inlined;
	const struct tally_html_verdict *verdicts; /* for two inputs; may be NULL */
	size_t nr_verdicts;
	enum tally_html_code code; /* of the last input's heaviest functions */
};

struct tally_html_built {
	struct tally_html *page;  /* NULL if there is no page */
	struct tally_str program; /* name of the last input's main program */
	uint64_t threads;         /* to write the page with */
	bool is_cut;              /* an input was truncated while it was being read */
};

/* Read the inputs and build a page. If a recording is damaged, the page shows the readable part and
 * a note, and the result is -EINVAL. Returns 0 or -errno after emitting an error message, except
 * for -ENOMEM; -ENODATA if two inputs have no event in common. Call tally_html_built_free() in
 * either case. */
int tally_html_build(const struct tally_html_request *request, struct tally_html_built *ret_built);

void tally_html_built_free(struct tally_html_built *built);

#endif

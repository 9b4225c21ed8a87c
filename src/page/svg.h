/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes flame graphs as a self-contained SVG document, for places that do not run JavaScript, such
 * as e-mails and printed pages. Callers are drawn above their callees, and siblings are sorted by
 * weight, heaviest first.
 *
 * There is no zoom or search. Boxes that would be invisible are left out, and their number is
 * shown.
 */
#ifndef TALLY_PAGE_SVG_H
#define TALLY_PAGE_SVG_H

#include "base/str.h"
#include "profile/profile_model.h"

struct tally_svg_event {
	const char *name;
	uint32_t number; /* event number in the profile */
};

/* Parameters. All pointers are borrowed. */
struct tally_svg {
	const struct tally_profile *profile; /* must be finished */
	const char *title;
	const struct tally_svg_event *events; /* one graph per event, from top to bottom */
	size_t nr_events;
	const char *caption; /* lines below the graphs, escaped for display; NULL for none */
	uint32_t parts;      /* leave out boxes narrower than 1/parts of a graph */
	/* Shorten the text that starts at byte `start` to `columns`. The text is escaped for
	 * display and must remain properly escaped. */
	void (*shorten)(struct tally_str *text, size_t start, size_t columns);
};

/* Append the document to `out`. Returns 0 or -ENOMEM. */
int tally_svg_write(const struct tally_svg *svg, struct tally_str *out);

#endif

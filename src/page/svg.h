/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flame graphs as one SVG document that needs nothing else: for what takes no script, as mails,
 * printed pages and pages of others do. Callers are above what they call, the heaviest first.
 *
 * It does not: zoom or search; draw what no one could see, but it says how much that is.
 */
#ifndef TALLY_PAGE_SVG_H
#define TALLY_PAGE_SVG_H

#include "base/str.h"
#include "profile/profile.h"

struct tally_svg_event {
	const char *name;
	uint32_t number; /* in the profile */
};

/* What is drawn. All borrowed. */
struct tally_svg {
	const struct tally_profile *profile; /* finished */
	const char *title;
	const struct tally_svg_event *events; /* a graph each, one below the other */
	size_t nr_events;
	const char *caption; /* lines to put below, escaped for people; NULL: none */
	uint32_t parts;      /* boxes with less than one of so many parts of a graph are left out */
	/* Make what was appended from byte `start` on fit into so many columns; it is escaped for
	 * people, and has to be so afterwards. */
	void (*shorten)(struct tally_str *text, size_t start, size_t columns);
};

/* Append the document. 0 or -ENOMEM. */
int tally_svg_write(const struct tally_svg *svg, struct tally_str *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of boxes: key help, recording health, full names. */
#include "base/arith.h"
#include "cli/browser/browser_view.h"
#include "cli/browser/full_names.h"

static void add_lines(const char *const *lines, size_t nr, struct tally_str *out)
{
	for (size_t i = 0; i < nr; i++)
		tally_str_addf(out, "%s\n", lines[i]);
}

/* Append "1 overview, 2 rows, ...". */
static void add_views(const struct browser *browser, struct tally_str *out)
{
	const struct browser_view *const *views = browser->source->views;

	for (size_t i = 0; views[i]; i++)
		tally_str_addf(out, "%s%c %s", i ? ", " : "", (char)views[i]->press,
			       views[i]->name);
	tally_str_add_char(out, '\n');
}

/* Help lines that follow the view's own. A line is shown if the source has all features in `needs`
 * and none in `lacks`. */
static const struct {
	unsigned needs, lacks;
	const char *line;
} help_lines[] = {
	{BROWSER_HAS_ANNOTATE, 0, "a          source and instructions of a function (annotate)"},
	{BROWSER_HAS_PROFILE, 0, ":          filter by a query: comm: sym: dso: ..."},
	{BROWSER_HAS_PROFILE, 0, "           Tab completes fields and names"},
	{BROWSER_HAS_PROFILE, 0, "F          shares of the selection, or of all samples"},
	{BROWSER_HAS_STACKS, 0, "m I        show just my code; fold inlined functions"},
	{BROWSER_HAS_STACKS, 0, "M D        fold this function into its callers; drop its samples"},
	{0, 0, "Esc        undo a filter, or go back to the previous view or function"},
	{0, 0, "w          show the full names of the selected line"},
	{0, 0, "P          write this view to the file tally.view.N"},
	{BROWSER_HAS_HEALTH, 0, "Tab        the next event          i    recording health"},
	{0, BROWSER_HAS_HEALTH, "Tab        the next event"},
	{0, 0, "h ? F1     show this help         q    quit"},
};

int browser_show_help(struct browser *browser)
{
	const struct tally_browser_live *live = browser->source->live;
	struct tally_str *out = browser_box_open(&browser->box, " Keys ");
	unsigned has = browser_has(browser);

	add_lines(browser->view->help, browser->view->nr_help, out);
	if (live)
		add_lines(live->help, live->nr_help, out);
	if (has & BROWSER_HAS_PROFILE)
		add_views(browser, out);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(help_lines); i++) {
		if (!(help_lines[i].needs & ~has) && !(help_lines[i].lacks & has))
			tally_str_addf(out, "%s\n", help_lines[i].line);
	}
	return 0;
}

int browser_show_health(struct browser *browser)
{
	tally_str_add(browser_box_open(&browser->box, " Health "),
		      tally_str_text(&browser->health));
	return 0;
}

/* Show full names in a box: those that the view provides, or else the names of the function at the
 * cursor. */
int browser_show_names(struct browser *browser)
{
	struct tally_str *out = browser_box_open(&browser->box, " Names ");

	if (browser->view->whole)
		browser->view->whole(browser, out);
	else
		browser_names_add_frame(browser, browser->here, out);
	if (!out->len)
		tally_str_add(out, "nothing is selected\n");
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown in a box: keys, the recording's health, names as they are. */
#include "base/arith.h"
#include "cli/browser/view.h"
#include "cli/browser/whole.h"

static void add_lines(const char *const *lines, size_t nr, struct tally_str *out)
{
	for (size_t i = 0; i < nr; i++)
		tally_str_addf(out, "%s\n", lines[i]);
}

/* "1 overview, 2 rows, ..." */
static void add_views(const struct browser *browser, struct tally_str *out)
{
	const struct browser_view *const *views = browser->source->views;

	for (size_t i = 0; views[i]; i++)
		tally_str_addf(out, "%s%c %s", i ? ", " : "", (char)views[i]->press,
			       views[i]->name);
	tally_str_add_char(out, '\n');
}

int browser_show_help(struct browser *browser)
{
	static const char *const of_profiles[] = {
		"a          source and instructions of a function (annotate)",
		":          only samples for which a query holds: comm: sym: dso: ...",
	};
	static const char *const of_all[] = {
		"Esc        out of that again, then back to the view before",
		"w          the whole names of the line selected",
		"P          write this view to a file, tally.view.N",
		"Tab        the next event          i    health of the recording",
		"h ? F1     these keys              q    quit",
	};
	const struct tally_browser_live *live = browser->source->live;
	struct tally_str *out = browser_box_open(&browser->box, " Keys ");

	add_lines(browser->view->help, browser->view->nr_help, out);
	if (live)
		add_lines(live->help, live->nr_help, out);
	if (browser->source->profile) {
		add_views(browser, out);
		add_lines(of_profiles, TALLY_ARRAY_SIZE(of_profiles), out);
	}
	add_lines(of_all, TALLY_ARRAY_SIZE(of_all), out);
	return 0;
}

int browser_show_health(struct browser *browser)
{
	tally_str_add(browser_box_open(&browser->box, " Health "),
		      tally_str_text(&browser->health));
	return 0;
}

/* Of views without lines of their own it is the function that the cursor is on. */
int browser_show_whole(struct browser *browser)
{
	struct tally_str *out = browser_box_open(&browser->box, " Names ");

	if (browser->view->whole)
		browser->view->whole(browser, out);
	else
		browser_whole_frame(browser, browser->function, out);
	if (!out->len)
		tally_str_add(out, "nothing is selected\n");
	return 0;
}

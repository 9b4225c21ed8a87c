/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/full_names.h"

#include <inttypes.h>

#include "base/escape.h"
#include "cli/browser/browser_state.h"
#include "profile/frame_text.h"

void browser_names_add_line(const char *heading, const char *text, struct tally_str *out)
{
	if (!*text)
		return;
	tally_str_addf(out, "%s: ", heading);
	tally_str_add_escaped(out, text);
	tally_str_add_char(out, '\n');
}

void browser_names_add_file(const struct browser *browser, uint32_t number, struct tally_str *out)
{
	const struct tally_frame *frame = &browser->source->profile->frames.all.data[number];

	if (frame->dso)
		browser_names_add_line("File", tally_dso_name(frame->dso), out);
}

void browser_names_add_frame(const struct browser *browser, uint32_t number, struct tally_str *out)
{
	const struct tally_frame *frame;
	struct tally_str name = {0};

	if (number == TALLY_FRAME_NONE)
		return;
	frame = &browser->source->profile->frames.all.data[number];
	if (frame->symbol)
		tally_frame_add_name(frame, &name);
	else
		tally_str_add(&name, "without a name");
	if (frame->symbol && tally_symbol_is_inlined(frame->dso, frame->symbol))
		tally_str_add(&name, " (inlined)");
	browser_names_add_line("Function", tally_str_text(&name), out);
	browser_names_add_file(browser, number, out);
	out->failed |= name.failed;
	tally_str_free(&name);
}

void browser_names_add_thread(const struct browser *browser, int32_t tid, uint32_t comm,
			      struct tally_str *out)
{
	const struct tally_machine *machine = browser->source->profile->machine;

	tally_str_addf(out, "Thread: %" PRId32 "\n", tid);
	browser_names_add_line("Command", tally_intern_text(tally_machine_comms(machine), comm),
			       out);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Print findings as text and as JSON. */

#include "base/arith.h"
#include "base/escape.h"
#include "base/json.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/doctor_print.h"
#include "cli/doctor/verdict.h"
#include "cli/main/output_stream.h"

enum { JSON_VERSION = 1, TITLE_WIDTH = 22 };

static const char *const section_titles[] = {
	[DOCTOR_KERNEL] = "Kernel",
	[DOCTOR_RIGHTS] = "Permissions",
	[DOCTOR_COUNTERS] = "Hardware counters",
	[DOCTOR_LIMITS] = "Limits",
	[DOCTOR_SYMBOLS] = "Kernel symbols",
	[DOCTOR_TRACING] = "Tracing",
	[DOCTOR_PROGRAM] = "Command",
	[DOCTOR_VERDICT] = "What works",
};

static const struct {
	const char *name, *mark, *colour;
} states[] = {
	[DOCTOR_OK] = {"ok", "ok  ", "\033[32m"},
	[DOCTOR_NOTE] = {"note", "note", "\033[36m"},
	[DOCTOR_WARN] = {"warn", "warn", "\033[33m"},
	[DOCTOR_BAD] = {"bad", "bad ", "\033[1;31m"},
	[DOCTOR_UNKNOWN] = {"unknown", "?   ", "\033[35m"},
};

/* ---- text --------------------------------------------------------------------- */

/* Return the number of fixes to print. For a verdict, print only the smallest change; other fixes
 * are printed with the facts. */
static size_t fixes_shown(const struct doctor_line *line)
{
	size_t nr = line->finding.nr_fixes;

	return line->fact->section == DOCTOR_VERDICT ? TALLY_MIN(nr, (size_t)1) : nr;
}

static void text_line(const struct doctor_line *line, bool colour, struct tally_str *out)
{
	const struct doctor_finding *finding = &line->finding;
	size_t start;

	tally_str_addf(out, "  %s%s%s  %-*s  ", colour ? states[finding->state].colour : "",
		       states[finding->state].mark, colour ? "\033[0m" : "", TITLE_WIDTH,
		       line->fact->title);
	start = out->len;
	tally_str_add(out, tally_str_text(&finding->text));
	if (finding->cause.len)
		tally_str_addf(out, " (%s)", tally_str_text(&finding->cause));
	tally_str_escape(out, start);
	tally_str_add_char(out, '\n');
	for (size_t i = 0; i < fixes_shown(line); i++)
		tally_str_add_line(out, "        %*s  fix: %s", TITLE_WIDTH, "",
				   tally_str_text(&finding->fix[i]));
}

int doctor_print_text(const struct doctor *doctor, const struct doctor_line *lines, size_t nr)
{
	enum doctor_section section = DOCTOR_NR_SECTIONS;
	bool colour = tally_output_colours();
	struct tally_str out = {0};
	int ret;

	for (size_t i = 0; i < nr; i++) {
		if (lines[i].fact->section != section) {
			section = lines[i].fact->section;
			tally_str_addf(&out, "%s%s%s%s\n", i ? "\n" : "", colour ? "\033[1m" : "",
				       section_titles[section], colour ? "\033[0m" : "");
		}
		text_line(&lines[i], colour, &out);
	}
	ret = tally_output_flush(&out);
	tally_str_free(&out);
	return ret;
}

/* ---- JSON ---------------------------------------------------------------------- */

static void json_line(const struct doctor_line *line, struct tally_str *out)
{
	const struct doctor_finding *finding = &line->finding;

	tally_json_open(out, NULL, '{');
	tally_json_text(out, "id", line->fact->id);
	tally_json_text(out, "section", section_titles[line->fact->section]);
	tally_json_text(out, "title", line->fact->title);
	tally_json_text(out, "state", states[finding->state].name);
	if (finding->word)
		tally_json_text(out, "value", finding->word);
	if (finding->has_number)
		tally_json_s64(out, "number", finding->number);
	tally_json_text(out, "text", tally_str_text(&finding->text));
	if (finding->cause.len)
		tally_json_text(out, "cause", tally_str_text(&finding->cause));
	tally_json_open(out, "fixes", '[');
	for (size_t i = 0; i < finding->nr_fixes; i++)
		tally_json_text(out, NULL, tally_str_text(&finding->fix[i]));
	tally_json_close(out, ']');
	tally_json_close(out, '}');
}

static void json_features(const struct doctor *doctor, struct tally_str *out)
{
	tally_json_open(out, "features", '[');
	for (size_t i = 0; i < tally_probe_nr_features; i++) {
		const struct tally_probe_feature *feature = &tally_probe_features[i];

		tally_json_open(out, NULL, '{');
		tally_json_text(out, "id", feature->id);
		tally_json_text(out, "title", feature->title);
		tally_json_text(out, "since", feature->since);
		/* Omit the key if the answer is unknown. */
		if (doctor->features[i] != TALLY_PROBE_UNKNOWN)
			tally_json_bool(out, "present", doctor->features[i] == TALLY_PROBE_YES);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

int doctor_print_json(const struct doctor *doctor, const struct doctor_line *lines, size_t nr)
{
	struct tally_str out = {0};
	int ret;

	tally_json_open(&out, NULL, '{');
	tally_json_u64(&out, "version", JSON_VERSION);
	tally_json_bool(&out, "works", doctor_works(doctor));
	tally_json_open(&out, "facts", '[');
	for (size_t i = 0; i < nr; i++)
		json_line(&lines[i], &out);
	tally_json_close(&out, ']');
	json_features(doctor, &out);
	tally_json_close(&out, '}');
	tally_str_add_char(&out, '\n');
	ret = tally_output_flush(&out);
	tally_str_free(&out);
	return ret;
}

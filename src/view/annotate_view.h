/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An annotated function as text in the format of perf annotate --stdio, or as JSON. Everything is
 * appended to a string builder, one instruction at a time; the caller prints it.
 */
#ifndef TALLY_VIEW_ANNOTATE_VIEW_H
#define TALLY_VIEW_ANNOTATE_VIEW_H

#include "base/str.h"
#include "profile/annotate/annotation.h"
#include "profile/annotate/source_texts.h"

enum tally_annotate_metric {
	TALLY_ANNOTATE_PERCENT,
	TALLY_ANNOTATE_SAMPLES,
	TALLY_ANNOTATE_PERIOD,
};

struct tally_annotate_view {
	const struct tally_annotate *annotate;
	const struct tally_annotation *annotation;
	struct tally_source_texts *texts; /* or NULL to hide the source */
	const char *const *event_names;   /* indexed by event */
	const uint32_t *events;           /* events to show, each in its own column */
	size_t nr_events;
	const char *heading; /* combined names of the displayed events */
	enum tally_annotate_metric measure;
	bool is_global;  /* shares are relative to all samples, not to the function's */
	bool by_hits;    /* shares are based on sample counts, not on weights */
	bool has_totals; /* show a second column per event, which includes callees */
	bool has_bytes;  /* show instruction bytes */
	bool has_lines;  /* show lines after instructions, and a summary of hot lines first */
	bool has_paths;  /* show the paths of files, not only their names */
	bool has_colours;
	/* Last source position shown; must be zeroed before the first instruction. */
	struct {
		const struct tally_line *lines;
		uint32_t nr_lines, highest; /* highest: last line number shown */
	} shown;
};

/* Return the value that corresponds to 100 % in an event's column (or in its totals column), or 0
 * if the event has no samples. */
uint64_t tally_annotate_view_whole(const struct tally_annotate_view *view, uint32_t event,
				   bool is_total);

/* Return a cost as a percentage. */
double tally_annotate_view_percent(const struct tally_annotate_view *view, uint32_t event,
				   const struct tally_annotate_cost *cost, bool is_total);

/* Append the heading. If `has_lines` is set, a summary of the heaviest lines precedes the
 * heading. */
void tally_annotate_view_heading(const struct tally_annotate_view *view, struct tally_str *out);

/* Append an instruction in the style of a disassembler, with its target. */
void tally_annotate_view_code(const struct tally_annotation *annotation,
			      const struct tally_annotation_insn *insn, struct tally_str *out);

/* Append instruction `i`, preceded by its source. */
void tally_annotate_view_insn(struct tally_annotate_view *view, size_t i, struct tally_str *out);

/* Append the function as a JSON object, which contains the cost of each event and the instructions.
 * The caller appends the instructions one at a time between open and close. */
void tally_annotate_json_open(const struct tally_annotate_view *view, struct tally_str *out);
void tally_annotate_json_insn(const struct tally_annotate_view *view, size_t i,
			      struct tally_str *out);
void tally_annotate_json_close(const struct tally_annotate_view *view, struct tally_str *out);

#endif

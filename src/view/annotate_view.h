/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An annotated function as text in the format of perf annotate --stdio, or as JSON. Everything is
 * appended to a string builder, one instruction at a time; the caller prints it.
 */
#ifndef TALLY_VIEW_ANNOTATE_VIEW_H
#define TALLY_VIEW_ANNOTATE_VIEW_H

#include "base/str.h"
#include "profile/annotation.h"
#include "profile/source_texts.h"

enum tally_annotate_metric {
	TALLY_ANNOTATE_PERCENT,
	TALLY_ANNOTATE_SAMPLES,
	TALLY_ANNOTATE_PERIOD,
};

struct tally_annotate_view {
	const struct tally_annotate *annotate;
	const struct tally_annotation *annotation;
	struct tally_source_texts *texts; /* NULL: do not show the source */
	const char *const *event_names;   /* by event */
	const uint32_t *events;           /* events with a column each */
	size_t nr_events;
	const char *heading; /* name for all these events together */
	enum tally_annotate_metric measure;
	bool is_global;  /* shares are of all samples, not of the function's */
	bool by_hits;    /* shares are of the number of samples, not of their weights */
	bool has_totals; /* a second column for each event, including callees */
	bool has_bytes;  /* show the bytes of instructions */
	bool has_lines;  /* show lines after instructions, and a summary of the heaviest ones
	                  * first */
	bool has_paths;  /* show files with their directories */
	bool has_colours;
	/* The source shown last; must be zeroed before the first instruction. */
	struct {
		const struct tally_line *lines;
		uint32_t nr_lines, highest; /* highest: line number in that file */
	} shown;
};

/* Return the value that is 100 % of an event, or of its totals; 0 if it has no samples. */
uint64_t tally_annotate_view_whole(const struct tally_annotate_view *view, uint32_t event,
				   bool is_total);

/* Return a cost in percent. */
double tally_annotate_view_percent(const struct tally_annotate_view *view, uint32_t event,
				   const struct tally_annotate_cost *cost, bool is_total);

/* Append the heading; with `has_lines` first the summary of the heaviest lines. */
void tally_annotate_view_heading(const struct tally_annotate_view *view, struct tally_str *out);

/* Append an instruction as disassemblers write it, with its target. */
void tally_annotate_view_code(const struct tally_annotation *annotation,
			      const struct tally_annotation_insn *insn, struct tally_str *out);

/* Append instruction `i`, after its source. */
void tally_annotate_view_insn(struct tally_annotate_view *view, size_t i, struct tally_str *out);

/* Append the function as a JSON object: the cost of each event in it, and its instructions, which
 * are appended one by one between open and close. */
void tally_annotate_json_open(const struct tally_annotate_view *view, struct tally_str *out);
void tally_annotate_json_insn(const struct tally_annotate_view *view, size_t i,
			      struct tally_str *out);
void tally_annotate_json_close(const struct tally_annotate_view *view, struct tally_str *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An annotated function as text, the way perf annotate --stdio has it, or as JSON. Everything is
 * appended to a string builder, an instruction at a time; printing it is the caller's business.
 */
#ifndef TALLY_VIEW_ANNOTATE_VIEW_H
#define TALLY_VIEW_ANNOTATE_VIEW_H

#include "base/str.h"
#include "profile/annotation.h"
#include "profile/source_texts.h"

enum tally_annotate_measure {
	TALLY_ANNOTATE_PERCENT,
	TALLY_ANNOTATE_SAMPLES,
	TALLY_ANNOTATE_PERIOD,
};

struct tally_annotate_view {
	const struct tally_annotate *annotate;
	const struct tally_annotation *annotation;
	struct tally_source_texts *texts; /* NULL: no text of source is shown */
	const char *const *event_names;   /* by event */
	const uint32_t *events;           /* that have a column each */
	size_t nr_events;
	const char *heading; /* what the events are called together */
	enum tally_annotate_measure measure;
	bool is_global;  /* shares are of all samples, not of the function's */
	bool by_hits;    /* shares of samples, not of their weights */
	bool has_totals; /* another column each: what was called from there, too */
	bool has_bytes;  /* of instructions */
	bool has_lines;  /* behind instructions, and the heaviest ones before all */
	bool has_paths;  /* names of files with their directories */
	bool has_colours;
	/* The source that was shown last; to be zeroed before the first instruction. */
	struct {
		const struct tally_line *lines;
		uint32_t nr_lines, highest; /* line of that file */
	} shown;
};

/* The share that is 100 % of an event, or of its totals; 0: there is nothing. */
uint64_t tally_annotate_view_whole(const struct tally_annotate_view *view, uint32_t event,
				   bool is_total);

/* The share of a cost, in percent. */
double tally_annotate_view_percent(const struct tally_annotate_view *view, uint32_t event,
				   const struct tally_annotate_cost *cost, bool is_total);

/* What stands above the instructions; with `has_lines` the lines that have the most first. */
void tally_annotate_view_heading(const struct tally_annotate_view *view, struct tally_str *out);

/* An instruction as disassemblers write it, and where it leads to. */
void tally_annotate_view_code(const struct tally_annotation *annotation,
			      const struct tally_annotation_insn *insn, struct tally_str *out);

/* Instruction `i`, and the source before it. */
void tally_annotate_view_insn(struct tally_annotate_view *view, size_t i, struct tally_str *out);

/* The function as a JSON object: what each event has in it, and its instructions. The instructions
 * are added one by one between these. */
void tally_annotate_json_open(const struct tally_annotate_view *view, struct tally_str *out);
void tally_annotate_json_insn(const struct tally_annotate_view *view, size_t i,
			      struct tally_str *out);
void tally_annotate_json_close(const struct tally_annotate_view *view, struct tally_str *out);

#endif

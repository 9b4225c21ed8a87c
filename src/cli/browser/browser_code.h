/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the annotate view: a function's instructions and source lines. */
#ifndef TALLY_CLI_BROWSER_CODE_H
#define TALLY_CLI_BROWSER_CODE_H

#include "profile/annotate/annotation.h"
#include "profile/annotate/source_texts.h"

struct browser;

/* Message shown if the source cannot annotate. */
#define BROWSER_NO_CODE "instructions can only be shown for recordings in files"

enum { BROWSER_LANES = 4 };

/* A displayed line: an instruction, or the source line before it. */
struct browser_code_line {
	uint32_t insn;
	uint32_t source; /* line number in the source file, or 0 for an instruction */
	const struct tally_line *line;
};

/* State of the annotate view. A zero-initialised structure shows nothing. */
struct browser_code {
	uint32_t function;   /* requested function, a value from tally_chains.functions */
	uint64_t generation; /* generation of the browser's selection */
	bool is_tried;       /* `function` was looked up; if that failed, `why` has the reason */
	struct tally_str why;
	struct tally_annotate *samples;
	struct tally_annotation_codes *codes;
	struct tally_source_texts *texts;
	struct tally_annotation annotation;
	bool hides_source;
	/* by_hits: percentages are based on samples instead of periods. is_global: percentages are
	 * relative to the event's total instead of the function's. */
	bool by_hits, is_global;
	bool has_totals; /* show a second column, which includes callees */
	TALLY_VEC(struct browser_code_line) lines;
	uint8_t *lanes; /* BROWSER_LANES values of enum browser_lane per instruction */
	size_t cursor, first;
	struct tally_str search;
};

/* The part of a jump that is drawn in a lane next to an instruction. */
enum browser_lane {
	BROWSER_LANE_EMPTY,
	BROWSER_LANE_TOP, /* upper end of the jump */
	BROWSER_LANE_ALONG,
	BROWSER_LANE_BOTTOM,
	BROWSER_LANE_ARROW = 4, /* flag: this end of the jump is its target */
};

/* Read the code of the browser's function if the function or the selection changed. Return 0 or
 * -ENOMEM; other errors are described in `why`. */
int browser_code_build(struct browser_code *code, struct browser *browser);

/* Rebuild the lines after source lines were shown or hidden. Return 0 or -ENOMEM. */
int browser_code_lines(struct browser_code *code);

void browser_code_free(struct browser_code *code);

#endif

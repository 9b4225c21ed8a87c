/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the annotate view: instructions and source of a function. */
#ifndef TALLY_CLI_BROWSER_CODE_H
#define TALLY_CLI_BROWSER_CODE_H

#include "profile/annotation.h"
#include "profile/source_texts.h"

struct browser;

/* Shown if the source cannot annotate. */
#define BROWSER_NO_CODE "instructions can only be shown for recordings in files"

enum { BROWSER_LANES = 4 };

/* A displayed line: an instruction, or the source line before it. */
struct browser_code_line {
	uint32_t insn;
	uint32_t source; /* line number in the source file; 0: an instruction */
	const struct tally_line *line;
};

/* Zero-initialised: nothing is shown. */
struct browser_code {
	uint32_t function;   /* requested function; of tally_chains.functions */
	uint64_t generation; /* of the browser's selection */
	bool is_tried;       /* `function` was looked up; if that failed, `why` has the reason */
	struct tally_str why;
	struct tally_annotate *samples;
	struct tally_annotation_codes *codes;
	struct tally_source_texts *texts;
	struct tally_annotation annotation;
	bool hides_source;
	bool by_hits, is_global; /* percentages: of samples, not of periods; of the event, not of
	                          * the function */
	TALLY_VEC(struct browser_code_line) lines;
	uint8_t *lanes; /* BROWSER_LANES for each instruction: enum browser_lane */
	size_t cursor, first;
	struct tally_str search;
};

/* The part of a jump that is drawn in a lane next to an instruction. */
enum browser_lane {
	BROWSER_LANE_EMPTY,
	BROWSER_LANE_TOP, /* upper end of the jump */
	BROWSER_LANE_ALONG,
	BROWSER_LANE_BOTTOM,
	BROWSER_LANE_ARROW = 4, /* flag: the target of the jump is here */
};

/* Read the code of the browser's function, if the function or the selection changed. Returns 0 or
 * -ENOMEM; other errors are described in `why`. */
int browser_code_build(struct browser_code *code, struct browser *browser);

/* Rebuild the lines after source was shown or hidden. Returns 0 or -ENOMEM. */
int browser_code_lines(struct browser_code *code);

void browser_code_free(struct browser_code *code);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A function's instructions and source, as the annotate view keeps them. */
#ifndef TALLY_CLI_BROWSER_CODE_H
#define TALLY_CLI_BROWSER_CODE_H

#include "profile/annotation.h"
#include "profile/source_texts.h"

struct browser;

/* Of what has no source of annotations. */
#define BROWSER_NO_CODE "instructions are shown of recordings that are files"

enum { BROWSER_LANES = 4 };

/* A line: an instruction, or source before it. */
struct browser_code_line {
	uint32_t insn;
	uint32_t source; /* 0: the instruction itself, else the line's number in its file */
	const struct tally_line *line;
};

/* All zero: nothing is shown. */
struct browser_code {
	uint32_t function;   /* that was asked for; of tally_chains.functions */
	uint64_t generation; /* of the browser's selection */
	bool is_tried;       /* it was looked for; if it is not there `why` says why */
	struct tally_str why;
	struct tally_annotate *samples;
	struct tally_annotation_codes *codes;
	struct tally_source_texts *texts;
	struct tally_annotation annotation;
	bool hides_source;
	bool by_hits, is_global; /* shares: of samples, not of what they weigh; of all, not of the
				  * function */
	TALLY_VEC(struct browser_code_line) lines;
	uint8_t *lanes; /* by instruction BROWSER_LANES of them: enum browser_lane */
	size_t cursor, first;
	struct tally_str search;
};

/* What of a jump passes an instruction in a lane. */
enum browser_lane {
	BROWSER_LANE_EMPTY,
	BROWSER_LANE_TOP, /* it begins or ends here, and goes down */
	BROWSER_LANE_ALONG,
	BROWSER_LANE_BOTTOM,
	BROWSER_LANE_ARROW = 4, /* and: it leads to here */
};

/* Read what there is of the browser's function, if it is another one or the selection is. 0 or
 * -ENOMEM; what else is wrong is in `why`. */
int browser_code_make(struct browser_code *code, struct browser *browser);

/* Find the lines anew: source is shown or hidden. 0 or -ENOMEM. */
int browser_code_lines(struct browser_code *code);

void browser_code_free(struct browser_code *code);

#endif

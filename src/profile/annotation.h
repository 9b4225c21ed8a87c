/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One function as instructions, with what fell on each, where it leads to and which lines it is of:
 * what commands and browsers draw.
 *
 *	ret = tally_annotation_make(codes, annotate, function, &options, &annotation);
 *	for (size_t i = 0; i < annotation.insns.len; i++)
 *		...
 *	tally_annotation_free(&annotation);
 *
 * Lines come from debug information, which is read per file: who makes many annotations has those
 * of all functions prepared first.
 */
#ifndef TALLY_PROFILE_ANNOTATION_H
#define TALLY_PROFILE_ANNOTATION_H

#include "base/str.h"
#include "disasm/disasm.h"
#include "profile/annotate.h"
#include "symbols/code_file.h"
#include "symbols/lines.h"

/* Files of code that are open, some at a time. */
struct tally_annotation_codes;

/* `is_intel`: x86 in Intel's syntax. 0 or -ENOMEM. */
int tally_annotation_codes_new(bool is_intel, struct tally_annotation_codes **ret_codes);
void tally_annotation_codes_free(struct tally_annotation_codes *codes);

/* What one event has at an instruction. */
struct tally_annotation_cost {
	uint32_t event;
	struct tally_annotate_cost cost;
};

struct tally_annotation_insn {
	uint64_t addr;                  /* as of tally_dso_find() */
	uint64_t linked;                /* where it was linked to be: what disassemblers show */
	uint8_t len, kind;              /* enum tally_instruction_kind */
	bool has_target, has_reference; /* see struct tally_instruction */
	uint64_t target;                /* linked */
	uint32_t target_insn;    /* where a jump leads to in this function, + 1; 0: nowhere in it. A
				  * loop    where that is not behind the jump */
	uint32_t target_offset;  /* how far the target is behind the start of: */
	const char *target_name; /* the symbol there; NULL: none. It lives as long as the symbols */
	uint32_t mnemonic, operands;   /* in `texts`; operands are without the target */
	uint32_t first_cost, nr_costs; /* of `costs`, by event */
	uint32_t nr_lines;
	const struct tally_line *lines; /* innermost first; they live as long as the symbols */
};

struct tally_annotation {
	const struct tally_annotate_function *function;
	const char *name; /* of the function, as it is shown */
	const char
		*path; /* of the file of code; NULL: none. Lives as long as `codes` has it open */
	TALLY_VEC(struct tally_annotation_insn) insns;
	TALLY_VEC(struct tally_annotation_cost) costs;
	TALLY_VEC(uint8_t) bytes; /* of all instructions, one behind the other */
	struct tally_str texts;
	uint64_t nr_outside; /* samples at addresses that are in none of the instructions */
	uint64_t
		nr_missing; /* bytes of the function that are not here, as it is too large or cut */
};

enum { TALLY_ANNOTATION_CODE_MAX = 4 << 20 };

struct tally_annotation_options {
	bool no_lines;
	uint64_t max_code; /* bytes; 0: TALLY_ANNOTATION_CODE_MAX */
};

/* Annotate a function. 0; an error of tally_code_file_open(), _read() or tally_disasm_new(), which
 * tally_annotation_explain() puts into words; or -ENOMEM. */
int tally_annotation_make(struct tally_annotation_codes *codes,
			  const struct tally_annotate *annotate,
			  const struct tally_annotate_function *function,
			  const struct tally_annotation_options *options,
			  struct tally_annotation *ret_annotation);

/* All zero is allowed. */
void tally_annotation_free(struct tally_annotation *annotation);

/* Have the debug information of each file read once, for the lines of all these functions. 0 or
 * -ENOMEM. */
int tally_annotation_prepare_lines(struct tally_annotation_codes *codes,
				   const struct tally_annotate_function *const *functions,
				   size_t nr, const struct tally_annotation_options *options);

/* Append why a function of the DSO could not be annotated: a sentence without its end. */
void tally_annotation_explain(const struct tally_dso *dso, int error, struct tally_str *out);

static inline const char *tally_annotation_text(const struct tally_annotation *annotation,
						uint32_t text)
{
	return annotation->texts.data + text;
}

/* What an event has at an instruction; all zero for nothing. */
struct tally_annotate_cost tally_annotation_cost(const struct tally_annotation *annotation,
						 const struct tally_annotation_insn *insn,
						 uint32_t event);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function's instructions, each with its cost, its target and its source lines. Commands and
 * browsers render them.
 *
 *	ret = tally_annotation_build(codes, annotate, function, &options, &annotation);
 *	for (size_t i = 0; i < annotation.insns.len; i++)
 *		...
 *	tally_annotation_free(&annotation);
 *
 * Lines are found in debug information, which is read per file. Callers that build many annotations
 * should first call tally_annotation_prepare_lines() for all functions.
 */
#ifndef TALLY_PROFILE_ANNOTATE_ANNOTATION_H
#define TALLY_PROFILE_ANNOTATE_ANNOTATION_H

#include "base/str.h"
#include "disasm/disasm.h"
#include "profile/annotate/profile_annotate.h"
#include "symbols/code_file.h"
#include "symbols/lines/symbols_lines.h"

/* Cache of code files. Only a limited number of them are open at a time. */
struct tally_annotation_codes;

/* Create a cache. `is_intel` selects Intel syntax for x86. Returns 0 or -ENOMEM. */
int tally_annotation_codes_new(bool is_intel, struct tally_annotation_codes **ret_codes);
void tally_annotation_codes_free(struct tally_annotation_codes *codes);

/* Cost of one event at an instruction. */
struct tally_annotation_cost {
	uint32_t event;
	struct tally_annotate_cost cost;
};

struct tally_annotation_insn {
	uint64_t addr;                  /* see tally_dso_find() */
	uint64_t linked;                /* linked address, which disassemblers show */
	uint8_t len, kind;              /* enum tally_instruction_kind */
	bool has_target, has_reference; /* see struct tally_instruction */
	uint64_t target;                /* linked address */
	/* Index + 1 of the instruction that a jump targets, or 0 if the target is outside the
	 * function. If the target is not after the jump, the jump forms a loop. */
	uint32_t target_insn;
	uint32_t target_offset;      /* offset of the target from the start of the symbol */
	const char *target_name;     /* target symbol's name, or NULL; borrowed from the symbols */
	uint32_t mnemonic, operands; /* offsets in `texts`; operands exclude the target */
	uint32_t first_cost, nr_costs; /* range in `costs`, by event */
	uint32_t nr_lines;
	const struct tally_line *lines; /* innermost first; valid as long as the symbols are */
};

struct tally_annotation {
	const struct tally_annotate_function *function;
	const char *name;    /* the function's displayed name */
	const char *inlined; /* name of the inlined function that all costs are of, or NULL */
	const char *path;    /* path to the code file, or NULL; valid while `codes` has it open */
	TALLY_VEC(struct tally_annotation_insn) insns;
	TALLY_VEC(struct tally_annotation_cost) costs;
	TALLY_VEC(struct tally_annotation_cost) sums; /* by event, if `inlined` is not NULL */
	TALLY_VEC(uint8_t) bytes;                     /* bytes of all instructions, concatenated */
	struct tally_str texts;
	uint64_t nr_outside; /* samples at addresses outside all instructions */
	uint64_t nr_missing; /* bytes left out because the function is too large or truncated */
};

enum { TALLY_ANNOTATION_CODE_MAX = 4 << 20 };

struct tally_annotation_options {
	bool no_lines;
	uint64_t max_code; /* in bytes; 0 for TALLY_ANNOTATION_CODE_MAX */
};

/* Annotate a function. Returns 0, -ENOMEM, or an error from tally_code_file_open(),
 * tally_code_file_read() or tally_disasm_new(). tally_annotation_explain() describes these
 * errors. */
int tally_annotation_build(struct tally_annotation_codes *codes,
			   const struct tally_annotate *annotate,
			   const struct tally_annotate_function *function,
			   const struct tally_annotation_options *options,
			   struct tally_annotation *ret_annotation);

/* Free an annotation. An all-zero annotation is allowed. */
void tally_annotation_free(struct tally_annotation *annotation);

/* Prepare the source lines for all given functions, reading each file's debug information only
 * once. Returns 0 or -ENOMEM. */
int tally_annotation_prepare_lines(struct tally_annotation_codes *codes,
				   const struct tally_annotate_function *const *functions,
				   size_t nr, const struct tally_annotation_options *options);

/* Append the reason, without a full stop, why a function in the DSO could not be annotated. */
void tally_annotation_explain(const struct tally_dso *dso, int error, struct tally_str *out);

/* Return true if the instruction is part of the inlined function `name`. */
bool tally_annotation_is_part(const struct tally_annotation *annotation,
			      const struct tally_annotation_insn *insn, const char *name);

/* Remove the costs of instructions that are not part of the inlined function `name`, which must
 * outlive the annotation. Returns 0 or -ENOMEM. */
int tally_annotation_keep_inlined(struct tally_annotation *annotation, const char *name);

/* Return the cost of an event in the function. For an inlined function, it is the sum of the
 * instructions' self costs; the totals are those of the function that contains it. */
struct tally_annotate_cost tally_annotation_sum(const struct tally_annotation *annotation,
						const struct tally_annotate *annotate,
						uint32_t event);

static inline const char *tally_annotation_text(const struct tally_annotation *annotation,
						uint32_t text)
{
	return annotation->texts.data + text;
}

/* Return the cost of an event at an instruction. The cost is all zero if the event has no samples
 * there. */
struct tally_annotate_cost tally_annotation_cost(const struct tally_annotation *annotation,
						 const struct tally_annotation_insn *insn,
						 uint32_t event);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare the unwind rules that tally compiles for files with libdw's, at every address where
 * either of them changes. This includes code that was never sampled.
 *
 *	oracle-rules [-v] FILE...
 *
 * Exit status: 0 if all rules are equal, 1 if not, 2 if none of the files has rules. Two cases are
 * counted, but are not differences: code for which only tally has rules, and signal trampolines,
 * for which tally does not use the file's rules.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "symbols/elf/elf_frames.h"
#include "unwind/arch.h"
#include "unwind/unwind_table.h"

enum { MAX_PRINTED = 10, X86_RBX = 3 };

struct totals {
	uint64_t files, places, equal, ours_alone, trampolines, without;
	unsigned verbose;
};

/* A file, its table, and libdw's two parsers for it. */
struct subject {
	const char *path;
	const struct tally_elf *elf;
	const struct tally_unwind_arch *arch;
	struct tally_unwind_table table;
	Dwarf_CFI *eh, *debug;
	uint64_t printed;
};

/* ---- libdw ------------------------------------------------------------------------------ */

static Dwarf_Frame *frame_find(const struct subject *subject, uint64_t vaddr)
{
	Dwarf_Frame *frame;

	if (subject->eh && !dwarf_cfi_addrframe(subject->eh, vaddr, &frame))
		return frame;
	if (subject->debug && !dwarf_cfi_addrframe(subject->debug, vaddr, &frame))
		return frame;
	return NULL;
}

/* Compare only the number of operations and the first operation. */
static bool expression_is(const struct subject *subject, int32_t value, const Dwarf_Op *ops,
			  size_t nr_ops)
{
	const uint8_t *code;
	size_t len;

	if (!tally_unwind_table_expression(&subject->table, value, &code, &len) || !len)
		return false;
	return nr_ops && ops[0].atom == code[0];
}

static bool cfa_is(const struct subject *subject, const struct tally_unwind_rule *rule,
		   const Dwarf_Op *ops, size_t nr)
{
	bool is_register = nr == 1 && ops[0].atom == DW_OP_bregx;

	if (rule->cfa == TALLY_CFA_EXPRESSION)
		return !is_register && expression_is(subject, rule->cfa_value, ops, nr);
	return rule->cfa == TALLY_CFA_REGISTER && is_register && ops[0].number == rule->cfa_reg &&
	       (int64_t)ops[0].number2 == rule->cfa_value;
}

/* Get n from operations that mean "at CFA + n" or "CFA + n". */
static bool is_offset(const Dwarf_Op *ops, size_t nr, bool *ret_is_value, int64_t *ret_offset)
{
	size_t used = 1;

	if (!nr || ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	*ret_offset = 0;
	if (nr > used && ops[used].atom == DW_OP_plus_uconst)
		*ret_offset = (int64_t)ops[used++].number;
	*ret_is_value = nr > used && ops[used].atom == DW_OP_stack_value;
	return used + *ret_is_value == nr;
}

/* ---- comparison ------------------------------------------------------------------------- */

/* Return how tally's rule finds a register. A register that the rule does not contain keeps its
 * value or is lost. */
static struct tally_unwind_reg rule_reg_of(const struct subject *subject,
					   const struct tally_unwind_rule *rule, uint8_t number)
{
	uint8_t how = subject->arch->kept >> number & 1 ? TALLY_REG_SAME : TALLY_REG_UNDEFINED;

	for (unsigned i = 0; i < rule->nr_regs; i++) {
		struct tally_unwind_reg reg = tally_unwind_rule_reg(rule, i);

		if (reg.reg == number)
			return reg;
	}
	if (number == subject->arch->sp)
		return (struct tally_unwind_reg){number, TALLY_REG_VAL_OFFSET, 0};
	/* A link register that was not stored keeps its value. */
	if (number == subject->arch->ra && number != subject->arch->ip)
		how = TALLY_REG_SAME;
	return (struct tally_unwind_reg){number, how, 0};
}

static bool reg_is(const struct subject *subject, const struct tally_unwind_rule *rule,
		   struct tally_unwind_reg reg, Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *ops;
	bool is_value;
	int64_t offset;
	size_t nr;

	if (dwarf_frame_register(frame, reg.reg, memory, &ops, &nr))
		return reg.how == TALLY_REG_UNDEFINED;
	/* elfutils up to 0.188 treats %rax as preserved if it has no rule, and treats %rbx, which
	 * the ABI preserves, as lost, because it uses 0 as the number of %rbx instead of 3. */
	if (!nr && ops && subject->arch->machine == EM_X86_64 && reg.reg == X86_RBX)
		return reg.how == TALLY_REG_SAME || reg.how == TALLY_REG_UNDEFINED;
	if (!nr)
		return reg.how == (ops ? TALLY_REG_UNDEFINED : TALLY_REG_SAME);
	/* After an epilogue has restored a register, its value is in the register itself; see
	 * unwind_program.c. */
	if (reg.how == TALLY_REG_SAME && rule->cfa == TALLY_CFA_REGISTER &&
	    rule->cfa_reg == subject->arch->sp && is_offset(ops, nr, &is_value, &offset))
		return !is_value && offset < -(int64_t)rule->cfa_value;
	if (is_offset(ops, nr, &is_value, &offset))
		return reg.how == (is_value ? TALLY_REG_VAL_OFFSET : TALLY_REG_OFFSET) &&
		       reg.value == offset;
	if (reg.how == TALLY_REG_REGISTER)
		return nr == 1 && ops[0].atom == DW_OP_regx && ops[0].number == reg.value;
	return (reg.how == TALLY_REG_EXPRESSION || reg.how == TALLY_REG_VAL_EXPRESSION) &&
	       expression_is(subject, reg.value, ops + (ops[0].atom == DW_OP_call_frame_cfa),
			     nr - (ops[0].atom == DW_OP_call_frame_cfa));
}

/* Return NULL if the rule equals libdw's, or else the part that differs. */
static const char *difference(const struct subject *subject, const struct tally_unwind_rule *rule,
			      Dwarf_Frame *frame)
{
	static char text[64];
	Dwarf_Op memory[3], *ops;
	bool is_signal;
	size_t nr;
	int ra = dwarf_frame_info(frame, NULL, NULL, &is_signal);

	if (rule->cfa == TALLY_CFA_NONE) {
		bool failed = dwarf_frame_register(frame, ra, memory, &ops, &nr);

		return failed || (!nr && ops) ? NULL : "outermost for us alone";
	}
	if (is_signal != rule->is_signal)
		return "of a signal for one of the two";
	if (dwarf_frame_cfa(frame, &ops, &nr) || !cfa_is(subject, rule, ops, nr))
		return "CFA";
	for (uint8_t i = 0; i < subject->arch->nr; i++) {
		/* Caller-saved registers are not needed. */
		if (!(subject->arch->kept >> i & 1) && i != subject->arch->ra)
			continue;
		if (!reg_is(subject, rule, rule_reg_of(subject, rule, i), frame)) {
			snprintf(text, sizeof(text), "register %u", i);
			return text;
		}
	}
	return NULL;
}

static void difference_print(struct subject *subject, const struct totals *totals, uint64_t vaddr,
			     const char *what)
{
	if (totals->verbose && subject->printed++ < MAX_PRINTED)
		printf("%s: %#" PRIx64 ": %s\n", subject->path, vaddr, what);
}

/* Compare the rules at one address. *ret_end is the end of libdw's frame. */
static void address_compare(struct subject *subject, struct totals *totals, uint64_t vaddr,
			    const struct tally_unwind_rule *rule, uint64_t *ret_end)
{
	Dwarf_Frame *frame = frame_find(subject, vaddr);
	const char *what = NULL;
	uint64_t start, end;

	*ret_end = UINT64_MAX;
	if (frame && dwarf_frame_info(frame, &start, &end, NULL) >= 0 && end > vaddr)
		*ret_end = end;
	if (!frame && !rule)
		return;
	if (!frame) {
		totals->ours_alone++;
		return;
	}
	if (rule && rule->cfa == TALLY_CFA_CONTEXT) {
		totals->trampolines++;
		free(frame);
		return;
	}
	totals->places++;
	what = rule ? difference(subject, rule, frame) : "no rule of ours";
	if (what)
		difference_print(subject, totals, vaddr, what);
	totals->equal += !what;
	free(frame);
}

/* Compare the code from `start` to `end`, for which tally has one rule or none. */
static void range_compare(struct subject *subject, struct totals *totals,
			  const struct tally_unwind_segment *segment, uint64_t start, uint64_t end)
{
	struct tally_unwind_rule rule;
	bool has = tally_unwind_table_find(&subject->table, start, &rule);
	uint64_t vaddr = segment->vaddr + (start - segment->offset);
	uint64_t last = segment->vaddr + (end - segment->offset), next;

	for (; vaddr < last; vaddr = next)
		address_compare(subject, totals, vaddr, has ? &rule : NULL, &next);
}

static void segment_compare(struct subject *subject, struct totals *totals,
			    const struct tally_unwind_segment *segment)
{
	uint64_t at = segment->offset, end = segment->offset + segment->size, next;

	for (uint32_t i = 0; at < end; at = next) {
		while (i < subject->table.head.nr_rows && subject->table.starts[i] <= at)
			i++;
		next = i < subject->table.head.nr_rows ? subject->table.starts[i] : end;
		next = TALLY_MIN(next, end);
		range_compare(subject, totals, segment, at, next);
	}
}

/* ---- files -------------------------------------------------------------------------------- */

static void subject_compare(struct subject *subject, struct totals *totals)
{
	struct tally_elf_frames frames = {0};
	uint64_t places = totals->places, equal = totals->equal;
	void *block = NULL;
	size_t len;

	if (!tally_elf_frames_gather(subject->elf, NULL, &frames) &&
	    !tally_unwind_compile(&frames.source, &block, &len) &&
	    !tally_unwind_table_open(block, len, &subject->table)) {
		totals->files++;
		for (size_t i = 0; i < frames.source.nr_segments; i++)
			segment_compare(subject, totals, &frames.source.segments[i]);
	} else {
		totals->without++;
	}
	if (totals->places - places != totals->equal - equal)
		printf("%s: %" PRIu64 " of %" PRIu64 " places differ\n", subject->path,
		       totals->places - places - (totals->equal - equal), totals->places - places);
	free(block);
	tally_elf_frames_free(&frames);
}

static void file_compare(struct totals *totals, const char *path)
{
	struct subject subject = {.path = path};
	struct tally_file_map map;
	struct tally_elf elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *theirs = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	Dwarf *dwarf = theirs ? dwarf_begin_elf(theirs, DWARF_C_READ, NULL) : NULL;

	if (theirs && !tally_file_map(path, &map)) {
		subject.elf = &elf;
		subject.eh = dwarf_getcfi_elf(theirs);
		subject.debug = dwarf ? dwarf_getcfi(dwarf) : NULL;
		if (!tally_elf_open(map.data, map.len, &elf, NULL)) {
			subject.arch = tally_unwind_arch(elf.machine);
			if (subject.arch && (elf.type == ET_EXEC || elf.type == ET_DYN))
				subject_compare(&subject, totals);
		}
		tally_file_unmap(&map);
	}
	if (subject.eh)
		dwarf_cfi_end(subject.eh);
	dwarf_end(dwarf);
	elf_end(theirs);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct totals totals = {0};
	int c;

	elf_version(EV_CURRENT);
	while ((c = getopt(argc, argv, "v")) != -1) {
		if (c != 'v')
			return 2;
		totals.verbose++;
	}
	for (int i = optind; i < argc; i++)
		file_compare(&totals, argv[i]);
	printf("files: %" PRIu64 "\nwithout rules: %" PRIu64 "\nplaces: %" PRIu64
	       "\nequal: %" PRIu64 "\nours alone: %" PRIu64 "\ntrampolines: %" PRIu64 "\n",
	       totals.files, totals.without, totals.places, totals.equal, totals.ours_alone,
	       totals.trampolines);
	if (!totals.files)
		return 2;
	return totals.equal != totals.places;
}

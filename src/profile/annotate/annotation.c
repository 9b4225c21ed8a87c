/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/annotate/annotation_codes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

enum { MAX_TEXTS = 1 << 30 };

static int add_text(struct tally_annotation *annotation, const char *text, size_t len,
		    uint32_t *ret_text)
{
	if (annotation->texts.len + len >= MAX_TEXTS)
		return -E2BIG;
	*ret_text = (uint32_t)annotation->texts.len;
	tally_str_add_bytes(&annotation->texts, text, len);
	tally_str_add_char(&annotation->texts, '\0');
	return tally_str_error(&annotation->texts);
}

/* ---- instructions ------------------------------------------------------------------- */

static int insn_add(struct tally_annotation *annotation, const struct tally_instruction *from,
		    uint64_t addr)
{
	struct tally_annotation_insn insn = {
		.addr = addr,
		.linked = from->address,
		.len = from->len,
		.kind = from->kind,
		.has_target = from->has_target,
		.has_reference = from->has_reference,
		.target = from->target,
	};
	size_t len = from->has_target ? from->target_at : strlen(from->operands);
	int ret = add_text(annotation, from->mnemonic, strlen(from->mnemonic), &insn.mnemonic);

	if (!ret)
		ret = add_text(annotation, from->operands, len, &insn.operands);
	return ret ? ret : tally_vec_push(&annotation->insns, insn);
}

static int bytes_copy(struct tally_annotation *annotation, const struct tally_code *code)
{
	int ret = tally_vec_reserve(&annotation->bytes, code->len);

	if (ret)
		return ret;
	memcpy(annotation->bytes.data, code->bytes, code->len);
	annotation->bytes.len = code->len;
	return 0;
}

static int decode(struct tally_annotation *annotation, struct tally_disasm *disasm,
		  const struct tally_code *code)
{
	uint64_t addr = annotation->function->symbol->start;
	struct tally_disasm_code left = {annotation->bytes.data, code->len, code->linked};
	struct tally_instruction insn;
	int ret = 0;

	while (!ret && tally_disasm_next(disasm, &left, &insn)) {
		ret = insn_add(annotation, &insn, addr);
		addr += insn.len;
	}
	return ret;
}

/* Return the index + 1 of the instruction at a linked address, or 0 if no instruction begins
 * there. */
static uint32_t find_insn(const struct tally_annotation *annotation, uint64_t linked)
{
	size_t low = 0, high = annotation->insns.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (annotation->insns.data[mid].linked < linked)
			low = mid + 1;
		else
			high = mid;
	}
	return low < annotation->insns.len && annotation->insns.data[low].linked == linked
		       ? (uint32_t)low + 1
		       : 0;
}

/* ---- costs -------------------------------------------------------------------------- */

/* Add a place's cost to an instruction, which must be the last instruction with costs. */
static int insn_add_cost(struct tally_annotation *annotation, struct tally_annotation_insn *insn,
			 const struct tally_annotate_place *place)
{
	struct tally_annotation_cost *known;

	for (uint32_t i = 0; i < insn->nr_costs; i++) {
		known = &annotation->costs.data[insn->first_cost + i];
		if (known->event != place->event)
			continue;
		known->cost.nr += place->cost.nr;
		known->cost.weight += place->cost.weight;
		known->cost.total_nr += place->cost.total_nr;
		known->cost.total_weight += place->cost.total_weight;
		return 0;
	}
	if (!insn->nr_costs++)
		insn->first_cost = (uint32_t)annotation->costs.len;
	return tally_vec_push(&annotation->costs,
			      (struct tally_annotation_cost){place->event, place->cost});
}

/* Assign places to instructions. Both are sorted by address. */
static int add_costs(struct tally_annotation *annotation, const struct tally_annotate *annotate)
{
	const struct tally_annotate_function *function = annotation->function;
	const struct tally_annotate_place *places = tally_annotate_places(annotate, function);
	size_t at = 0;
	int ret = 0;

	for (uint32_t i = 0; i < function->nr && !ret; i++) {
		struct tally_annotation_insn *insns = annotation->insns.data;

		while (at < annotation->insns.len &&
		       places[i].addr - insns[at].addr >= insns[at].len &&
		       places[i].addr > insns[at].addr)
			at++;
		if (at < annotation->insns.len && places[i].addr >= insns[at].addr)
			ret = insn_add_cost(annotation, &insns[at], &places[i]);
		else
			annotation->nr_outside += places[i].cost.nr;
	}
	return ret;
}

/* Return the instruction that begins at an address in the DSO, or NULL. */
static struct tally_annotation_insn *insn_at(struct tally_annotation *annotation, uint64_t addr)
{
	const struct tally_annotation_insn *first = annotation->insns.data;
	uint32_t number;

	if (!annotation->insns.len || addr < first->addr)
		return NULL;
	number = find_insn(annotation, addr - first->addr + first->linked);
	return number ? &annotation->insns.data[number - 1] : NULL;
}

/* Correct the totals of call instructions. A sample counts only once in a total, even if the
 * sampled instruction is also on the sample's stack. */
static void remove_overlaps(struct tally_annotation *annotation,
			    const struct tally_annotate *annotate)
{
	const struct tally_annotate_function *function = annotation->function;
	const struct tally_annotate_place *overlap = tally_annotate_overlaps(annotate, function);
	const uint64_t mask = (1 << TALLY_ANNOTATE_OVERLAP_BITS) - 1;

	for (uint32_t i = 0; i < function->nr_overlaps; i++, overlap++) {
		uint64_t distance = overlap->addr & mask;
		uint64_t caller =
			function->symbol->start + (overlap->addr >> TALLY_ANNOTATE_OVERLAP_BITS);
		struct tally_annotation_insn *insn = insn_at(annotation, caller - distance);

		for (uint32_t c = 0; insn && distance < insn->len && c < insn->nr_costs; c++) {
			struct tally_annotation_cost *known =
				&annotation->costs.data[insn->first_cost + c];

			if (known->event != overlap->event)
				continue;
			/* Clamp to 0, because places that were dropped are not in the totals. */
			known->cost.total_nr -=
				TALLY_MIN(known->cost.total_nr, overlap->cost.total_nr);
			known->cost.total_weight -=
				TALLY_MIN(known->cost.total_weight, overlap->cost.total_weight);
		}
	}
}

struct tally_annotate_cost tally_annotation_cost(const struct tally_annotation *annotation,
						 const struct tally_annotation_insn *insn,
						 uint32_t event)
{
	for (uint32_t i = 0; i < insn->nr_costs; i++) {
		if (annotation->costs.data[insn->first_cost + i].event == event)
			return annotation->costs.data[insn->first_cost + i].cost;
	}
	return (struct tally_annotate_cost){0};
}

/* ---- targets -------------------------------------------------------------------------- */

static void find_target_name(const struct tally_annotation *annotation,
			     const struct tally_code_file *file, struct tally_annotation_insn *insn)
{
	struct tally_dso *dso = annotation->function->dso;
	const struct tally_symbol *symbol;
	uint64_t addr;

	if (!tally_code_file_address(file, insn->target, &addr))
		return;
	symbol = tally_dso_find(dso, addr);
	if (!symbol || addr - symbol->start > UINT32_MAX)
		return;
	insn->target_name = tally_symbol_name(dso, symbol);
	insn->target_offset = (uint32_t)(addr - symbol->start);
}

static void find_targets(struct tally_annotation *annotation, const struct tally_code_file *file,
			 bool is_relocatable)
{
	tally_vec_for_each (insn, &annotation->insns) {
		bool is_jump = insn->kind == TALLY_INSTRUCTION_JUMP ||
			       insn->kind == TALLY_INSTRUCTION_JUMP_IF;

		if (insn->has_target && is_jump)
			insn->target_insn = find_insn(annotation, insn->target);
		if (is_relocatable && !insn->target_insn)
			insn->has_reference = false; /* the linker fills in the reference */
		else if (insn->has_target || insn->has_reference)
			find_target_name(annotation, file, insn);
	}
}

/* ---- lines -------------------------------------------------------------------------- */

static int prepare_lines(struct tally_annotation *annotation)
{
	struct tally_dso *dso = annotation->function->dso;
	TALLY_VEC(uint64_t) addrs = {0};
	int ret = tally_vec_reserve(&addrs, annotation->insns.len);

	tally_vec_for_each (insn, &annotation->insns) {
		if (!ret)
			addrs.data[addrs.len++] = insn->addr;
	}
	if (!ret && addrs.len)
		tally_dso_lines_prepare(dso, addrs.data, addrs.len);
	tally_vec_free(&addrs);
	return ret;
}

static int add_lines(struct tally_annotation *annotation)
{
	struct tally_dso *dso = annotation->function->dso;
	int ret;

	if (!tally_dso_has_lines(dso))
		return 0;
	ret = prepare_lines(annotation);
	if (ret)
		return ret;
	tally_vec_for_each (insn, &annotation->insns)
		insn->nr_lines = (uint32_t)tally_dso_lines(dso, insn->addr, &insn->lines, NULL);
	return 0;
}

/* ---- whole functions ---------------------------------------------------------------- */

int tally_annotation_build(struct tally_annotation_codes *codes,
			   const struct tally_annotate *annotate,
			   const struct tally_annotate_function *function,
			   const struct tally_annotation_options *options,
			   struct tally_annotation *ret_annotation)
{
	struct tally_annotation annotation = {.function = function};
	const struct tally_code_file *file;
	struct tally_disasm *disasm;
	struct tally_code code;
	int ret = annotation_codes_read(codes, function, options->max_code, &file, &code);

	if (!ret)
		ret = annotation_codes_disasm(codes, &code, &disasm);
	if (ret)
		return ret;
	annotation.name = tally_symbol_name(function->dso, function->symbol);
	annotation.path = tally_code_file_path(file);
	annotation.nr_missing = tally_symbol_size(function->dso, function->symbol) - code.len;
	ret = bytes_copy(&annotation, &code);
	if (!ret)
		ret = decode(&annotation, disasm, &code);
	if (!ret)
		ret = add_costs(&annotation, annotate);
	if (!ret) {
		remove_overlaps(&annotation, annotate);
		find_targets(&annotation, file, code.is_relocatable);
		ret = options->no_lines ? 0 : add_lines(&annotation);
	}
	if (ret)
		tally_annotation_free(&annotation);
	else
		*ret_annotation = annotation;
	return ret;
}

void tally_annotation_free(struct tally_annotation *annotation)
{
	tally_vec_free(&annotation->insns);
	tally_vec_free(&annotation->costs);
	tally_vec_free(&annotation->sums);
	tally_vec_free(&annotation->bytes);
	tally_str_free(&annotation->texts);
	*annotation = (struct tally_annotation){0};
}

/* ---- inlined functions ----------------------------------------------------------------- */

bool tally_annotation_is_part(const struct tally_annotation *annotation,
			      const struct tally_annotation_insn *insn, const char *name)
{
	struct tally_dso *dso = annotation->function->dso;
	const struct tally_symbol *symbol;

	for (size_t i = 0; i + 1 < insn->nr_lines; i++) {
		if (!tally_line_symbol(dso, &insn->lines[i], &symbol) && symbol &&
		    !strcmp(tally_symbol_name(dso, symbol), name))
			return true;
	}
	return false;
}

static int sum_add(struct tally_annotation *annotation, const struct tally_annotation_cost *cost)
{
	tally_vec_for_each (sum, &annotation->sums) {
		if (sum->event != cost->event)
			continue;
		sum->cost.nr += cost->cost.nr;
		sum->cost.weight += cost->cost.weight;
		return 0;
	}
	return tally_vec_push(&annotation->sums, *cost);
}

int tally_annotation_keep_inlined(struct tally_annotation *annotation, const char *name)
{
	int ret = 0;

	annotation->inlined = name;
	annotation->nr_outside = 0;
	tally_vec_for_each (insn, &annotation->insns) {
		if (insn->nr_costs && !tally_annotation_is_part(annotation, insn, name))
			insn->nr_costs = 0;
		for (uint32_t i = 0; i < insn->nr_costs && !ret; i++)
			ret = sum_add(annotation, &annotation->costs.data[insn->first_cost + i]);
	}
	return ret;
}

struct tally_annotate_cost tally_annotation_sum(const struct tally_annotation *annotation,
						const struct tally_annotate *annotate,
						uint32_t event)
{
	struct tally_annotate_cost sum = tally_annotate_sum(annotate, annotation->function, event);

	if (!annotation->inlined)
		return sum;
	sum.nr = sum.weight = 0;
	for (size_t i = 0; i < annotation->sums.len; i++) {
		if (annotation->sums.data[i].event != event)
			continue;
		sum.nr = annotation->sums.data[i].cost.nr;
		sum.weight = annotation->sums.data[i].cost.weight;
	}
	return sum;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/annotate/data_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "base/arith.h"
#include "profile/annotate/annotation_codes.h"
#include "profile/annotate/data_steps.h"
#include "symbols/code_file.h"
#include "symbols/lines/symbols_types.h"
#include "symbols/load_rules.h"
#include "unwind/unwind_table.h"

/* Maximum length of an instruction in bytes. */
enum { INSTRUCTION_MAX = 16 };

/* Maximum number of instructions that a base register is followed to; of bytes in a function where
 * registers are followed; and of decoded instructions that are kept. */
enum { FOLLOWED_MAX = 8, FUNCTION_MAX = 256 << 10, STEPS_MAX = 1 << 19 };

/* Least absolute address in an operand with a register. */
#define LEAST_ADDRESS INT64_C(0x400000)

/* A decoded function. */
struct known_steps {
	const struct tally_dso *dso;
	uint64_t start;
	struct data_steps steps;
};

struct tally_data_types {
	struct tally_annotation_codes *codes;
	TALLY_VEC(struct tally_map) by_dso; /* address -> index in `all` */
	TALLY_VEC(struct tally_data_type) all;
	TALLY_VEC(struct known_steps) functions;
	struct tally_map by_symbol; /* symbol's address -> index in `functions` */
	size_t nr_steps;            /* instructions in all functions */
};

int tally_data_types_new(struct tally_data_types **ret_types)
{
	struct tally_data_types *types = calloc(1, sizeof(*types));

	if (!types || tally_annotation_codes_new(true, &types->codes)) {
		free(types);
		return -ENOMEM;
	}
	annotation_codes_want_memory(types->codes);
	*ret_types = types;
	return 0;
}

static void functions_free(struct tally_data_types *types)
{
	tally_vec_for_each (function, &types->functions)
		tally_vec_free(&function->steps.all);
	tally_vec_free(&types->functions);
	tally_map_free(&types->by_symbol);
	types->nr_steps = 0;
}

void tally_data_types_free(struct tally_data_types *types)
{
	if (!types)
		return;
	tally_annotation_codes_free(types->codes);
	tally_vec_for_each (map, &types->by_dso)
		tally_map_free(map);
	tally_vec_free(&types->by_dso);
	functions_free(types);
	tally_vec_free(&types->all);
	free(types);
}

/* ---- questions ---------------------------------------------------------------------- */

static enum tally_data_result result_of(uint32_t result)
{
	switch ((enum tally_variable_result)result) {
	case TALLY_VARIABLE_FOUND: return TALLY_DATA_FOUND;
	case TALLY_VARIABLE_NO_UNIT: return TALLY_DATA_NO_INFO;
	case TALLY_VARIABLE_NO_TYPE: return TALLY_DATA_NO_TYPE;
	case TALLY_VARIABLE_OUTSIDE: return TALLY_DATA_OUTSIDE;
	case TALLY_VARIABLE_GIVEN_UP: return TALLY_DATA_DAMAGED;
	default: return TALLY_DATA_NO_VARIABLE;
	}
}

/* Set the canonical frame address of a question, if the unwind rules have it. */
static void add_frame(struct tally_data_types *types, struct tally_dso *dso,
		      struct tally_variable_question *question)
{
	const struct tally_code_file *file;
	const struct tally_unwind_table *rules;
	struct tally_unwind_rule rule;
	uint64_t addr;

	question->frame = 0;
	if (annotation_codes_open(types->codes, dso, &file) ||
	    !tally_code_file_address(file, question->pc, &addr))
		return;
	rules = tally_dso_rules(dso);
	if (!rules || !tally_unwind_table_find(rules, addr, &rule) ||
	    rule.cfa != TALLY_CFA_REGISTER)
		return;
	question->frame = rule.cfa_reg + 1u;
	question->frame_offset = rule.cfa_value;
}

static int ask(struct tally_data_types *types, struct tally_dso *dso,
	       const struct tally_variable_question *question, struct tally_data_type *ret_type)
{
	struct tally_variable_question with_frame = *question;
	struct tally_variable variable;
	int ret;

	add_frame(types, dso, &with_frame);
	ret = tally_dso_variable(dso, &with_frame, &variable);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		ret_type->result = ret == -ENODATA ? TALLY_DATA_NO_INFO : TALLY_DATA_DAMAGED;
	else
		*ret_type = (struct tally_data_type){result_of(variable.result), variable.type,
						     variable.offset};
	return 0;
}

/* ---- following registers ------------------------------------------------------------- */

static int steps_decode(struct tally_data_types *types, struct tally_dso *dso,
			const struct tally_symbol *symbol, struct data_steps *ret_steps)
{
	uint64_t size = TALLY_MIN(tally_symbol_size(dso, symbol), (uint64_t)FUNCTION_MAX);
	const struct tally_code_file *file;
	struct tally_disasm *disasm;
	struct tally_code code;
	int ret = annotation_codes_open(types->codes, dso, &file);

	if (!ret)
		ret = tally_code_file_read(file, symbol->start, symbol->start + size, &code);
	if (!ret)
		ret = annotation_codes_disasm(types->codes, &code, &disasm);
	*ret_steps = (struct data_steps){0};
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	return data_steps_decode(
		disasm, (struct tally_disasm_code){code.bytes, code.len, code.linked}, ret_steps);
}

/* Get the instructions of a function. They are borrowed until the next call. */
static int steps_of(struct tally_data_types *types, struct tally_dso *dso,
		    const struct tally_symbol *symbol, const struct data_steps **ret_steps)
{
	uint64_t known = tally_map_get(&types->by_symbol, (uintptr_t)symbol);
	struct known_steps function = {.dso = dso, .start = symbol->start},
			   *all = types->functions.data;
	int ret;

	/* The memory of a symbol may be used again for another one. */
	if (known != TALLY_MAP_NONE && all[known].dso == dso && all[known].start == symbol->start) {
		*ret_steps = &all[known].steps;
		return 0;
	}
	if (types->nr_steps > STEPS_MAX)
		functions_free(types);
	ret = steps_decode(types, dso, symbol, &function.steps);
	types->nr_steps += function.steps.all.len;
	if (!ret)
		ret = tally_vec_push(&types->functions, function);
	if (ret) {
		tally_vec_free(&function.steps.all);
		return ret;
	}
	*ret_steps = &types->functions.data[types->functions.len - 1].steps;
	return tally_map_set(&types->by_symbol, (uintptr_t)symbol, types->functions.len - 1);
}

/* Look for a variable that the base register was set from. `*ret_type` is changed only if its type
 * is found. */
static int follow(struct tally_data_types *types, struct tally_dso *dso,
		  const struct tally_symbol *symbol, struct tally_variable_question question,
		  struct tally_data_type *ret_type)
{
	const struct data_steps *steps;
	struct tally_data_type found;
	int ret = steps_of(types, dso, symbol, &steps);

	for (int i = 0; i < FOLLOWED_MAX && !ret; i++) {
		if (!data_steps_follow(steps, &question))
			break;
		ret = ask(types, dso, &question, &found);
		if (!ret && found.result == TALLY_DATA_FOUND) {
			*ret_type = found;
			break;
		}
	}
	return ret;
}

/* ---- finding --------------------------------------------------------------------------- */

/* Return the result for an instruction that does not access a variable. */
static enum tally_data_result result_without(const struct tally_instruction *insn)
{
	if (insn->kind == TALLY_INSTRUCTION_UNKNOWN)
		return TALLY_DATA_NO_CODE;
	switch (insn->memory.kind) {
	case TALLY_OPERAND_STACK: return TALLY_DATA_STACK;
	case TALLY_OPERAND_SEGMENT: return TALLY_DATA_SEGMENT;
	default: return TALLY_DATA_NO_MEMORY;
	}
}

/* Decode the instruction. Returns 0, or an error if there is no code. */
static int decode(struct tally_data_types *types, struct tally_dso *dso, uint64_t addr,
		  struct tally_instruction *ret_insn)
{
	const struct tally_code_file *file;
	struct tally_disasm_code left;
	struct tally_disasm *disasm;
	struct tally_code code;
	int ret = annotation_codes_open(types->codes, dso, &file);

	if (!ret)
		ret = tally_code_file_read(file, addr, addr + INSTRUCTION_MAX, &code);
	if (!ret)
		ret = annotation_codes_disasm(types->codes, &code, &disasm);
	if (ret)
		return ret;
	left = (struct tally_disasm_code){code.bytes, code.len, code.linked};
	return tally_disasm_next(disasm, &left, ret_insn) ? 0 : -ENODATA;
}

/* In a program that is linked to a fixed address, the displacement may be the address of an array,
 * and the register the offset in the array. Such an address is larger than any structure. */
static int ask_absolute(struct tally_data_types *types, struct tally_dso *dso,
			struct tally_variable_question question, struct tally_data_type *ret_type)
{
	struct tally_data_type found;
	int ret;

	if (question.base < 0 ||
	    (question.offsets[0] < LEAST_ADDRESS && question.offsets[0] > -LEAST_ADDRESS))
		return 0;
	question.base = TALLY_VARIABLE_ADDRESS;
	ret = ask(types, dso, &question, &found);
	if (!ret && found.result == TALLY_DATA_FOUND)
		*ret_type = found;
	return ret;
}

/* Return true if the memory is not in the variable that the base register holds. */
static bool may_follow(enum tally_data_result result)
{
	return result == TALLY_DATA_NO_VARIABLE || result == TALLY_DATA_NO_TYPE ||
	       result == TALLY_DATA_OUTSIDE;
}

static int find(struct tally_data_types *types, struct tally_dso *dso,
		const struct tally_symbol *symbol, uint64_t addr, struct tally_data_type *ret_type)
{
	struct tally_variable_question question = {.nr = 1};
	struct tally_instruction insn;
	int ret = decode(types, dso, addr, &insn);

	if (ret) {
		ret_type->result = TALLY_DATA_NO_CODE;
		return ret == -ENOMEM ? ret : 0;
	}
	if (insn.memory.kind != TALLY_OPERAND_MEMORY) {
		ret_type->result = result_without(&insn);
		return 0;
	}
	question.pc = insn.address;
	question.base = insn.memory.base;
	question.offsets[0] = insn.memory.offset;
	ret = ask(types, dso, &question, ret_type);
	if (!ret && may_follow(ret_type->result))
		ret = ask_absolute(types, dso, question, ret_type);
	if (!ret && symbol && may_follow(ret_type->result))
		ret = follow(types, dso, symbol, question, ret_type);
	return ret;
}

/* Return the map of a DSO's addresses, or NULL if memory runs out. */
static struct tally_map *addresses_of(struct tally_data_types *types, struct tally_dso *dso)
{
	uint32_t number = tally_dso_number(dso);

	while (types->by_dso.len <= number) {
		if (tally_vec_push(&types->by_dso, (struct tally_map){0}))
			return NULL;
	}
	return &types->by_dso.data[number];
}

int tally_data_types_find(struct tally_data_types *types, struct tally_dso *dso,
			  const struct tally_symbol *symbol, uint64_t addr,
			  struct tally_data_type *ret_type)
{
	struct tally_map *map;
	uint64_t known;
	int ret;

	*ret_type = (struct tally_data_type){.result = TALLY_DATA_NO_FILE};
	if (!dso)
		return 0;
	map = addresses_of(types, dso);
	if (!map)
		return -ENOMEM;
	known = tally_map_get(map, addr);
	if (known != TALLY_MAP_NONE) {
		*ret_type = types->all.data[known];
		return 0;
	}
	ret = find(types, dso, symbol, addr, ret_type);
	if (!ret)
		ret = tally_map_set(map, addr, types->all.len);
	return ret ? ret : tally_vec_push(&types->all, *ret_type);
}

const char *tally_data_result_text(enum tally_data_result result)
{
	static const char *const texts[TALLY_DATA_RESULTS] = {
		[TALLY_DATA_FOUND] = "resolved",
		[TALLY_DATA_STACK] = "stack operation (push, pop, call, return)",
		[TALLY_DATA_NO_FILE] = "not in a known function of a file",
		[TALLY_DATA_NO_CODE] = "code not available",
		[TALLY_DATA_NO_MEMORY] = "instruction does not access memory",
		[TALLY_DATA_SEGMENT] = "thread-local or per-CPU data",
		[TALLY_DATA_NO_INFO] = "no debug information",
		[TALLY_DATA_DAMAGED] = "debug information damaged or too complex",
		[TALLY_DATA_NO_VARIABLE] = "no variable at this location",
		[TALLY_DATA_NO_TYPE] = "variable is not a pointer to a known type",
		[TALLY_DATA_OUTSIDE] = "access is outside the type",
	};

	return texts[result];
}

/* ---- members ------------------------------------------------------------------------- */

/* Return true if a member contains the offset. A flexible array has no end. */
static bool contains(const struct tally_type_member *member, uint64_t offset)
{
	return offset >= member->offset &&
	       (offset - member->offset < member->size || (!member->size && member->element));
}

void tally_type_visit_members(const struct tally_type *type, uint64_t offset,
			      tally_member_fn *visit, void *arg)
{
	/* The offset in the members of each depth, and whether their parent contains it. */
	uint64_t offsets[TALLY_TYPE_DEPTH_MAX + 1] = {offset};
	bool is_inside[TALLY_TYPE_DEPTH_MAX + 1] = {true};

	for (uint32_t i = 0; i < type->nr; i++) {
		const struct tally_type_member *member = &type->members[i];
		uint32_t depth = member->depth;
		uint64_t at = offsets[depth];

		is_inside[depth + 1] = is_inside[depth] && contains(member, at);
		if (!is_inside[depth + 1])
			continue;
		if (member->element)
			at = member->offset + (at - member->offset) % member->element;
		visit(arg, i, at - member->offset);
		offsets[depth + 1] = at;
	}
}

/* The members on a path, outermost first. */
struct path {
	uint32_t members[TALLY_TYPE_DEPTH_MAX];
	uint32_t nr;
};

struct path_search {
	const struct tally_type *type;
	struct path at, best;
	uint64_t best_rest;
};

/* Use a member of the best path's last member, or a member that starts at the offset if that one
 * does not, as in a union of a number and its parts. */
static void path_visit(void *arg, uint32_t number, uint64_t rest)
{
	struct path_search *search = arg;
	uint32_t depth = search->type->members[number].depth;
	const struct path *best = &search->best;

	search->at.members[depth] = number;
	search->at.nr = depth + 1;
	if (best->nr &&
	    (best->nr != depth ||
	     memcmp(best->members, search->at.members, depth * sizeof(number))) &&
	    (rest || !search->best_rest))
		return;
	search->best = search->at;
	search->best_rest = rest;
}

void tally_type_add_path(const struct tally_type *type, uint64_t offset, struct tally_str *out)
{
	struct path_search search = {.type = type};
	size_t start = out->len;

	tally_type_visit_members(type, offset, path_visit, &search);
	for (uint32_t i = 0; i < search.best.nr; i++) {
		const struct tally_type_member *member = &type->members[search.best.members[i]];

		if (!member->name)
			continue;
		if (out->len > start)
			tally_str_add_char(out, '.');
		tally_str_add(out, member->name);
		if (member->element)
			tally_str_add(out, "[]");
	}
}

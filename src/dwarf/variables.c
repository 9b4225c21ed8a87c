/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find the variable at a location in memory. A variable is there if its location at the pc is the
 * memory itself, or if it is a pointer to this memory and in the register that the instruction
 * uses.
 */
#include <errno.h>
#include <stdlib.h>

#include "dwarf/dwarf_types.h"
#include "dwarf/variables.h"

/* Limits on the nesting of blocks, and on the entries of a function that are visited. */
enum { BLOCKS_MAX = 128, VISITS_MAX = 1 << 20 };

/* The memory at the value of a register plus an offset. A negative register has the value 0. */
struct memory {
	int32_t base;
	int64_t offset;
};

struct search {
	struct tally_dwarf *dwarf;
	uint64_t pc;
	struct memory wanted;
	struct memory cfa;   /* the canonical frame address */
	struct memory frame; /* the function's frame base */
	bool has_cfa, has_frame;
	uint32_t visits;
	/* The best variable so far. */
	enum tally_variable_result result;
	uint32_t depth;
	Dwarf_Die type;
	int64_t offset;
};

/* ---- locations --------------------------------------------------------------------- */

/* Return the operations of a location at the pc, or NULL if it has none. */
static Dwarf_Op *location_at(Dwarf_Die *die, unsigned name, uint64_t pc, size_t *ret_nr)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;

	if (!dwarf_attr(die, name, &attribute) ||
	    dwarf_getlocation_addr(&attribute, pc, &ops, ret_nr, 1) != 1 || !*ret_nr)
		return NULL;
	return ops;
}

/* Get the number of the register that an operation of the form DW_OP_regN or DW_OP_regx names. */
static bool names_register(const Dwarf_Op *op, int32_t *ret_register)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*ret_register = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx && op->number <= INT32_MAX)
		*ret_register = (int32_t)op->number;
	else
		return false;
	return true;
}

/* Get the memory that an operation of the form DW_OP_bregN or DW_OP_bregx refers to. */
static bool adds_to_register(const Dwarf_Op *op, struct memory *ret_memory)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		*ret_memory = (struct memory){op->atom - DW_OP_breg0, (int64_t)op->number};
	else if (op->atom == DW_OP_bregx && op->number <= INT32_MAX)
		*ret_memory = (struct memory){(int32_t)op->number, (int64_t)op->number2};
	else
		return false;
	return true;
}

/* Get the address in an operation of the form DW_OP_addr or DW_OP_addrx. */
static bool gives_address(Dwarf_Die *die, const Dwarf_Op *op, struct memory *ret_memory)
{
	Dwarf_Attribute location, address;
	Dwarf_Addr addr;

	if (op->atom == DW_OP_addr)
		addr = op->number;
	else if ((op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index) ||
		 !dwarf_attr(die, DW_AT_location, &location) ||
		 dwarf_getlocation_attr(&location, op, &address) || dwarf_formaddr(&address, &addr))
		return false;
	*ret_memory = (struct memory){TALLY_VARIABLE_ADDRESS, (int64_t)addr};
	return true;
}

/* Find the frame base of a function at the pc. */
static void find_frame(struct search *search, Dwarf_Die *function)
{
	size_t nr;
	const Dwarf_Op *ops = location_at(function, DW_AT_frame_base, search->pc, &nr);
	int32_t number;

	if (!ops || nr != 1)
		return;
	if (ops->atom == DW_OP_call_frame_cfa) {
		search->frame = search->cfa;
		search->has_frame = search->has_cfa;
	} else if (names_register(ops, &number)) {
		search->frame = (struct memory){number, 0};
		search->has_frame = true;
	} else {
		search->has_frame = adds_to_register(ops, &search->frame);
	}
}

/* ---- matching ---------------------------------------------------------------------- */

static bool is_inside(const Dwarf_Die *type, int64_t offset)
{
	uint64_t size;

	return dwarf_type_size(type, &size) && offset >= 0 && (uint64_t)offset < size;
}

/* Remember a variable if it is in an inner block, or if the offset is outside the others. */
static void matched(struct search *search, uint32_t depth, enum tally_variable_result result,
		    const Dwarf_Die *type, int64_t offset)
{
	bool was_found = search->result == TALLY_VARIABLE_FOUND;

	if (was_found && (result != TALLY_VARIABLE_FOUND || depth < search->depth))
		return;
	if (!was_found && result != TALLY_VARIABLE_FOUND && depth < search->depth)
		return;
	search->result = result;
	search->depth = depth;
	search->type = *type;
	search->offset = offset;
}

/* The value of a variable, or that which a function returns, plus `offset` is the address. It
 * should be a pointer. */
static void match_value(struct search *search, Dwarf_Die *variable, int64_t offset, uint32_t depth)
{
	enum tally_variable_result result = TALLY_VARIABLE_NO_TYPE;
	Dwarf_Die type, pointer, target;

	if (!dwarf_type_of(variable, &type) || !dwarf_type_peel(&type, &pointer))
		return;
	if (dwarf_type_is_pointer(&pointer) && dwarf_type_of(&pointer, &target)) {
		result = dwarf_pointer_reaches(&target, &offset);
		type = target;
	}
	matched(search, depth, result, &type, offset);
}

/* Compare the memory with the location of a variable. */
static void match_memory(struct search *search, Dwarf_Die *variable, const struct memory *place,
			 uint32_t depth)
{
	Dwarf_Die type;
	int64_t offset;

	if (place->base != search->wanted.base || !dwarf_type_of(variable, &type) ||
	    __builtin_sub_overflow(search->wanted.offset, place->offset, &offset) ||
	    !is_inside(&type, offset))
		return;
	matched(search, depth, TALLY_VARIABLE_FOUND, &type, offset);
}

static void try_variable(struct search *search, Dwarf_Die *variable, uint32_t depth)
{
	size_t nr;
	const Dwarf_Op *ops = location_at(variable, DW_AT_location, search->pc, &nr);
	struct memory place;
	int32_t number;
	int64_t offset;

	if (!ops)
		return;
	if (nr == 2 && ops[1].atom == DW_OP_stack_value && adds_to_register(ops, &place)) {
		if (place.base == search->wanted.base &&
		    !__builtin_sub_overflow(search->wanted.offset, place.offset, &offset))
			match_value(search, variable, offset, depth);
		return;
	}
	if (nr != 1)
		return;
	if (names_register(ops, &number)) {
		if (number == search->wanted.base)
			match_value(search, variable, search->wanted.offset, depth);
		return;
	}
	if (ops->atom == DW_OP_fbreg && search->has_frame) {
		place = search->frame;
		if (!__builtin_add_overflow(place.offset, (int64_t)ops->number, &place.offset))
			match_memory(search, variable, &place, depth);
	} else if (adds_to_register(ops, &place) || gives_address(variable, ops, &place)) {
		match_memory(search, variable, &place, depth);
	}
}

/* Look at the variables in a function or block, and in the blocks in it that contain the pc. */
static int search_block(struct search *search, Dwarf_Die *block, uint32_t depth)
{
	Dwarf_Die die;
	int ret = 0, next = dwarf_child(block, &die);

	for (; !next && !ret; next = dwarf_siblingof(&die, &die)) {
		if (++search->visits > VISITS_MAX || depth > BLOCKS_MAX)
			return -E2BIG;
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
		case DW_TAG_formal_parameter: try_variable(search, &die, depth); break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			if (dwarf_haspc(&die, search->pc) == 1)
				ret = search_block(search, &die, depth + 1);
			break;
		default: break;
		}
	}
	return next < 0 && !ret ? -EBADMSG : ret;
}

/* ---- variables at fixed addresses ---------------------------------------------------- */

static int global_add(struct tally_dwarf *dwarf, Dwarf_Die *die)
{
	struct dwarf_global global = {.die = *die};
	struct memory place;
	size_t nr;
	const Dwarf_Op *ops = location_at(die, DW_AT_location, 0, &nr);
	uint64_t size;
	Dwarf_Die type;

	if (!ops || nr != 1 || !gives_address(die, ops, &place) || !dwarf_type_of(die, &type) ||
	    !dwarf_type_size(&type, &size))
		return 0;
	global.at.start = (uint64_t)place.offset;
	if (!global.at.start || !size ||
	    __builtin_add_overflow(global.at.start, size, &global.at.end))
		return 0;
	if (dwarf->globals.len == TALLY_DWARF_PIECES_MAX)
		return -E2BIG;
	return tally_vec_push(&dwarf->globals, global);
}

/* Add the variables of a unit, also those in namespaces. */
static int globals_add(struct tally_dwarf *dwarf, Dwarf_Die *parent, uint32_t depth)
{
	Dwarf_Die die;
	int ret = 0;

	for (int next = dwarf_child(parent, &die); !next && !ret;
	     next = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable)
			ret = global_add(dwarf, &die);
		else if (tag == DW_TAG_namespace && depth < BLOCKS_MAX)
			ret = globals_add(dwarf, &die, depth + 1);
	}
	return ret;
}

static int by_entry(const void *a, const void *b)
{
	const struct dwarf_global *x = a, *y = b;

	return x->die.addr < y->die.addr ? -1 : x->die.addr > y->die.addr;
}

static int globals_read(struct tally_dwarf *dwarf)
{
	int ret = 0;

	if (dwarf->has_globals)
		return 0;
	dwarf->has_globals = true;
	tally_vec_for_each (unit, &dwarf->units) {
		if (!ret)
			ret = globals_add(dwarf, &unit->die, 0);
	}
	DWARF_PIECES_SORT(&dwarf->globals, by_entry);
	return ret;
}

static int search_globals(struct search *search)
{
	uint64_t addr = (uint64_t)search->wanted.offset;
	struct dwarf_part part = {0, UINT64_MAX};
	const struct dwarf_global *global;
	int ret = globals_read(search->dwarf);
	Dwarf_Die die, type;

	if (ret)
		return ret;
	global = DWARF_PIECES_FIND(&search->dwarf->globals, addr, &part);
	if (!global)
		return 0;
	die = global->die;
	if (dwarf_type_of(&die, &type))
		matched(search, 0, TALLY_VARIABLE_FOUND, &type, (int64_t)(addr - global->at.start));
	return 0;
}

/* Search the function, which may have no DIE, and then the variables at fixed addresses. */
static int search_all(struct search *search, Dwarf_Die *function)
{
	int ret = 0;

	if (search->wanted.base == TALLY_VARIABLE_RETURNED) {
		if (function->addr)
			match_value(search, function, search->wanted.offset, 1);
		return 0;
	}
	if (function->addr) {
		find_frame(search, function);
		ret = search_block(search, function, 1);
	}
	if (!ret && search->wanted.base == TALLY_VARIABLE_ADDRESS &&
	    search->result != TALLY_VARIABLE_FOUND)
		ret = search_globals(search);
	return ret;
}

/* ---- questions ----------------------------------------------------------------------- */

/* Follow the pointers at the other offsets. */
static void follow(struct search *search, const struct tally_variable_question *question)
{
	for (uint32_t i = 1; i < question->nr && search->result == TALLY_VARIABLE_FOUND; i++) {
		Dwarf_Die pointer, target;
		int64_t offset = question->offsets[i];

		if (!dwarf_type_pointer_at(&search->type, search->offset, &pointer) ||
		    !dwarf_type_of(&pointer, &target)) {
			search->result = TALLY_VARIABLE_NO_TYPE;
			return;
		}
		search->result = dwarf_pointer_reaches(&target, &offset);
		search->type = target;
		search->offset = offset;
	}
}

/* Describe the type that was found, for an array that of its elements. */
static int answer(struct search *search, struct tally_variable *variable)
{
	Dwarf_Die plain, named;
	int ret;

	variable->result = search->result;
	if (variable->result != TALLY_VARIABLE_FOUND)
		return 0;
	variable->result = TALLY_VARIABLE_NO_TYPE;
	if (!dwarf_type_element(&search->type, &search->offset, &plain, &named))
		return 0;
	ret = dwarf_type_describe(search->dwarf, &named, &variable->type);
	if (ret)
		return ret == -ENODATA ? 0 : ret;
	variable->result = (uint64_t)search->offset < variable->type->size ? TALLY_VARIABLE_FOUND
									   : TALLY_VARIABLE_OUTSIDE;
	variable->offset = (uint64_t)search->offset;
	return 0;
}

int tally_dwarf_variable(struct tally_dwarf *dwarf, const struct tally_variable_question *question,
			 struct tally_variable *ret_variable)
{
	struct search search = {.dwarf = dwarf,
				.pc = question->pc,
				.wanted = {question->base, question->offsets[0]},
				.cfa = {(int32_t)question->frame - 1, question->frame_offset},
				.has_cfa = question->frame != 0,
				.result = TALLY_VARIABLE_NONE};
	struct dwarf_unit *unit;
	Dwarf_Die function;
	int ret = dwarf_function_find(dwarf, question->pc, &unit, &function);

	*ret_variable = (struct tally_variable){.result = TALLY_VARIABLE_NO_UNIT};
	if (ret == -ENOENT)
		return 0;
	if (!ret)
		ret = search_all(&search, &function);
	if (!ret) {
		follow(&search, question);
		ret = answer(&search, ret_variable);
	}
	if (ret == -E2BIG || ret == -EBADMSG) {
		ret_variable->result = TALLY_VARIABLE_GIVEN_UP;
		ret = 0;
	}
	return ret;
}

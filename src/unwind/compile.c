/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/compile.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "unwind/program.h"
#include "unwind/rule_words.h"
#include "unwind/trampoline.h"

/* Instructions that are run for each byte of a section: entries share those of common ones. */
enum { BUDGET_FACTOR = 64, LEAST_WORDS = 1 << 16, ENTRY_SIZE = 64, STUB_SIZE = 16 };

/* The stretch of code from the address `start`, in terms of the table; false if it is not in code,
 * or too far away. */
static bool stretch_of(const struct tally_unwind_source *source, uint64_t start, uint64_t size,
		       struct tally_unwind_stretch *ret_stretch)
{
	for (size_t i = 0; i < source->nr_segments; i++) {
		const struct tally_unwind_segment *segment = &source->segments[i];
		uint64_t at = start - segment->vaddr;

		if (at >= segment->size || !size)
			continue;
		size = TALLY_MIN(size, segment->size - at);
		if (!tally_range_ok(segment->offset + at, size, UINT32_MAX))
			return false;
		*ret_stretch = (struct tally_unwind_stretch){
			.start = (uint32_t)(segment->offset + at),
			.end = (uint32_t)(segment->offset + at + size)};
		return true;
	}
	return false;
}

static int add_entry(struct tally_cfi_run *run, const struct tally_unwind_source *source,
		     const struct tally_cfi_section *section, const struct tally_cfi_entry *entry)
{
	struct tally_unwind_stretch stretch;
	int ret;

	if (entry->common.ra != run->arch->ra ||
	    !stretch_of(source, entry->start, entry->size, &stretch))
		return 0;
	stretch.is_function = true;
	stretch.may_be_trampoline = trampoline_may_be(section, entry);
	ret = tally_unwind_build_begin(run->build, &stretch);
	if (ret)
		return ret;
	run->shift = stretch.start - entry->start;
	ret = tally_cfi_run(run, entry, stretch.end);
	if (ret != -EINVAL)
		return ret;
	run->build->is_partial = true;
	return 0;
}

static int add_section(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		       const struct tally_unwind_source *source,
		       const struct tally_cfi_section *section)
{
	struct tally_cfi_walk walk = {.section = *section};
	struct tally_cfi_run run = {.arch = arch,
				    .build = build,
				    .swap = section->swap,
				    .budget = BUDGET_FACTOR * (uint64_t)section->len};
	struct tally_cfi_entry entry;
	int ret;

	while ((ret = tally_cfi_next(&walk, &entry)) > 0) {
		ret = add_entry(&run, source, section, &entry);
		if (ret)
			break;
	}
	if (ret != -EINVAL && ret != -E2BIG)
		return ret;
	build->is_partial = true;
	return 0;
}

/* ---- what no section says ------------------------------------------------------- */

static int add_row(struct tally_unwind_build *build, uint32_t start,
		   const struct tally_unwind_arch *arch, int32_t depth)
{
	/* Where the return address is in memory it is the first word of the frame. */
	struct tally_unwind_reg ra = {arch->ra, TALLY_REG_OFFSET, -8};
	uint32_t word = rule_reg_pack(ra);
	struct tally_unwind_rule rule = {.cfa = TALLY_CFA_REGISTER,
					 .cfa_reg = arch->sp,
					 .cfa_value = depth,
					 .nr_regs = depth ? 1 : 0,
					 .regs = &word};

	return tally_unwind_build_row(build, start, &rule);
}

/* How deep the stack is at places of a stub: up to the first, behind it. */
struct stub_shape {
	uint16_t machine;
	bool is_first;    /* the one that looks functions up */
	uint8_t code[4];  /* that it begins with; all 0: any */
	uint8_t size, at; /* from `at` on the second depth holds */
	uint8_t depth, depth_behind;
};

static const struct stub_shape stub_shapes[] = {
	/* push; jmp: the number of the function and the word before it are on the stack */
	{EM_X86_64, true, {0}, 16, 6, 16, 24},
	/* endbr64; push; jmp */
	{EM_X86_64, false, {0xf3, 0x0f, 0x1e, 0xfa}, 16, 9, 8, 16},
	/* jmp; push; jmp */
	{EM_X86_64, false, {0}, 16, 11, 8, 16},
	/* stp x16, x30, [sp, #-16]! */
	{EM_AARCH64, true, {0}, 32, 4, 0, 16},
	{EM_AARCH64, false, {0}, 16, 16, 0, 0},
};

static const struct stub_shape *stub_shape(uint16_t machine, bool is_first, const uint8_t *code)
{
	static const uint8_t any[4];

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(stub_shapes); i++) {
		const struct stub_shape *shape = &stub_shapes[i];
		bool fits = !memcmp(shape->code, any, sizeof(any)) ||
			    !memcmp(shape->code, code, sizeof(any));

		if (shape->machine == machine && shape->is_first == is_first && fits)
			return shape;
	}
	return NULL;
}

static const uint8_t *code_at(const struct tally_unwind_source *source, uint32_t offset,
			      uint32_t len)
{
	for (size_t i = 0; i < source->nr_segments; i++) {
		const struct tally_unwind_segment *segment = &source->segments[i];
		uint64_t at = offset - segment->offset;

		if (offset >= segment->offset && tally_range_ok(at, len, segment->size))
			return segment->data + at;
	}
	return NULL;
}

static int add_stubs(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		     const struct tally_unwind_source *source,
		     const struct tally_unwind_stubs *stubs)
{
	struct tally_unwind_stretch stretch;
	const struct stub_shape *shape;
	const uint8_t *code;
	int ret;

	if (!stretch_of(source, stubs->vaddr, stubs->size, &stretch))
		return 0;
	stretch.is_weak = stretch.is_function = true;
	ret = tally_unwind_build_begin(build, &stretch);
	if (!ret && !stubs->is_lazy)
		return add_row(build, stretch.start, arch, arch->ra == arch->ip ? 8 : 0);
	for (uint32_t at = stretch.start; !ret && stretch.end - at >= STUB_SIZE;
	     at += shape->size) {
		code = code_at(source, at, STUB_SIZE);
		shape = code ? stub_shape(source->machine, at == stretch.start, code) : NULL;
		if (!shape)
			break;
		ret = add_row(build, at, arch, shape->depth);
		if (!ret && shape->at < shape->size)
			ret = add_row(build, at + shape->at, arch, shape->depth_behind);
		if (stretch.end - at < shape->size)
			break;
	}
	return ret;
}

/* Nothing called the code where a program starts, which often has no rules of its own. */
static int add_start(struct tally_unwind_build *build, const struct tally_unwind_source *source)
{
	static const struct tally_unwind_rule outermost = {.cfa = TALLY_CFA_NONE};
	struct tally_unwind_stretch stretch;
	int ret;

	if (!source->entry || !stretch_of(source, source->entry, ENTRY_SIZE, &stretch))
		return 0;
	stretch.is_weak = stretch.is_function = true;
	ret = tally_unwind_build_begin(build, &stretch);
	return ret ? ret : tally_unwind_build_row(build, stretch.start, &outermost);
}

static int add_all(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		   const struct tally_unwind_source *source)
{
	int ret = 0;

	for (size_t i = 0; i < source->nr_sections && !ret; i++)
		ret = add_section(build, arch, source, &source->sections[i]);
	for (size_t i = 0; i < source->nr_stubs && !ret; i++)
		ret = add_stubs(build, arch, source, &source->stubs[i]);
	if (!ret)
		ret = add_start(build, source);
	return ret ? ret : trampolines_add(build, arch, source);
}

int tally_unwind_compile(const struct tally_unwind_source *source, void **ret_bytes,
			 size_t *ret_len)
{
	const struct tally_unwind_arch *arch = tally_unwind_arch(source->machine);
	struct tally_unwind_build build = {.max_words = LEAST_WORDS};
	int ret;

	if (!arch)
		return -ENOTSUP;
	for (size_t i = 0; i < source->nr_sections; i++)
		build.max_words += source->sections[i].len;
	ret = add_all(&build, arch, source);
	if (ret == -E2BIG) {
		build.is_partial = true;
		ret = 0;
	}
	if (!ret && !build.rows.len)
		ret = -ENODATA;
	if (!ret)
		ret = tally_unwind_build_finish(&build, arch, ret_bytes, ret_len);
	tally_unwind_build_free(&build);
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/compile.h"

#include <errno.h>

#include "base/arith.h"
#include "unwind/unwind_program.h"
#include "unwind/stubs.h"
#include "unwind/trampoline.h"

/* BUDGET_FACTOR limits the number of instruction bytes executed per byte of a section, because many
 * entries can share the instructions of a CIE. */
enum { BUDGET_FACTOR = 64, LEAST_WORDS = 1 << 16, ENTRY_SIZE = 64 };

/* Convert a range of virtual addresses to table offsets. Return false if it is not code, or if it
 * is beyond the maximum offset of a table. */
static bool code_range_of(const struct tally_unwind_source *source, uint64_t start, uint64_t size,
			  struct tally_unwind_range *ret_stretch)
{
	for (size_t i = 0; i < source->nr_segments; i++) {
		const struct tally_unwind_segment *segment = &source->segments[i];
		uint64_t at = start - segment->vaddr;

		if (at >= segment->size || !size)
			continue;
		size = TALLY_MIN(size, segment->size - at);
		if (!tally_range_ok(segment->offset + at, size, UINT32_MAX))
			return false;
		*ret_stretch =
			(struct tally_unwind_range){.start = (uint32_t)(segment->offset + at),
						    .end = (uint32_t)(segment->offset + at + size)};
		return true;
	}
	return false;
}

/* The rule for all code if only functions are wanted. */
static const struct tally_unwind_rule any_rule = {.cfa = TALLY_CFA_NONE};

static int add_entry(struct tally_cfi_run *run, const struct tally_unwind_source *source,
		     const struct tally_cfi_section *section, const struct tally_cfi_entry *entry)
{
	struct tally_unwind_range stretch;
	int ret;

	/* In .debug_frame, functions that the linker discarded have address 0. */
	if (entry->common.ra != run->arch->ra || (section->is_debug && !entry->start) ||
	    !code_range_of(source, entry->start, entry->size, &stretch))
		return 0;
	stretch.is_function = true;
	stretch.may_be_trampoline = trampoline_may_be(section, entry);
	ret = tally_unwind_build_begin(run->build, &stretch);
	if (ret)
		return ret;
	if (source->functions_only)
		return tally_unwind_build_row(run->build, stretch.start, &any_rule);
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

/* ---- code without rules --------------------------------------------------------- */

static const uint8_t *code_at(const struct tally_unwind_source *source, uint32_t offset,
			      uint32_t len)
{
	for (size_t i = 0; i < source->nr_code; i++) {
		const struct tally_unwind_piece *code = &source->code[i];
		uint64_t at = offset - code->offset;

		if (offset >= code->offset && tally_range_ok(at, len, code->size))
			return code->data + at;
	}
	return NULL;
}

static int add_stubs(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		     const struct tally_unwind_source *source,
		     const struct tally_unwind_stubs *stubs)
{
	struct tally_unwind_range stretch;
	const uint8_t *code;
	uint32_t len;
	int ret;

	if (!code_range_of(source, stubs->vaddr, stubs->size, &stretch))
		return 0;
	len = stretch.end - stretch.start;
	code = code_at(source, stretch.start, len);
	if (!code)
		return 0;
	stretch.is_weak = stretch.is_function = true;
	ret = tally_unwind_build_begin(build, &stretch);
	return ret ? ret : stubs_add_rows(build, arch, stretch.start, code, len);
}

/* Add the program's entry point, which has no caller and often no rules. */
static int add_start(struct tally_unwind_build *build, const struct tally_unwind_source *source)
{
	static const struct tally_unwind_rule outermost = {.cfa = TALLY_CFA_NONE};
	struct tally_unwind_range stretch;
	int ret;

	if (!source->entry || !code_range_of(source, source->entry, ENTRY_SIZE, &stretch))
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

/* Set the bounds of all code, within the maximum offset of a table. */
static void code_bound(const struct tally_unwind_source *source, struct tally_unwind_build *build)
{
	uint64_t start = UINT32_MAX, end = 0, last;

	for (size_t i = 0; i < source->nr_segments; i++) {
		const struct tally_unwind_segment *segment = &source->segments[i];

		if (__builtin_add_overflow(segment->offset, segment->size, &last))
			last = UINT32_MAX;
		start = TALLY_MIN(start, segment->offset);
		end = TALLY_MAX(end, last);
	}
	build->code_start = (uint32_t)start;
	build->code_end = (uint32_t)TALLY_MIN(end, UINT32_MAX);
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
	code_bound(source, &build);
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

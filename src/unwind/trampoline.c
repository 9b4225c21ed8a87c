/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/trampoline.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"

/* An entry longer than LONGEST is not a trampoline, even if it is marked as one. */
enum { SMALL = 32, LONGEST = 4096, MAX_TRAMPOLINES = 16 };

/* Go's compiler, which only writes .debug_frame, does not mark its trampolines. */
bool trampoline_may_be(const struct tally_cfi_section *section, const struct tally_cfi_entry *entry)
{
	return (entry->common.is_signal && entry->size <= LONGEST) ||
	       (section->is_debug && entry->size <= SMALL);
}

struct found {
	struct tally_unwind_range all[MAX_TRAMPOLINES];
	unsigned nr;
};

static void search_for(struct found *found, const struct tally_unwind_trampoline *trampoline,
		       const uint8_t *code, size_t len, uint32_t start)
{
	const uint8_t *at = code, *end = code + len;

	while (found->nr < MAX_TRAMPOLINES &&
	       (at = memmem(at, (size_t)(end - at), trampoline->code, trampoline->len))) {
		uint32_t offset = start + (uint32_t)(at - code);

		/* Include the preceding byte, because a lookup subtracts 1 from an address that it
		 * assumes to be a return address. */
		found->all[found->nr++] = (struct tally_unwind_range){
			.start = offset - (offset > 0), .end = offset + trampoline->len};
		at += trampoline->len;
	}
}

/* Search the code from table offset `start` to `end` for trampolines that end after `searched`. */
static void search(struct found *found, const struct tally_unwind_arch *arch,
		   const struct tally_unwind_source *source, uint64_t start, uint64_t end,
		   uint64_t searched)
{
	for (size_t i = 0; i < source->nr_code; i++) {
		const struct tally_unwind_piece *code = &source->code[i];
		uint64_t first = TALLY_MAX(start, code->offset);
		uint64_t to = TALLY_MIN(end, code->offset + code->size);

		for (size_t j = 0; j < arch->nr_trampolines; j++) {
			const struct tally_unwind_trampoline *trampoline = &arch->trampolines[j];
			uint64_t from = first;

			if (searched >= trampoline->len)
				from = TALLY_MAX(first, searched - trampoline->len + 1);
			if (from < to)
				search_for(found, trampoline, code->data + (from - code->offset),
					   to - from, (uint32_t)from);
		}
	}
}

/* Any number of entries may overlap, so code that was searched for one entry is not searched again
 * for another. */
static void find_all(struct found *found, struct tally_unwind_build *build,
		     const struct tally_unwind_arch *arch, const struct tally_unwind_source *source)
{
	uint64_t covered = 0, searched = 0;

	tally_unwind_build_sort(build);
	tally_vec_for_each (stretch, &build->stretches) {
		if (stretch->start > covered)
			search(found, arch, source, covered, stretch->start, 0);
		if (stretch->may_be_trampoline && stretch->end > searched) {
			search(found, arch, source, stretch->start, stretch->end, searched);
			searched = stretch->end;
		}
		covered = TALLY_MAX(covered, stretch->end);
	}
	search(found, arch, source, covered, UINT32_MAX, 0);
}

/* Remove [hole->start, hole->end) from every range. */
static int ranges_cut_out(struct tally_unwind_build *build, const struct tally_unwind_range *hole)
{
	size_t nr = build->stretches.len;
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		struct tally_unwind_range *stretch = &build->stretches.data[i];
		struct tally_unwind_range rest = *stretch;

		if (stretch->end <= hole->start || stretch->start >= hole->end)
			continue;
		rest.start = hole->end;
		rest.is_function = false;
		stretch->end = TALLY_MAX(hole->start, stretch->start);
		if (rest.start < rest.end)
			ret = tally_vec_push(&build->stretches, rest);
	}
	return ret;
}

int trampolines_add(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		    const struct tally_unwind_source *source)
{
	static const struct tally_unwind_rule rule = {.cfa = TALLY_CFA_CONTEXT, .is_signal = true};
	struct found found = {.nr = 0};
	int ret = 0;

	find_all(&found, build, arch, source);
	for (unsigned i = 0; i < found.nr && !ret; i++) {
		found.all[i].is_function = true;
		found.all[i].start = TALLY_MAX(found.all[i].start, build->code_start);
		ret = ranges_cut_out(build, &found.all[i]);
		if (!ret)
			ret = tally_unwind_build_begin(build, &found.all[i]);
		if (!ret)
			ret = tally_unwind_build_row(build, found.all[i].start, &rule);
	}
	return ret;
}

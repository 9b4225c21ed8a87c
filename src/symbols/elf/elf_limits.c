/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elf/elf_limits.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "symbols/code.h"
#include "symbols/elf/elf_frames.h"

/* Limit on the number of entries. No file has that many functions. */
enum { STRETCHES_MAX = 4 << 20 };

/* Code covered by an unwind entry, as file offsets. */
struct cfi_range {
	uint64_t start, end;
};

typedef TALLY_VEC(struct cfi_range) stretch_vec;

static int by_start(const void *a, const void *b)
{
	const struct cfi_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static bool cfi_range_of(const struct tally_unwind_source *source,
			 const struct tally_cfi_entry *entry, struct cfi_range *ret_stretch)
{
	for (size_t i = 0; i < source->nr_segments; i++) {
		const struct tally_unwind_segment *segment = &source->segments[i];
		uint64_t at = entry->start - segment->vaddr;

		if (at >= segment->size || !entry->size)
			continue;
		ret_stretch->start = segment->offset + at;
		ret_stretch->end = ret_stretch->start + TALLY_MIN(entry->size, segment->size - at);
		return true;
	}
	return false;
}

static int section_gather(const struct tally_unwind_source *source,
			  const struct tally_cfi_section *section, stretch_vec *all)
{
	struct tally_cfi_walk walk = {.section = *section};
	struct tally_cfi_entry entry;
	struct cfi_range stretch;
	int ret = 0;

	/* After a damaged entry, treat the remaining code as code without entries. */
	while (!ret && all->len < STRETCHES_MAX && tally_cfi_next(&walk, &entry) > 0) {
		/* Skip functions that the linker discarded: their entries in .debug_frame have
		 * address 0. */
		if (!(section->is_debug && !entry.start) && cfi_range_of(source, &entry, &stretch))
			ret = tally_vec_push(all, stretch);
	}
	return ret;
}

/* Gather the code ranges of the entries in all sections, sorted by address. */
static int stretches_gather(const struct tally_unwind_source *source, stretch_vec *all)
{
	int ret = 0;

	for (size_t i = 0; i < source->nr_sections && !ret; i++)
		ret = section_gather(source, &source->sections[i], all);
	if (!ret && all->len)
		qsort(all->data, all->len, sizeof(*all->data), by_start);
	return ret;
}

/* Return the number of stretches that start at or before an address. */
static size_t stretches_before(const stretch_vec *all, uint64_t addr)
{
	size_t low = 0, high = all->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all->data[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Return true if the code from `from` falls through to `to`. */
static bool runs_on(const struct tally_unwind_source *source, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < source->nr_code; i++) {
		const struct tally_unwind_piece *code = &source->code[i];

		if (from >= code->offset && from < to && to - code->offset <= code->size)
			return tally_code_falls_through(
				source->machine, code->data + (from - code->offset), to - from);
	}
	return false;
}

/* Return the entry for the function at an address, or NULL. The entry may start after the
 * function's first instructions. Also get the start of the next entry, or 0 for the last entry. */
static const struct cfi_range *entry_at(const struct tally_unwind_source *source,
					const stretch_vec *all, uint64_t addr, uint64_t *ret_next)
{
	enum { LATE_MAX = 16 };
	size_t at = stretches_before(all, addr);
	bool is_inside = at && addr < all->data[at - 1].end;
	uint64_t next = at < all->len ? all->data[at].start : 0;

	if (!is_inside && next && next - addr <= LATE_MAX && runs_on(source, addr, next)) {
		is_inside = true;
		at = stretches_before(all, next);
		next = at < all->len ? all->data[at].start : 0;
	}
	*ret_next = next;
	return is_inside ? &all->data[at - 1] : NULL;
}

/* Return the latest possible end of the function at an address, or 0 if it is unknown. If an
 * assembly function's entry covers only the beginning of the function, the code falls through the
 * end of the entry. The limit includes the padding, because the return address of a system call at
 * the end of a function is in the padding. */
static uint64_t limit_at(const struct tally_unwind_source *source, const stretch_vec *all,
			 uint64_t addr)
{
	enum { ALIGNMENT = 16 };
	uint64_t next, end;
	const struct cfi_range *entry = entry_at(source, all, addr, &next);

	if (!entry)
		return next;
	if (runs_on(source, entry->start, entry->end))
		return next && next < entry->end ? entry->end : next;
	end = tally_round_up(entry->end, ALIGNMENT);
	return next && next >= entry->end && next < end ? next : end;
}

static bool has_no_size(const struct tally_symtab_entry *entry)
{
	return entry->end == entry->start && entry->pass != TALLY_SYMBOL_SYNTHETIC;
}

static size_t count_without_size(const struct tally_symtab *table)
{
	size_t nr = 0;

	tally_vec_for_each (entry, &table->entries)
		nr += has_no_size(entry);
	return nr;
}

int tally_elf_limit_symbols(const struct tally_elf *mapped, const struct tally_elf *debug,
			    struct tally_symtab *table)
{
	struct tally_elf_frames frames;
	stretch_vec all = {0};
	int ret;

	if (!count_without_size(table))
		return 0;
	/* Set no limits for 32-bit images, because their unwind rules are not supported. */
	ret = tally_elf_frames_gather(mapped, debug, &frames);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = stretches_gather(&frames.source, &all);
	/* On memory allocation failure, discard the stretches: if some were missing, the limits
	 * would be too high. */
	all.len = ret ? 0 : all.len;
	tally_vec_for_each (entry, &table->entries) {
		uint64_t limit =
			has_no_size(entry) ? limit_at(&frames.source, &all, entry->start) : 0;

		if (limit && (!entry->limit || limit < entry->limit))
			entry->limit = limit;
	}
	tally_vec_free(&all);
	tally_elf_frames_free(&frames);
	return ret;
}

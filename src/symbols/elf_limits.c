/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elf_limits.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "symbols/elf_frames.h"

/* More functions than any file has. */
enum { STRETCHES_MAX = 4 << 20 };

/* Code that has an entry, by its place in the file. */
struct stretch {
	uint64_t start, end;
};

typedef TALLY_VEC(struct stretch) stretch_vec;

static int by_start(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static bool stretch_of(const struct tally_unwind_source *source,
		       const struct tally_cfi_entry *entry, struct stretch *ret_stretch)
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
	struct stretch stretch;
	int ret = 0;

	/* What comes after damage is not known, as after the last function. */
	while (!ret && all->len < STRETCHES_MAX && tally_cfi_next(&walk, &entry) > 0) {
		/* What the linker threw away is at 0 in .debug_frame. */
		if (!(section->is_debug && !entry.start) && stretch_of(source, &entry, &stretch))
			ret = tally_vec_push(all, stretch);
	}
	return ret;
}

/* Gather what all sections say, in the order of addresses. */
static int stretches_gather(const struct tally_unwind_source *source, stretch_vec *all)
{
	int ret = 0;

	for (size_t i = 0; i < source->nr_sections && !ret; i++)
		ret = section_gather(source, &source->sections[i], all);
	if (!ret && all->len)
		qsort(all->data, all->len, sizeof(*all->data), by_start);
	return ret;
}

/* How many stretches begin at or before an address. */
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

/* Where a function ends that begins at an address, at the latest; 0: not known. The padding after
 * it is its own: a system call that ends it returns there. */
static uint64_t limit_at(const stretch_vec *all, uint64_t addr)
{
	enum { PADDED_TO = 16 };
	size_t at = stretches_before(all, addr);
	uint64_t next = at < all->len ? all->data[at].start : 0, end;

	if (!at || addr >= all->data[at - 1].end)
		return next;
	end = all->data[at - 1].end;
	if (next && next < end)
		return end;
	end = tally_round_up(end, PADDED_TO);
	return next ? TALLY_MIN(end, next) : end;
}

static bool has_no_size(const struct tally_symtab_entry *entry)
{
	return entry->end == entry->start && entry->pass != TALLY_SYMBOL_MADE;
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
	/* Images of 32 bits tell nothing here. */
	ret = tally_elf_frames_gather(mapped, debug, &frames);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = stretches_gather(&frames.source, &all);
	/* Without memory for all of them some would be too far. */
	all.len = ret ? 0 : all.len;
	tally_vec_for_each (entry, &table->entries) {
		uint64_t limit = has_no_size(entry) ? limit_at(&all, entry->start) : 0;

		if (limit && (!entry->limit || limit < entry->limit))
			entry->limit = limit;
	}
	tally_vec_free(&all);
	tally_elf_frames_free(&frames);
	return ret;
}

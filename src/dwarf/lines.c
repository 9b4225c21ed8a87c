/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwarf/lines.h"

#include <string.h>

int tally_lines_text(struct tally_lines *lines, const char *text, size_t len, const char **ret_text)
{
	uint32_t id;
	int ret = tally_intern(&lines->texts, text, len, &id);

	if (!ret)
		*ret_text = tally_intern_text(&lines->texts, id);
	return ret;
}

/* How many runs begin at or before an address. */
static size_t runs_before(const struct tally_lines *lines, uint64_t addr)
{
	size_t low = 0, high = lines->runs.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->runs.data[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Note where the newest span is. Runs come mostly in order. */
static int run_extend(struct tally_lines *lines, const struct tally_line_span *span)
{
	uint32_t number = (uint32_t)lines->spans.len - 1;
	struct tally_line_run *run = lines->runs.len ? &lines->runs.data[lines->last_run] : NULL;
	size_t at;

	if (run && run->end == span->start && run->first + run->nr == number) {
		run->end = span->end;
		run->nr++;
		return 0;
	}
	if (tally_vec_reserve(&lines->runs, lines->runs.len + 1))
		return -ENOMEM;
	at = runs_before(lines, span->start);
	memmove(&lines->runs.data[at + 1], &lines->runs.data[at],
		(lines->runs.len - at) * sizeof(*lines->runs.data));
	lines->runs.data[at] = (struct tally_line_run){span->start, span->end, number, 1};
	lines->runs.len++;
	lines->last_run = at;
	return 0;
}

int tally_lines_add(struct tally_lines *lines, const struct tally_line_span *span)
{
	struct tally_line_span copy = *span;
	size_t size = span->nr * sizeof(*span->lines);
	struct tally_line *to;
	int ret;

	if (span->start >= span->end)
		return 0;
	to = tally_arena_alloc(&lines->arena, size);
	if (!to)
		return -ENOMEM;
	if (size)
		memcpy(to, span->lines, size);
	copy.lines = to;
	ret = tally_vec_push(&lines->spans, copy);
	return ret ? ret : run_extend(lines, &copy);
}

/* The number of the span of a run that has the address. */
static uint32_t run_search(const struct tally_lines *lines, const struct tally_line_run *run,
			   uint64_t addr)
{
	uint32_t low = run->first, high = run->first + run->nr;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (lines->spans.data[middle].start <= addr)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The number of a span that has the address, + 1; 0: there is none. */
static uint32_t lines_search(const struct tally_lines *lines, uint64_t addr)
{
	enum { OVERLAPS_MAX = 16 }; /* of runs that begin before it, as far as is looked */
	size_t at = runs_before(lines, addr);

	for (int i = 0; at && i < OVERLAPS_MAX; i++, at--) {
		if (addr < lines->runs.data[at - 1].end)
			return run_search(lines, &lines->runs.data[at - 1], addr) + 1;
	}
	return 0;
}

const struct tally_line_span *tally_lines_find(struct tally_lines *lines, uint64_t addr)
{
	uint64_t found = tally_map_get(&lines->by_address, addr);

	if (found == TALLY_MAP_NONE) {
		found = lines_search(lines, addr);
		/* Out of memory, it is found again. */
		if (found)
			(void)tally_map_put(&lines->by_address, addr, found);
	}
	return found ? &lines->spans.data[found - 1] : NULL;
}

void tally_lines_free(struct tally_lines *lines)
{
	tally_vec_free(&lines->spans);
	tally_vec_free(&lines->runs);
	tally_map_free(&lines->by_address);
	tally_intern_free(&lines->texts);
	tally_arena_free(&lines->arena);
}

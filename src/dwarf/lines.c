/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwarf/lines.h"

#include <string.h>

/* Spans that are looked through one by one before they are put in order. */
enum { NEWEST_MAX = 64 };

int tally_lines_text(struct tally_lines *lines, const char *text, size_t len, const char **ret_text)
{
	uint32_t id;
	int ret = tally_intern(&lines->texts, text, len, &id);

	if (!ret)
		*ret_text = tally_intern_text(&lines->texts, id);
	return ret;
}

int tally_lines_add(struct tally_lines *lines, const struct tally_line_span *span)
{
	struct tally_line_span copy = *span;
	size_t size = span->nr * sizeof(*span->lines);
	struct tally_line *to;

	if (span->start >= span->end)
		return 0;
	to = tally_arena_alloc(&lines->arena, size);
	if (!to)
		return -ENOMEM;
	if (size)
		memcpy(to, span->lines, size);
	copy.lines = to;
	return tally_vec_push(&lines->spans, copy);
}

static int by_start(const void *a, const void *b, void *arg)
{
	const struct tally_line_span *spans = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (spans[i].start != spans[j].start)
		return spans[i].start < spans[j].start ? -1 : 1;
	return i < j ? -1 : i > j;
}

/* Put the newest spans among the others. They mostly come in order, one function after another. */
static int lines_sort(struct tally_lines *lines)
{
	uint32_t nr = (uint32_t)lines->spans.len, first = (uint32_t)lines->sorted.len;
	int ret = tally_vec_reserve(&lines->sorted, nr);

	if (ret)
		return ret;
	for (uint32_t i = first; i < nr; i++)
		lines->sorted.data[lines->sorted.len++] = i;
	qsort_r(lines->sorted.data, nr, sizeof(*lines->sorted.data), by_start, lines->spans.data);
	return 0;
}

static bool span_has(const struct tally_line_span *span, uint64_t addr)
{
	return span->start <= addr && addr < span->end;
}

/* The number of a span that has the address, + 1; 0: there is none. */
static uint32_t lines_search(const struct tally_lines *lines, uint64_t addr)
{
	size_t low = 0, high = lines->sorted.len;

	for (size_t i = lines->sorted.len; i < lines->spans.len; i++) {
		if (span_has(&lines->spans.data[i], addr))
			return (uint32_t)i + 1;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->spans.data[lines->sorted.data[middle]].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && span_has(&lines->spans.data[lines->sorted.data[low - 1]], addr))
		return lines->sorted.data[low - 1] + 1;
	return 0;
}

const struct tally_line_span *tally_lines_find(struct tally_lines *lines, uint64_t addr)
{
	uint64_t found = tally_map_get(&lines->by_address, addr);

	if (found == TALLY_MAP_NONE) {
		/* Out of memory, it is found slowly. */
		if (lines->spans.len - lines->sorted.len > NEWEST_MAX)
			(void)lines_sort(lines);
		found = lines_search(lines, addr);
		if (found)
			(void)tally_map_put(&lines->by_address, addr, found);
	}
	return found ? &lines->spans.data[found - 1] : NULL;
}

void tally_lines_free(struct tally_lines *lines)
{
	tally_vec_free(&lines->spans);
	tally_vec_free(&lines->sorted);
	tally_map_free(&lines->by_address);
	tally_intern_free(&lines->texts);
	tally_arena_free(&lines->arena);
}

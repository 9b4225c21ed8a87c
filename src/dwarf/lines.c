/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwarf/lines.h"

#include <stdbool.h>
#include <string.h>

#include "base/arith.h"

int tally_lines_text(struct tally_lines *lines, const char *text, size_t len, const char **ret_text)
{
	uint32_t id;
	int ret = tally_intern(&lines->texts, text, len, &id);

	if (!ret)
		*ret_text = tally_intern_text(&lines->texts, id);
	return ret;
}

/* Add a span of addresses that no other span covers. `run` is the preceding run, or NULL. */
static int span_add(struct tally_lines *lines, struct tally_line_run *run,
		    const struct tally_line_span *span)
{
	uint32_t number = (uint32_t)lines->spans.len;
	bool is_next = run && run->end == span->start && run->first + run->nr == number;
	int ret = tally_vec_push(&lines->spans, *span);

	if (ret)
		return ret;
	if (is_next) {
		run->end = span->end;
		run->nr++;
		return 0;
	}
	ret = tally_line_runs_insert(&lines->runs,
				     &(struct tally_line_run){span->start, span->end, number, 1});
	lines->spans.len -= ret != 0;
	return ret;
}

/* Copy a span's lines. All parts of the span share the copy. */
static int lines_copy(struct tally_lines *lines, struct tally_line_span *span)
{
	size_t size = span->nr * sizeof(*span->lines);
	struct tally_line *to = tally_arena_alloc(&lines->arena, size);

	if (!to)
		return -ENOMEM;
	if (size)
		memcpy(to, span->lines, size);
	span->lines = to;
	return 0;
}

int tally_lines_add(struct tally_lines *lines, const struct tally_line_span *span)
{
	struct tally_line_span part = *span;
	bool is_copied = false;
	int ret = 0;

	while (part.start < span->end && !ret) {
		struct tally_line_run *run =
			tally_line_runs_before(&lines->runs, part.start, &part.end);

		part.end = TALLY_MIN(part.end, span->end);
		if (run && part.start < run->end) {
			part.start = run->end;
			continue;
		}
		if (!is_copied)
			ret = lines_copy(lines, &part);
		is_copied = true;
		if (!ret)
			ret = span_add(lines, run, &part);
		part.start = part.end;
	}
	return ret;
}

/* Return the index of the span in `run` that contains the address. */
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

uint32_t tally_lines_search(const struct tally_lines *lines, uint64_t addr)
{
	uint64_t next;
	const struct tally_line_run *run = tally_line_runs_before(&lines->runs, addr, &next);

	return run && addr < run->end ? run_search(lines, run, addr) + 1 : 0;
}

const struct tally_line_span *tally_lines_find(struct tally_lines *lines, uint64_t addr)
{
	uint64_t found = tally_map_get(&lines->by_address, addr);

	if (found == TALLY_MAP_NONE) {
		found = tally_lines_search(lines, addr);
		/* If caching fails, the search is repeated next time. */
		if (found)
			(void)tally_map_set(&lines->by_address, addr, found);
	}
	return found ? &lines->spans.data[found - 1] : NULL;
}

void tally_lines_free(struct tally_lines *lines)
{
	tally_vec_free(&lines->spans);
	tally_line_runs_free(&lines->runs);
	tally_map_free(&lines->by_address);
	tally_intern_free(&lines->texts);
	tally_arena_free(&lines->arena);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_lines.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "dwarf/dwarf.h"
#include "symbols/cache/index_dso.h"

static int sections_find(struct tally_index_lines *lines, enum tally_index_id id)
{
	size_t len;
	const uint8_t *data = tally_index_section(&lines->index, id, &len);

	lines->texts = tally_index_section(&lines->index, id + 1, &lines->texts_len);
	if (!data || !lines->texts)
		return -ENOENT;
	if (lines->texts[lines->texts_len - 1] || len < sizeof(lines->head))
		return -EBADMSG;
	memcpy(&lines->head, data, sizeof(lines->head));
	if (len != sizeof(lines->head) + lines->head.nr_spans * sizeof(*lines->spans) +
			   lines->head.nr_lines * sizeof(*lines->lines))
		return -EBADMSG;
	lines->spans = (const void *)(data + sizeof(lines->head));
	lines->lines = (const void *)(lines->spans + lines->head.nr_spans);
	return 0;
}

int tally_index_lines_open(struct tally_dso *dso, enum tally_index_id id,
			   struct tally_index_lines *ret_lines)
{
	struct tally_index_dir *dir = tally_index_dir_get(dso->owner);
	struct tally_index_lines lines = {0};
	struct tally_build_id object;
	int ret;

	if (!dir || tally_dso_index_object(dso, &object) ||
	    tally_index_open(dir, &object, &lines.index))
		return -ENOENT;
	ret = sections_find(&lines, id);
	if (ret)
		tally_index_free(&lines.index);
	else
		*ret_lines = lines;
	return ret;
}

static int text_copy(const struct tally_index_lines *lines, uint32_t place,
		     struct tally_lines *known, const char **ret_text)
{
	const char *text = lines->texts + place - 1;

	*ret_text = NULL;
	if (!place)
		return 0;
	/* The section ends with a NUL, so strings at any offset are terminated. */
	if (place > lines->texts_len)
		return -EBADMSG;
	return tally_lines_text(known, text, strlen(text), ret_text);
}

int tally_index_lines_copy_span(const struct tally_index_lines *lines, uint32_t number,
				struct tally_lines *known)
{
	const struct tally_index_span *from = &lines->spans[number];
	struct tally_line copies[TALLY_DWARF_LINES_MAX];
	struct tally_line_span span = {from->start, from->end, copies, from->nr};
	int ret = 0;

	if (from->nr > TALLY_DWARF_LINES_MAX ||
	    !tally_range_ok(from->first, from->nr, lines->head.nr_lines))
		return -EBADMSG;
	for (uint32_t i = 0; i < from->nr && !ret; i++) {
		const struct tally_index_line *line = &lines->lines[from->first + i];

		copies[i].line = line->line;
		ret = text_copy(lines, line->function, known, &copies[i].function);
		if (!ret)
			ret = text_copy(lines, line->file, known, &copies[i].file);
	}
	return ret ? ret : tally_lines_add(known, &span);
}

/* Return the span that contains `addr`, or NULL. In a damaged index, spans may be in any order. */
static const struct tally_index_span *span_search(const struct tally_index_lines *lines,
						  uint64_t addr)
{
	size_t low = 0, high = lines->head.nr_spans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->spans[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < lines->spans[low - 1].end ? &lines->spans[low - 1] : NULL;
}

int tally_index_lines_copy(const struct tally_index_lines *lines, uint64_t addr,
			   struct tally_lines *known)
{
	const struct tally_index_span *span = span_search(lines, addr);

	if (!span)
		return -ENOENT;
	return tally_index_lines_copy_span(lines, (uint32_t)(span - lines->spans), known);
}

bool tally_index_lines_contain(const struct tally_index_lines *lines,
			       const struct tally_line_span *span)
{
	const struct tally_index_span *found = span_search(lines, span->start);

	return found && span->end <= found->end;
}

void tally_index_lines_free(struct tally_index_lines *lines)
{
	tally_index_free(&lines->index);
	*lines = (struct tally_index_lines){0};
}

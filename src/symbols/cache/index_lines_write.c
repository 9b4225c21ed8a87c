/* SPDX-License-Identifier: BSD-2-Clause */
/* Write source lines to an object's index: those that were looked up, and those that it has. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/cache/index_dso.h"
#include "symbols/cache/index_lines.h"
#include "symbols/cache/index_write.h"
#include "symbols/lines/dso_lines.h"

enum { LINES_BYTES_MAX = 64 << 20 };

struct lines_writing {
	enum tally_index_id id; /* section to write; the next one has the texts */
	TALLY_VEC(struct tally_index_span) spans;
	TALLY_VEC(struct tally_index_line) all;
	TALLY_VEC(char) texts;
	struct tally_map places;     /* string pointer -> the string's offset + 1 */
	TALLY_VEC(uint32_t) numbers; /* of the spans to write */
	bool is_new;                 /* some spans are not in the index */
	bool is_full;
};

static int write_text(struct lines_writing *writing, const char *text, uint32_t *ret_place)
{
	uint64_t known = text ? tally_map_get(&writing->places, (uintptr_t)text) : 0;
	size_t len;
	int ret = 0;

	if (known == TALLY_MAP_NONE) {
		len = strlen(text) + 1;
		known = writing->texts.len + 1;
		ret = tally_vec_reserve(&writing->texts, writing->texts.len + len);
		if (ret)
			return ret;
		memcpy(writing->texts.data + writing->texts.len, text, len);
		writing->texts.len += len;
		ret = tally_map_set(&writing->places, (uintptr_t)text, known);
	}
	*ret_place = (uint32_t)known;
	return ret;
}

static int write_span(struct lines_writing *writing, const struct tally_line_span *span)
{
	struct tally_index_span to = {span->start, span->end, (uint32_t)writing->all.len, span->nr};
	int ret = 0;

	for (uint32_t i = 0; i < span->nr && !ret; i++) {
		struct tally_index_line line = {.line = span->lines[i].line};

		ret = write_text(writing, span->lines[i].function, &line.function);
		if (!ret)
			ret = write_text(writing, span->lines[i].file, &line.file);
		if (!ret)
			ret = tally_vec_push(&writing->all, line);
	}
	return ret ? ret : tally_vec_push(&writing->spans, to);
}

static uint64_t writing_size(const struct lines_writing *writing)
{
	return writing->texts.len + writing->all.len * sizeof(*writing->all.data) +
	       writing->spans.len * sizeof(*writing->spans.data);
}

static int by_start(const void *a, const void *b, void *arg)
{
	const struct tally_line_span *spans = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (spans[i].start != spans[j].start)
		return spans[i].start < spans[j].start ? -1 : 1;
	return i < j ? -1 : i > j;
}

/* Select the known spans in [start, end), which are without gaps. */
static int select_range(struct lines_writing *writing, const struct tally_lines *known,
			uint64_t start, uint64_t end)
{
	int ret = 0;

	while (start < end && !ret) {
		uint32_t number = tally_lines_search(known, start) - 1;

		ret = tally_vec_push(&writing->numbers, number);
		start = known->spans.data[number].end;
	}
	return ret;
}

/* Select the spans in the index, up to the first damaged one. Parts of them may be known as new
 * spans of whole functions. */
static int select_indexed(struct lines_writing *writing, const struct tally_index_lines *indexed,
			  struct tally_lines *known)
{
	uint64_t last = 0;
	int ret = 0;

	for (uint32_t i = 0; i < indexed->head.nr_spans && !ret; i++) {
		const struct tally_index_span *span = &indexed->spans[i];

		ret = span->start < last ? -EBADMSG
					 : tally_index_lines_copy_span(indexed, i, known);
		if (!ret)
			ret = select_range(writing, known, span->start, span->end);
		last = span->end;
	}
	return ret == -EBADMSG ? 0 : ret;
}

/* Select the spans that were looked up, not all spans of whole functions. Spans in the index with
 * complete lines need not be stored as those that have only inlined functions. */
static int select_looked_up(struct lines_writing *writing, const struct tally_dso_lines *lines)
{
	const struct tally_lines *known = &lines->known;
	bool skips = writing->id == TALLY_INDEX_INLINED;
	const struct tally_map_slot *slot;
	size_t pos = 0;
	int ret = 0;

	while (!ret && (slot = tally_map_next(&known->by_address, &pos))) {
		const struct tally_line_span *span = &known->spans.data[slot->value - 1];

		if (!skips || !tally_index_lines_contain(&lines->indexed, span))
			ret = tally_vec_push(&writing->numbers, (uint32_t)slot->value - 1);
	}
	return ret;
}

/* Write the selected spans, sorted by start. */
static int write_spans(struct lines_writing *writing, const struct tally_lines *known,
		       const struct tally_index_lines *indexed)
{
	const uint32_t *numbers = writing->numbers.data;
	int ret = tally_vec_push(&writing->texts, 0);

	if (writing->numbers.len)
		qsort_r(writing->numbers.data, writing->numbers.len, sizeof(*numbers), by_start,
			known->spans.data);
	for (size_t i = 0; i < writing->numbers.len && !ret && !writing->is_full; i++) {
		const struct tally_line_span *span = &known->spans.data[numbers[i]];

		if (i && numbers[i] == numbers[i - 1])
			continue;
		ret = write_span(writing, span);
		writing->is_full = writing_size(writing) >= LINES_BYTES_MAX;
		writing->is_new |= !tally_index_lines_contain(indexed, span);
	}
	return ret;
}

static void writing_free(struct lines_writing *writing)
{
	tally_vec_free(&writing->spans);
	tally_vec_free(&writing->all);
	tally_vec_free(&writing->texts);
	tally_map_free(&writing->places);
	tally_vec_free(&writing->numbers);
	*writing = (struct lines_writing){0};
}

static void index_write(struct tally_dso *dso, const struct tally_build_id *object,
			const struct lines_writing *writing)
{
	const struct tally_index_lines_head head = {(uint32_t)writing->spans.len,
						    (uint32_t)writing->all.len};
	struct tally_index_writer *writer;

	if (tally_index_writer_open(&dso->owner->cache.dir, object, writing_size(writing), &writer))
		return;
	tally_index_writer_begin(writer, writing->id);
	tally_index_writer_add(writer, &head, sizeof(head));
	tally_index_writer_add(writer, writing->spans.data,
			       writing->spans.len * sizeof(*writing->spans.data));
	tally_index_writer_add(writer, writing->all.data,
			       writing->all.len * sizeof(*writing->all.data));
	tally_index_writer_begin(writer, writing->id + 1);
	tally_index_writer_add(writer, writing->texts.data, writing->texts.len);
	(void)tally_index_writer_close(writer, 0);
}

void tally_dso_lines_save(struct tally_dso *dso)
{
	struct tally_dso_lines *lines = dso->lines;
	enum tally_index_id id =
		dso->owner->lines_used.inlined_only ? TALLY_INDEX_INLINED : TALLY_INDEX_LINES;
	struct tally_index_lines indexed = {0};
	struct lines_writing writing = {.id = id};
	struct tally_build_id object;
	int ret;

	if (!tally_index_dir_get(dso->owner) || tally_dso_index_object(dso, &object))
		return;
	/* Another DSO or process with the same file may have written lines since they were opened,
	 * so open them again. */
	(void)tally_index_lines_open(dso, id, &indexed);
	ret = select_looked_up(&writing, lines);
	if (!ret)
		ret = select_indexed(&writing, &indexed, &lines->known);
	if (!ret)
		ret = write_spans(&writing, &lines->known, &indexed);
	if (!ret && writing.is_full) {
		/* Not all spans fit, so write only those that were looked up in this run. */
		writing_free(&writing);
		writing.id = id;
		ret = select_looked_up(&writing, lines);
		if (!ret)
			ret = write_spans(&writing, &lines->known, &indexed);
	}
	if (!ret && writing.is_new)
		index_write(dso, &object, &writing);
	writing_free(&writing);
	tally_index_lines_free(&indexed);
}

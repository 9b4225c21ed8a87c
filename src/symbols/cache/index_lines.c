/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines in an object's index, for addresses that were looked up. A debug file has the
 * object's build-id, so its lines stay valid after the file is removed.
 */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/lines/dso_lines.h"
#include "symbols/cache/index_dso.h"
#include "symbols/cache/index_write.h"

enum { LINES_BYTES_MAX = 64 << 20 };

/* Section TALLY_INDEX_LINES: this header, spans sorted by start, and lines. */
struct lines_head {
	uint32_t nr_spans, nr_lines;
};
struct lines_span {
	uint64_t start, end;
	uint32_t first, nr;
};
struct lines_line {
	uint32_t function, file; /* offsets in TALLY_INDEX_LINE_TEXTS, + 1; 0 if unknown */
	uint32_t line, zero;
};

/* ---- reading ------------------------------------------------------------------ */

struct lines_reading {
	struct tally_lines *lines;
	const struct lines_span *spans;
	const struct lines_line *all;
	struct lines_head head;
	const char *texts;
	size_t texts_len;
	uint64_t last; /* end of the previous span */
};

static int read_text(struct lines_reading *reading, uint32_t place, const char **ret_text)
{
	const char *text = reading->texts + place - 1;

	*ret_text = NULL;
	if (!place)
		return 0;
	/* The section ends with a NUL, so strings at any offset are terminated. */
	if (place > reading->texts_len)
		return -EBADMSG;
	return tally_lines_text(reading->lines, text, strlen(text), ret_text);
}

static int read_span(struct lines_reading *reading, const struct lines_span *from)
{
	struct tally_line lines[TALLY_DWARF_LINES_MAX];
	struct tally_line_span span = {from->start, from->end, lines, from->nr};
	int ret = 0;

	if (from->nr > TALLY_DWARF_LINES_MAX || from->start < reading->last ||
	    from->end < from->start ||
	    !tally_range_ok(from->first, from->nr, reading->head.nr_lines))
		return -EBADMSG;
	reading->last = from->end;
	for (uint32_t i = 0; i < from->nr && !ret; i++) {
		const struct lines_line *line = &reading->all[from->first + i];

		lines[i].line = line->line;
		ret = read_text(reading, line->function, &lines[i].function);
		if (!ret)
			ret = read_text(reading, line->file, &lines[i].file);
	}
	return ret ? ret : tally_lines_add(reading->lines, &span);
}

static int read_sections(struct tally_index *index, struct lines_reading *reading)
{
	size_t len;
	const uint8_t *data = tally_index_section(index, TALLY_INDEX_LINES, &len);

	reading->texts = tally_index_section(index, TALLY_INDEX_LINE_TEXTS, &reading->texts_len);
	if (!data || !reading->texts || reading->texts[reading->texts_len - 1] ||
	    len < sizeof(reading->head))
		return -ENOENT;
	memcpy(&reading->head, data, sizeof(reading->head));
	if (len != sizeof(reading->head) + reading->head.nr_spans * sizeof(struct lines_span) +
			   reading->head.nr_lines * sizeof(struct lines_line))
		return -EBADMSG;
	reading->spans = (const void *)(data + sizeof(reading->head));
	reading->all = (const void *)(reading->spans + reading->head.nr_spans);
	return 0;
}

/* Add the lines in the index to the known lines. */
static int read_index(struct tally_dso *dso)
{
	struct lines_reading reading = {.lines = &dso->lines->known};
	struct tally_index_dir *dir = tally_index_dir_get(dso->owner);
	struct tally_build_id object;
	struct tally_index index;
	int ret;

	if (!dir || tally_dso_index_object(dso, &object) || tally_index_open(dir, &object, &index))
		return -ENOENT;
	ret = read_sections(&index, &reading);
	for (uint32_t i = 0; i < reading.head.nr_spans && !ret; i++)
		ret = read_span(&reading, &reading.spans[i]);
	tally_index_free(&index);
	return ret;
}

int tally_dso_lines_load(struct tally_dso *dso)
{
	int ret = read_index(dso);

	dso->lines->nr_indexed = dso->lines->known.spans.len;
	return ret;
}

/* ---- writing ------------------------------------------------------------------ */

struct lines_writing {
	TALLY_VEC(struct lines_span) spans;
	TALLY_VEC(struct lines_line) all;
	TALLY_VEC(char) texts;
	struct tally_map places; /* string pointer -> the string's offset + 1 */
	bool is_new;             /* some spans are not in the index */
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
	struct lines_span to = {span->start, span->end, (uint32_t)writing->all.len, span->nr};
	int ret = 0;

	for (uint32_t i = 0; i < span->nr && !ret; i++) {
		struct lines_line line = {.line = span->lines[i].line};

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

/* Return true if a span is already in the index. Spans numbered `reread` and above were added to
 * the index while this process was running. */
static bool is_indexed(const struct tally_dso_lines *lines, size_t reread, size_t number)
{
	return number < lines->nr_indexed || number >= reread;
}

/* Collect the numbers of the spans to write, sorted by start, and return their count. These are the
 * spans that were looked up (not all spans of whole functions) and, with `with_indexed`, the spans
 * in the index. */
static uint32_t select_spans(const struct tally_dso_lines *lines, size_t reread, bool with_indexed,
			     uint32_t *numbers)
{
	const struct tally_map_slot *slot;
	uint32_t nr = 0;
	size_t pos = 0;

	for (size_t i = 0; i < lines->known.spans.len && with_indexed; i++) {
		if (is_indexed(lines, reread, i))
			numbers[nr++] = (uint32_t)i;
	}
	while ((slot = tally_map_next(&lines->known.by_address, &pos)))
		numbers[nr++] = (uint32_t)slot->value - 1;
	if (nr)
		qsort_r(numbers, nr, sizeof(*numbers), by_start, lines->known.spans.data);
	return nr;
}

static int write_spans(struct lines_writing *writing, const struct tally_dso_lines *lines,
		       size_t reread, bool with_indexed)
{
	size_t most = lines->known.spans.len + lines->known.by_address.len;
	uint32_t *numbers = calloc(most + 1, sizeof(*numbers)), nr;
	int ret = numbers ? tally_vec_push(&writing->texts, 0) : -ENOMEM;

	nr = ret ? 0 : select_spans(lines, reread, with_indexed, numbers);
	for (uint32_t i = 0; i < nr && !ret && !writing->is_full; i++) {
		if (i && numbers[i] == numbers[i - 1])
			continue;
		ret = write_span(writing, &lines->known.spans.data[numbers[i]]);
		writing->is_full = writing_size(writing) >= LINES_BYTES_MAX;
		writing->is_new |= !is_indexed(lines, reread, numbers[i]);
	}
	free(numbers);
	return ret;
}

static void writing_free(struct lines_writing *writing)
{
	tally_vec_free(&writing->spans);
	tally_vec_free(&writing->all);
	tally_vec_free(&writing->texts);
	tally_map_free(&writing->places);
	*writing = (struct lines_writing){0};
}

static void index_write(struct tally_dso *dso, const struct tally_build_id *object,
			const struct lines_writing *writing)
{
	const struct lines_head head = {(uint32_t)writing->spans.len, (uint32_t)writing->all.len};
	struct tally_index_writer *writer;

	if (tally_index_writer_open(&dso->owner->cache.dir, object, writing_size(writing), &writer))
		return;
	tally_index_writer_begin(writer, TALLY_INDEX_LINES);
	tally_index_writer_add(writer, &head, sizeof(head));
	tally_index_writer_add(writer, writing->spans.data,
			       writing->spans.len * sizeof(*writing->spans.data));
	tally_index_writer_add(writer, writing->all.data,
			       writing->all.len * sizeof(*writing->all.data));
	tally_index_writer_begin(writer, TALLY_INDEX_LINE_TEXTS);
	tally_index_writer_add(writer, writing->texts.data, writing->texts.len);
	(void)tally_index_writer_close(writer, 0);
}

void tally_dso_lines_save(struct tally_dso *dso)
{
	struct lines_writing writing = {0};
	struct tally_build_id object;
	size_t reread = dso->lines->known.spans.len;
	int ret;

	if (!tally_index_dir_get(dso->owner) || tally_dso_index_object(dso, &object))
		return;
	/* Another DSO or process with the same file may have written lines in the meantime. */
	(void)read_index(dso);
	ret = write_spans(&writing, dso->lines, reread, true);
	if (!ret && writing.is_full) {
		/* Not all spans fit, so write only those that were looked up in this run. */
		writing_free(&writing);
		ret = write_spans(&writing, dso->lines, reread, false);
	}
	if (!ret && writing.is_new)
		index_write(dso, &object, &writing);
	writing_free(&writing);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page_source.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/json.h"

/* Number of context lines before the first and after the last line with instructions. */
enum { AROUND = 3 };

static const struct tally_line *line_of(const struct tally_annotation_insn *insn)
{
	return insn->nr_lines && insn->lines[0].file && insn->lines[0].line ? insn->lines : NULL;
}

/* Return the index of the line's file, or PAGE_SOURCES_MAX if the file is not in the list. */
static uint32_t source_of(const struct page_sources *sources, const struct tally_line *line)
{
	for (uint32_t i = 0; i < sources->nr; i++) {
		if (!strcmp(sources->all[i].file, line->file))
			return i;
	}
	return PAGE_SOURCES_MAX;
}

static uint64_t weight_of(const struct page_source *source, uint32_t line)
{
	uint64_t weight = tally_map_get(&source->weights, line);

	return weight == TALLY_MAP_NONE ? 0 : weight;
}

static int source_count(struct page_source *source, uint32_t line, uint64_t weight)
{
	int ret;

	source->first = TALLY_MIN(source->first, line);
	source->last = TALLY_MAX(source->last, line);
	if (!weight)
		return 0;
	source->weight += TALLY_MIN(weight, UINT64_MAX - source->weight);
	weight += weight_of(source, line);
	weight = TALLY_MIN(weight, UINT64_MAX - 1);
	ret = tally_map_set(&source->weights, line, weight);
	if (!source->heaviest || weight > weight_of(source, source->heaviest))
		source->heaviest = line;
	return ret;
}

int page_sources_find(const struct tally_annotation *annotation, uint32_t event,
		      struct page_sources *sources)
{
	int ret = 0;

	tally_vec_for_each (insn, &annotation->insns) {
		const struct tally_line *line = line_of(insn);
		uint32_t number = line ? source_of(sources, line) : 0;

		if (line && number == PAGE_SOURCES_MAX && sources->nr < PAGE_SOURCES_MAX) {
			number = sources->nr++;
			sources->all[number] =
				(struct page_source){.file = line->file, .first = line->line};
		}
		if (!ret && line && number < PAGE_SOURCES_MAX)
			ret = source_count(&sources->all[number], line->line,
					   tally_annotation_cost(annotation, insn, event).weight);
	}
	return ret;
}

void page_sources_free(struct page_sources *sources)
{
	for (uint32_t i = 0; i < sources->nr; i++)
		tally_map_free(&sources->all[i].weights);
	sources->nr = 0;
}

void page_sources_row_json(const struct page_sources *sources,
			   const struct tally_annotation_insn *insn, struct tally_str *out)
{
	const struct tally_line *line = line_of(insn);
	uint32_t number = line ? source_of(sources, line) : PAGE_SOURCES_MAX;

	if (line)
		tally_json_u64(out, "line", line->line);
	if (number < PAGE_SOURCES_MAX && sources->all[number].place >= 0)
		tally_json_u64(out, "source", (uint64_t)sources->all[number].place);
}

/* Choose the lines to show: with `around` lines of context, and around the heaviest line if there
 * are too many. */
static void lines_choose(const struct page_source *source, uint32_t around, uint32_t *ret_first,
			 uint32_t *ret_last)
{
	uint32_t first = source->first > around ? source->first - around : 1;

	if (source->last - first >= PAGE_SOURCE_LINES_MAX &&
	    source->heaviest > first + PAGE_SOURCE_LINES_MAX / 2)
		first = source->heaviest - PAGE_SOURCE_LINES_MAX / 2;
	*ret_first = first;
	*ret_last = TALLY_MIN(TALLY_MIN(source->last, UINT32_MAX - around) + around,
			      first + PAGE_SOURCE_LINES_MAX - 1);
}

/* Add the members of a file with text. */
static void text_json(const struct page_source *source, struct tally_source_texts *texts,
		      struct tally_str *out)
{
	uint32_t first, last, line;
	const char *text;
	size_t len;

	lines_choose(source, AROUND, &first, &last);
	tally_json_u64(out, "first", first);
	tally_json_open(out, "lines", '[');
	for (line = first;
	     line <= last && !tally_source_texts_get(texts, source->file, line, &text, &len);
	     line++)
		tally_json_bytes(out, NULL, text, len);
	tally_json_close(out, ']');
	tally_json_open(out, "weights", '[');
	for (uint32_t i = first; i < line; i++)
		tally_json_u64(out, NULL, weight_of(source, i));
	tally_json_close(out, ']');
}

/* Add the members of a file without text: the costs of its lines, from the first line with a cost
 * to the last. */
static void costs_json(const struct page_source *source, struct tally_str *out)
{
	uint32_t first, last;

	lines_choose(source, 0, &first, &last);
	while (first < last && !weight_of(source, first))
		first++;
	while (first < last && !weight_of(source, last))
		last--;
	tally_json_u64(out, "first", first);
	tally_json_open(out, "lines", '[');
	tally_json_close(out, ']');
	tally_json_open(out, "weights", '[');
	for (uint32_t i = first; i <= last; i++)
		tally_json_u64(out, NULL, weight_of(source, i));
	tally_json_close(out, ']');
}

/* Add a file, with its text if `wants_text`. Return false if neither its text nor a cost is
 * known. */
static bool source_json(const struct page_source *source, bool wants_text,
			struct tally_source_texts *texts, struct tally_str *out)
{
	const char *text;
	size_t len;
	int ret = -ENOENT;

	if (wants_text)
		ret = tally_source_texts_get(texts, source->file, source->first, &text, &len);
	out->failed |= ret == -ENOMEM;
	if (ret && !source->heaviest)
		return false;
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "file", source->file);
	if (ret)
		costs_json(source, out);
	else
		text_json(source, texts, out);
	tally_json_close(out, '}');
	return true;
}

/* Return true if the file is among the heaviest files, which are included with their text. */
static bool has_text(const struct page_sources *sources, uint32_t at)
{
	uint32_t heavier = 0;

	for (uint32_t i = 0; i < sources->nr; i++)
		heavier += sources->all[i].weight > sources->all[at].weight ||
			   (i < at && sources->all[i].weight == sources->all[at].weight);
	return heavier < PAGE_SOURCE_TEXTS_MAX;
}

void page_sources_json(struct page_sources *sources, struct tally_source_texts *texts,
		       struct tally_str *out)
{
	int nr = 0;

	tally_json_open(out, "sources", '[');
	for (uint32_t i = 0; i < sources->nr; i++) {
		bool is_there = source_json(&sources->all[i], has_text(sources, i), texts, out);

		sources->all[i].place = is_there ? nr++ : -1;
	}
	tally_json_close(out, ']');
}

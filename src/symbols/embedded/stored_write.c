/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/embedded/stored_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/path.h"
#include "symbols/dso.h"
#include "symbols/embedded/stored_format.h"
#include "symbols/embedded/stored_texts.h"

/* Address in the recording, and its symbol. */
struct writer_hit {
	uint64_t addr;
	const struct tally_symbol *symbol; /* NULL if the address has no symbol */
};

struct writer_span {
	struct tally_span at;
	size_t first, nr; /* the span's lines: index of the first in `lines`, and count */
};

struct writer_object {
	struct tally_dso *dso;
	TALLY_VEC(struct writer_hit) hits;
	TALLY_VEC(uint64_t) astray;
	TALLY_VEC(struct writer_span) spans;
	TALLY_VEC(struct tally_line) lines;
	TALLY_VEC(struct tally_stored_symbol) symbols;
	TALLY_VEC(struct tally_stored_exception) exceptions;
};

struct tally_stored_writer {
	TALLY_VEC(struct writer_object) objects;
	TALLY_VEC(uint32_t) by_dso; /* object index + 1, indexed by DSO number */
	struct tally_stored_texts texts;
	struct tally_str body, records;
	struct tally_stored_renames renames;
};

int tally_stored_writer_new(struct tally_stored_writer **ret_writer)
{
	struct tally_stored_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return -ENOMEM;
	*ret_writer = writer;
	return 0;
}

static void object_free(struct writer_object *object)
{
	tally_vec_free(&object->hits);
	tally_vec_free(&object->astray);
	tally_vec_free(&object->spans);
	tally_vec_free(&object->lines);
	tally_vec_free(&object->symbols);
	tally_vec_free(&object->exceptions);
}

void tally_stored_writer_free(struct tally_stored_writer *writer)
{
	if (!writer)
		return;
	tally_vec_for_each (object, &writer->objects)
		object_free(object);
	tally_vec_free(&writer->objects);
	tally_vec_free(&writer->by_dso);
	tally_stored_texts_free(&writer->texts);
	tally_str_free(&writer->body);
	tally_str_free(&writer->records);
	free(writer);
}

void tally_stored_writer_rename(struct tally_stored_writer *writer,
				const struct tally_stored_renames *renames)
{
	if (renames)
		writer->renames = *renames;
}

/* ---- input --------------------------------------------------------------------- */

static int object_get(struct tally_stored_writer *writer, struct tally_dso *dso,
		      struct writer_object **ret_object)
{
	uint32_t number = tally_dso_number(dso);

	while (writer->by_dso.len <= number) {
		if (tally_vec_push(&writer->by_dso, 0))
			return -ENOMEM;
	}
	if (!writer->by_dso.data[number]) {
		if (tally_vec_push(&writer->objects, (struct writer_object){.dso = dso}))
			return -ENOMEM;
		writer->by_dso.data[number] = (uint32_t)writer->objects.len;
	}
	*ret_object = &writer->objects.data[writer->by_dso.data[number] - 1];
	return 0;
}

static bool is_stored(const struct tally_dso *dso)
{
	return tally_stored_kind_code(dso->kind) >= 0;
}

/* Return true if readers accept a name of this length. */
static bool name_fits(const char *name, size_t max)
{
	return strnlen(name, max + 1) <= max;
}

int tally_stored_writer_add(struct tally_stored_writer *writer, struct tally_dso *dso,
			    uint64_t addr, const struct tally_symbol *symbol)
{
	struct writer_object *object;
	int ret = is_stored(dso) ? object_get(writer, dso, &object) : -ENOENT;

	if (!ret)
		ret = tally_vec_push(&object->hits, (struct writer_hit){addr, symbol});
	return ret == -ENOENT ? 0 : ret;
}

int tally_stored_writer_add_symbol(struct tally_stored_writer *writer, struct tally_dso *dso,
				   uint64_t start, uint64_t end, const char *name)
{
	struct tally_stored_symbol one = {.symbol = {start, end}, .end = end};
	struct writer_object *object;
	int ret = is_stored(dso) && name_fits(name, TALLY_STORED_NAME_MAX)
			  ? object_get(writer, dso, &object)
			  : -ENOENT;

	one.symbol.name_text = name;
	if (!ret)
		ret = tally_vec_push(&object->symbols, one);
	return ret == -ENOENT ? 0 : ret;
}

int tally_stored_writer_add_non_return(struct tally_stored_writer *writer, struct tally_dso *dso,
				       uint64_t addr)
{
	struct writer_object *object;
	int ret = is_stored(dso) ? object_get(writer, dso, &object) : -ENOENT;

	if (!ret)
		ret = tally_vec_push(&object->astray, addr);
	return ret == -ENOENT ? 0 : ret;
}

int tally_stored_writer_add_lines(struct tally_stored_writer *writer, struct tally_dso *dso,
				  struct tally_span span, const struct tally_line *lines, size_t nr)
{
	struct writer_object *object;
	int ret = is_stored(dso) ? object_get(writer, dso, &object) : -ENOENT;

	if (ret || !nr || span.end <= span.start)
		return ret == -ENOENT ? 0 : ret;
	ret = tally_vec_push(&object->spans, (struct writer_span){span, object->lines.len, nr});
	for (size_t i = 0; i < nr && !ret; i++)
		ret = tally_vec_push(&object->lines, lines[i]);
	return ret;
}

/* ---- sorting --------------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int hit_compare(const void *a, const void *b)
{
	return compare_u64(((const struct writer_hit *)a)->addr,
			   ((const struct writer_hit *)b)->addr);
}

static int astray_compare(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Sort spans by start; if the starts are equal, the longest span is first. */
static int span_compare(const void *a_, const void *b_)
{
	const struct writer_span *a = a_, *b = b_;
	int order = compare_u64(a->at.start, b->at.start);

	return order ? order : compare_u64(b->at.end, a->at.end);
}

static int symbol_compare(const void *a_, const void *b_)
{
	const struct tally_stored_symbol *a = a_, *b = b_;
	int order = compare_u64(a->symbol.start, b->symbol.start);

	if (!order)
		order = compare_u64(a->symbol.end, b->symbol.end);
	return order ? order : strcmp(a->symbol.name_text, b->symbol.name_text);
}

/* Return true if a JIT compiler named the functions in its map or dump. `perf inject --jit`
 * converts dumps to files (jitted-PID-NUMBER.so). */
static bool is_of_jit(const struct tally_dso *dso)
{
	return dso->kind == TALLY_DSO_PERF_MAP || dso->kind == TALLY_DSO_JITDUMP ||
	       !strncmp(tally_path_name(dso->name), "jitted-", 7);
}

static const char *name_shown(const struct tally_stored_writer *writer, const struct tally_dso *dso,
			      const char *name)
{
	const struct tally_stored_renames *renames = &writer->renames;

	return renames->jit && is_of_jit(dso) ? renames->jit(renames->arg, name) : name;
}

#define SORT(vec, compare)                                                             \
	do {                                                                           \
		if ((vec)->len)                                                        \
			qsort((vec)->data, (vec)->len, sizeof(*(vec)->data), compare); \
	} while (0)

/* Sort the addresses and remove duplicates. */
static void object_sort(struct writer_object *object)
{
	size_t left = 0;

	SORT(&object->hits, hit_compare);
	for (size_t i = 0; i < object->hits.len; i++) {
		if (!left || object->hits.data[i].addr != object->hits.data[left - 1].addr)
			object->hits.data[left++] = object->hits.data[i];
	}
	object->hits.len = left;
	SORT(&object->astray, astray_compare);
	left = 0;
	for (size_t i = 0; i < object->astray.len; i++) {
		if (!left || object->astray.data[i] != object->astray.data[left - 1])
			object->astray.data[left++] = object->astray.data[i];
	}
	object->astray.len = left;
}

static const char *symbol_name(const struct tally_dso *dso, const struct tally_symbol *symbol)
{
	bool is_stub = tally_symtab_has(&dso->files.stubs, symbol);

	return tally_symtab_name(is_stub ? &dso->files.stubs : &dso->files.table, symbol);
}

/* Return the symbol for a hit. For a bound, only the start is known, so its range ends just after
 * the hit's address. */
static struct tally_stored_symbol stored_symbol(const struct tally_dso *dso,
						const struct writer_hit *hit)
{
	struct tally_stored_symbol one = {
		.symbol = {hit->symbol->start, hit->symbol->end},
		.end = hit->symbol->end,
		.is_bound = tally_symbol_is_bound(dso, hit->symbol),
	};

	one.symbol.name_text = symbol_name(dso, hit->symbol);
	if (one.is_bound && hit->addr < UINT64_MAX)
		one.end = TALLY_MAX(hit->addr + 1, one.symbol.start);
	return one;
}

/* Collect the hits' symbols, without duplicates. Hits are sorted, so hits in the same symbol are
 * usually adjacent. */
static int object_take_symbols(struct writer_object *object)
{
	const struct tally_symbol *before = NULL;
	size_t left = 0;

	tally_vec_for_each (hit, &object->hits) {
		if (!hit->symbol)
			continue;
		if (hit->symbol != before || tally_symbol_is_bound(object->dso, before)) {
			if (tally_vec_push(&object->symbols, stored_symbol(object->dso, hit)))
				return -ENOMEM;
		}
		before = hit->symbol;
	}
	SORT(&object->symbols, symbol_compare);
	tally_vec_for_each (one, &object->symbols) {
		struct tally_stored_symbol *last = &object->symbols.data[left - !!left];

		if (left && !symbol_compare(one, last))
			last->end = TALLY_MAX(one->end, last->end);
		else
			object->symbols.data[left++] = *one;
	}
	object->symbols.len = left;
	return 0;
}

static const struct tally_stored_symbol *symbol_of(const struct writer_object *object,
						   const struct writer_hit *hit)
{
	struct tally_stored_symbol one;

	if (!hit->symbol)
		return NULL;
	one = stored_symbol(object->dso, hit);
	return bsearch(&one, object->symbols.data, object->symbols.len, sizeof(one),
		       symbol_compare);
}

/* Record the addresses for which a lookup in the embedded symbols would return the wrong symbol.
 * This can happen if ranges overlap, because only some of the symbols are embedded. */
static int object_take_exceptions(struct writer_object *object)
{
	struct tally_stored_object found = {.symbols = object->symbols.data,
					    .nr_symbols = object->symbols.len};
	int ret = 0;

	tally_vec_for_each (hit, &object->hits) {
		const struct tally_stored_symbol *symbol = symbol_of(object, hit);

		if (!ret && tally_stored_object_find(&found, hit->addr) != symbol)
			ret = tally_vec_push(&object->exceptions,
					     (struct tally_stored_exception){hit->addr, symbol});
	}
	return ret;
}

/* Drop symbols with names that are too long. */
static void object_drop_names(struct tally_stored_writer *writer, struct writer_object *object)
{
	tally_vec_for_each (hit, &object->hits) {
		if (hit->symbol && !name_fits(name_shown(writer, object->dso,
							 symbol_name(object->dso, hit->symbol)),
					      TALLY_STORED_NAME_MAX))
			hit->symbol = NULL;
	}
}

/* Collect the addresses for which lines are needed. For each hit, these are its address and, in
 * case it is a return address, the byte before it, which belongs to the call. */
static size_t line_addresses(const struct writer_object *object, uint64_t *addrs)
{
	size_t nr = 0;

	tally_vec_for_each (hit, &object->hits) {
		if (hit->addr && (!nr || addrs[nr - 1] < hit->addr - 1))
			addrs[nr++] = hit->addr - 1;
		if (!nr || addrs[nr - 1] < hit->addr)
			addrs[nr++] = hit->addr;
	}
	return nr;
}

static int object_take_lines(struct tally_stored_writer *writer, struct writer_object *object)
{
	uint64_t *addrs, end = 0;
	size_t nr;
	int ret = 0;

	if (!object->hits.len || !tally_dso_has_lines(object->dso))
		return 0;
	addrs = calloc(2 * object->hits.len, sizeof(*addrs));
	if (!addrs)
		return -ENOMEM;
	nr = line_addresses(object, addrs);
	tally_dso_lines_prepare(object->dso, addrs, nr);
	/* Readers expect embedded lines to be complete, so do not embed incomplete lines. */
	if (tally_dso_lines_state(object->dso) != TALLY_DSO_LOADED)
		nr = 0;
	for (size_t i = 0; i < nr && !ret; i++) {
		const struct tally_line *lines;
		struct tally_span span;
		size_t found =
			addrs[i] < end ? 0 : tally_dso_lines(object->dso, addrs[i], &lines, &span);

		if (!found)
			continue;
		end = span.end;
		ret = tally_stored_writer_add_lines(writer, object->dso, span, lines, found);
	}
	free(addrs);
	return ret;
}

/* ---- encoding --------------------------------------------------------------------- */

static void put_u32(struct tally_str *out, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		tally_str_add_char(out, (char)(value >> 8 * i));
}

static void put_u64(struct tally_str *out, uint64_t value)
{
	put_u32(out, (uint32_t)value);
	put_u32(out, (uint32_t)(value >> 32));
}

static void put_uleb(struct tally_str *out, uint64_t value)
{
	for (; value >> 7; value >>= 7)
		tally_str_add_char(out, (char)(value | 0x80));
	tally_str_add_char(out, (char)value);
}

static uint64_t path_offset(struct tally_stored_writer *writer, const char *path)
{
	const struct tally_stored_renames *renames = &writer->renames;

	return tally_stored_text(&writer->texts,
				 renames->path ? renames->path(renames->arg, path) : path);
}

static uint64_t name_offset(struct tally_stored_writer *writer, const struct tally_dso *dso,
			    const char *name)
{
	return tally_stored_text(&writer->texts, name_shown(writer, dso, name));
}

/* Return the recorded build-id of a DSO, or else its current build-id on this machine. */
static struct tally_build_id build_id_of(const struct tally_dso *dso)
{
	struct tally_build_id id = dso->build_id;

	if (!id.size && dso->owner->origin == TALLY_SYMBOLS_HERE &&
	    tally_dso_running_build_id(dso, id.id, &id.size))
		id.size = 0;
	return id;
}

/* Return the state of an object. A DSO that was never loaded counts as loaded if symbols were added
 * for it. */
static enum tally_dso_state state_of_object(const struct writer_object *object)
{
	if (object->dso->files.state != TALLY_DSO_NOT_LOADED)
		return object->dso->files.state;
	return object->symbols.len ? TALLY_DSO_LOADED : TALLY_DSO_MISSING;
}

static void put_identity(struct tally_stored_writer *writer, const struct writer_object *object)
{
	const struct tally_dso *dso = object->dso;
	struct tally_str *out = &writer->body;
	struct tally_build_id id = build_id_of(dso);

	put_uleb(out, (uint64_t)tally_stored_kind_code(dso->kind));
	put_uleb(out, (uint64_t)tally_stored_state_code(state_of_object(object)));
	put_uleb(out, path_offset(writer, dso->name));
	put_uleb(out, dso->kind == TALLY_DSO_PERF_MAP ? (uint32_t)dso->pid : 0);
	put_uleb(out, dso->inode.ino);
	put_uleb(out, dso->inode.maj);
	put_uleb(out, dso->inode.min);
	tally_str_add_char(out, (char)id.size);
	tally_str_add_bytes(out, (const char *)id.id, id.size);
}

static void put_symbols(struct tally_stored_writer *writer, const struct writer_object *object)
{
	struct tally_str *out = &writer->body;
	uint64_t last = 0;

	put_uleb(out, object->symbols.len);
	tally_vec_for_each (one, &object->symbols) {
		put_uleb(out, one->symbol.start - last);
		put_uleb(out, one->end - one->symbol.start);
		put_uleb(out, name_offset(writer, object->dso, one->symbol.name_text) << 1 |
				      one->is_bound);
		last = one->symbol.start;
	}
	last = 0;
	put_uleb(out, object->exceptions.len);
	tally_vec_for_each (exception, &object->exceptions) {
		put_uleb(out, exception->addr - last);
		put_uleb(out, exception->symbol
				      ? (uint64_t)(exception->symbol - object->symbols.data) + 1
				      : 0);
		last = exception->addr;
	}
	last = 0;
	put_uleb(out, object->astray.len);
	tally_vec_for_each (astray, &object->astray) {
		put_uleb(out, *astray - last);
		last = *astray;
	}
}

/* Drop spans that overlap the preceding span in sort order. Returns the number of spans left. */
static size_t spans_drop_overlaps(struct writer_object *object, size_t *ret_lines)
{
	uint64_t end = 0;
	size_t left = 0;

	*ret_lines = 0;
	for (size_t i = 0; i < object->spans.len; i++) {
		const struct writer_span *span = &object->spans.data[i];

		if (span->at.start < end)
			continue;
		end = span->at.end;
		*ret_lines += span->nr;
		object->spans.data[left++] = *span;
	}
	return object->spans.len = left;
}

/* Write a line. Strings that are too long are left out. */
static void put_line(struct tally_stored_writer *writer, const struct tally_dso *dso,
		     const struct tally_line *line)
{
	struct tally_str *out = &writer->body;
	const char *function = line->function ? name_shown(writer, dso, line->function) : NULL;
	bool has_function = function && name_fits(function, TALLY_STORED_NAME_MAX);
	bool has_file = line->file && name_fits(line->file, TALLY_STORED_NAME_MAX);

	put_uleb(out, has_function ? tally_stored_text(&writer->texts, function) + 1 : 0);
	put_uleb(out, has_file ? path_offset(writer, line->file) + 1 : 0);
	put_uleb(out, line->line);
}

static void put_spans(struct tally_stored_writer *writer, struct writer_object *object)
{
	struct tally_str *out = &writer->body;
	size_t nr_lines, nr = spans_drop_overlaps(object, &nr_lines);
	uint64_t end = 0;

	put_uleb(out, nr_lines);
	tally_vec_for_each (span, &object->spans) {
		for (size_t i = 0; i < span->nr; i++)
			put_line(writer, object->dso, &object->lines.data[span->first + i]);
	}
	put_uleb(out, nr);
	tally_vec_for_each (span, &object->spans) {
		put_uleb(out, span->at.start - end);
		put_uleb(out, span->at.end - span->at.start);
		put_uleb(out, span->nr);
		end = span->at.end;
	}
}

static int put_object(struct tally_stored_writer *writer, struct writer_object *object)
{
	int ret;

	object_sort(object);
	object_drop_names(writer, object);
	ret = object_take_lines(writer, object);
	SORT(&object->spans, span_compare);
	if (!ret)
		ret = object_take_symbols(object);
	if (!ret)
		ret = object_take_exceptions(object);
	if (ret)
		return ret;
	tally_str_clear(&writer->body);
	put_identity(writer, object);
	put_symbols(writer, object);
	put_spans(writer, object);
	put_uleb(&writer->records, writer->body.len);
	tally_str_add_bytes(&writer->records, tally_str_text(&writer->body), writer->body.len);
	return tally_str_error(&writer->body);
}

/* Drop objects with names that are too long. Returns the number of objects left. */
static size_t objects_drop_long_names(struct tally_stored_writer *writer)
{
	size_t left = 0;

	tally_vec_for_each (object, &writer->objects) {
		if (name_fits(object->dso->name, TALLY_STORED_OBJECT_NAME_MAX))
			writer->objects.data[left++] = *object;
		else
			object_free(object);
	}
	return writer->objects.len = left;
}

int tally_stored_writer_finish(struct tally_stored_writer *writer, struct tally_str *out)
{
	int ret = 0;

	(void)tally_stored_text(&writer->texts, "");
	put_uleb(&writer->records, objects_drop_long_names(writer));
	for (size_t i = 0; i < writer->objects.len && !ret; i++)
		ret = put_object(writer, &writer->objects.data[i]);
	if (!ret)
		ret = tally_str_error(&writer->texts.bytes);
	if (!ret)
		ret = tally_str_error(&writer->records);
	if (ret)
		return ret;
	tally_str_add_bytes(out, TALLY_STORED_MAGIC, 8);
	put_u32(out, TALLY_STORED_VERSION);
	put_u32(out, 0);
	put_u64(out, writer->texts.bytes.len);
	put_u64(out, writer->records.len);
	tally_str_add_bytes(out, writer->texts.bytes.data, writer->texts.bytes.len);
	tally_str_add_bytes(out, writer->records.data, writer->records.len);
	return tally_str_error(out);
}

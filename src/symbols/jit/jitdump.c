/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/jit/jitdump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "base/map.h"

#define JITDUMP_MAGIC 0x4a695444u /* "JiTD" */

enum { JITDUMP_VERSION = 1, FLAG_ARCH_CLOCK = 1, V8_LINES_SHIFT = 0x40 };

enum {
	RECORD_LOAD,
	RECORD_MOVE,
	RECORD_LINES,
};

/* Sizes of the fixed parts, and offsets of fields in them. Sizes and offsets for records do not
 * include the record header. */
enum {
	HEADER_SIZE = 40,
	HEADER_MACHINE = 12,
	HEADER_PID = 20,
	HEADER_FLAGS = 32,
	RECORD_SIZE = 16,
	LOAD_SIZE = 40,
	LOAD_ADDR = 16,
	LOAD_CODE_SIZE = 24,
	LOAD_INDEX = 32,
	MOVE_SIZE = 48,
	MOVE_ADDR = 24,
	MOVE_CODE_SIZE = 32,
	MOVE_INDEX = 40,
	LINES_SIZE = 16,
	LINE_SIZE = 16,
};

/* Line for code that has not been read yet. */
struct pending_line {
	uint64_t addr;
	const char *file;
	uint32_t line, order;
};

struct tally_jit_dump {
	struct tally_jitdump_header header;
	bool swaps;
	bool is_over;              /* an invalid record ended parsing */
	struct tally_map by_index; /* code_index -> symbol */
	uint64_t lines_of;         /* address of the code to which the pending lines belong */
	TALLY_VEC(struct pending_line) pending;
};

/* Complete record. */
struct dump_record {
	const uint8_t *body;
	size_t len;
	uint64_t offset; /* offset of the body in the dump */
	uint64_t time;
	uint32_t id;
	bool swaps;
};

static uint64_t field(const struct dump_record *record, size_t at)
{
	return tally_load_u64(record->body + at, record->swaps);
}

/* ---- code ------------------------------------------------------------------------ */

static int compare_pending(const void *a, const void *b)
{
	const struct pending_line *left = a, *right = b;

	if (left->addr != right->addr)
		return left->addr < right->addr ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

static int line_store(struct tally_jit *jit, uint64_t place, const struct pending_line *pending)
{
	struct tally_line *line = tally_arena_alloc(&jit->arena, sizeof(*line));

	if (!line)
		return -ENOMEM;
	*line = (struct tally_line){.file = pending->file, .line = pending->line};
	return tally_vec_push(&jit->lines, (struct tally_jit_line){place, line});
}

/* Sort the pending lines, and drop them if they do not belong to the code at `addr`. If any line is
 * outside the code, the whole record is wrong: V8 writes file names that it has already freed, and
 * after such a name, lines are parsed at the wrong offset. */
static void pending_validate(struct tally_jit *jit, uint64_t addr, uint64_t start, uint64_t size)
{
	struct tally_jit_dump *dump = jit->dump;
	const struct pending_line *last = dump->pending.data + dump->pending.len - 1;

	qsort(dump->pending.data, dump->pending.len, sizeof(*dump->pending.data), compare_pending);
	if (dump->lines_of != addr) {
		dump->pending.len = 0;
	} else if (dump->pending.data->addr < start || last->addr - start > size) {
		dump->pending.len = 0;
		jit->nr_skipped++;
	}
}

/* Assign the pending lines to the code of `symbol` if they belong to the code at `addr`. */
static int pending_attach(struct tally_jit *jit, uint64_t addr, const struct tally_symbol *symbol)
{
	struct tally_jit_dump *dump = jit->dump;
	uint64_t start = addr, size = symbol->end - symbol->start;
	int ret = 0;

	if (!dump->pending.len)
		return 0;
	/* V8 adds V8_LINES_SHIFT to the address of each line, to allow for a header that perf once
	 * put before the code. */
	if (dump->pending.data[0].addr - addr == V8_LINES_SHIFT)
		start += V8_LINES_SHIFT;
	pending_validate(jit, addr, start, size);
	tally_vec_for_each (line, &dump->pending) {
		if (!ret && line->addr - start < size)
			ret = line_store(jit, symbol->start + (line->addr - start), line);
	}
	dump->pending.len = 0;
	return ret;
}

/* Parse a JIT_CODE_LOAD record. Returns -EINVAL if the record is malformed. */
static int dump_load(struct tally_jit *jit, const struct dump_record *record)
{
	const char *name = (const char *)record->body + LOAD_SIZE, *end;
	const struct tally_symbol *symbol;
	uint64_t addr, size, last;
	size_t before;
	int ret;

	end = record->len > LOAD_SIZE ? memchr(name, '\0', record->len - LOAD_SIZE) : NULL;
	if (!end)
		return -EINVAL;
	addr = field(record, LOAD_ADDR);
	size = field(record, LOAD_CODE_SIZE);
	before = LOAD_SIZE + (size_t)(end - name) + 1;
	if (!size || !tally_range_ok(before, size, record->len) ||
	    __builtin_add_overflow(addr, size, &last))
		return -EINVAL;
	symbol = tally_jit_add(jit, addr, size, record->time, record->offset + before, name,
			       (size_t)(end - name));
	if (!symbol || tally_vec_push(&jit->addresses, addr) ||
	    tally_vec_push(&jit->symbols, symbol))
		return -ENOMEM;
	ret = tally_map_set(&jit->dump->by_index, field(record, LOAD_INDEX), (uintptr_t)symbol);
	return ret ? ret : pending_attach(jit, addr, symbol);
}

static int dump_move(struct tally_jit *jit, const struct dump_record *record)
{
	uint64_t found, size, last;
	const struct tally_symbol *symbol;
	struct tally_jit_code code;

	if (record->len < MOVE_SIZE)
		return -EINVAL;
	found = tally_map_get(&jit->dump->by_index, field(record, MOVE_INDEX));
	if (found == TALLY_MAP_NONE)
		return -EINVAL;
	symbol = (const struct tally_symbol *)(uintptr_t)found;
	code.where.start = field(record, MOVE_ADDR);
	size = TALLY_MIN(field(record, MOVE_CODE_SIZE), symbol->end - symbol->start);
	if (!size || __builtin_add_overflow(code.where.start, size, &last))
		return -EINVAL;
	code.where.end = last;
	code.time = record->time;
	code.symbol = symbol;
	code.order = (uint32_t)jit->codes.len;
	return tally_vec_push(&jit->codes, code);
}

/* ---- lines ----------------------------------------------------------------------- */

/* Return a line's file name, or NULL on memory allocation failure. The name "\xff" repeats the
 * previous name. */
static const char *line_file(struct tally_jit *jit, const char *name, size_t len,
			     const char *previous)
{
	bool is_same = len == 1 && (unsigned char)*name == 0xff;

	if (previous && (is_same || (strlen(previous) == len && !memcmp(previous, name, len))))
		return previous;
	return tally_arena_strndup(&jit->arena, name, is_same ? 0 : len);
}

static int line_add(struct tally_jit *jit, const struct dump_record *record, size_t *at,
		    const char **file)
{
	struct tally_jit_dump *dump = jit->dump;
	const uint8_t *body = record->body + *at;
	const char *name = (const char *)body + LINE_SIZE, *end = NULL;

	if (record->len - *at > LINE_SIZE)
		end = memchr(name, '\0', record->len - *at - LINE_SIZE);
	if (!end)
		return -EINVAL;
	*file = line_file(jit, name, (size_t)(end - name), *file);
	*at += LINE_SIZE + (size_t)(end - name) + 1;
	if (!*file)
		return -ENOMEM;
	return tally_vec_push(&dump->pending,
			      (struct pending_line){tally_load_u64(body, record->swaps), *file,
						    tally_load_u32(body + 8, record->swaps),
						    (uint32_t)dump->pending.len});
}

static int dump_lines(struct tally_jit *jit, const struct dump_record *record)
{
	struct tally_jit_dump *dump = jit->dump;
	const char *file = NULL;
	size_t at = LINES_SIZE;
	uint64_t nr;
	int ret = 0;

	if (record->len < LINES_SIZE)
		return -EINVAL;
	dump->pending.len = 0;
	dump->lines_of = field(record, 0);
	nr = field(record, 8);
	for (uint64_t i = 0; i < nr && !ret; i++)
		ret = line_add(jit, record, &at, &file);
	return ret;
}

/* ---- the dump ---------------------------------------------------------------------- */

static int record_parse(struct tally_jit *jit, const struct dump_record *record)
{
	switch (record->id) {
	case RECORD_LOAD: return dump_load(jit, record);
	case RECORD_MOVE: return dump_move(jit, record);
	case RECORD_LINES: return dump_lines(jit, record);
	default: return 0;
	}
}

/* Parse the header, which contains its own size. */
static int header_parse(const uint8_t *data, size_t len, struct tally_jit *jit, size_t *ret_used,
			struct tally_error *err)
{
	bool swaps = len >= 4 && tally_load_u32(data, true) == JITDUMP_MAGIC;
	uint32_t size;

	if (len < HEADER_SIZE)
		return tally_error_at(err, -ENODATA, "truncated header", 0);
	if (!swaps && tally_get_u32(data) != JITDUMP_MAGIC)
		return tally_error_at(err, -EBADMSG, "not a jitdump", 0);
	if (tally_load_u32(data + 4, swaps) != JITDUMP_VERSION)
		return tally_error_at(err, -EBADMSG, "unsupported jitdump version", 4);
	size = tally_load_u32(data + 8, swaps);
	if (size < HEADER_SIZE || size > len)
		return tally_error_at(err, -EBADMSG, "invalid header size", 8);
	tally_jitdump_end(jit);
	jit->dump = calloc(1, sizeof(*jit->dump));
	if (!jit->dump)
		return -ENOMEM;
	jit->dump->swaps = swaps;
	jit->dump->header.pid = tally_load_u32(data + HEADER_PID, swaps);
	jit->dump->header.machine = (uint16_t)tally_load_u32(data + HEADER_MACHINE, swaps);
	jit->dump->header.has_arch_clock =
		tally_load_u64(data + HEADER_FLAGS, swaps) & FLAG_ARCH_CLOCK;
	*ret_used = size;
	return 0;
}

/* Return the size of the record at `data`, 0 if it is incomplete, or 1 if it is invalid. */
static size_t record_decode(const uint8_t *data, size_t len, bool swaps, uint64_t offset,
			    struct dump_record *ret_record)
{
	uint32_t size;

	if (len < RECORD_SIZE)
		return 0;
	size = tally_load_u32(data + 4, swaps);
	if (size < RECORD_SIZE)
		return 1;
	*ret_record = (struct dump_record){
		.body = data + RECORD_SIZE,
		.len = size - RECORD_SIZE,
		.offset = offset + RECORD_SIZE,
		.time = tally_load_u64(data + 8, swaps),
		.id = tally_load_u32(data, swaps),
		.swaps = swaps,
	};
	return size <= len ? size : 0;
}

int tally_jitdump_parse(const uint8_t *data, size_t len, uint64_t offset, struct tally_jit *jit,
			size_t *ret_used, struct tally_error *err)
{
	struct dump_record record;
	size_t at = 0, size = 0;
	int ret = offset ? (jit->dump ? 0 : -EBADMSG) : header_parse(data, len, jit, &at, err);

	while (!ret && !jit->dump->is_over) {
		size = record_decode(data + at, len - at, jit->dump->swaps, offset + at, &record);
		if (!size)
			break;
		jit->dump->is_over = size == 1;
		ret = size == 1 ? -EINVAL : record_parse(jit, &record);
		if (ret == -EINVAL && !jit->nr_skipped++)
			tally_error_at(err, ret, "malformed record", offset + at);
		ret = ret == -EINVAL ? 0 : ret;
		at += size;
	}
	if (!ret)
		*ret_used = jit->dump->is_over ? len : at;
	return ret;
}

const struct tally_jitdump_header *tally_jitdump_header(const struct tally_jit *jit)
{
	return jit->dump ? &jit->dump->header : NULL;
}

void tally_jitdump_end(struct tally_jit *jit)
{
	if (!jit->dump)
		return;
	tally_map_free(&jit->dump->by_index);
	tally_vec_free(&jit->dump->pending);
	free(jit->dump);
	jit->dump = NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/code.h"
#include "symbols/embedded/stored.h"
#include "symbols/embedded/stored_format.h"
#include "symbols/embedded/stored_write.h"

#define ID_A ((const uint8_t *)"aaaaaaaaaaaaaaaaaaaa")
#define ID_B ((const uint8_t *)"bbbbbbbbbbbbbbbbbbbb")

static const struct tally_symbol outer = {0x1000, 0x2000, {.name_text = "outer"}};
static const struct tally_symbol inner = {0x1400, 0x1500, {.name_text = "_Z5innerv"}};
static const struct tally_symbol start = {0x3000, 0x3000, {.name_text = "no_size"}};

static const struct tally_dso_key prog = {TALLY_DSO_USER, "/gone/prog", .inode = {5, 8, 1}};

static struct tally_symbols *symbols_make(const struct tally_symbols_options *options)
{
	struct tally_symbols_options all = {.buildid_dir = "/gone"};
	struct tally_symbols *symbols;

	assert_int_equal(tally_symbols_new(options ? options : &all, &symbols), 0);
	return symbols;
}

static struct tally_dso *dso_of(struct tally_symbols *symbols, struct tally_dso_key key)
{
	struct tally_dso *dso;

	assert_int_equal(tally_dso_get(symbols, &key, &dso), 0);
	return dso;
}

/* Add symbols as a recorder would, for addresses before, in and after a nested symbol, in a symbol
 * without a size, and outside all symbols. */
static void prog_add(struct tally_stored_writer *writer, struct tally_dso *dso, bool backwards)
{
	const struct {
		uint64_t addr;
		const struct tally_symbol *symbol;
	} hits[] = {{0x1010, &outer}, {0x1410, &inner}, {0x1800, &outer},
		    {0x1900, NULL},   {0x3000, &start}, {0x4000, NULL}};
	size_t nr = TALLY_ARRAY_SIZE(hits);

	for (size_t i = 0; i < nr; i++) {
		size_t at = backwards ? nr - 1 - i : i;

		assert_int_equal(
			tally_stored_writer_add(writer, dso, hits[at].addr, hits[at].symbol), 0);
	}
	assert_int_equal(tally_stored_writer_add_non_return(writer, dso, 0x1800), 0);
	assert_int_equal(tally_stored_writer_add_non_return(writer, dso, 0x1410), 0);
}

static void prog_add_lines(struct tally_stored_writer *writer, struct tally_dso *dso)
{
	const struct tally_line lines[] = {{"_Z5innerv", "/src/a.c", 7}, {NULL, NULL, 0}};
	const struct tally_span spans[] = {{0x1400, 0x1420}, {0x1410, 0x1430}, {0x1000, 0x1011}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(spans); i++)
		assert_int_equal(tally_stored_writer_add_lines(writer, dso, spans[i], lines, 2), 0);
}

static void section_make(struct tally_dso_key key, bool backwards, struct tally_str *out)
{
	struct tally_symbols *symbols = symbols_make(NULL);
	struct tally_dso *dso = dso_of(symbols, key);
	struct tally_stored_writer *writer;

	assert_int_equal(tally_stored_writer_new(&writer), 0);
	prog_add(writer, dso, backwards);
	prog_add_lines(writer, dso);
	assert_int_equal(tally_stored_writer_finish(writer, out), 0);
	tally_stored_writer_free(writer);
	tally_symbols_free(symbols);
}

static struct tally_symbols *symbols_with(const struct tally_str *section,
					  const struct tally_symbols_options *options)
{
	struct tally_symbols *symbols = symbols_make(options);

	assert_int_equal(tally_symbols_set_stored(symbols, section->data, section->len, NULL), 0);
	return symbols;
}

static const char *name_at(struct tally_dso *dso, uint64_t addr)
{
	const struct tally_symbol *symbol = tally_dso_find(dso, addr);

	return symbol ? tally_symbol_name(dso, symbol) : "";
}

/* ---- look-ups ---------------------------------------------------------------------- */

static void finds_stored_names(void **state)
{
	struct tally_str section = {0};
	struct tally_symbols *symbols;
	struct tally_dso *dso;

	section_make(prog, false, &section);
	symbols = symbols_with(&section, NULL);
	dso = dso_of(symbols, prog);
	assert_string_equal(name_at(dso, 0x1010), "outer");
	assert_string_equal(name_at(dso, 0x1410), "inner");
	/* An address after the nested symbol, and an address at which the file had no symbol. */
	assert_string_equal(name_at(dso, 0x1800), "outer");
	assert_string_equal(name_at(dso, 0x1900), "");
	assert_string_equal(name_at(dso, 0x3000), "no_size");
	assert_string_equal(name_at(dso, 0x3001), "");
	assert_string_equal(name_at(dso, 0x4000), "");
	assert_string_equal(name_at(dso, 0), "");
	assert_int_equal(tally_dso_find(dso, 0x1410)->end, 0x1500);
	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_LOADED);
	assert_int_equal(tally_dso_status(dso).source, TALLY_DSO_SOURCE_STORED);
	assert_true(tally_dso_is_return_address(dso, 0x1010));
	assert_false(tally_dso_is_return_address(dso, 0x1410));
	assert_false(tally_dso_is_return_address(dso, 0x1800));
	tally_symbols_free(symbols);
	tally_str_free(&section);
}

static void finds_stored_lines(void **state)
{
	const struct tally_symbol *inlined;
	struct tally_str section = {0};
	struct tally_stored *stored;
	const struct tally_stored_span *span;
	const struct tally_line *lines;
	struct tally_symbols *symbols;
	struct tally_dso *dso;
	struct tally_span at;

	section_make(prog, false, &section);
	assert_int_equal(tally_stored_parse(section.data, section.len, &stored, NULL), 0);
	assert_int_equal(stored->nr, 1);
	span = tally_stored_object_lines(&stored->objects[0], 0x141f);
	assert_non_null(span);
	assert_int_equal(span->at.start, 0x1400);
	assert_int_equal(span->at.end, 0x1420);
	assert_int_equal(span->nr, 2);
	assert_string_equal(span->lines[0].function, "_Z5innerv");
	assert_string_equal(span->lines[0].file, "/src/a.c");
	assert_int_equal(span->lines[0].line, 7);
	assert_null(span->lines[1].function);
	assert_null(span->lines[1].file);
	/* A span that overlaps the previous one is omitted. */
	assert_null(tally_stored_object_lines(&stored->objects[0], 0x1420));
	assert_non_null(tally_stored_object_lines(&stored->objects[0], 0x1010));
	assert_null(tally_stored_object_lines(&stored->objects[0], 0x1011));
	tally_stored_free(stored);
	symbols = symbols_with(&section, NULL);
	dso = dso_of(symbols, prog);
	assert_true(tally_dso_has_lines(dso));
	assert_int_equal(tally_dso_lines(dso, 0x1400, &lines, &at), 2);
	assert_int_equal(at.start, 0x1400);
	assert_string_equal(lines[0].file, "/src/a.c");
	assert_int_equal(tally_line_symbol(dso, &lines[0], &inlined), 0);
	assert_string_equal(tally_symbol_name(dso, inlined), "inner");
	assert_int_equal(tally_dso_lines(dso, 0x1011, &lines, &at), 0);
	assert_int_equal(tally_dso_lines_state(dso), TALLY_DSO_LOADED);
	tally_symbols_free(symbols);
	tally_str_free(&section);
}

static void output_does_not_depend_on_the_order_of_additions(void **state)
{
	struct tally_str one = {0}, other = {0};

	section_make(prog, false, &one);
	section_make(prog, true, &other);
	assert_int_equal(one.len, other.len);
	assert_memory_equal(one.data, other.data, one.len);
	tally_str_free(&one);
	tally_str_free(&other);
}

/* ---- identity of objects ------------------------------------------------------------- */

static void expect_match(struct tally_dso_key stored, struct tally_dso_key key, bool matches)
{
	struct tally_str section = {0};
	struct tally_symbols *symbols;

	section_make(stored, false, &section);
	symbols = symbols_with(&section, NULL);
	assert_string_equal(name_at(dso_of(symbols, key), 0x1010), matches ? "outer" : "");
	tally_symbols_free(symbols);
	tally_str_free(&section);
}

static void matches_objects_by_identity(void **state)
{
	const struct tally_dso_key with_a = {TALLY_DSO_USER, "/gone/prog", ID_A, 20};
	const struct tally_dso_key with_b = {TALLY_DSO_USER, "/gone/prog", ID_B, 20};
	const struct tally_dso_key by_name = {TALLY_DSO_USER, "/gone/prog"};
	const struct tally_dso_key moved = {TALLY_DSO_USER, "/gone/prog", .inode = {6, 8, 1}};
	const struct tally_dso_key other = {TALLY_DSO_USER, "/gone/other", .inode = {5, 8, 1}};
	const struct tally_dso_key jit = {TALLY_DSO_PERF_MAP, "/gone/perf-9.map", .pid = 1 << 29,
					  .nspid = 1 << 29};
	struct tally_dso_key jit_of_other = jit;

	jit_of_other.pid++;
	expect_match(prog, prog, true);
	expect_match(prog, moved, false);
	expect_match(prog, other, false);
	expect_match(prog, by_name, true);
	expect_match(with_a, with_a, true);
	expect_match(with_a, with_b, false);
	expect_match(with_a, by_name, true);
	expect_match(jit, jit, true);
	expect_match(jit, jit_of_other, false);
	expect_match((struct tally_dso_key){TALLY_DSO_MODULE, "/lib/modules/1/dm-mod.ko.xz"},
		     (struct tally_dso_key){TALLY_DSO_MODULE, "[dm_mod]"}, true);
}

static void ignores_stored_names_with_user_paths(void **state)
{
	const struct tally_symbols_options options = {.buildid_dir = "/gone", .symfs = "/gone"};
	struct tally_str section = {0};
	struct tally_symbols *symbols;

	section_make(prog, false, &section);
	symbols = symbols_with(&section, &options);
	assert_string_equal(name_at(dso_of(symbols, prog), 0x1010), "");
	assert_int_equal(tally_dso_status(dso_of(symbols, prog)).state, TALLY_DSO_MISSING);
	tally_symbols_free(symbols);
	tally_str_free(&section);
}

/* The stored reason is reported, not the fact that the file is missing on this machine. */
static void reports_the_stored_reason(void **state)
{
	const struct tally_dso_key jit = {TALLY_DSO_PERF_MAP, "/gone/perf-9.map", .pid = 1 << 29,
					  .nspid = 1 << 29};
	struct tally_str section = {0};
	struct tally_symbols *symbols = symbols_make(NULL);
	struct tally_stored_writer *writer;
	struct tally_dso *dso;

	assert_int_equal(tally_symbols_set_origin(symbols, TALLY_SYMBOLS_ELSEWHERE, NULL), 0);
	dso = dso_of(symbols, jit);
	assert_null(tally_dso_find(dso, 0x1010));
	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_FOREIGN);
	assert_int_equal(tally_stored_writer_new(&writer), 0);
	assert_int_equal(tally_stored_writer_add(writer, dso, 0x1010, NULL), 0);
	assert_int_equal(tally_stored_writer_finish(writer, &section), 0);
	tally_stored_writer_free(writer);
	tally_symbols_free(symbols);

	symbols = symbols_with(&section, NULL);
	dso = dso_of(symbols, jit);
	assert_null(tally_dso_find(dso, 0x1010));
	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_FOREIGN);
	tally_symbols_free(symbols);
	tally_str_free(&section);
}

static const char *redact(void *arg, const char *path)
{
	return strstr(path, "prog") ? "/redacted" : path;
}

static void replaces_paths(void **state)
{
	const struct tally_stored_renames renames = {.path = redact};
	struct tally_symbols *symbols = symbols_make(NULL);
	struct tally_stored_writer *writer;
	struct tally_str section = {0};
	struct tally_stored *stored;

	assert_int_equal(tally_stored_writer_new(&writer), 0);
	tally_stored_writer_rename(writer, &renames);
	prog_add(writer, dso_of(symbols, prog), false);
	assert_int_equal(tally_stored_writer_finish(writer, &section), 0);
	assert_null(memmem(section.data, section.len, "prog", 4));
	assert_int_equal(tally_stored_parse(section.data, section.len, &stored, NULL), 0);
	assert_string_equal(stored->objects[0].name, "/redacted");
	tally_stored_free(stored);
	tally_stored_writer_free(writer);
	tally_symbols_free(symbols);
	tally_str_free(&section);
}

/* Check that the names in this DSO are treated as JIT symbol names if and only if `is_of_jit` is
 * set. */
static void expect_jit_name(struct tally_dso_key key, bool is_of_jit)
{
	const struct tally_symbol symbol = {0x1000, 0x2000, {.name_text = "prog operator/"}};
	const struct tally_line line = {"prog operator/", "/src/a.c", 7};
	const struct tally_stored_renames renames = {.jit = redact};
	struct tally_symbols *symbols = symbols_make(NULL);
	struct tally_dso *dso = dso_of(symbols, key);
	struct tally_str section = {0};
	struct tally_stored_writer *writer;
	struct tally_stored *stored;

	assert_int_equal(tally_stored_writer_new(&writer), 0);
	tally_stored_writer_rename(writer, &renames);
	assert_int_equal(tally_stored_writer_add(writer, dso, 0x1010, &symbol), 0);
	assert_int_equal(tally_stored_writer_add_lines(
				 writer, dso, (struct tally_span){0x1000, 0x1020}, &line, 1),
			 0);
	assert_int_equal(tally_stored_writer_finish(writer, &section), 0);
	assert_int_equal(tally_stored_parse(section.data, section.len, &stored, NULL), 0);
	assert_string_equal(stored->objects[0].symbols[0].symbol.name_text,
			    is_of_jit ? "/redacted" : symbol.name_text);
	assert_string_equal(stored->objects[0].lines[0].function,
			    is_of_jit ? "/redacted" : symbol.name_text);
	tally_stored_free(stored);
	tally_stored_writer_free(writer);
	tally_symbols_free(symbols);
	tally_str_free(&section);
}

static void replaces_names_of_jit_code_only(void **state)
{
	expect_jit_name(prog, false);
	expect_jit_name((struct tally_dso_key){TALLY_DSO_PERF_MAP, "/gone/perf-9.map",
					       .pid = 1 << 29, .nspid = 1 << 29},
			true);
	expect_jit_name((struct tally_dso_key){TALLY_DSO_USER, "/gone/jitted-9-1.so"}, true);
	expect_jit_name((struct tally_dso_key){TALLY_DSO_USER, "/jitted-9/prog"}, false);
}

/* ---- untrusted input ----------------------------------------------------------------- */

/* Parse a copy of exactly this size, so that ASan reports reads beyond its end. */
static int parse_copy(const char *data, size_t len)
{
	struct tally_stored *stored = NULL;
	char *copy = malloc(len ? len : 1);
	int ret;

	assert_non_null(copy);
	memcpy(copy, data, len);
	ret = tally_stored_parse(copy, len, &stored, NULL);
	for (size_t i = 0; !ret && i < stored->nr; i++) {
		for (uint64_t addr = 0xff0; addr < 0x5000; addr += 0x10) {
			(void)tally_stored_object_find(&stored->objects[i], addr);
			(void)tally_stored_object_lines(&stored->objects[i], addr);
		}
	}
	tally_stored_free(stored);
	free(copy);
	return ret;
}

static void rejects_truncated_sections(void **state)
{
	struct tally_str section = {0};

	section_make(prog, false, &section);
	for (size_t len = 0; len < section.len; len++)
		assert_int_equal(parse_copy(section.data, len), -EINVAL);
	assert_int_equal(parse_copy(section.data, section.len), 0);
	tally_str_free(&section);
}

static void survives_damaged_sections(void **state)
{
	struct tally_str section = {0};

	section_make(prog, false, &section);
	for (size_t at = 0; at < section.len; at++) {
		for (int bit = 0; bit < 8; bit++) {
			int ret;

			section.data[at] ^= (char)(1 << bit);
			ret = parse_copy(section.data, section.len);
			assert_true(!ret || ret == -EINVAL || ret == -ENOTSUP);
			section.data[at] ^= (char)(1 << bit);
		}
	}
	tally_str_free(&section);
}

/* Check that counts that exceed the section do not cause allocations. */
static void huge_counts_allocate_no_memory(void **state)
{
	static const char huge[] = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
	struct tally_str section = {0}, changed = {0};
	struct tally_error err = {0};
	struct tally_stored *stored;

	section_make(prog, false, &section);
	for (size_t at = TALLY_STORED_HEADER; at < section.len; at++) {
		tally_str_clear(&changed);
		tally_str_add_bytes(&changed, section.data, section.len);
		memcpy(changed.data + at, huge, TALLY_MIN(sizeof(huge) - 1, section.len - at));
		(void)parse_copy(changed.data, changed.len);
	}
	section.data[8] = 2;
	assert_int_equal(tally_stored_parse(section.data, section.len, &stored, &err), -ENOTSUP);
	assert_int_equal(err.offset, 8);
	tally_str_free(&changed);
	tally_str_free(&section);
}

static void put_le(struct tally_str *out, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		tally_str_add_char(out, (char)(value >> 8 * i));
}

static void put_n(struct tally_str *out, uint64_t value)
{
	for (; value >> 7; value >>= 7)
		tally_str_add_char(out, (char)(value | 0x80));
	tally_str_add_char(out, (char)value);
}

/* Generate and parse a section with an object, a symbol, a function and a source file that have
 * names of these lengths. All names are suffixes of the same string. */
static int parse_lengths(size_t object, size_t symbol, size_t function, size_t file)
{
	enum { TEXT = 40000 };
	struct tally_str section = {0}, body = {0};
	int ret;

	put_n(&body, 0);
	put_n(&body, 0);
	put_n(&body, TEXT - object);
	for (int i = 0; i < 5; i++) /* pid, inode, device, build id */
		put_n(&body, 0);
	for (int i = 0; i < 3; i++) /* one symbol */
		put_n(&body, i ? 0x10 : 1);
	put_n(&body, (TEXT - symbol) << 1);
	put_n(&body, 0);
	put_n(&body, 0);
	put_n(&body, 1);
	put_n(&body, TEXT - function + 1);
	put_n(&body, TEXT - file + 1);
	for (int i = 0; i < 2; i++) /* line number; no spans */
		put_n(&body, 0);
	tally_str_add_bytes(&section, TALLY_STORED_MAGIC, 8);
	put_le(&section, TALLY_STORED_VERSION, 8);
	put_le(&section, TEXT + 1, 8);
	put_le(&section, body.len + 2, 8);
	for (int i = 0; i < TEXT; i++)
		tally_str_add_char(&section, 'a');
	tally_str_add_char(&section, '\0');
	put_n(&section, 1);
	put_n(&section, body.len);
	tally_str_add_bytes(&section, body.data, body.len);
	ret = parse_copy(section.data, section.len);
	tally_str_free(&section);
	tally_str_free(&body);
	return ret;
}

static void rejects_names_above_the_limit(void **state)
{
	enum { OBJECT = TALLY_STORED_OBJECT_NAME_MAX, NAME = TALLY_STORED_NAME_MAX };

	assert_int_equal(parse_lengths(OBJECT, NAME, NAME, NAME), 0);
	assert_int_equal(parse_lengths(OBJECT + 1, NAME, NAME, NAME), -EINVAL);
	assert_int_equal(parse_lengths(OBJECT, NAME + 1, NAME, NAME), -EINVAL);
	assert_int_equal(parse_lengths(OBJECT, NAME, NAME + 1, NAME), -EINVAL);
	assert_int_equal(parse_lengths(OBJECT, NAME, NAME, NAME + 1), -EINVAL);
}

/* Check that names that readers would reject are not written. `more` is the number of bytes by
 * which the limit is exceeded. */
static void expect_written(size_t more, size_t objects)
{
	char path[TALLY_STORED_OBJECT_NAME_MAX + 2] = "/";
	char name[TALLY_STORED_NAME_MAX + 2] = "f";
	const struct tally_symbol symbol = {0x1000, 0x2000, {.name_text = name}};
	const struct tally_line line = {name, name, 7};
	struct tally_symbols *symbols = symbols_make(NULL);
	struct tally_dso *dso = dso_of(symbols, prog);
	struct tally_str section = {0};
	struct tally_stored_writer *writer;
	struct tally_stored *stored;

	memset(path + 1, 'p', TALLY_STORED_OBJECT_NAME_MAX - 1 + more);
	memset(name + 1, 'f', TALLY_STORED_NAME_MAX - 1 + more);
	assert_int_equal(tally_stored_writer_new(&writer), 0);
	assert_int_equal(tally_stored_writer_add(writer, dso, 0x1010, &symbol), 0);
	assert_int_equal(tally_stored_writer_add(writer, dso, 0x2010, &inner), 0);
	assert_int_equal(tally_stored_writer_add_lines(
				 writer, dso, (struct tally_span){0x1000, 0x1020}, &line, 1),
			 0);
	dso = dso_of(symbols, (struct tally_dso_key){TALLY_DSO_USER, path});
	assert_int_equal(tally_stored_writer_add(writer, dso, 0x1010, &inner), 0);
	assert_int_equal(tally_stored_writer_finish(writer, &section), 0);
	assert_int_equal(tally_stored_parse(section.data, section.len, &stored, NULL), 0);
	assert_int_equal(stored->nr, objects);
	assert_int_equal(stored->objects[0].nr_symbols, objects);
	assert_int_equal(stored->objects[0].nr_lines, 1);
	assert_int_equal(!stored->objects[0].lines[0].function, more);
	assert_int_equal(!stored->objects[0].lines[0].file, more);
	tally_stored_free(stored);
	tally_stored_writer_free(writer);
	tally_symbols_free(symbols);
	tally_str_free(&section);
}

static void does_not_write_names_above_the_limit(void **state)
{
	expect_written(0, 2);
	expect_written(1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_stored_names),
		cmocka_unit_test(finds_stored_lines),
		cmocka_unit_test(output_does_not_depend_on_the_order_of_additions),
		cmocka_unit_test(matches_objects_by_identity),
		cmocka_unit_test(ignores_stored_names_with_user_paths),
		cmocka_unit_test(reports_the_stored_reason),
		cmocka_unit_test(replaces_paths),
		cmocka_unit_test(replaces_names_of_jit_code_only),
		cmocka_unit_test(rejects_truncated_sections),
		cmocka_unit_test(survives_damaged_sections),
		cmocka_unit_test(huge_counts_allocate_no_memory),
		cmocka_unit_test(rejects_names_above_the_limit),
		cmocka_unit_test(does_not_write_names_above_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

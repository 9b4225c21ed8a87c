/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "temporary.h"
#include "test_names.h"
#include "random.h"
#include "symbols/cache/index_format.h"
#include "symbols/cache/index_table.h"

static const struct tally_build_id object = {"\x01\x23\x45\x67\x89\xab\xcd\xef", 8};

struct place {
	char above[64], path[80];
	struct tally_index_dir dir;
};

static int place_setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	strcpy(place->above, "/tmp/tally-index-XXXXXX");
	assert_non_null(mkdtemp(place->above));
	snprintf(place->path, sizeof(place->path), "%s/tally", place->above);
	assert_int_equal(tally_index_dir_open(place->path, 64 << 20, &place->dir), 0);
	*state = place;
	return 0;
}

static int place_teardown(void **state)
{
	struct place *place = *state;

	tally_index_dir_close(&place->dir);
	temporary_remove(place->above);
	free(place);
	return 0;
}

/* Make a table of `nr` symbols with gaps. The symbols overlap if `step` is less than their
 * sizes. */
static struct tally_symtab make_table(size_t nr, uint64_t step)
{
	struct tally_symtab table = {0};
	struct tally_str name = {0};

	for (size_t i = 0; i < nr; i++) {
		struct tally_symtab_entry entry = {.start = 0x1000 + i * step + i % 3};

		entry.end = entry.start + 5 + i % 20;
		tally_str_clear(&name);
		tally_str_addf(&name, "symbol_number_%zu", i * 7919 % nr);
		entry.name = tally_arena_strndup(&table.arena, tally_str_text(&name), name.len);
		assert_int_equal(tally_symtab_add(&table, &entry), 0);
	}
	tally_str_free(&name);
	assert_int_equal(tally_symtab_finish(&table, NULL), 0);
	return table;
}

static void write_table(struct place *place, const struct tally_symtab *table)
{
	struct tally_index_writer *writer;

	assert_int_equal(tally_index_writer_open(&place->dir, &object,
						 tally_index_table_size(table), &writer),
			 0);
	assert_int_equal(tally_index_table_add(writer, TALLY_INDEX_SHAPE, table), 0);
	assert_int_equal(tally_index_writer_close(writer, 0), 0);
}

/* Check that both tables return the same symbol at each address. */
static void expect_same(const struct tally_symtab *a, const struct tally_symtab *b, uint64_t end)
{
	assert_int_equal(a->len, b->len);
	for (uint64_t addr = 0; addr < end; addr++) {
		const struct tally_symbol *first = tally_symtab_find(a, addr);
		const struct tally_symbol *second = tally_symtab_find(b, addr);

		assert_int_equal(!first, !second);
		if (!first)
			continue;
		assert_int_equal(first - a->symbols, second - b->symbols);
		assert_true(first->start == second->start && first->end == second->end);
		assert_string_equal(tally_symtab_name(a, first), tally_symtab_name(b, second));
	}
}

static void reads_tables_as_written(void **state)
{
	static const struct {
		size_t nr;
		uint64_t step;
		bool has_tree;
	} rows[] = {
		{1, 32, false}, {63, 32, false}, {5000, 32, false}, {5000, 3, true}, {9, 1, true}};
	struct place *place = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_symtab table = make_table(rows[i].nr, rows[i].step), mapped;
		struct tally_index index;

		write_table(place, &table);
		assert_int_equal(tally_index_open(&place->dir, &object, &index), 0);
		assert_int_equal(tally_index_table_open(&index, TALLY_INDEX_SHAPE, &mapped), 0);
		assert_true(!mapped.left == !rows[i].has_tree);
		assert_true(!mapped.index == (rows[i].has_tree || rows[i].nr < 64));
		expect_same(&table, &mapped, 0x2000 + rows[i].nr * rows[i].step);
		tally_symtab_free(&mapped);
		tally_index_free(&index);
		tally_symtab_free(&table);
	}
}

/* An index can contain two tables. The second table may be empty. */
static void keeps_two_tables_in_one_index(void **state)
{
	struct place *place = *state;
	struct tally_symtab tables[] = {make_table(300, 32), make_table(70, 3)}, mapped[2];
	static const enum tally_index_id firsts[] = {TALLY_INDEX_SHAPE, TALLY_INDEX_STUBS};
	struct tally_index_writer *writer;
	struct tally_index index;

	assert_int_equal(tally_index_writer_open(&place->dir, &object, 9, &writer), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(tally_index_table_add(writer, firsts[i], &tables[i]), 0);
	assert_int_equal(tally_index_writer_close(writer, 0), 0);
	assert_int_equal(tally_index_open(&place->dir, &object, &index), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(tally_index_table_open(&index, firsts[i], &mapped[i]), 0);
		expect_same(&tables[i], &mapped[i], 0x4000);
	}
	for (size_t i = 0; i < 2; i++)
		assert_true(tally_symtab_has(&mapped[i], &mapped[i].symbols[0]) &&
			    !tally_symtab_has(&mapped[i], &mapped[1 - i].symbols[0]));
	tally_index_free(&index);
	tally_symtab_free(&tables[1]);
	assert_int_equal(tally_index_writer_open(&place->dir, &object, 9, &writer), 0);
	assert_int_equal(tally_index_table_add(writer, TALLY_INDEX_STUBS, &tables[1]), 0);
	assert_int_equal(tally_index_writer_close(writer, 0), 0);
	assert_int_equal(tally_index_open(&place->dir, &object, &index), 0);
	assert_int_equal(tally_index_table_open(&index, TALLY_INDEX_SHAPE, &mapped[0]), 0);
	assert_int_equal(tally_index_table_open(&index, TALLY_INDEX_STUBS, &mapped[1]), -ENOENT);
	assert_int_equal(index.is_broken, 0);
	tally_index_free(&index);
	tally_symtab_free(&tables[0]);
}

/* A table with names outside the arena is not written. */
static void does_not_write_names_outside_the_arena(void **state)
{
	struct place *place = *state;
	struct tally_index_writer *writer;
	struct tally_symtab table = make_table(70, 32);
	struct tally_index index;

	((struct tally_symbol *)table.symbols)[50].name_text = "elsewhere";
	assert_int_equal(tally_index_writer_open(&place->dir, &object, 9, &writer), 0);
	assert_int_equal(tally_index_table_add(writer, TALLY_INDEX_SHAPE, &table), -EINVAL);
	assert_int_equal(tally_index_writer_close(writer, -EINVAL), -EINVAL);
	assert_int_equal(tally_index_open(&place->dir, &object, &index), -ENOENT);
	tally_symtab_free(&table);
}

/* A table with any damaged section is rejected, because lookups without the table's tree would
 * return different symbols. */
static void rejects_a_table_with_a_damaged_section(void **state)
{
	struct place *place = *state;
	struct tally_symtab table = make_table(200, 3);
	struct tally_index index, copy;
	uint8_t *data;

	write_table(place, &table);
	tally_symtab_free(&table);
	assert_int_equal(tally_index_open(&place->dir, &object, &index), 0);
	data = malloc(index.len);
	for (uint32_t mask = 0; mask < 1 << 7; mask++) {
		bool is_broken = false;

		memcpy(data, index.data, index.len);
		for (uint32_t i = 0; i < 7; i++) {
			const struct tally_index_section *section =
				&((const struct tally_index_header *)data)->sections[i];

			if (!(mask >> i & 1) || !section->size)
				continue;
			data[section->offset + section->size / 2] ^= 1;
			is_broken = true;
		}
		assert_int_equal(tally_index_parse(data, index.len, &object, &copy), 0);
		assert_int_equal(tally_index_table_open(&copy, TALLY_INDEX_SHAPE, &table),
				 is_broken ? -ENOENT : 0);
	}
	free(data);
	tally_index_free(&index);
}

static void seal(uint8_t *data)
{
	struct tally_index_header *header = (void *)data;

	for (size_t i = 0; i < TALLY_INDEX_SECTIONS; i++) {
		struct tally_index_section *section = &header->sections[i];

		section->sum = tally_index_sum(data + section->offset, section->size);
	}
	header->sum = tally_index_header_sum(header);
}

/* Look up many addresses. With any section contents and valid checksums, lookups must terminate and
 * stay inside the sections. */
static void look_up_everywhere(const uint8_t *data, size_t len)
{
	struct tally_symtab table;
	struct tally_index index;
	size_t sum = 0;

	assert_int_equal(tally_index_parse(data, len, &object, &index), 0);
	if (tally_index_table_open(&index, TALLY_INDEX_SHAPE, &table))
		return;
	for (uint64_t addr = 0; addr < 0x4000; addr += 7)
		sum += tally_symtab_find(&table, addr) ? strlen(name_at(&table, addr)) : 0;
	assert_true(sum < len * 0x4000);
	tally_symtab_free(&table);
}

static void looks_up_safely_in_damaged_tables(void **state)
{
	struct place *place = *state;
	struct tally_symtab table;
	struct tally_index index;
	struct random random = random_start();
	uint8_t *data;

	for (int overlap = 0; overlap < 2; overlap++) {
		table = make_table(200, overlap ? 3 : 32);
		write_table(place, &table);
		tally_symtab_free(&table);
		assert_int_equal(tally_index_open(&place->dir, &object, &index), 0);
		for (int i = 0; i < 2000; i++) {
			data = malloc(index.len);
			memcpy(data, index.data, index.len);
			for (int j = 0; j < 1 + i % 16; j++) {
				size_t at =
					sizeof(struct tally_index_header) +
					random_below(&random,
						     index.len - sizeof(struct tally_index_header));

				data[at] = (uint8_t)random_u64(&random);
			}
			/* Set a size that does not match the other sections. */
			if (i % 5 == 0)
				((struct tally_index_header *)data)->sections[i / 5 % 6].size /= 2;
			seal(data);
			look_up_everywhere(data, index.len);
			free(data);
		}
		tally_index_free(&index);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_tables_as_written, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(keeps_two_tables_in_one_index, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(does_not_write_names_outside_the_arena, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(rejects_a_table_with_a_damaged_section, place_setup,
						place_teardown),
		cmocka_unit_test_setup_teardown(looks_up_safely_in_damaged_tables, place_setup,
						place_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Read arbitrary bytes as an index file, both unchanged and with valid checksums: sections,
 * information about source files, and lookups in the symbol table. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/cache/index_check.h"
#include "symbols/cache/index_format.h"
#include "symbols/cache/index_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tally_build_id object = {"\x01\x23\x45\x67\x89\xab\xcd\xef", 8};

/* Store the checksums that a writer would store. */
static void seal(uint8_t *data, size_t size)
{
	struct tally_index_header *header = (void *)data;
	struct tally_build_id producer = {0};

	memcpy(header->magic, TALLY_INDEX_MAGIC, sizeof(header->magic));
	header->version = TALLY_INDEX_VERSION;
	header->order = TALLY_INDEX_ORDER;
	(void)tally_index_producer(&producer);
	tally_index_name_set(&header->object, &object);
	tally_index_name_set(&header->producer, &producer);
	header->size = size;
	for (size_t i = 0; i < TALLY_INDEX_SECTIONS; i++) {
		struct tally_index_section *section = &header->sections[i];

		if (tally_range_ok(section->offset, section->size, size))
			section->sum = tally_index_sum(data + section->offset, section->size);
	}
	/* If a section overlaps the header, one of the checksums is wrong, which is expected. */
	header->sum = tally_index_header_sum(header);
}

static void look_up(const struct tally_symtab *table)
{
	static const uint64_t fixed[] = {0, 1, UINT64_MAX, UINT64_MAX / 2};
	const struct tally_symbol *symbol;
	uint64_t sum = 0, addr;

	for (size_t i = 0; i < table->len + TALLY_ARRAY_SIZE(fixed); i++) {
		addr = i < table->len ? table->symbols[i].start : fixed[i - table->len];
		symbol = tally_symtab_find(table, addr);
		if (symbol)
			sum += strlen(tally_symtab_name(table, symbol));
	}
	/* Use the sum to make sure that all names are read. */
	if (sum == UINT64_MAX)
		abort();
}

/* Compare the source files recorded in an index with those below a symfs that does not exist. */
static void check_sources(struct tally_index *index, enum tally_dso_kind kind)
{
	struct tally_symbols_options options = {.symfs = "/nonexistent",
						.buildid_dir = "/nonexistent"};
	struct tally_dso_key key = {kind, "/bin/prog", object.id, object.size, .pid = 1 << 29};
	struct tally_symbols *symbols;
	enum tally_dso_source source;
	struct tally_dso *dso;
	char *path;

	if (tally_symbols_new(&options, &symbols))
		return;
	if (!tally_dso_get(symbols, &key, &dso) &&
	    !tally_sources_check(dso, &object, index, &source, &path))
		free(path);
	tally_symbols_free(symbols);
}

/* Look up unwind rules. The rules themselves are fuzzed by another target. */
static void look_rules_up(struct tally_index *index)
{
	struct tally_unwind_table rules;
	struct tally_unwind_rule rule;
	uint64_t start;
	size_t len;
	const void *block = tally_index_section(index, TALLY_INDEX_RULES, &len);

	if (!block || tally_unwind_table_open(block, len, &rules))
		return;
	for (uint64_t addr = 0; addr < 0x2000; addr += 0x33) {
		(void)tally_unwind_table_find(&rules, addr, &rule);
		(void)tally_unwind_table_function(&rules, addr, &start);
	}
}

static void read_all(const uint8_t *data, size_t size)
{
	struct tally_index index;
	struct tally_symtab table;
	size_t len;

	if (tally_index_parse(data, size, &object, &index))
		return;
	for (int id = 0; id < TALLY_INDEX_END + 2; id++)
		(void)tally_index_section(&index, id, &len);
	check_sources(&index, TALLY_DSO_USER);
	check_sources(&index, TALLY_DSO_KERNEL);
	look_rules_up(&index);
	if (!tally_index_table_open(&index, TALLY_INDEX_SHAPE, &table)) {
		look_up(&table);
		tally_symtab_free(&table);
	}
	tally_index_free(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	read_all(copy, size);
	if (size >= sizeof(struct tally_index_header)) {
		seal(copy, size);
		read_all(copy, size);
	}
	free(copy);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Embedded symbols consisting of arbitrary bytes, unchanged and with a valid header: decode them,
 * and look up addresses in the result. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/code.h"
#include "symbols/embedded/stored.h"
#include "symbols/embedded/stored_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t look_at(const struct tally_stored_object *object, uint64_t addr)
{
	const struct tally_stored_symbol *symbol = tally_stored_object_find(object, addr);
	const struct tally_stored_span *span = tally_stored_object_lines(object, addr);
	uint64_t sum = symbol ? strlen(symbol->symbol.name_text) : 0;

	for (size_t i = 0; span && i < span->nr; i++) {
		sum += span->lines[i].function ? strlen(span->lines[i].function) : 0;
		sum += span->lines[i].file ? strlen(span->lines[i].file) : 0;
	}
	return sum;
}

static void look_at_object(const struct tally_stored_object *object)
{
	uint64_t sum = strlen(object->name) + look_at(object, 0) + look_at(object, UINT64_MAX);

	for (size_t i = 0; i < object->nr_symbols; i++)
		sum += look_at(object, object->symbols[i].symbol.start) +
		       look_at(object, object->symbols[i].end);
	for (size_t i = 0; i < object->nr_exceptions; i++)
		sum += look_at(object, object->exceptions[i].addr);
	for (size_t i = 0; i < object->nr_spans; i++)
		sum += look_at(object, object->spans[i].at.start) +
		       look_at(object, object->spans[i].at.end);
	/* Use the sum to make sure that all names are read. */
	if (sum == UINT64_MAX)
		abort();
}

/* Look up symbols in the same way as reports do. The files do not exist. */
static void look_up(struct tally_symbols *symbols)
{
	static const struct tally_dso_key keys[] = {
		{TALLY_DSO_USER, "/nonexistent/prog", .inode = {7, 8, 1}},
		{TALLY_DSO_USER, "/nonexistent/prog", (const uint8_t *)"\1\2\3\4\5\6\7\10", 8},
		{TALLY_DSO_PERF_MAP, "/nonexistent/perf-1.map", .pid = 1 << 29, .nspid = 1 << 29},
	};
	struct tally_dso *dso;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++) {
		if (tally_dso_get(symbols, &keys[i], &dso))
			continue;
		for (uint64_t addr = 0; addr < 0x2000; addr += 0x33) {
			const struct tally_symbol *symbol = tally_dso_find(dso, addr);
			const struct tally_line *lines;
			struct tally_span span;

			(void)tally_dso_is_return_address(dso, addr);
			(void)tally_dso_lines(dso, addr, &lines, &span);
			if (symbol && !tally_symbol_name(dso, symbol))
				abort();
		}
		(void)tally_dso_status(dso);
	}
}

static void read_all(const uint8_t *data, size_t size)
{
	static const struct tally_symbols_options options = {.buildid_dir = "/nonexistent",
							     .bounds = true};
	struct tally_symbols *symbols;
	struct tally_stored *stored;

	if (tally_stored_parse(data, size, &stored, NULL))
		return;
	for (size_t i = 0; i < stored->nr; i++)
		look_at_object(&stored->objects[i]);
	tally_stored_free(stored);
	if (tally_symbols_new(&options, &symbols))
		return;
	if (!tally_symbols_set_stored(symbols, data, size, NULL))
		look_up(symbols);
	tally_symbols_free(symbols);
}

/* Prepend a header to the bytes. The first byte determines the size of the strings. */
static void read_sealed(const uint8_t *data, size_t size)
{
	uint8_t *copy = calloc(1, TALLY_STORED_HEADER + size);
	uint64_t text;

	if (!copy)
		return;
	text = TALLY_MIN((uint64_t)data[0], size);
	memcpy(copy, TALLY_STORED_MAGIC, 8);
	copy[8] = TALLY_STORED_VERSION;
	for (int i = 0; i < 8; i++) {
		copy[16 + i] = (uint8_t)(text >> 8 * i);
		copy[24 + i] = (uint8_t)((size - text) >> 8 * i);
	}
	memcpy(copy + TALLY_STORED_HEADER, data, size);
	if (text)
		copy[TALLY_STORED_HEADER + text - 1] = 0;
	read_all(copy, TALLY_STORED_HEADER + size);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size);
	if (size)
		read_sealed(data, size);
	return 0;
}

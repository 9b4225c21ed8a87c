/* SPDX-License-Identifier: BSD-2-Clause */
/* Line lookups in a small program, built in several ways. In its source file s.c, inner() on line 1
 * is inlined into middle() on line 2, which is inlined into outer() on line 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "corpus.h"

struct seen {
	uint64_t from, to; /* range covered by all spans so far */
	unsigned nr, deepest;
	bool has_inner;
};

static void check_line(const struct tally_line *line, uint32_t depth, bool is_outermost)
{
	const char *slash = strrchr(line->file, '/');

	assert_string_equal(slash ? slash + 1 : line->file, "s.c");
	assert_in_range(line->line, 0, 4);
	if (is_outermost)
		assert_null(line->function);
	else
		assert_string_equal(line->function, depth ? "middle" : "inner");
}

static int see(void *arg, const struct tally_line_span *span)
{
	struct seen *seen = arg;

	assert_true(span->start < span->end);
	assert_true(!seen->nr || span->start == seen->to);
	seen->from = seen->nr ? seen->from : span->start;
	seen->to = span->end;
	seen->nr++;
	seen->deepest = span->nr > seen->deepest ? span->nr : seen->deepest;
	if (span->nr == 3) {
		seen->has_inner = true;
		for (uint32_t i = 0; i < span->nr; i++)
			check_line(&span->lines[i], i, i + 1 == span->nr);
		assert_int_equal(span->lines[0].line, 1);
		assert_int_equal(span->lines[1].line, 2);
		assert_int_equal(span->lines[2].line, 3);
	}
	return 0;
}

/* Look up a function's address in the symbol table. */
static uint64_t address_of(const struct tally_elf *elf, const char *name)
{
	struct tally_elf_load load = {.kernel = true};
	struct tally_symtab table = {0};
	uint64_t address = 0;

	assert_int_equal(tally_elf_add_symbols(elf, &load, &table), 0);
	tally_vec_for_each (entry, &table.entries)
		address = strcmp(entry->name, name) ? address : entry->start;
	tally_symtab_free(&table);
	assert_int_not_equal(address, 0);
	return address;
}

static void check(const char *path)
{
	struct seen seen = {0}, again = {0};
	struct tally_dwarf *dwarf;
	struct corpus corpus;
	uint64_t outer;

	corpus_open(path, &corpus);
	outer = address_of(&corpus.image.elf, "outer");
	assert_int_equal(tally_dwarf_open(&corpus.file, NULL, &dwarf), 0);
	assert_int_equal(tally_dwarf_find(dwarf, outer, see, &seen), 0);
	assert_int_equal(seen.from, outer);
	assert_true(seen.nr >= 3 && seen.deepest == 3 && seen.has_inner);
	/* A lookup of any address in the function returns all of its spans. */
	assert_int_equal(tally_dwarf_find(dwarf, seen.to - 1, see, &again), 0);
	assert_true(again.from == seen.from && again.to == seen.to && again.nr == seen.nr);
	assert_int_equal(tally_dwarf_find(dwarf, outer + (1 << 20), see, &again), -ENOENT);
	tally_dwarf_close(dwarf);
	corpus_close(&corpus);
}

static void gcc_dwarf5(void **state)
{
	(void)state;
	check(CORPUS "/gcc5");
}

static void gcc_dwarf4(void **state)
{
	(void)state;
	check(CORPUS "/gcc4");
}

static void compressed_sections(void **state)
{
	(void)state;
	check(CORPUS "/gccz");
}

static void clang(void **state)
{
	(void)state;
	check(CORPUS "/clang5");
}

static void arm64(void **state)
{
	(void)state;
	check(CORPUS "/arm64");
}

static int refuse(void *arg, const struct tally_line_span *span)
{
	(void)arg;
	(void)span;
	return -EINTR;
}

static void an_error_of_the_callback_ends_the_search(void **state)
{
	struct tally_dwarf *dwarf;
	struct corpus corpus;

	(void)state;
	corpus_open(CORPUS "/gcc5", &corpus);
	assert_int_equal(tally_dwarf_open(&corpus.file, NULL, &dwarf), 0);
	assert_int_equal(
		tally_dwarf_find(dwarf, address_of(&corpus.image.elf, "outer"), refuse, NULL),
		-EINTR);
	tally_dwarf_close(dwarf);
	corpus_close(&corpus);
}

enum { AREA = 256 };

/* Known spans for each address in an area. */
struct area {
	uint64_t start;
	struct {
		uint64_t start, end, nr;
	} spans[AREA];
};

static int span_keep(void *arg, const struct tally_line_span *span)
{
	struct area *area = arg;
	uint64_t end = TALLY_MIN(span->end, area->start + AREA);

	for (uint64_t addr = TALLY_MAX(span->start, area->start); addr < end; addr++) {
		area->spans[addr - area->start].start = span->start;
		area->spans[addr - area->start].end = span->end;
		area->spans[addr - area->start].nr = span->nr;
	}
	return 0;
}

/* Check that the order of lookups does not matter. A lookup returns the spans of several addresses,
 * and a lookup of any of these addresses returns the same spans. */
static void results_do_not_depend_on_the_order(void **state)
{
	struct area first, second;
	struct tally_dwarf *dwarf;
	struct corpus corpus;
	uint64_t other;

	(void)state;
	corpus_open(CORPUS "/units", &corpus);
	assert_int_equal(tally_dwarf_open(&corpus.file, NULL, &dwarf), 0);
	other = address_of(&corpus.image.elf, "other_b");
	second.start = other - AREA / 2;
	for (uint64_t i = 0; i < AREA; i++) {
		first = (struct area){.start = other - AREA / 2};
		(void)tally_dwarf_find(dwarf, first.start + i, span_keep, &first);
		for (uint64_t j = 0; j < AREA; j++) {
			if (!first.spans[j].end)
				continue;
			assert_int_equal(
				tally_dwarf_find(dwarf, first.start + j, span_keep, &second), 0);
			assert_memory_equal(&second.spans[j], &first.spans[j],
					    sizeof(*first.spans));
		}
	}
	/* The code between the two functions belongs to neither function, but has a line. */
	assert_int_equal(tally_dwarf_find(dwarf, other - 1, span_keep, &second), 0);
	assert_int_equal(second.spans[AREA / 2 - 1].end, other);
	tally_dwarf_close(dwarf);
	corpus_close(&corpus);
}

static void a_file_without_sections_has_no_information(void **state)
{
	const struct tally_dwarf_file none = {.is64 = true};
	struct tally_dwarf *dwarf;

	(void)state;
	assert_int_equal(tally_dwarf_open(&none, NULL, &dwarf), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gcc_dwarf5),
		cmocka_unit_test(gcc_dwarf4),
		cmocka_unit_test(compressed_sections),
		cmocka_unit_test(clang),
		cmocka_unit_test(arm64),
		cmocka_unit_test(an_error_of_the_callback_ends_the_search),
		cmocka_unit_test(results_do_not_depend_on_the_order),
		cmocka_unit_test(a_file_without_sections_has_no_information),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

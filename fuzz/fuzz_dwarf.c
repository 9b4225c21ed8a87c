/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug information in an ELF file: read each unit, and look up lines and variables for its
 * addresses. libdw is part of the code under test. */
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_private.h"
#include "dwarf/variables.h"
#include "symbols/elf/elf_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SECTION_MAX = 1 << 20, RANGES_MAX = 64 };

struct seen {
	uint64_t start; /* start of the first span */
	uint64_t at;    /* end of the last span */
	size_t nr;
};

/* Check that spans are sorted and not empty, and that their strings are readable. */
static int see(void *arg, const struct tally_line_span *span)
{
	struct seen *seen = arg;
	size_t len = 0;

	if (span->start < seen->at || span->start >= span->end || span->nr > TALLY_DWARF_LINES_MAX)
		abort();
	for (uint32_t i = 0; i < span->nr; i++) {
		len += span->lines[i].file ? strlen(span->lines[i].file) : 0;
		len += span->lines[i].function ? strlen(span->lines[i].function) : 0;
	}
	seen->start = seen->nr ? seen->start : span->start;
	seen->at = span->end;
	seen->nr += len != SIZE_MAX; /* forces all strings to be read */
	return seen->nr > 10000 ? -ENOSPC : 0;
}

/* Check that an answer is consistent, and that its strings are readable. */
static size_t check_variable(const struct tally_variable *variable)
{
	const struct tally_type *type = variable->type;
	size_t len = 0;

	if (variable->result != TALLY_VARIABLE_FOUND)
		return 0;
	if (variable->offset >= type->size || type->nr > TALLY_TYPE_MEMBERS_MAX)
		abort();
	for (uint32_t i = 0; i < type->nr; i++) {
		const struct tally_type_member *member = &type->members[i];

		if (member->depth > (i ? member[-1].depth + 1 : 0) ||
		    member->depth >= TALLY_TYPE_DEPTH_MAX)
			abort();
		len += strlen(member->type) + (member->name ? strlen(member->name) : 0);
	}
	return len + strlen(type->name);
}

/* Look up the variables that all registers, the stack, and an address could refer to. */
static void ask_variables(struct tally_dwarf *dwarf, uint64_t pc)
{
	static const int64_t offsets[] = {0, 8, -24, 0x4010};
	struct tally_variable variable;
	volatile size_t len = 0;

	for (int32_t base = TALLY_VARIABLE_RETURNED; base < 32; base++) {
		for (uint32_t i = 0; i < 4; i++) {
			struct tally_variable_question question = {
				pc, base, 1 + i % 2, {offsets[i], 8}, i % 3 ? 8 : 0, 16};

			if (!tally_dwarf_variable(dwarf, &question, &variable))
				len += check_variable(&variable);
		}
	}
}

static void use(struct tally_dwarf *dwarf)
{
	struct seen seen = {0};

	(void)tally_dwarf_find(dwarf, 0x1000, see, &seen);
	for (size_t i = 0; i < dwarf->ranges.len && i < RANGES_MAX; i++) {
		const struct dwarf_piece range = dwarf->ranges.data[i].at;
		uint64_t step = (range.end - range.start) / 8 + 1;

		for (uint64_t at = range.start, n = 0; at < range.end && n < 8; at += step, n++) {
			ask_variables(dwarf, at);
			seen = (struct seen){0};
			/* One of the spans must contain the address. */
			if (!tally_dwarf_find(dwarf, at, see, &seen) &&
			    (seen.start > at || seen.at <= at))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_elf_bytes bytes[TALLY_DWARF_SECTIONS] = {0};
	struct tally_dwarf_file file = {.is64 = true};
	struct tally_dwarf *dwarf;
	struct tally_elf elf;

	if (tally_elf_open(data, size, &elf, NULL))
		return 0;
	file.is64 = elf.is64;
	file.is_big = elf.data[5] == 2;
	file.machine = elf.machine;
	for (int i = 0; i < TALLY_DWARF_SECTIONS; i++) {
		if (tally_elf_bytes_get(&elf, tally_dwarf_section_name((enum tally_dwarf_section)i),
					SECTION_MAX, &bytes[i]))
			continue;
		file.sections[i].data = bytes[i].data;
		file.sections[i].len = bytes[i].len;
	}
	if (!tally_dwarf_open(&file, &file, &dwarf)) {
		use(dwarf);
		tally_dwarf_close(dwarf);
	}
	for (int i = 0; i < TALLY_DWARF_SECTIONS; i++)
		tally_elf_bytes_free(&bytes[i]);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines and inlined functions of a file's debug information (DWARF 2 to 5). libdw decodes it; which
 * unit, function, inlined call and row of the line table an address is in is found here, by tables
 * that are made of a unit when the first address of it is asked for.
 *
 *	struct tally_dwarf_file file = {.sections = ..., .is64 = true, .machine = EM_X86_64};
 *	ret = tally_dwarf_open(&file, NULL, &dwarf);
 *	ret = tally_dwarf_find(dwarf, addr, take, arg);
 *
 * The sections may be of anybody. libdw was not written for that: those who ask for lines of files
 * that they did not build use worker.h, which asks in another process. Not thread-safe.
 *
 * It does not: relocate, unpack sections, find files other than those that split units name
 * themselves, or read packages of split units (.dwp).
 */
#ifndef TALLY_DWARF_DWARF_H
#define TALLY_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>

#include "dwarf/lines.h"

enum tally_dwarf_section {
	TALLY_DWARF_INFO,
	TALLY_DWARF_ABBREV,
	TALLY_DWARF_LINE,
	TALLY_DWARF_STR,
	TALLY_DWARF_LINE_STR,
	TALLY_DWARF_RANGES,
	TALLY_DWARF_RNGLISTS,
	TALLY_DWARF_ADDR,
	TALLY_DWARF_STR_OFFSETS,
	TALLY_DWARF_TYPES,
	TALLY_DWARF_SECTIONS, /* how many there are */
};

/* What a file says: sections by what they are, each as it was before it was packed. */
struct tally_dwarf_file {
	struct {
		const uint8_t *data; /* NULL: the file has none */
		size_t len;
	} sections[TALLY_DWARF_SECTIONS];
	bool is64, is_big; /* addresses of 64 bits; most significant byte first */
	uint16_t machine;  /* EM_... */
};

/* Lines that an address has at most: those of the function, and of what is inlined in it. */
enum { TALLY_DWARF_LINES_MAX = 257 };

struct tally_dwarf;

/* Whether this build has it. */
bool tally_dwarf_available(void);

/* ".debug_info" and so on. */
const char *tally_dwarf_section_name(enum tally_dwarf_section section);

/* Open what `file` has, which must outlive it, as must `alt`, what dwz moved to another file (NULL:
 * there is none). 0; -ENODATA: there is nothing; -ENOSYS: this build has it not; -EBADMSG: libdw
 * refuses it; -ENOMEM; -EMFILE, -ENFILE: libelf wants a descriptor. */
int tally_dwarf_open(const struct tally_dwarf_file *file, const struct tally_dwarf_file *alt,
		     struct tally_dwarf **ret_dwarf);
void tally_dwarf_close(struct tally_dwarf *dwarf);

/* The number of the unit that has `addr`, the same in each that was opened of the same bytes. 0,
 * -ENOENT or as tally_dwarf_find(). Asking reads no unit but those that do not say what they have.
 */
int tally_dwarf_unit(struct tally_dwarf *dwarf, uint64_t addr, uint32_t *ret_unit);

/* What a span is given to: 0, or the error that tally_dwarf_find() returns. */
typedef int (*tally_line_take)(void *arg, const struct tally_line_span *span);

/* Hand out spans, in order and without overlap, of the function that `addr` is in, as far as it is
 * in one piece; one of them has `addr`. Without a function it is but the row of the line table. 0;
 * -ENOENT: no unit has the address; -E2BIG: inlined deeper than 256, or into more pieces than a
 * million; -EBADMSG; -ENOMEM; or the error of `take`. */
int tally_dwarf_find(struct tally_dwarf *dwarf, uint64_t addr, tally_line_take take, void *arg);

/* How often something was asked for that is in a file of its own, which is missing: a split unit,
 * or the name of an inlined function that dwz moved. Such functions are not told apart from those
 * that they are in. */
uint64_t tally_dwarf_missing(const struct tally_dwarf *dwarf);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines, inlined functions and types of variables from a file's debug information (DWARF 2 to 5),
 * decoded by libdw. The
 * unit, function, inlined call and line table row for an address are looked up here, in tables that
 * are built for a unit when one of its addresses is first looked up.
 *
 *	struct tally_dwarf_file file = {.sections = ..., .is64 = true, .machine = EM_X86_64};
 *	ret = tally_dwarf_open(&file, NULL, &dwarf);
 *	ret = tally_dwarf_find(dwarf, addr, take, arg);
 *
 * libdw was not written for untrusted input. For untrusted files, use worker.h, which looks up
 * lines in another process. Not thread-safe.
 *
 * Not supported: relocation, compressed sections, searching for files (only the paths in split
 * units are opened), and packages of split units (.dwp).
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
	/* The following sections are only needed for variables. */
	TALLY_DWARF_LOC,
	TALLY_DWARF_LOCLISTS,
	TALLY_DWARF_SECTIONS, /* number of sections */
};

/* A file's uncompressed debug sections. */
struct tally_dwarf_file {
	struct {
		const uint8_t *data; /* NULL if the file does not have this section */
		size_t len;
	} sections[TALLY_DWARF_SECTIONS];
	bool is64, is_big; /* 64-bit addresses; big-endian */
	uint16_t machine;  /* EM_... */
};

/* Maximum number of lines for an address: one for the function and one for each level of
 * inlining. */
enum { TALLY_DWARF_LINES_MAX = 257 };

struct tally_dwarf;

/* Return true if tally was built with libdw. */
bool tally_dwarf_available(void);

/* Return the ELF name of a section, for example ".debug_info". */
const char *tally_dwarf_section_name(enum tally_dwarf_section section);

/* Open the debug information in `file`. `alt` is the file that dwz moved shared information to, or
 * NULL. Both must outlive the handle. Returns 0, -ENODATA if there is no debug information, -ENOSYS
 * if built without libdw, -EBADMSG if libdw rejects the data, -ENOMEM, or -EMFILE or -ENFILE if the
 * file descriptor that libelf needs cannot be created. */
int tally_dwarf_open(const struct tally_dwarf_file *file, const struct tally_dwarf_file *alt,
		     struct tally_dwarf **ret_dwarf);
void tally_dwarf_close(struct tally_dwarf *dwarf);

/* Get the number of the unit that contains `addr`. The number is the same for every handle opened
 * on the same data. Returns 0, -ENOENT, or an error from tally_dwarf_find(). Only units that do not
 * list their address ranges have to be read for this. */
int tally_dwarf_unit(struct tally_dwarf *dwarf, uint64_t addr, uint32_t *ret_unit);

/* Receive a span. Returns 0, or an error, which tally_dwarf_find() then returns. */
typedef int (*tally_line_take)(void *arg, const struct tally_line_span *span);

/* Pass to `take` the spans of the contiguous part of the function around `addr`, sorted and
 * without overlap; one of them contains `addr`. Outside a function, there is a single span for
 * the line table row. Returns 0, -ENOENT if no unit contains the address, -E2BIG if inlining is
 * deeper than 256 levels or there are more than a million spans, -EBADMSG, -ENOMEM, or the error
 * from `take`. */
int tally_dwarf_find(struct tally_dwarf *dwarf, uint64_t addr, tally_line_take take, void *arg);

/* Return the number of lookups that needed a missing file: a split unit, or a file created by dwz
 * that contains the name of an inlined function. These inlined functions are attributed to the
 * functions they are inlined into. */
uint64_t tally_dwarf_missing(const struct tally_dwarf *dwarf);

#endif

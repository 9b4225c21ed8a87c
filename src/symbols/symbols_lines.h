/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines and inlined functions of a DSO's addresses. They come from the recording (stored.h),
 * the dump of a JIT compiler, the index, or debug information. Debug information is searched for,
 * and decoded in another process (dwarf/worker.h), at the first lookup of an address that is not
 * known otherwise. This forks, so at that time no other thread may be using `symbols` or hold a
 * lock of libc.
 */
#ifndef TALLY_SYMBOLS_LINES_H
#define TALLY_SYMBOLS_LINES_H

#include "base/str.h"
#include "dwarf/lines.h"
#include "symbols/symbols.h"

/* A range of addresses with the same lines, [start, end). */
struct tally_span {
	uint64_t start, end;
};

/* Get the lines of `addr`, an address as for tally_dso_find(), innermost first. Returns their
 * number, or 0 for no lines, in which case tally_dso_lines_state() may give the reason. The lines
 * live until `symbols` is freed. `ret_span` may be NULL. */
size_t tally_dso_lines(struct tally_dso *dso, uint64_t addr, const struct tally_line **ret_lines,
		       struct tally_span *ret_span);

/* Return the address at which the lines of `addr`, which is in `symbol` (may be NULL), are looked
 * up. A return address may belong to the next line, so an address in the call is used. */
static inline uint64_t tally_line_address(const struct tally_symbol *symbol, uint64_t addr,
					  bool is_return)
{
	return addr - (is_return && symbol && addr > symbol->start);
}

/* Look up the lines of many addresses, in ascending order, before tally_dso_lines() is called for
 * them. They are requested together, which takes a fraction of the time. */
void tally_dso_lines_prepare(struct tally_dso *dso, const uint64_t *addrs, size_t nr);

/* An address in one of several files. */
struct tally_dso_address {
	struct tally_dso *dso;
	uint64_t addr;
};
/* Like tally_dso_lines_prepare() for addresses in many files. Sorts the list. */
void tally_lines_prepare(struct tally_dso_address *all, size_t nr);

/* Return true if tally_dso_lines(dso, addr) would have to ask the other process. Callers that can
 * wait for an answer collect such addresses for tally_lines_prepare(). */
bool tally_dso_lines_need_worker(struct tally_dso *dso, uint64_t addr);

/* Return true if addresses of the DSO can have lines. Searches for debug information, but does not
 * read it. */
bool tally_dso_has_lines(struct tally_dso *dso);

/* Return the state of the DSO's debug information:
 * - NOT_LOADED; LOADED; NO_LINES: no debug information.
 * - LATE, FULL, CRASHED: reading it took too long or too much memory, or crashed the process that
 *   did. Addresses that were requested later have no lines.
 * - DAMAGED: some addresses have no lines because of damage.
 * - PARTLY: names of inlined functions are in files that are missing.
 * - NO_RESOURCES: out of descriptors or processes.
 * - UNSUPPORTED: the decoder is not part of this build.
 * - Other states as for symbols. */
enum tally_dso_state tally_dso_lines_state(const struct tally_dso *dso);

/* Append a description of the state. If parts are missing and NAME.dwp, the package of split units
 * with them, is next to the file, the package is named. Packages are not read. */
void tally_dso_lines_reason(const struct tally_dso *dso, struct tally_str *out);

/* Return a symbol for the inlined function of a line from tally_dso_lines(dso), for use with
 * tally_symbol_name(). The same name gives the same symbol. It has no addresses. NULL if the line
 * has no function, or memory is out. */
const struct tally_symbol *tally_line_symbol(struct tally_dso *dso, const struct tally_line *line);

/* Return true if a symbol is from tally_line_symbol(). */
bool tally_symbol_is_inlined(const struct tally_dso *dso, const struct tally_symbol *symbol);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of source and inlined functions of a DSO's addresses. They come with the recording
 * (stored.h), from the dump of a JIT compiler, from the index, or from debug information. That is
 * looked for, and decoded in another process (dwarf/worker.h), when the first address is asked for
 * that is not known otherwise. As the process is forked, no other thread may be at work in
 * `symbols` then, or hold a lock of libc.
 */
#ifndef TALLY_SYMBOLS_LINES_H
#define TALLY_SYMBOLS_LINES_H

#include "base/str.h"
#include "dwarf/lines.h"
#include "symbols/symbols.h"

/* Addresses that have the same lines, [start, end). */
struct tally_span {
	uint64_t start, end;
};

/* The lines of `addr`, an address as of tally_dso_find(), innermost first. Returns how many there
 * are; 0: none, and tally_dso_lines_state() may say why. They live as long as `symbols`.
 * `ret_span` may be NULL. */
size_t tally_dso_lines(struct tally_dso *dso, uint64_t addr, const struct tally_line **ret_lines,
		       struct tally_span *ret_span);

/* Where the lines of `addr` are looked up, which is in `symbol` (NULL: in none): what a call
 * returns to may be the next line, so of that it is the call. */
static inline uint64_t tally_line_address(const struct tally_symbol *symbol, uint64_t addr,
					  bool is_return)
{
	return addr - (is_return && symbol && addr > symbol->start);
}

/* tally_dso_lines() for those who have many addresses, in ascending order: they are asked for at
 * once, which takes a fraction of the time. */
void tally_dso_lines_prepare(struct tally_dso *dso, const uint64_t *addrs, size_t nr);

/* The same of many files; the list is sorted. */
struct tally_dso_address {
	struct tally_dso *dso;
	uint64_t addr;
};
void tally_lines_prepare(struct tally_dso_address *all, size_t nr);

/* Whether tally_dso_lines(dso, addr) would ask the other process. Those who can wait for an answer
 * collect such addresses for tally_lines_prepare(). */
bool tally_dso_lines_want_asking(struct tally_dso *dso, uint64_t addr);

/* Whether addresses of the DSO can have lines. Looks for debug information, but reads none. */
bool tally_dso_has_lines(struct tally_dso *dso);

/* What became of its debug information: NOT_LOADED, LOADED; NO_LINES: it has none; LATE, FULL,
 * CRASHED: reading it took too long, too much memory, or ended the process that did, and the
 * addresses that came after that have none; DAMAGED: some addresses have none for that; PARTLY:
 * names of inlined functions are in files that are missing; NO_RESOURCES: descriptors, processes;
 * UNSUPPORTED: this program was built without; or as of its symbols. */
enum tally_dso_state tally_dso_lines_state(const struct tally_dso *dso);

/* The state in words. Where parts are missing, and the package of split units that has them lies
 * beside the file (NAME.dwp), which is not read, it is named. */
void tally_dso_lines_reason(const struct tally_dso *dso, struct tally_str *out);

/* A symbol for the inlined function of a line that tally_dso_lines(dso) returned, for
 * tally_symbol_name(): the same one for the same name. It has no addresses. NULL: the line has no
 * function, or memory is out. */
const struct tally_symbol *tally_line_symbol(struct tally_dso *dso, const struct tally_line *line);

/* Whether a symbol is one of those. */
bool tally_symbol_is_inlined(const struct tally_dso *dso, const struct tally_symbol *symbol);

#endif

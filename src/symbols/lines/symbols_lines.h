/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines and inlined functions at a DSO's addresses. They come from the recording (stored.h),
 * a JIT compiler's dump, the index, or debug information. The first lookup of an address that is
 * not found elsewhere searches for debug information and decodes it in another process
 * (dwarf/worker.h). This calls fork(2), so no other thread may be using `symbols` or holding a lock
 * of libc, other than malloc's, at that time.
 */
#ifndef TALLY_SYMBOLS_LINES_SYMBOLS_LINES_H
#define TALLY_SYMBOLS_LINES_SYMBOLS_LINES_H

#include "base/str.h"
#include "dwarf/lines.h"
#include "symbols/symbols.h"

/* Range of addresses with the same lines, [start, end). */
struct tally_span {
	uint64_t start, end;
};

/* Get the lines for `addr`, an address in the form that tally_dso_find() takes. The innermost line
 * is first. Returns the number of lines. If there are none, tally_dso_lines_state() may give the
 * reason. The lines live until `symbols` is freed. `ret_span` may be NULL. */
size_t tally_dso_lines(struct tally_dso *dso, uint64_t addr, const struct tally_line **ret_lines,
		       struct tally_span *ret_span);

/* Return the address at which to look up the lines for `addr`, which is in `symbol` (may be NULL).
 * A return address may belong to the next line, so an address inside the call is used instead. */
static inline uint64_t tally_line_address(const struct tally_symbol *symbol, uint64_t addr,
					  bool is_return)
{
	return addr - (is_return && symbol && addr > symbol->start);
}

/* Look up the lines for many addresses, which must be in ascending order. Call this before
 * tally_dso_lines(): requesting the lines together is many times faster. */
void tally_dso_lines_prepare(struct tally_dso *dso, const uint64_t *addrs, size_t nr);

/* Address in one of several files. */
struct tally_dso_address {
	struct tally_dso *dso;
	uint64_t addr;
};
/* Do the same as tally_dso_lines_prepare() for addresses in many files. Sorts the list. */
void tally_lines_prepare(struct tally_dso_address *all, size_t nr);

/* Keep the processes that tally_lines_prepare() starts, because addresses in the same files will
 * follow. At most six run at a time, and those that have taken longest to read their files are kept
 * until `symbols` is freed. */
void tally_lines_keep_workers(struct tally_symbols *symbols);

/* Stop these processes. The kernel ends a process when the thread that started it ends, so a thread
 * that looks up lines must call this at its end. Later look-ups start them again. */
void tally_lines_stop_workers(struct tally_symbols *symbols);

/* From now on, only the names of inlined functions are needed. Lines may be without files and
 * numbers, and an address without inlined functions may be without lines. Call this before the
 * first lookup. */
void tally_lines_inlined_only(struct tally_symbols *symbols);

/* Return true if tally_dso_lines(dso, addr) would have to ask the other process. Callers that do
 * not need the answer immediately collect these addresses for tally_lines_prepare(). */
bool tally_dso_lines_need_worker(struct tally_dso *dso, uint64_t addr);

/* Return true if the DSO's addresses can be resolved to source lines. Looks for debug information,
 * but does not read it. */
bool tally_dso_has_lines(struct tally_dso *dso);

/*
 * Return the state of the DSO's debug information:
 * - NOT_LOADED, LOADED.
 * - NO_LINES: there is no debug information.
 * - TIMEOUT, OVER_MEMORY, CRASHED: reading it took too long or too much memory, or crashed the
 *   process that was reading it. Addresses requested later have no lines.
 * - DAMAGED: some addresses have no lines because the debug information is damaged.
 * - INCOMPLETE: names of inlined functions are in files that are missing.
 * - NO_RESOURCES: out of descriptors or processes.
 * - UNSUPPORTED: the decoder is not part of this build.
 * - Other states as for symbols.
 */
enum tally_dso_state tally_dso_lines_state(const struct tally_dso *dso);

/* Append a description of the debug information's state. If the missing parts are in a package
 * NAME.dwp next to the file, name the package. Packages are not read. */
void tally_dso_lines_reason(const struct tally_dso *dso, struct tally_str *out);

/* Get a symbol for the inlined function of a line from tally_dso_lines(dso), to be used with
 * tally_symbol_name(). The symbol is the same for each occurrence of the name, and has no
 * addresses. `*ret_symbol` is NULL if the line has no function. Returns 0 or -ENOMEM. */
int tally_line_symbol(struct tally_dso *dso, const struct tally_line *line,
		      const struct tally_symbol **ret_symbol);

/* Return true if a symbol is from tally_line_symbol(). */
bool tally_symbol_is_inlined(const struct tally_dso *dso, const struct tally_symbol *symbol);

#endif

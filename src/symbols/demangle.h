/* SPDX-License-Identifier: BSD-2-Clause */
/* Demangle C++, Rust (legacy and v0) and D names. */
#ifndef TALLY_SYMBOLS_DEMANGLE_H
#define TALLY_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return the readable form of `raw`, allocated with malloc; the caller frees it. Returns NULL if
 * `raw` is not a mangled name, if either form is 32 KB or longer, if demangling would take longer
 * than for any real name, on memory allocation failure, or if this build has no demangler. `params`
 * adds the parameters of functions ("f(int)"), as perf does with -v. The suffix of "name@plt" is
 * kept.
 *
 * Even a short name can take a long time to demangle. `*left` is a budget in bytes of text; other
 * work is charged as the number of bytes that would take equally long. Each call decrements the
 * budget, and when it reaches 0, no more names are demangled.
 */
char *tally_demangle(const char *raw, bool params, uint64_t *left);

/* Return false if this build has no demangler. Callers report this once, in the health line. */
bool tally_demangle_available(void);

#endif

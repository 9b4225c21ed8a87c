/* SPDX-License-Identifier: BSD-2-Clause */
/* Demangling of C++, Rust (legacy and v0) and D names. */
#ifndef TALLY_SYMBOLS_DEMANGLE_H
#define TALLY_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

/* Return the readable form of `raw`, allocated with malloc; the caller frees it. NULL if `raw` is
 * not a mangled name, if it has 32 KB or more in either form, if demangling would take longer than
 * for any real name, if memory is out, or if this build has no demangler. `params` adds the
 * parameters of functions ("f(int)"), as perf does with -v. The suffix of "name@plt" is kept.
 *
 * A few bytes of a file can take long to demangle. `*left` is a budget in bytes of text, or in
 * steps that take as long. It is decremented, and at 0 no name is demangled any more. */
char *tally_demangle(const char *raw, bool params, uint64_t *left);

/* Return false if this build has no demangler. Callers report that once, in the health line. */
bool tally_demangle_available(void);

#endif

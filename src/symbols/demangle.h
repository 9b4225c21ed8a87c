/* SPDX-License-Identifier: BSD-2-Clause */
/* C++, Rust (legacy and v0) and D names for people. */
#ifndef TALLY_SYMBOLS_DEMANGLE_H
#define TALLY_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

/* The readable form of `raw`, allocated with malloc, the caller frees it; NULL when it is not a
 * mangled name, when memory is out, or when this build has no demangler. `params` adds the
 * parameters of functions ("f(int)"), as perf does with -v. "name@plt" keeps its tail. */
char *tally_demangle(const char *raw, bool params);

/* False when this build has no demangler: say so once, in the health line. */
bool tally_demangle_available(void);

#endif

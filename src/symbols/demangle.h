/* SPDX-License-Identifier: BSD-2-Clause */
/* C++, Rust (legacy and v0) and D names for people. */
#ifndef TALLY_SYMBOLS_DEMANGLE_H
#define TALLY_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

/* The readable form of `raw`, allocated with malloc, the caller frees it; NULL when it is not a
 * mangled name, when it has 32 KB or more, in whichever form, when it would take longer than any
 * real name does, when memory is out, or when this build has no demangler. `params` adds the
 * parameters of functions ("f(int)"), as perf does with -v. "name@plt" keeps its tail. Few bytes of
 * a file can take long to come to nothing: `*left` bytes, or steps that take as long, may still be
 * made, and become fewer; at 0 no name is demangled any more. */
char *tally_demangle(const char *raw, bool params, uint64_t *left);

/* False when this build has no demangler: say so once, in the health line. */
bool tally_demangle_available(void);

#endif

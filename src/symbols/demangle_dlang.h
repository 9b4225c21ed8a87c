/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D names, and what libiberty's demanglers use of the rest of libiberty: xmalloc(), xrealloc() and
 * a table of characters. The demanglers may be linked into any program, but these parts are under
 * the LGPL, and xmalloc() exits if there is no memory. They are defined here instead
 * (docs/internals/licences.md).
 */
#ifndef TALLY_SYMBOLS_DEMANGLE_DLANG_H
#define TALLY_SYMBOLS_DEMANGLE_DLANG_H

/* Return the readable form of a D name, which the caller frees, or NULL if it is not a D name or
 * memory allocation fails. `options` are DMGL_*. In case of an allocation failure, the parts of the
 * text leak, because only libiberty knows them. */
char *tally_demangle_dlang(const char *raw, int options);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Short forms of function names. A short name leaves out what its reader knows: inline namespaces,
 * default template arguments, ABI tags, hashes and parameters of enclosing functions. It uses the
 * names of the manual instead of those inside the library: std::_Hashtable<...> becomes
 * std::unordered_map<K, V>. The function's own name and last scope are always kept.
 *
 * The names of a C++, Rust, Go, D, Java, Node.js or Python program can be mixed. Names in which
 * nothing can be left out are unchanged. Two functions can have the same short name.
 */
#ifndef TALLY_SYMBOLS_SHORT_NAME_H
#define TALLY_SYMBOLS_SHORT_NAME_H

#include "base/str.h"

/* Append the short form of a demangled name of `len` bytes. It is never longer than the name, and
 * the short form of a short name is the same name. The time is proportional to the length.
 * Brackets that are nested more than 127 levels deep are copied. Returns 0 or -ENOMEM. */
int tally_short_name(struct tally_str *out, const char *name, size_t len);

/* Return true if the name has a character that occurs in all names with a different short form.
 * Names of C functions do not have one. */
bool tally_short_name_applies(const char *name, size_t len);

#endif

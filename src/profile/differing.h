/* SPDX-License-Identifier: BSD-2-Clause */
/* Part in which a name differs from others, as whole identifiers. */
#ifndef TALLY_PROFILE_DIFFERING_H
#define TALLY_PROFILE_DIFFERING_H

#include <stddef.h>

#include "base/str.h"

/* Return the offset of the first identifier in which two names differ. */
size_t differing_at(const char *name, const char *other);

/* Append the scopes, e.g. "__detail::_Map_base", that begin at the offset `at`, without the
 * function's own name. In a path, e.g. "github.com/a/pkg", append the whole path. */
void differing_add_scope(struct tally_str *out, const char *name, size_t at);

/* Append the arguments from the one that contains the offset `at`: "(..., int, long, ...)". */
void differing_add_parameters(struct tally_str *out, const char *more, size_t at);

#endif

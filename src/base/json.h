/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A streaming JSON writer that appends to a string builder. Strings may contain arbitrary bytes:
 * invalid UTF-8 becomes U+FFFD, and characters that would control a terminal are written like
 * \u009b. 64-bit integers are written in full; NaN and infinities become null. The caller is
 * responsible for correct nesting.
 */
#ifndef TALLY_BASE_JSON_H
#define TALLY_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Open an object or array; `bracket` is '{' or '['. `key` is NULL in arrays and at the top level,
 * as in the functions below. Commas are inserted according to the last character written. */
void tally_json_open(struct tally_str *out, const char *key, char bracket);
/* Close an object or array; `bracket` is '}' or ']'. */
void tally_json_close(struct tally_str *out, char bracket);

/* Write a value: a NUL-terminated string, a string of `len` bytes, a number or a boolean. */
void tally_json_text(struct tally_str *out, const char *key, const char *text);
void tally_json_bytes(struct tally_str *out, const char *key, const void *bytes, size_t len);
void tally_json_u64(struct tally_str *out, const char *key, uint64_t value);
void tally_json_s64(struct tally_str *out, const char *key, int64_t value);
void tally_json_bool(struct tally_str *out, const char *key, bool value);

/* Append a string of `len` bytes in quotes, without a key or a comma. */
void tally_json_quote(struct tally_str *out, const void *bytes, size_t len);

/* Write a number with a fixed number of decimals; null if it is not finite. */
void tally_json_double(struct tally_str *out, const char *key, double value, int decimals);

/* Write bytes as a string of hex digits. */
void tally_json_hex(struct tally_str *out, const char *key, const void *bytes, size_t len);

#endif

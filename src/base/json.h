/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streaming JSON writer onto a string builder. Strings are bytes: what is not UTF-8 becomes
 * U+FFFD, and what a terminal would not show but obey is written as \u009b. 64-bit integers are
 * written whole; there are no NaNs. The caller keeps the nesting.
 */
#ifndef TALLY_BASE_JSON_H
#define TALLY_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Open and close an object or array; `key` NULL inside arrays and at the top. Commas are put
 * where they belong by looking at what was written last. */
void tally_json_open(struct tally_str *out, const char *key, char bracket);
void tally_json_close(struct tally_str *out, char bracket);

void tally_json_text(struct tally_str *out, const char *key, const char *text);
void tally_json_bytes(struct tally_str *out, const char *key, const void *bytes, size_t len);
void tally_json_u64(struct tally_str *out, const char *key, uint64_t value);
void tally_json_s64(struct tally_str *out, const char *key, int64_t value);
void tally_json_bool(struct tally_str *out, const char *key, bool value);

/* A fixed number of decimals; null where the value is no finite number. */
void tally_json_double(struct tally_str *out, const char *key, double value, int decimals);

/* Bytes as a string of hex digits. */
void tally_json_hex(struct tally_str *out, const char *key, const void *bytes, size_t len);

#endif

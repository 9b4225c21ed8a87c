/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Bytes of the valid UTF-8 sequence at `at`, 0 if there is none. */
static size_t utf8_length(const uint8_t *at, size_t left)
{
	size_t len = at[0] < 0x80             ? 1
		     : (at[0] & 0xe0) == 0xc0 ? 2
		     : (at[0] & 0xf0) == 0xe0 ? 3
		     : (at[0] & 0xf8) == 0xf0 ? 4
					      : 0;

	if (!len || len > left)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Overlong forms, surrogates, and what is beyond Unicode. */
	if ((len == 2 && at[0] < 0xc2) || (len == 3 && at[0] == 0xe0 && at[1] < 0xa0) ||
	    (len == 3 && at[0] == 0xed && at[1] > 0x9f) ||
	    (len == 4 && at[0] == 0xf0 && at[1] < 0x90) ||
	    (len == 4 && (at[0] > 0xf4 || (at[0] == 0xf4 && at[1] > 0x8f))))
		return 0;
	return len;
}

static void add_escaped(struct tally_str *out, uint8_t c)
{
	static const char letters[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

	tally_str_add_char(out, '\\');
	if (c == '"' || c == '\\') {
		tally_str_add_char(out, (char)c);
	} else if (c < sizeof(letters) && letters[c]) {
		tally_str_add_char(out, letters[c]);
	} else {
		tally_str_add(out, "u00");
		tally_str_add_hex(out, c, 2);
	}
}

static void add_string(struct tally_str *out, const uint8_t *at, size_t len)
{
	tally_str_add_char(out, '"');
	while (len) {
		size_t plain = 0, n;

		while (plain < len && at[plain] >= 0x20 && at[plain] < 0x7f && at[plain] != '"' &&
		       at[plain] != '\\')
			plain++;
		tally_str_add_bytes(out, at, plain);
		at += plain;
		len -= plain;
		if (!len)
			break;
		n = utf8_length(at, len);
		if (n > 1)
			tally_str_add_bytes(out, at, n);
		else if (n == 1)
			add_escaped(out, *at);
		else
			tally_str_add(out, "\xef\xbf\xbd");
		at += n ? n : 1;
		len -= n ? n : 1;
	}
	tally_str_add_char(out, '"');
}

static void add_key(struct tally_str *out, const char *key)
{
	char last = out->len ? out->data[out->len - 1] : '\n';

	/* The start of a builder is the start of something. */
	if (last != '{' && last != '[' && last != ',' && last != '\n')
		tally_str_add_char(out, ',');
	if (key) {
		add_string(out, (const uint8_t *)key, strlen(key));
		tally_str_add_char(out, ':');
	}
}

void tally_json_open(struct tally_str *out, const char *key, char bracket)
{
	add_key(out, key);
	tally_str_add_char(out, bracket);
}

void tally_json_close(struct tally_str *out, char bracket)
{
	tally_str_add_char(out, bracket);
}

void tally_json_bytes(struct tally_str *out, const char *key, const void *bytes, size_t len)
{
	add_key(out, key);
	add_string(out, bytes, len);
}

void tally_json_text(struct tally_str *out, const char *key, const char *text)
{
	tally_json_bytes(out, key, text, strlen(text));
}

void tally_json_u64(struct tally_str *out, const char *key, uint64_t value)
{
	add_key(out, key);
	tally_str_add_u64(out, value);
}

void tally_json_s64(struct tally_str *out, const char *key, int64_t value)
{
	add_key(out, key);
	if (value < 0)
		tally_str_add_char(out, '-');
	tally_str_add_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void tally_json_bool(struct tally_str *out, const char *key, bool value)
{
	add_key(out, key);
	tally_str_add(out, value ? "true" : "false");
}

void tally_json_double(struct tally_str *out, const char *key, double value, int decimals)
{
	add_key(out, key);
	if (isfinite(value))
		tally_str_addf(out, "%.*f", decimals, value);
	else
		tally_str_add(out, "null");
}

void tally_json_hex(struct tally_str *out, const char *key, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	add_key(out, key);
	tally_str_add_char(out, '"');
	for (size_t i = 0; i < len; i++)
		tally_str_add_hex(out, at[i], 2);
	tally_str_add_char(out, '"');
}

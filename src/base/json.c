/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

static void add_escaped(struct tally_str *out, uint32_t c)
{
	static const char letters[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

	tally_str_add_char(out, '\\');
	if (c == '"' || c == '\\') {
		tally_str_add_char(out, (char)c);
	} else if (c < sizeof(letters) && letters[c]) {
		tally_str_add_char(out, letters[c]);
	} else {
		tally_str_add_char(out, 'u');
		tally_str_add_hex(out, c, 4);
	}
}

void tally_json_quote(struct tally_str *out, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	tally_str_add_char(out, '"');
	while (len) {
		size_t plain = 0, n;
		uint32_t point;

		while (plain < len && at[plain] >= 0x20 && at[plain] < 0x7f && at[plain] != '"' &&
		       at[plain] != '\\')
			plain++;
		tally_str_add_bytes(out, at, plain);
		at += plain;
		len -= plain;
		if (!len)
			break;
		n = tally_utf8_read(at, len, &point);
		if (!n)
			tally_str_add(out, "\xef\xbf\xbd");
		else if (n == 1 || (point < 0x10000 && !tally_utf8_is_shown(point)))
			add_escaped(out, point);
		else
			tally_str_add_bytes(out, at, n);
		at += n ? n : 1;
		len -= n ? n : 1;
	}
	tally_str_add_char(out, '"');
}

static void add_key(struct tally_str *out, const char *key)
{
	char last = out->len ? out->data[out->len - 1] : '\n';

	/* A value at the start of the text needs no comma. */
	if (last != '{' && last != '[' && last != ',' && last != '\n')
		tally_str_add_char(out, ',');
	if (key) {
		tally_json_quote(out, key, strlen(key));
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
	tally_json_quote(out, bytes, len);
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
	add_key(out, key);
	tally_str_add_char(out, '"');
	tally_str_add_hex_bytes(out, bytes, len);
	tally_str_add_char(out, '"');
}

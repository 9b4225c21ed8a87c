/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/doctor/doctor_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool doctor_text_has_addresses(const char *data, size_t len)
{
	const char *end = data + len;

	while (data < end) {
		const char *newline = memchr(data, '\n', (size_t)(end - data));

		while (data < end && *data == '0')
			data++;
		if (data < end && isxdigit((unsigned char)*data))
			return true;
		data = newline ? newline + 1 : end;
	}
	return false;
}

bool doctor_text_has_word(const char *data, size_t len, const char *word)
{
	size_t word_len = strlen(word), at = 0;

	while (at < len) {
		size_t start = at;

		while (at < len && !isspace((unsigned char)data[at]))
			at++;
		if (at - start == word_len && !memcmp(data + start, word, word_len))
			return true;
		at++;
	}
	return false;
}

bool doctor_text_has(const char *data, size_t len, const char *part)
{
	size_t part_len = strlen(part);

	for (size_t at = 0; part_len <= len && at <= len - part_len; at++) {
		if (!strncasecmp(data + at, part, part_len))
			return true;
	}
	return false;
}

const char *doctor_text_variable(const char *data, size_t len, const char *name, size_t *ret_len)
{
	size_t name_len = strlen(name), at = 0;

	while (at < len) {
		size_t left = len - at, size = strnlen(data + at, left);

		if (size > name_len && data[at + name_len] == '=' &&
		    !memcmp(data + at, name, name_len)) {
			*ret_len = size - name_len - 1;
			return data + at + name_len + 1;
		}
		at += size + 1;
	}
	return NULL;
}

const char *doctor_text_chosen(const char *data, size_t len, size_t *ret_len)
{
	const char *open = len ? memchr(data, '[', len) : NULL, *close;

	if (!open)
		return NULL;
	open++;
	close = memchr(open, ']', len - (size_t)(open - data));
	if (!close)
		return NULL;
	*ret_len = (size_t)(close - open);
	return open;
}

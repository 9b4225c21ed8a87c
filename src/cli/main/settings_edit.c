/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/settings_edit.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/main/settings.h"

bool tally_settings_is_name(const char *name, size_t len)
{
	const char *dot = memrchr(name, '.', len);

	if (!dot || dot == name || dot + 1 == name + len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i]))
			return false;
	return true;
}

/* Append a value so that it is read back unchanged. */
static void add_value(struct tally_str *out, const char *value)
{
	size_t len = strlen(value);
	bool is_plain = len && !strpbrk(value, "#;\"\\") && !isspace((unsigned char)value[0]) &&
			!isspace((unsigned char)value[len - 1]);

	if (is_plain) {
		tally_str_add(out, value);
		return;
	}
	tally_str_add_char(out, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			tally_str_add_char(out, '\\');
		tally_str_add_char(out, *value);
	}
	tally_str_add_char(out, '"');
}

/* The line to change: that of the setting, or the one after which to add it; 0 if there is none. */
struct place {
	unsigned line;
	bool is_setting;
};

/* Names are compared with sections in lower case, as they are read. */
static struct place find_place(const struct tally_settings *settings, const char *name,
			       size_t section)
{
	struct place place = {0};

	tally_vec_for_each (setting, &settings->all) {
		bool is_same = !strncasecmp(setting->name, name, section) &&
			       setting->name[section] == '.' &&
			       !strchr(setting->name + section + 1, '.');

		if (is_same && !strcmp(setting->name + section, name + section))
			place = (struct place){setting->line, true};
		else if (is_same && !place.is_setting)
			place.line = setting->line;
	}
	return place;
}

static void add_line(struct tally_str *out, const char *key, const char *value)
{
	tally_str_addf(out, "\t%s = ", key);
	add_value(out, value);
	tally_str_add_char(out, '\n');
}

/* Copy the text line by line, with the new line at its place. */
static void copy_lines(const char *text, struct place place, const char *key, const char *value,
		       struct tally_str *out)
{
	for (unsigned line = 1; *text; line++) {
		size_t len = strcspn(text, "\n");

		if (line != place.line || !place.is_setting) {
			tally_str_add_bytes(out, text, len);
			tally_str_add_char(out, '\n');
		}
		if (line == place.line)
			add_line(out, key, value);
		text += len + (text[len] == '\n');
	}
}

int tally_settings_edit(const char *text, const char *name, const char *value,
			struct tally_str *out)
{
	const char *key = strrchr(name, '.') + 1;
	size_t section = (size_t)(key - 1 - name);
	struct tally_settings settings = {0};
	char *copy = strdup(text);
	struct place place;
	int ret = copy ? tally_settings_parse(&settings, copy, "", false, NULL) : -ENOMEM;

	if (!ret) {
		place = find_place(&settings, name, section);
		copy_lines(text, place, key, value, out);
		if (!place.line) {
			tally_str_addf(out, "[%.*s]\n", (int)section, name);
			add_line(out, key, value);
		}
		ret = tally_str_error(out);
	}
	tally_settings_free(&settings);
	free(copy);
	return ret;
}

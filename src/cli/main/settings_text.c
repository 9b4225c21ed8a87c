/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a configuration file, and look-ups. Files are read in settings.c. */
#include "cli/main/settings.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

struct settings_parser {
	struct tally_settings *settings;
	const char *file;
	unsigned line;
	bool is_own;
	struct tally_str section;
	const struct tally_messages *messages;
};

static void warn_line(const struct settings_parser *in, const char *what)
{
	tally_message_warn(in->messages, "%s, line %u: %s; the line is ignored", in->file, in->line,
			   what);
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r");
}

/* Parse a line "[section]" or "[section "name"]", which is "section.name". */
static void parse_section(struct settings_parser *in, const char *at)
{
	const char *end = strchr(at, ']');

	tally_str_clear(&in->section);
	if (!end) {
		warn_line(in, "a section must end with ']'");
		return;
	}
	for (; at < end; at++) {
		if (*at == ' ' || *at == '\t')
			continue;
		if (*at == '"') {
			if (in->section.len && at[1] != ']')
				tally_str_add_char(&in->section, '.');
			continue;
		}
		tally_str_add_char(&in->section, (char)tolower((unsigned char)*at));
	}
	if (in->section.len && in->section.data[in->section.len - 1] == '.')
		in->section.data[--in->section.len] = '\0';
}

/* Append a value up to a comment or the end of the line, without quotes and blanks at its end.
 * Returns false if a quote is not closed. */
static bool add_value(const char *at, struct tally_str *out)
{
	bool in_quotes = false;
	size_t kept = 0;

	for (; *at && (in_quotes || (*at != '#' && *at != ';')); at++) {
		if (*at == '"') {
			in_quotes = !in_quotes;
			kept = out->len;
			continue;
		}
		if (*at == '\\' && at[1])
			at++;
		tally_str_add_char(out, *at);
		if (in_quotes || !isspace((unsigned char)*at))
			kept = out->len;
	}
	if (!out->failed && out->data)
		out->data[out->len = kept] = '\0';
	return !in_quotes;
}

static int add_setting(struct settings_parser *in, const char *key, size_t len, const char *value)
{
	struct tally_arena *texts = &in->settings->texts;
	struct tally_str name = {0};
	struct tally_setting setting = {.file = in->file, .line = in->line, .is_own = in->is_own};

	tally_str_addf(&name, "%s.%.*s", tally_str_text(&in->section), (int)len, key);
	if (!tally_str_error(&name)) {
		setting.name = tally_arena_strndup(texts, tally_str_text(&name), name.len);
		setting.value = tally_arena_strndup(texts, value, strlen(value));
	}
	tally_str_free(&name);
	if (!setting.name || !setting.value)
		return -ENOMEM;
	return tally_vec_push(&in->settings->all, setting);
}

/* Parse a line "key = value" or "key". */
static int parse_setting(struct settings_parser *in, const char *key)
{
	size_t len = 0;
	struct tally_str value = {0};
	const char *at;
	int ret = 0;

	while (isalnum((unsigned char)key[len]) || (key[len] && strchr("-_.", key[len])))
		len++;
	at = skip_blanks(key + len);
	if (!in->section.len)
		warn_line(in, "a setting must be in a section, such as [report]");
	else if (!len || (*at && !strchr("=#;", *at)))
		warn_line(in, "a setting must be of the form 'name = value'");
	else if (*at != '=')
		ret = add_setting(in, key, len, "true");
	else if (!add_value(skip_blanks(at + 1), &value))
		warn_line(in, "a quote is not closed");
	else
		ret = tally_str_error(&value) ? -ENOMEM
					      : add_setting(in, key, len, tally_str_text(&value));
	tally_str_free(&value);
	return ret;
}

static int parse_line(struct settings_parser *in, const char *line)
{
	const char *at = skip_blanks(line);

	if (!*at || *at == '#' || *at == ';')
		return 0;
	if (*at != '[')
		return parse_setting(in, at);
	parse_section(in, at + 1);
	return tally_str_error(&in->section) ? -ENOMEM : 0;
}

int tally_settings_parse(struct tally_settings *settings, char *text, const char *file, bool is_own,
			 const struct tally_messages *messages)
{
	struct settings_parser in = {
		.settings = settings, .file = file, .is_own = is_own, .messages = messages};
	int ret = 0;

	while (text && !ret) {
		char *line = strsep(&text, "\n");

		in.line++;
		ret = parse_line(&in, line);
	}
	tally_str_free(&in.section);
	return ret;
}

void tally_settings_free(struct tally_settings *settings)
{
	tally_vec_free(&settings->all);
	tally_arena_free(&settings->texts);
	*settings = (struct tally_settings){0};
}

const char *tally_settings_get(const struct tally_settings *settings, const char *name)
{
	const char *value = NULL;

	tally_vec_for_each (setting, &settings->all)
		if (!strcmp(setting->name, name))
			value = setting->value;
	return value;
}

bool tally_settings_bool(const char *value, bool *ret_value)
{
	static const char *const words[][2] = {
		{"true", "false"}, {"yes", "no"}, {"on", "off"}, {"1", "0"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		bool is_true = !strcasecmp(value, words[i][0]);

		if (!is_true && strcasecmp(value, words[i][1]))
			continue;
		*ret_value = is_true;
		return true;
	}
	return false;
}

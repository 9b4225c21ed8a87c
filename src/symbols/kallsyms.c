/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/kallsyms.h"

#include <errno.h>
#include <string.h>

#include "symbols/symbols_text.h"

enum { LINE_LENGTH = 44 }; /* typical length, for estimating the number of lines */

/* Parsed line. The name and the module are borrowed from the text and not NUL-terminated. */
struct line {
	uint64_t address;
	char type;
	const char *name, *module; /* module: "ext4" for "[ext4]", or NULL */
	size_t name_len, module_len;
};

static void line_read_module(struct tally_text *text, struct line *line)
{
	line->module = NULL;
	line->module_len = 0;
	tally_text_skip_blanks(text);
	if (text->at == text->end || *text->at != '[')
		return;
	line->module = ++text->at;
	while (text->at < text->end && *text->at != ']' && *text->at != '\n')
		text->at++;
	line->module_len = (size_t)(text->at - line->module);
}

/* Do not use isgraph(), which depends on the locale and is slower. */
static bool is_graphic(char c)
{
	return c > ' ' && c < 0x7f;
}

/* Parse one line and advance to the next. Returns false if the line is malformed. */
static bool line_parse(struct tally_text *text, struct line *ret_line)
{
	struct line line = {0};
	bool ok;

	ok = tally_text_hex(text, &line.address) && tally_text_skip_blanks(text) &&
	     text->at < text->end && is_graphic(*text->at);
	if (ok) {
		line.type = *text->at++;
		ok = tally_text_skip_blanks(text);
	}
	if (ok) {
		tally_text_word(text, &line.name, &line.name_len);
		line_read_module(text, &line);
		ok = line.name_len > 0;
	}
	tally_text_next_line(text);
	if (ok)
		*ret_line = line;
	return ok;
}

/* Accept text and data symbols. Absolute and read-only symbols do not name the code or data at
 * their address. */
static bool type_counts(char type)
{
	char lower = type | 0x20;

	return lower == 't' || lower == 'w' || lower == 'd' || lower == 'b';
}

static uint8_t binding_of(char type)
{
	if (type == 'W')
		return TALLY_SYMBOL_WEAK;
	return type >= 'A' && type <= 'Z' ? TALLY_SYMBOL_GLOBAL : TALLY_SYMBOL_LOCAL;
}

/* Copy a line's module name. Adjacent lines from the same module share one copy. */
static int module_text(struct tally_symtab *table, const struct line *line, const char **last)
{
	if (*last && strlen(*last) == line->module_len &&
	    !memcmp(*last, line->module, line->module_len))
		return 0;
	*last = tally_arena_strndup(&table->arena, line->module, line->module_len);
	return *last ? 0 : -ENOMEM;
}

static int line_add(struct tally_symtab *table, const struct line *line, const char **last_module)
{
	struct tally_symtab_entry entry = {
		.start = line->address,
		.end = line->address,
		.binding = binding_of(line->type),
	};
	int ret = line->module ? module_text(table, line, last_module) : 0;

	if (ret)
		return ret;
	entry.module = line->module ? *last_module : NULL;
	entry.name = tally_arena_strndup(&table->arena, line->name, line->name_len);
	return entry.name ? tally_symtab_add(table, &entry) : -ENOMEM;
}

int tally_kallsyms_parse(const char *data, size_t len, const char *module,
			 struct tally_symtab *table, struct tally_error *err)
{
	struct tally_symtab_options options = {.kallsyms = true, .module = module};
	struct tally_text text = {data, data + len};
	const char *last_module = NULL, *start;
	bool hidden = true;
	struct line line;
	int ret = tally_vec_reserve(&table->entries, len / LINE_LENGTH);

	while (text.at < text.end && !ret) {
		start = text.at;
		if (!line_parse(&text, &line))
			return tally_error_at(err, -EINVAL, "malformed kallsyms line",
					      (uint64_t)(start - data));
		hidden &= !line.address;
		/* On ARM, modules also list mapping symbols ("$a"), which mark code and data. */
		if (type_counts(line.type) && line.name[0] != '$')
			ret = line_add(table, &line, &last_module);
	}
	if (ret)
		return ret;
	if (hidden)
		return tally_error_at(err, -EPERM, "all addresses are hidden (kptr_restrict)", 0);
	return tally_symtab_finish(table, &options);
}

int tally_kallsyms_address(const char *data, size_t len, const char *name, uint64_t *ret_address)
{
	struct tally_text text = {data, data + len};
	size_t name_len = strlen(name);
	struct line line;

	while (text.at < text.end) {
		if (line_parse(&text, &line) && !line.module && line.name_len == name_len &&
		    !memcmp(line.name, name, name_len)) {
			*ret_address = line.address;
			return 0;
		}
	}
	return -ENOENT;
}

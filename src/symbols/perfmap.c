/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/perfmap.h"

#include <errno.h>

#include "symbols/text.h"

/* Parse one line, not going beyond its end; false if it is malformed. */
static bool line_parse(struct tally_text *text, uint64_t *ret_start, uint64_t *ret_size,
		       const char **ret_name, size_t *ret_len)
{
	uint64_t start, size, end;

	if (!tally_text_hex(text, &start) || !tally_text_skip_blanks(text) ||
	    !tally_text_hex(text, &size) || !tally_text_skip_blanks(text) ||
	    __builtin_add_overflow(start, size, &end))
		return false;
	*ret_start = start;
	*ret_size = size;
	tally_text_line(text, ret_name, ret_len);
	return *ret_len > 0;
}

static int line_add(struct tally_symtab *table, uint64_t start, uint64_t size, const char *name,
		    size_t len)
{
	/* Made: a JIT reuses addresses, all of its lines count and none has another's end. */
	struct tally_symtab_entry entry = {
		.start = start,
		.end = start + size,
		.name = tally_arena_strndup(&table->arena, name, len),
		.binding = TALLY_SYMBOL_GLOBAL,
		.pass = TALLY_SYMBOL_MADE,
	};

	return entry.name ? tally_symtab_add(table, &entry) : -ENOMEM;
}

int tally_perfmap_parse(const char *data, size_t len, struct tally_symtab *table,
			size_t *ret_skipped, struct tally_error *err)
{
	struct tally_text text = {data, data + len};
	size_t skipped = 0, name_len;
	uint64_t start, size;
	const char *line, *name;
	int ret = 0;

	while (text.at < text.end && !ret) {
		line = text.at;
		if (line_parse(&text, &start, &size, &name, &name_len))
			ret = line_add(table, start, size, name, name_len);
		else if (!skipped++)
			tally_error_at(err, -EINVAL, "not a line of a perf map",
				       (uint64_t)(line - data));
		tally_text_next_line(&text);
	}
	if (!ret)
		ret = tally_symtab_finish(table, NULL);
	if (!ret && ret_skipped)
		*ret_skipped = skipped;
	return ret;
}

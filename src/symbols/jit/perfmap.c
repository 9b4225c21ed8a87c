/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/jit/perfmap.h"

#include <errno.h>
#include <string.h>

#include "symbols/symbols_text.h"

/* Parsed fields of a line. */
struct jit_line {
	uint64_t start, size;
	const char *name;
	size_t len;
};

/* Parse one line, but do not advance past its end. Returns false if it is malformed. */
static bool line_parse(struct tally_text *text, struct jit_line *line)
{
	uint64_t end;

	if (!tally_text_hex(text, &line->start) || !tally_text_skip_blanks(text) ||
	    !tally_text_hex(text, &line->size) || !tally_text_skip_blanks(text) ||
	    __builtin_add_overflow(line->start, line->size, &end) || line->start == UINT64_MAX)
		return false;
	tally_text_line(text, &line->name, &line->len);
	return line->len > 0;
}

int tally_perfmap_parse(const char *data, size_t len, bool is_last, struct tally_jit *jit,
			size_t *ret_used, struct tally_error *err)
{
	const char *newline = is_last ? NULL : memrchr(data, '\n', len);
	size_t used = is_last ? len : (newline ? (size_t)(newline - data) + 1 : 0);
	struct tally_text text = {data, data + used};
	const char *first;
	struct jit_line line;
	int ret = 0;

	while (text.at < text.end && !ret) {
		first = text.at;
		if (line_parse(&text, &line))
			ret = tally_jit_add(jit, line.start, line.size, 0, line.start, line.name,
					    line.len)
				      ? 0
				      : -ENOMEM;
		else if (!jit->nr_skipped++)
			tally_error_at(err, -EINVAL, "malformed perf map line",
				       (uint64_t)(first - data));
		tally_text_next_line(&text);
	}
	if (!ret)
		*ret_used = used;
	return ret;
}

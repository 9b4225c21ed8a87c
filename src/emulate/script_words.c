/* SPDX-License-Identifier: BSD-2-Clause */
#include "emulate/script_words.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"

enum { NANO = 1000000000 };

static bool is_name(char c)
{
	return tally_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("-_.:@", c));
}

void script_line_begin(struct script_line *line, const char *text, size_t len)
{
	line->text = text;
	line->len = len;
	line->at = line->word = 0;
	line->number++;
}

static char peek(const struct script_line *line, size_t at)
{
	return at < line->len ? line->text[at] : '\0';
}

/* Skip to the next word. A comment extends to the end of the line. */
static void skip_blanks(struct script_line *line)
{
	while (line->at < line->len && strchr(" \t\r", line->text[line->at]) &&
	       line->text[line->at])
		line->at++;
	if (peek(line, line->at) == '#')
		line->len = line->at;
	line->word = line->at;
}

bool script_has_word(struct script_line *line)
{
	skip_blanks(line);
	return line->at < line->len;
}

bool script_accept(struct script_line *line, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(line);
	if (len > line->len - line->at || memcmp(line->text + line->at, word, len) ||
	    (is_name(word[len - 1]) && is_name(peek(line, line->at + len))))
		return false;
	line->at += len;
	return true;
}

bool script_is_number(struct script_line *line)
{
	skip_blanks(line);
	return tally_is_digit(peek(line, line->at));
}

int script_name(struct script_line *line, char to[TALLY_SCRIPT_NAME])
{
	size_t len = 0;

	skip_blanks(line);
	while (is_name(peek(line, line->at + len)))
		len++;
	if (!len || tally_is_digit(line->text[line->at]))
		return script_fail(line, "expected a name");
	if (len >= TALLY_SCRIPT_NAME)
		return script_fail(line, "the name has more than 63 characters");
	memcpy(to, line->text + line->at, len);
	to[len] = '\0';
	line->at += len;
	return 0;
}

/* Return the rest of the line. */
static struct tally_scan rest_of(const struct script_line *line)
{
	return tally_scan_of(line->text + line->at, line->len - line->at);
}

int script_number(struct script_line *line, uint64_t least, uint64_t most, const char *wanted,
		  uint64_t *ret_value)
{
	struct tally_scan scan;
	uint64_t value;
	int ret;

	skip_blanks(line);
	scan = rest_of(line);
	ret = tally_scan_prefixed(&scan, &value);
	line->at = (size_t)(scan.at - line->text);
	if (ret || is_name(peek(line, line->at)) || value < least || value > most)
		return script_fail(line, wanted);
	*ret_value = value;
	return 0;
}

/* Parse digits with an optional fraction. The result is in billionths. */
static int read_decimal(struct script_line *line, unsigned __int128 *ret_nano)
{
	struct tally_scan scan;
	uint64_t whole = 0, part = 0;
	int ret;

	skip_blanks(line);
	scan = rest_of(line);
	ret = tally_scan_number(&scan, 10, &whole);
	if (ret == -EINVAL)
		return script_fail(line, "expected a number");
	if (scan.at - (line->text + line->at) > 18) {
		line->at += 18;
		return script_fail(line, "the number has more than 18 digits");
	}
	if (scan.end - scan.at >= 2 && *scan.at == '.' && tally_is_digit(scan.at[1])) {
		scan.at++;
		part = tally_scan_fraction(&scan, NANO);
	}
	line->at = (size_t)(scan.at - line->text);
	*ret_nano = (unsigned __int128)whole * NANO + part;
	return 0;
}

/* A unit that directly follows a number. A table of units is terminated by NULL. */
struct script_unit {
	const char *name;
	uint64_t times;
};

static bool take_unit(struct script_line *line, const struct script_unit *units,
		      uint64_t *ret_times)
{
	for (; units->name; units++) {
		size_t len = strlen(units->name);

		if (len > line->len - line->at || memcmp(line->text + line->at, units->name, len) ||
		    is_name(peek(line, line->at + len)))
			continue;
		line->at += len;
		*ret_times = units->times;
		return true;
	}
	return false;
}

int script_decimal(struct script_line *line, unsigned __int128 *ret_nano)
{
	static const struct script_unit units[] = {
		{"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {NULL, 0}};
	unsigned __int128 nano;
	uint64_t times = 1;

	if (read_decimal(line, &nano))
		return -EINVAL;
	if (!take_unit(line, units, &times) && is_name(peek(line, line->at)))
		return script_fail(line, "expected k, M, G or nothing after the number");
	*ret_nano = nano * times;
	return 0;
}

int script_time(struct script_line *line, uint64_t *ret_ns)
{
	static const struct script_unit units[] = {
		{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", NANO}, {NULL, 0}};
	unsigned __int128 nano;
	uint64_t times;

	if (read_decimal(line, &nano))
		return -EINVAL;
	if (!take_unit(line, units, &times))
		return script_fail(line, "expected ns, us, ms or s after the number");
	nano = nano * times / NANO;
	if (nano > (uint64_t)3600 * NANO)
		return script_fail(line, "the time exceeds an hour");
	*ret_ns = (uint64_t)nano;
	return 0;
}

int script_fail(struct script_line *line, const char *text)
{
	*line->error = (struct tally_script_error){line->number, (uint32_t)line->word + 1, text};
	return -EINVAL;
}

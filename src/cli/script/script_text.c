/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/register_names.h"
#include "base/size.h"
#include "view/data_src_text.h"

/* Width up to which a column is filled with one fixed-size block, which is much faster than filling
 * the exact number of bytes. */
enum { BLOCK = 16 };

/* Smallest number that does not fit in a column, indexed by width. */
static const uint64_t too_wide[] = {
	0,          10ull,       100ull,       1000ull,       10000ull,       100000ull,
	1000000ull, 10000000ull, 100000000ull, 1000000000ull, 10000000000ull,
};

void script_add_right(struct tally_str *out, const char *text, size_t len, size_t width)
{
	size_t start = out->len;
	struct tally_str shown = {0};

	if (len < width)
		tally_str_pad_to(out, start + width - len);
	if (tally_text_is_plain(text, len)) {
		tally_str_add_bytes(out, text, len);
		return;
	}
	/* Rare case: the text must be escaped, which may make it longer. */
	out->len = start;
	tally_str_add_bytes(&shown, text, len);
	tally_str_escape(&shown, 0);
	if (shown.len < width)
		tally_str_pad_to(out, start + width - shown.len);
	tally_str_add_bytes(out, tally_str_text(&shown), shown.len);
	out->failed |= shown.failed;
	tally_str_free(&shown);
}

/* Append a decimal number that may be wider than its column. Not inlined, because this is rare. */
__attribute__((noinline)) static void add_wide(struct tally_str *out, uint64_t value, int width,
					       char fill)
{
	char digits[TALLY_DECIMAL_MAX], *end = digits + sizeof(digits);
	int n = tally_decimal(value, end);

	for (int i = n; i < width; i++)
		tally_str_add_char(out, fill);
	tally_str_add_bytes(out, end - n, (size_t)n);
}

void script_add_padded(struct tally_str *out, uint64_t value, int width, char fill)
{
	char *at;

	if (width >= TALLY_ARRAY_SIZE(too_wide) || value >= too_wide[width]) {
		add_wide(out, value, width, fill);
		return;
	}
	at = tally_str_reserve(out, BLOCK);
	if (!at)
		return;
	memset(at, fill, BLOCK);
	tally_decimal(value, at + width);
	at[width] = '\0';
	out->len += (size_t)width;
}

void script_add_s64(struct tally_str *out, int64_t value, int width, char fill)
{
	struct tally_str rest = {0};

	if (value >= 0) {
		script_add_padded(out, (uint64_t)value, width, fill);
		return;
	}
	/* Rare case, such as a PID of -1. The sign precedes zeros, but follows blanks. */
	tally_str_addf(&rest, fill == '0' ? "%0*" PRId64 : "%*" PRId64, width, value);
	tally_str_add(out, tally_str_text(&rest));
	tally_str_free(&rest);
}

void script_add_left(struct tally_str *out, int64_t value, int width)
{
	size_t start = out->len;

	script_add_s64(out, value, 0, ' ');
	tally_str_pad_to(out, start + (size_t)width);
}

/* Replace the first `nr` of eight characters with blanks. The first character is in the lowest
 * byte. */
static uint64_t text_blank(uint64_t text, int nr)
{
	uint64_t mask = nr < 8 ? (1ull << 8 * nr) - 1 : UINT64_MAX;

	return (text & ~mask) | (0x2020202020202020 & mask);
}

void script_hex(uint64_t value, char *at)
{
	int zeroes = value ? __builtin_clzll(value) / 4 : 15;
	uint64_t high = text_blank(tally_hex_text(value >> 32), TALLY_MIN(zeroes, 8));
	uint64_t low = text_blank(tally_hex_text((uint32_t)value), TALLY_MAX(zeroes - 8, 0));

	tally_put_text(at, high);
	tally_put_text(at + 8, low);
}

void script_add_hex(struct tally_str *out, uint64_t value)
{
	char *at = tally_str_reserve(out, SCRIPT_HEX);

	if (!at)
		return;
	script_hex(value, at);
	at[SCRIPT_HEX] = '\0';
	out->len += SCRIPT_HEX;
}

void script_add_data_src(struct tally_str *out, uint64_t data_src, size_t *width)
{
	const union perf_mem_data_src src = {.val = data_src};
	size_t start = out->len, len;

	script_add_hex(out, data_src);
	tally_data_src_add_words(out, &src);
	len = out->len - start;
	*width = TALLY_MAX(*width, len);
	for (; len < *width && !out->failed; len++)
		tally_str_add_char(out, ' ');
}

void script_add_misc(struct tally_str *out, uint8_t cpumode, const char *flags)
{
	static const char letters[8] = {'U', 'K', 'U', 'H', 'G', 'g', ' ', ' '};
	enum { WIDTH = 6 };
	size_t start = out->len;

	if (cpumode)
		tally_str_add_char(out, letters[cpumode & 7]);
	tally_str_add(out, flags);
	while (out->len - start < WIDTH && !out->failed)
		tally_str_add_char(out, ' ');
}

static bool is_visible(uint8_t byte)
{
	return byte >= ' ' && byte <= '~';
}

/* Return true for visible characters that are followed by NULs up to the end. */
static bool is_string(const uint8_t *data, size_t len)
{
	size_t end = 0;

	while (end < len && is_visible(data[end]))
		end++;
	if (end == len)
		return false;
	for (; end < len && !data[end]; end++)
		;
	return end == len;
}

void script_add_bpf_output(struct tally_str *out, const uint8_t *data, size_t len)
{
	enum { LINE = 8 };

	for (size_t at = 0; at < len && !out->failed; at += LINE) {
		tally_str_addf(out, "\n%17s %04zx:", at ? "" : "BPF output:", at);
		for (size_t i = at; i < at + LINE; i++) {
			tally_str_add_char(out, ' ');
			if (i < len)
				tally_str_add_hex(out, data[i], 2);
			else
				tally_str_add(out, "  ");
		}
		tally_str_add(out, "  ");
		for (size_t i = at; i < at + LINE; i++)
			tally_str_add_char(out, i >= len              ? ' '
						: is_visible(data[i]) ? (char)data[i]
								      : '.');
	}
	if (is_string(data, len))
		tally_str_addf(out, "\n%17s \"%s\"", "BPF string:", (const char *)data);
	tally_str_add_char(out, '\n');
}

void script_add_regs(struct tally_str *out, const char *arch, const struct tally_regs *regs)
{
	const char *name;
	uint64_t i = 0;

	tally_str_addf(out, " ABI:%" PRIu64 " ", regs->abi);
	for (int bit = 0; bit < 64 && i < regs->values.nr; bit++) {
		if (!(regs->mask >> bit & 1))
			continue;
		name = tally_register_name(arch, regs->abi & PERF_SAMPLE_REGS_ABI_SIMD,
					   (unsigned)bit);
		if (name)
			tally_str_addf(out, "%5s:0x%" PRIx64 " ", name,
				       tally_words_get(regs->values, i++));
		else
			tally_str_addf(out, "%5d:0x%" PRIx64 " ", bit,
				       tally_words_get(regs->values, i++));
	}
}

void script_add_page_size(struct tally_str *out, uint64_t size)
{
	tally_str_add_char(out, ' ');
	if (size)
		tally_size_add(out, size);
	else
		tally_str_add(out, "N/A");
}

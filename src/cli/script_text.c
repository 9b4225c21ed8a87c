/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script_text.h"

#include <inttypes.h>
#include <string.h>

void script_add_right(struct tally_str *out, const char *text, size_t width)
{
	size_t len = strlen(text);

	if (len < width)
		tally_str_pad_to(out, out->len + width - len);
	tally_str_add_bytes(out, text, len);
}

void script_add_padded(struct tally_str *out, uint64_t value, int width, char fill)
{
	char digits[TALLY_DECIMAL_MAX], *end = digits + sizeof(digits), *at;
	int n = tally_decimal(value, end), pad = width > n ? width - n : 0;

	at = tally_str_room(out, (size_t)(pad + n));
	if (!at)
		return;
	memset(at, fill, (size_t)pad);
	memcpy(at + pad, end - n, (size_t)n);
	at[pad + n] = '\0';
	out->len += (size_t)(pad + n);
}

void script_add_s64(struct tally_str *out, int64_t value, int width, char fill)
{
	struct tally_str rest = {0};

	if (value >= 0) {
		script_add_padded(out, (uint64_t)value, width, fill);
		return;
	}
	/* Rare: pids of -1. The sign stands before zeroes and behind blanks. */
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

void script_add_hex(struct tally_str *out, uint64_t value, int width)
{
	char digits[16];
	int n = 0, pad;
	char *at;

	do {
		digits[15 - n++] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	pad = width > n ? width - n : 0;
	at = tally_str_room(out, (size_t)(pad + n));
	if (!at)
		return;
	memset(at, ' ', (size_t)pad);
	memcpy(at + pad, digits + 16 - n, (size_t)n);
	at[pad + n] = '\0';
	out->len += (size_t)(pad + n);
}

void script_add_misc(struct tally_str *out, uint8_t cpumode)
{
	static const char letters[8] = {'U', 'K', 'U', 'H', 'G', 'g', ' ', ' '};

	tally_str_add_char(out, cpumode ? letters[cpumode & 7] : ' ');
	tally_str_add(out, "     ");
}

void script_add_data_src(struct tally_str *out, uint64_t data_src)
{
	script_add_hex(out, data_src, 16);
}

void script_add_regs(struct tally_str *out, const struct tally_regs *regs)
{
	uint64_t i = 0;

	tally_str_addf(out, " ABI:%" PRIu64 " ", regs->abi);
	for (int bit = 0; bit < 64 && i < regs->values.nr; bit++) {
		if (regs->mask >> bit & 1)
			tally_str_addf(out, "%5d:0x%" PRIx64 " ", bit,
				       tally_words_get(regs->values, i++));
	}
}

void script_add_page_size(struct tally_str *out, uint64_t size)
{
	static const char units[] = "BKMGTPE";
	int unit = 0;

	if (!size) {
		tally_str_add(out, " N/A");
		return;
	}
	while (size >= 1024 && !(size & 1023)) {
		size >>= 10;
		unit++;
	}
	tally_str_addf(out, " %" PRIu64 "%c", size, units[unit]);
}

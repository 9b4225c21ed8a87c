/* SPDX-License-Identifier: BSD-2-Clause */
/* Execute a compiled print fmt on a payload. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "printfmt/printfmt.h"

/* ---- numbers ---------------------------------------------------------------------- */

static uint64_t sign_extend(uint64_t value, int size)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static uint64_t narrow(const struct tally_tp_piece *piece, uint64_t value)
{
	if (piece->signed_conversion)
		return sign_extend(value, piece->size);
	return value & ~0ull >> (64 - 8 * piece->size);
}

static void signed_add(struct tally_str *out, uint64_t value)
{
	if ((int64_t)value < 0) {
		tally_str_add_char(out, '-');
		value = -value;
	}
	tally_str_add_u64(out, value);
}

/* Print a number. The compiler has built the format from checked parts, so its only arguments are
 * one long long and an int for each star. */
static void printf_add(struct tally_tp_run *run, const struct tally_tp_piece *piece, uint64_t value)
{
	char *at = tally_str_reserve(run->out, 3 * 4096);
	int stars[2], nr = 0, len;

	if (!at)
		return;
	if (piece->star_width)
		stars[nr++] = (int)tally_tp_eval(run, piece->star_width);
	if (piece->star_precision)
		stars[nr++] = (int)tally_tp_eval(run, piece->star_precision);
	for (int i = 0; i < nr; i++)
		stars[i] = TALLY_MAX(-4096, TALLY_MIN(stars[i], 4096));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
	if (nr == 2)
		len = snprintf(at, 3 * 4096, piece->spec, stars[0], stars[1], value);
	else if (nr == 1)
		len = snprintf(at, 3 * 4096, piece->spec, stars[0], value);
	else
		len = snprintf(at, 3 * 4096, piece->spec, value);
#pragma GCC diagnostic pop
	run->out->len += (size_t)TALLY_MAX(0, TALLY_MIN(len, 3 * 4096 - 1));
}

static void hex_add(struct tally_str *out, uint64_t value)
{
	tally_str_add_bytes(out, "0x", 2);
	tally_str_add_hex(out, value, 0);
}

static void function_add(struct tally_tp_run *run, const struct tally_tp_piece *piece)
{
	uint64_t addr = tally_tp_eval(run, piece->arg), start = addr;
	const char *name = NULL;

	if (run->env && run->env->resolve)
		name = run->env->resolve(addr, &start, run->env->data);
	if (!name) {
		hex_add(run->out, addr);
		return;
	}
	tally_str_add(run->out, name);
	if (piece->kind == TP_FUNCTION_OFFSET) {
		tally_str_add_bytes(run->out, "+", 1);
		hex_add(run->out, addr - start);
	}
}

/* Copy whole blocks, which is much faster than copying the exact length. */
static void before_add(struct tally_tp_run *run, const struct tally_tp_piece *piece)
{
	struct tally_str *out = run->out;
	size_t len = TALLY_MIN((size_t)piece->before_len, run->limit - out->len);
	char *at = tally_str_reserve(out, len + TALLY_TP_BLOCK);

	if (!at)
		return;
	for (size_t i = 0; i < len; i += TALLY_TP_BLOCK)
		memcpy(at + i, piece->before + i, TALLY_TP_BLOCK);
	at[len] = '\0';
	out->len += len;
}

static void piece_run(struct tally_tp_run *run, const struct tally_tp_piece *piece)
{
	uint64_t value;

	before_add(run, piece);
	switch ((enum tally_tp_piece_kind)piece->kind) {
	case TP_NOTHING: break;
	case TP_SIGNED:
		value = tally_tp_eval(run, piece->arg);
		signed_add(run->out, sign_extend(value, piece->size));
		break;
	case TP_UNSIGNED:
		tally_str_add_u64(run->out, narrow(piece, tally_tp_eval(run, piece->arg)));
		break;
	case TP_LOWER_HEX:
		tally_str_add_hex(run->out, narrow(piece, tally_tp_eval(run, piece->arg)), 0);
		break;
	case TP_PRINTF:
		printf_add(run, piece, narrow(piece, tally_tp_eval(run, piece->arg)));
		break;
	case TP_POINTER:
		value = tally_tp_eval(run, piece->arg);
		if (value)
			hex_add(run->out, value);
		else
			tally_str_add(run->out, "(nil)"); /* as printed by glibc */
		break;
	case TP_FUNCTION:
	case TP_FUNCTION_OFFSET: function_add(run, piece); break;
	case TP_STRING: tally_tp_text_run(run, piece, piece->arg); break;
	default: tally_tp_address_run(run, piece); break;
	}
}

int tally_tp_truncate(struct tally_str *out, size_t limit)
{
	if (!tally_tp_is_full(out, limit))
		return 0;
	out->len = limit - 1;
	out->data[out->len] = '\0';
	return -E2BIG;
}

int tally_tp_print_run(const struct tally_tp_print *print, const uint8_t *data, size_t len,
		       const struct tally_tp_env *env, struct tally_str *out)
{
	size_t limit = tally_tp_limit(env, out->len);
	struct tally_tp_run run = {print, data, len, env, out, false, limit};
	int ret;

	for (size_t i = 0; i < print->pieces.len; i++) {
		if (run.short_payload || tally_tp_is_full(out, limit))
			break;
		piece_run(&run, &print->pieces.data[i]);
	}
	ret = tally_tp_truncate(out, limit);
	return run.short_payload ? -ERANGE : ret;
}

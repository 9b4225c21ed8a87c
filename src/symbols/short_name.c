/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/short_name.h"

#include <string.h>

#include "base/arith.h"
#include "symbols/name_text.h"
#include "symbols/short_name_private.h"

enum {
	LEN_MAX = 1 << 28,
	PASSES_MAX = 8, /* a name that still changes is left as it is */
};

/* ---- output ---------------------------------------------------------------------- */

void name_add(struct name_pass *pass, size_t len)
{
	tally_str_add_bytes(pass->out, pass->in + pass->at, len);
	pass->at += len;
}

void name_cut_output(struct name_pass *pass, size_t len)
{
	pass->out->len = len;
	if (pass->operator_end > len)
		pass->operator_end = 0;
	if (pass->angle_end > len)
		pass->angle_end = 0;
}

void name_replace(struct name_pass *pass, size_t from, size_t to, const char *text)
{
	char *data = pass->out->data;
	size_t len = strlen(text), tail = pass->out->len - to;

	memcpy(data + from, text, len);
	memmove(data + from + len, data + to, tail);
	name_cut_output(pass, from + len + tail);
}

bool name_next_is(const struct name_pass *pass, const char *text)
{
	return name_part_begins((struct name_part){pass->in + pass->at, pass->len - pass->at},
				text);
}

/* ---- scan ------------------------------------------------------------------------- */

static const uint8_t
	openers[256] =
		{['<'] = NAME_ANGLE, ['('] = NAME_ROUND, ['['] = NAME_SQUARE, ['{'] = NAME_CURLY},
	closers[256] = {
		['>'] = NAME_ANGLE, [')'] = NAME_ROUND, [']'] = NAME_SQUARE, ['}'] = NAME_CURLY};

static void open_bracket(struct name_pass *pass, uint8_t kind)
{
	uint32_t at = (uint32_t)pass->out->len;

	name_add(pass, 1);
	if (pass->depth == NAME_BRACKETS_MAX - 1) {
		pass->deeper++;
		return;
	}
	pass->brackets[++pass->depth] =
		(struct name_bracket){.open = at, .nr = 1, .args = {at + 1}, .kind = kind};
	pass->nr_open[kind]++;
}

static struct name_bracket *pop(struct name_pass *pass)
{
	struct name_bracket *top = &pass->brackets[pass->depth--];

	pass->nr_open[top->kind]--;
	return top;
}

/* Brackets of other kinds that are still open inside the pair are unpaired: in "(a < b)" the '<' is
 * a comparison. */
static void close_bracket(struct name_pass *pass, uint8_t kind)
{
	char before = pass->at ? pass->in[pass->at - 1] : '\0';
	bool is_arrow = kind == NAME_ANGLE && (before == '-' || before == '=');

	if (pass->deeper || !pass->nr_open[kind] || is_arrow ||
	    (kind == NAME_ANGLE && pass->brackets[pass->depth].kind != NAME_ANGLE)) {
		pass->deeper -= !!pass->deeper;
		name_add(pass, 1);
		return;
	}
	while (pass->brackets[pass->depth].kind != kind)
		pop(pass);
	name_close_bracket(pass, pop(pass));
}

static void add_comma(struct name_pass *pass)
{
	struct name_bracket *top = &pass->brackets[pass->depth];

	name_remove_blank(pass);
	name_add(pass, 1);
	if (name_next_is(pass, " "))
		name_add(pass, 1);
	if (pass->deeper)
		return;
	if (top->nr < NAME_ARGS_MAX)
		top->args[top->nr] = (uint32_t)pass->out->len;
	top->nr++;
}

/* Copy a string in a D template argument, which can contain brackets. */
static void add_literal(struct name_pass *pass)
{
	size_t from = pass->at + 1;
	const char *end = pass->has_quotes ? memchr(pass->in + from, '"', pass->len - from) : NULL;

	pass->has_quotes = end;
	name_add(pass, end ? (size_t)(end - pass->in) + 1 - pass->at : 1);
}

static void name_step(struct name_pass *pass)
{
	uint8_t c = (uint8_t)pass->in[pass->at];
	size_t size = tally_name_operator(pass->in, pass->len, pass->at);

	if (size) {
		name_add(pass, size);
		pass->operator_end = pass->out->len;
	} else if (tally_name_is_word((char)c)) {
		name_add_path(pass);
	} else if (openers[c]) {
		open_bracket(pass, openers[c]);
	} else if (closers[c]) {
		close_bracket(pass, closers[c]);
	} else if (c == ',') {
		add_comma(pass);
	} else if (c == '"') {
		add_literal(pass);
	} else {
		name_add(pass, 1);
	}
}

/* Append the name with its changes to the empty `out`. */
static void name_run(const char *name, size_t len, struct tally_str *out)
{
	struct name_pass pass;

	len = name_without_suffix(name, len);
	if (name_add_jit(name, len, out) || !tally_str_reserve(out, len))
		return;
	/* The brackets are large, and most names need few of them. */
	memset(&pass, 0, offsetof(struct name_pass, brackets) + sizeof(pass.brackets[0]));
	pass.in = name;
	pass.len = len;
	pass.out = out;
	pass.has_slash = memchr(name, '/', len);
	pass.has_quotes = true;
	while (pass.at < len && !out->failed)
		name_step(&pass);
}

/* ---- entry points ----------------------------------------------------------------- */

static const bool markers[256] = {['<'] = true, ['('] = true, ['['] = true, ['{'] = true,
				  [':'] = true, ['/'] = true, [';'] = true};

bool tally_short_name_applies(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (markers[(uint8_t)name[i]])
			return len < LEN_MAX;
	}
	return name_without_suffix(name, len) != len;
}

int tally_short_name(struct tally_str *out, const char *name, size_t len)
{
	struct tally_str texts[2] = {0};
	struct name_part from = {name, len};
	bool is_stable = !tally_short_name_applies(name, len), failed = false;

	for (size_t i = 0; i < PASSES_MAX && !is_stable; i++) {
		struct tally_str *to = &texts[i % 2];

		tally_str_clear(to);
		name_run(from.text, from.len, to);
		failed |= to->failed;
		is_stable = to->failed || (to->len == from.len &&
					   !memcmp(tally_str_text(to), from.text, from.len));
		from = (struct name_part){tally_str_text(to), to->len};
	}
	if (!is_stable || failed || from.len > len || !from.len)
		from = (struct name_part){name, len};
	tally_str_add_bytes(out, from.text, from.len);
	out->failed |= failed;
	tally_str_free(&texts[0]);
	tally_str_free(&texts[1]);
	return tally_str_error(out);
}

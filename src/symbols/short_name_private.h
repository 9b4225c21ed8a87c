/* SPDX-License-Identifier: BSD-2-Clause */
/* State while a name is shortened. The output of one pass is shortened again until it stays the
 * same. */
#ifndef TALLY_SYMBOLS_SHORT_NAME_PRIVATE_H
#define TALLY_SYMBOLS_SHORT_NAME_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { NAME_BRACKETS_MAX = 128, NAME_ARGS_MAX = 12 };

enum name_bracket_kind { NAME_WHOLE, NAME_ANGLE, NAME_ROUND, NAME_SQUARE, NAME_CURLY };

/* A pair of brackets that is open. All offsets are in the output. */
struct name_bracket {
	uint32_t open;                /* offset of the opening bracket */
	uint32_t nr;                  /* number of arguments */
	uint32_t args[NAME_ARGS_MAX]; /* offsets of the first arguments */
	/* Last pair of angle brackets with two arguments that was closed in the first argument:
	 * both brackets and the second argument. */
	uint32_t pair, pair_second, pair_end;
	uint8_t kind;
};

struct name_pass {
	const char *in;
	size_t len, at;
	struct tally_str *out;
	size_t operator_end, angle_end; /* end of the last operator name, and last template */
	size_t deeper;                  /* number of open pairs that are not in `brackets` */
	uint32_t depth;                 /* index of the innermost open pair */
	uint32_t nr_open[NAME_CURLY + 1];
	bool has_slash, has_quotes;
	struct name_bracket brackets[NAME_BRACKETS_MAX];
};

/* Part of a text. */
struct name_part {
	const char *text;
	size_t len;
};

static inline struct name_part name_output(const struct name_pass *pass, size_t from, size_t to)
{
	return (struct name_part){pass->out->data + from, to - from};
}

static inline bool name_part_begins(struct name_part part, const char *text)
{
	size_t len = strlen(text);

	return part.len >= len && !memcmp(part.text, text, len);
}

static inline bool name_part_ends(struct name_part part, const char *text)
{
	size_t len = strlen(text);

	return part.len >= len && !memcmp(part.text + part.len - len, text, len);
}

static inline bool name_part_is(struct name_part part, const char *text)
{
	return part.len == strlen(text) && !memcmp(part.text, text, part.len);
}

/* Append the next `len` bytes of the input. */
void name_add(struct name_pass *pass, size_t len);

/* Shorten the output to `len` bytes. */
void name_cut_output(struct name_pass *pass, size_t len);

/* Return true if this text is next in the input. */
bool name_next_is(const struct name_pass *pass, const char *text);

/* Remove a blank after a template, to write "> >" as ">>". */
void name_remove_blank(struct name_pass *pass);

/* Append the closing bracket of a pair, and shorten the pair. */
void name_close_bracket(struct name_pass *pass, struct name_bracket *bracket);

/* Replace the output from offset `from` to `to`, which must be at least as long as `text`. */
void name_replace(struct name_pass *pass, size_t from, size_t to, const char *text);

/* Shorten the template instance that ends the output. `bracket` has been closed. */
void name_shorten_template(struct name_pass *pass, const struct name_bracket *bracket);

/* Append the scoped name at the input's offset `at`, e.g. "std::vector", and skip it. */
void name_add_path(struct name_pass *pass);

/* Return true for the name of an integer type: "unsigned short". */
bool name_is_integer(struct name_part type);

/* Remove what a compiler appended: the hash of old Rust names, and the suffix of clang's ThinLTO.
 * Returns the new length. */
size_t name_without_suffix(const char *name, size_t len);

/* Append the short form of a name from a JIT compiler (Java, Node.js, Python). Returns false if the
 * name does not have such a form. */
bool name_add_jit(const char *name, size_t len, struct tally_str *out);

#endif

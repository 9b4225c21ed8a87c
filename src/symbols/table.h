/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of symbols: entries are added in file order, then `tally_symtab_finish` sorts them,
 * gives unsized symbols an end, drops aliases and makes the table searchable.
 *
 * Ownership: the table owns its arrays and its arena. Names are borrowed: they point into the
 * arena or into the bytes that were parsed, which therefore have to outlive the table. A finished
 * table holds no pointers into itself, so that a file can be mapped and be one (index_table.h):
 * then it owns nothing. All zero is an empty table. Not thread-safe while it is being filled;
 * finding is read-only.
 */
#ifndef TALLY_SYMBOLS_TABLE_H
#define TALLY_SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

/* One function or object: the half-open range [start, end). */
struct tally_symbol {
	uint64_t start, end;
	/* Which of the two it is depends on the table: only tally_symtab_name() asks. */
	union {
		const char *name_text; /* raw (mangled), NUL-terminated */
		uint64_t name_offset;  /* of a mapped table, in its names */
	};
};

/* How strongly a symbol claims its address: the order of preference among aliases. */
enum tally_symbol_binding {
	TALLY_SYMBOL_LOCAL,
	TALLY_SYMBOL_GLOBAL,
	TALLY_SYMBOL_WEAK,
};

/* Entries come in passes: after each of the first two perf sizes and chooses among all that it has
 * by then; what was made up (a PLT, a JIT's map) stays as it is. */
enum tally_symbol_pass {
	TALLY_SYMBOL_FIRST,  /* .symtab, kallsyms */
	TALLY_SYMBOL_SECOND, /* .dynsym */
	TALLY_SYMBOL_MADE,   /* neither sized nor chosen */
};

/* A symbol while its table is being filled. */
struct tally_symtab_entry {
	uint64_t start, end; /* end == start: size unknown */
	const char *name;    /* borrowed for the life of the table */
	const char *module;  /* borrowed kallsyms tag "[ext4]"; NULL for the kernel and ELF */
	uint32_t order;      /* set by tally_symtab_add */
	uint8_t binding;     /* enum tally_symbol_binding */
	uint8_t pass;        /* enum tally_symbol_pass */
	uint8_t dropped;     /* set by finish: 0, or 1 + the pass in which it lost to an alias */
	uint64_t limit;      /* of unknown size: it ends there at the latest; 0: not known */
};

struct tally_symtab {
	const struct tally_symbol *symbols; /* sorted by start, after finish */
	size_t len;
	/* By step of 2^index_shift bytes the first symbol not before it, and the end; or NULL. */
	const uint32_t *index;
	size_t index_len; /* steps */
	unsigned int index_shift;
	const uint32_t *left, *right; /* search tree, only where ranges overlap; see shape.h */
	uint32_t root;
	bool is_mapped;    /* the arrays and names are another's, and may say anything */
	const char *names; /* is_mapped: `names_len` bytes of text, the last one a NUL */
	size_t names_len;
	TALLY_VEC(struct tally_symtab_entry) entries; /* empty after finish */
	struct tally_arena arena;
};

struct tally_symtab_options {
	bool kallsyms;      /* entries come from kallsyms: a change of module bounds a size */
	const char *module; /* with kallsyms: keep only the entries of this tag; NULL: the kernel */
	/* The name people see of a raw name, for choosing among aliases; NULL: the raw name.
	 * The text stays valid as long as `arg` does. */
	const char *(*shown_name)(void *arg, const char *raw);
	void *arg;
};

/* Append a copy of `entry`. 0, -ENOMEM, or -E2BIG beyond 2^31 entries. */
int tally_symtab_add(struct tally_symtab *table, const struct tally_symtab_entry *entry);

/* Sort, size, choose among aliases. `options` may be NULL. 0 or -ENOMEM (the table is then fit
 * for tally_symtab_free only). */
int tally_symtab_finish(struct tally_symtab *table, const struct tally_symtab_options *options);

/* The symbol that covers `addr`, or NULL. Among overlapping ones the same as perf 6.1. */
const struct tally_symbol *tally_symtab_find(const struct tally_symtab *table, uint64_t addr);

/* Whether it is a symbol of the finished table. */
bool tally_symtab_has(const struct tally_symtab *table, const struct tally_symbol *symbol);

/* The raw (mangled) name of a symbol of the table, NUL-terminated, or of one that was made without
 * a table, whose name is a pointer. The same symbol has the same pointer. */
const char *tally_symtab_name(const struct tally_symtab *table, const struct tally_symbol *symbol);

/* Move every symbol of a finished table by `bias`, modulo 2^64. Right only where none wraps. Not of
 * a mapped table. */
void tally_symtab_shift(struct tally_symtab *table, uint64_t bias);

/* Free what the table owns and leave it empty; NULL is allowed. */
void tally_symtab_free(struct tally_symtab *table);

#endif

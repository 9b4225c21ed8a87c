/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of symbols. Entries are added in file order; tally_symtab_finish() then sorts them, gives
 * symbols without a size an end, drops aliases and makes the table searchable.
 *
 * Ownership: the table owns its arrays and its arena. Names are borrowed: they point into the arena
 * or into the bytes that were parsed, which must then outlive the table. A finished table has no
 * pointers into itself, so it can be used in place in a mapped file (index_table.h): then it owns
 * nothing. All zero is an empty table. Not thread-safe while it is being filled; lookups are
 * read-only.
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
	/* The table determines which of the two it is: use tally_symtab_name(). */
	union {
		const char *name_text; /* raw (mangled), NUL-terminated */
		uint64_t name_offset;  /* of a mapped table: offset in its names */
	};
};

/* Binding of a symbol, by which an alias is preferred to others. */
enum tally_symbol_binding {
	TALLY_SYMBOL_LOCAL,
	TALLY_SYMBOL_GLOBAL,
	TALLY_SYMBOL_WEAK,
};

/* Entries are added in passes. After each of the first two, perf sets ends and chooses among
 * aliases of all entries so far. Synthetic symbols (a PLT, a JIT map) do not change. */
enum tally_symbol_pass {
	TALLY_SYMBOL_FIRST,     /* .symtab, kallsyms */
	TALLY_SYMBOL_SECOND,    /* .dynsym */
	TALLY_SYMBOL_SYNTHETIC, /* synthetic: the end is known, aliases are kept */
};

/* A symbol while its table is being filled. */
struct tally_symtab_entry {
	uint64_t start, end; /* end == start: unknown size */
	const char *name;    /* borrowed for the lifetime of the table */
	const char *module;  /* borrowed; "ext4" for the kallsyms tag [ext4]; NULL: kernel or ELF */
	uint32_t order;      /* set by tally_symtab_add() */
	uint8_t binding;     /* enum tally_symbol_binding */
	uint8_t pass;        /* enum tally_symbol_pass */
	uint8_t dropped;     /* set by finish: 0, or 1 + the pass in which an alias was preferred */
	uint64_t limit;      /* latest end, if the size is unknown; 0: no limit */
};

struct tally_symtab {
	const struct tally_symbol *symbols; /* sorted by start, after finish */
	size_t len;
	/* By step of 2^index_shift bytes, the first symbol that starts in it or later; then the
	 * end; or NULL. */
	const uint32_t *index;
	size_t index_len; /* number of steps */
	unsigned int index_shift;
	const uint32_t *left, *right; /* search tree, only if ranges overlap; see tree_shape.h */
	uint32_t root;
	bool is_mapped;    /* the arrays and names are borrowed and not trusted */
	const char *names; /* is_mapped: `names_len` bytes of text, ending with a NUL */
	size_t names_len;
	TALLY_VEC(struct tally_symtab_entry) entries; /* empty after finish */
	struct tally_arena arena;
};

struct tally_symtab_options {
	bool kallsyms;      /* entries are from kallsyms: symbols end with their module */
	const char *module; /* with kallsyms: keep only entries with this tag; NULL: the kernel */
	/* Returns the shown form of a raw name, by which aliases are chosen; NULL: the raw name.
	 * The text is valid as long as `arg` is. */
	const char *(*shown_name)(void *arg, const char *raw);
	void *arg;
};

/* Append a copy of `entry`. Returns 0, -ENOMEM, or -E2BIG beyond 2^31 entries. */
int tally_symtab_add(struct tally_symtab *table, const struct tally_symtab_entry *entry);

/* Sort the entries, set missing ends, and choose among aliases. `options` may be NULL. Returns 0 or
 * -ENOMEM; after -ENOMEM the table may only be freed. */
int tally_symtab_finish(struct tally_symtab *table, const struct tally_symtab_options *options);

/* Return the symbol that covers `addr`, or NULL. Of overlapping symbols, it is the same one as in
 * perf 6.1. */
const struct tally_symbol *tally_symtab_find(const struct tally_symtab *table, uint64_t addr);

/* Return true if a symbol belongs to the finished table. */
bool tally_symtab_has(const struct tally_symtab *table, const struct tally_symbol *symbol);

/* Return the raw (mangled) name of a symbol, NUL-terminated. The symbol is in the table, or has a
 * pointer to its name and is in no table. The same symbol gives the same pointer. */
const char *tally_symtab_name(const struct tally_symtab *table, const struct tally_symbol *symbol);

/* Move every symbol of a finished table by `bias`, modulo 2^64. No symbol may wrap. Not for mapped
 * tables. */
void tally_symtab_shift(struct tally_symtab *table, uint64_t bias);

/* Free what the table owns, and leave it empty. NULL is allowed. */
void tally_symtab_free(struct tally_symtab *table);

#endif

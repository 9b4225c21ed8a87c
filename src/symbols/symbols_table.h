/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbol table. Entries are added in file order. tally_symtab_finish() then sorts them, sets the
 * ends of symbols without a size, drops aliases and makes the table searchable.
 *
 * Ownership: the table owns its arrays and its arena. Names are borrowed: they point into the arena
 * or into the parsed bytes, which must outlive the table. A finished table has no pointers into
 * itself, so it can be used in place in a mapped file (index_table.h). A mapped table owns nothing.
 * An all-zero struct is an empty table. Filling a table is not thread-safe; lookups are read-only.
 */
#ifndef TALLY_SYMBOLS_TABLE_H
#define TALLY_SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

/* Function or object at [start, end). */
struct tally_symbol {
	uint64_t start, end;
	/* The valid member depends on the table, so use tally_symtab_name(). */
	union {
		const char *name_text; /* raw (mangled), NUL-terminated */
		uint64_t name_offset;  /* in a mapped table: offset in its names */
	};
};

/* Binding of a symbol, which affects the choice among aliases. */
enum tally_symbol_binding {
	TALLY_SYMBOL_LOCAL,
	TALLY_SYMBOL_GLOBAL,
	TALLY_SYMBOL_WEAK,
};

/* Entries are added in passes. After each of the first two passes, perf sets the ends of all
 * entries added so far and chooses among aliases. Synthetic symbols (PLT, JIT map) are not
 * changed. */
enum tally_symbol_pass {
	TALLY_SYMBOL_FIRST,     /* .symtab, kallsyms */
	TALLY_SYMBOL_SECOND,    /* .dynsym */
	TALLY_SYMBOL_SYNTHETIC, /* synthetic: the end is known, and aliases are kept */
};

/* Symbol in a table that is being filled. */
struct tally_symtab_entry {
	uint64_t start, end; /* equal if the size is unknown */
	const char *name;    /* borrowed for the lifetime of the table */
	const char *module;  /* borrowed; "ext4" for kallsyms tag [ext4]; NULL for kernel and ELF */
	uint32_t order;      /* set by tally_symtab_add() */
	uint8_t binding;     /* enum tally_symbol_binding */
	uint8_t pass;        /* enum tally_symbol_pass */
	uint8_t dropped;     /* 0, or 1 + the pass after which it was dropped as an alias */
	uint64_t limit;      /* highest possible end, if the size is unknown; 0 for no limit */
};

struct tally_symtab {
	const struct tally_symbol *symbols; /* sorted by start; set when finished */
	size_t len;
	/* For each index interval of 2^index_shift bytes, the index of the first symbol at or after
	 * the interval's start, followed by the number of symbols. NULL if there is no index. */
	const uint32_t *index;
	size_t index_len; /* number of intervals */
	unsigned int index_shift;
	const uint32_t *left, *right; /* search tree, set if ranges overlap; see tree_shape.h */
	uint32_t root;
	bool is_mapped;    /* arrays and names are borrowed and untrusted */
	const char *names; /* if is_mapped: `names_len` bytes of strings, ending with a NUL */
	size_t names_len;
	TALLY_VEC(struct tally_symtab_entry) entries; /* empty when finished */
	struct tally_arena arena;
};

struct tally_symtab_options {
	bool kallsyms;      /* entries are from kallsyms, and symbols end with their module */
	const char *module; /* kallsyms: keep only entries with this tag; NULL for the kernel */
	/* Returns the displayed form of a raw name, which is used to choose among aliases. The
	 * string is valid as long as `arg` is. If the callback is NULL, raw names are used. */
	const char *(*shown_name)(void *arg, const char *raw);
	void *arg;
};

/* Append a copy of `entry`. Returns 0, -ENOMEM, or -E2BIG for more than 2^31 entries. */
int tally_symtab_add(struct tally_symtab *table, const struct tally_symtab_entry *entry);

/* Sort the entries, set missing ends, and choose among aliases. `options` may be NULL. Returns 0 or
 * -ENOMEM. After an error, the table may only be freed. */
int tally_symtab_finish(struct tally_symtab *table, const struct tally_symtab_options *options);

/* Return the symbol that covers `addr`, or NULL. If symbols overlap, the result is the same as in
 * perf 6.1. */
const struct tally_symbol *tally_symtab_find(const struct tally_symtab *table, uint64_t addr);

/* Return true if a symbol belongs to the finished table. */
bool tally_symtab_has(const struct tally_symtab *table, const struct tally_symbol *symbol);

/* Return the raw (mangled) name of a symbol, NUL-terminated. A symbol that is not in the table must
 * not be in any other table, and must have a pointer to its name. Always returns the same pointer
 * for the same symbol. */
const char *tally_symtab_name(const struct tally_symtab *table, const struct tally_symbol *symbol);

/* Add `bias` to the addresses of all symbols in a finished table, modulo 2^64. No symbol may wrap
 * around. Not for mapped tables. */
void tally_symtab_shift(struct tally_symtab *table, uint64_t bias);

/* Free the table's memory, and leave the table empty. NULL is allowed. */
void tally_symtab_free(struct tally_symtab *table);

#endif

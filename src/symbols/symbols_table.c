/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/symbols_table.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/resolve.h"
#include "symbols/tree_shape.h"

/* Minimum size of an indexed table: smaller tables are searched just as fast without an index. A
 * red-black tree with fewer than 2^32 keys is never deeper than DEPTH_MAX, but a mapped tree may
 * contain a cycle. */
enum { INDEX_LEAST = 64, DEPTH_MAX = 64 };

int tally_symtab_add(struct tally_symtab *table, const struct tally_symtab_entry *entry)
{
	struct tally_symtab_entry copy = *entry;

	if (table->entries.len >= INT32_MAX)
		return -E2BIG;
	copy.order = (uint32_t)table->entries.len;
	copy.dropped = 0;
	return tally_vec_push(&table->entries, copy);
}

/* Return true if any remaining entries overlap or are empty. */
static bool overlapping(const struct tally_symtab *table)
{
	uint64_t end = 0;

	for (size_t i = 0; i < table->entries.len; i++) {
		const struct tally_symtab_entry *entry = &table->entries.data[i];

		if (entry->dropped)
			continue;
		if (entry->start < end || entry->end <= entry->start)
			return true;
		end = entry->end;
	}
	return false;
}

/* Apply a pass to the tree: insert the entries added in the pass, then remove the aliases that the
 * pass dropped. */
static void shape_pass(struct tally_shape *shape, const struct tally_symtab *table,
		       const uint32_t *by_order, int pass)
{
	const struct tally_symtab_entry *entries = table->entries.data;

	for (size_t i = 0; i < table->entries.len; i++) {
		if (entries[by_order[i]].pass == pass)
			tally_shape_insert(shape, by_order[i]);
	}
	for (size_t i = 0; i < table->entries.len; i++) {
		if (entries[i].dropped == pass + 1)
			tally_shape_remove(shape, (uint32_t)i);
	}
}

/* Build the same tree as perf. */
static int shape_grow(const struct tally_symtab *table, struct tally_shape *ret_shape)
{
	size_t len = table->entries.len;
	uint32_t *by_order = malloc((len + 1) * sizeof(*by_order));
	int ret = by_order ? tally_shape_init(ret_shape, (uint32_t)len) : -ENOMEM;

	if (ret)
		goto out;
	for (size_t i = 0; i < len; i++)
		by_order[table->entries.data[i].order] = (uint32_t)i;
	for (int pass = TALLY_SYMBOL_FIRST; pass <= TALLY_SYMBOL_SYNTHETIC; pass++)
		shape_pass(ret_shape, table, by_order, pass);
out:
	free(by_order);
	return ret;
}

/* Renumber the keys of the remaining entries to match the symbol indices, and move the children to
 * the table. */
static int shape_keep(struct tally_symtab *table, struct tally_shape *shape)
{
	uint32_t *number = malloc(((size_t)shape->nr + 1) * sizeof(*number));
	uint32_t next = 0;

	if (!number)
		return -ENOMEM;
	for (uint32_t i = 0; i < shape->nr; i++)
		number[i] = table->entries.data[i].dropped ? TALLY_SHAPE_NONE : next++;
	for (uint32_t i = 0; i < shape->nr; i++) {
		for (int side = 0; side < 2 && number[i] != TALLY_SHAPE_NONE; side++) {
			uint32_t child = shape->child[side][i];

			/* number[i] <= i, so this does not overwrite a key that is still needed. */
			shape->child[side][number[i]] =
				child == TALLY_SHAPE_NONE ? child : number[child];
		}
	}
	table->root = shape->root == TALLY_SHAPE_NONE ? shape->root : number[shape->root];
	table->left = shape->child[0];
	table->right = shape->child[1];
	shape->child[0] = shape->child[1] = NULL;
	free(number);
	return 0;
}

static int table_shape(struct tally_symtab *table)
{
	struct tally_shape shape = {0};
	int ret = shape_grow(table, &shape);

	if (!ret)
		ret = shape_keep(table, &shape);
	tally_shape_free(&shape);
	return ret;
}

static bool entry_is_wanted(const struct tally_symtab_entry *entry,
			    const struct tally_symtab_options *options)
{
	if (!entry->module || !options->module)
		return !entry->module && !options->module;
	return !strcmp(entry->module, options->module);
}

/* Convert the remaining entries to symbols. */
static int table_compact(struct tally_symtab *table)
{
	struct tally_symbol *symbols;
	size_t len = 0;

	tally_vec_for_each (entry, &table->entries)
		len += !entry->dropped;
	symbols = malloc((len + 1) * sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	tally_vec_for_each (entry, &table->entries) {
		if (!entry->dropped)
			symbols[table->len++] =
				(struct tally_symbol){entry->start, entry->end, {entry->name}};
	}
	table->symbols = symbols;
	tally_vec_free(&table->entries);
	return 0;
}

/* Divide the address range into equal intervals, about as many as there are symbols, and store the
 * index of the first symbol in each interval. Most searches then end immediately. If memory
 * allocation fails, searches merely take longer. */
static void table_index(struct tally_symtab *table)
{
	uint64_t span =
		table->len ? table->symbols[table->len - 1].start - table->symbols[0].start : 0;
	uint32_t at = 0, *index;

	if (table->left || table->len < INDEX_LEAST)
		return;
	while (span >> table->index_shift >= table->len)
		table->index_shift++;
	table->index_len = (size_t)(span >> table->index_shift) + 1;
	index = malloc((table->index_len + 1) * sizeof(*index));
	table->index = index;
	if (!index)
		return;
	for (size_t i = 0; i < table->index_len; i++) {
		while (table->symbols[at].start - table->symbols[0].start <
		       (uint64_t)i << table->index_shift)
			at++;
		index[i] = at;
	}
	index[table->index_len] = (uint32_t)table->len;
}

int tally_symtab_finish(struct tally_symtab *table, const struct tally_symtab_options *options)
{
	static const struct tally_symtab_options defaults;
	int end, ret;

	options = options ? options : &defaults;
	/* kallsyms has only one pass. */
	end = options->kallsyms ? TALLY_SYMBOL_SECOND : TALLY_SYMBOL_SYNTHETIC;
	ret = tally_symtab_sort(table);
	if (ret)
		return ret;
	for (int pass = TALLY_SYMBOL_FIRST; pass < end; pass++) {
		tally_symtab_fix_ends(table, pass, options->kallsyms);
		tally_symtab_drop_aliases(table, pass, options);
	}
	if (options->kallsyms) {
		tally_vec_for_each (entry, &table->entries)
			entry->dropped |= !entry_is_wanted(entry, options);
	} else if (overlapping(table)) {
		ret = table_shape(table);
	}
	if (!ret)
		ret = table_compact(table);
	if (!ret)
		table_index(table);
	return ret;
}

/* Return -1 if `addr` is before the symbol, 1 if it is after the symbol, or 0 if it is inside. An
 * empty symbol contains its start. */
static int symbol_compare(const struct tally_symbol *symbol, uint64_t addr)
{
	if (addr < symbol->start)
		return -1;
	return addr > symbol->end || (addr == symbol->end && addr != symbol->start);
}

static const struct tally_symbol *find_in_shape(const struct tally_symtab *table, uint64_t addr)
{
	uint32_t at = table->root;
	int where;

	for (int depth = 0; at < table->len && depth < DEPTH_MAX; depth++) {
		where = symbol_compare(&table->symbols[at], addr);
		if (!where)
			return &table->symbols[at];
		at = where < 0 ? table->left[at] : table->right[at];
	}
	return NULL;
}

/* Get the range of symbols that may cover `addr`: the symbols that start in `addr`'s index
 * interval, and the symbol before them. */
static void index_bounds(const struct tally_symtab *table, uint64_t addr, size_t *low, size_t *high)
{
	uint64_t step = (addr - table->symbols[0].start) >> table->index_shift;

	if (addr < table->symbols[0].start)
		return;
	step = TALLY_MIN(step, table->index_len - 1);
	*low = table->index[step] ? table->index[step] - 1 : 0;
	*high = TALLY_MIN(table->index[step + 1], table->len);
}

const struct tally_symbol *tally_symtab_find(const struct tally_symtab *table, uint64_t addr)
{
	size_t low = 0, high = table->len;
	int where;

	if (table->left)
		return find_in_shape(table, addr);
	if (table->index)
		index_bounds(table, addr, &low, &high);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		where = symbol_compare(&table->symbols[mid], addr);
		if (!where)
			return &table->symbols[mid];
		if (where < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

bool tally_symtab_has(const struct tally_symtab *table, const struct tally_symbol *symbol)
{
	return ((uintptr_t)symbol - (uintptr_t)table->symbols) / sizeof(*symbol) < table->len;
}

const char *tally_symtab_name(const struct tally_symtab *table, const struct tally_symbol *symbol)
{
	if (!table->is_mapped || !tally_symtab_has(table, symbol))
		return symbol->name_text;
	return symbol->name_offset < table->names_len ? table->names + symbol->name_offset : "";
}

void tally_symtab_shift(struct tally_symtab *table, uint64_t bias)
{
	struct tally_symbol *symbols = (struct tally_symbol *)table->symbols;

	for (size_t i = 0; bias && i < table->len; i++) {
		symbols[i].start += bias;
		symbols[i].end += bias;
	}
}

void tally_symtab_free(struct tally_symtab *table)
{
	if (!table)
		return;
	if (!table->is_mapped) {
		free((void *)table->symbols);
		free((void *)table->left);
		free((void *)table->right);
		free((void *)table->index);
	}
	tally_vec_free(&table->entries);
	tally_arena_free(&table->arena);
	*table = (struct tally_symtab){0};
}

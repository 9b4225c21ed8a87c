/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_table.h"

#include <errno.h>

#include "base/arith.h"

/* IDs of a table's sections, relative to the ID of its first section. */
enum {
	SYMBOLS = TALLY_INDEX_SYMBOLS - TALLY_INDEX_SHAPE,
	NAMES = TALLY_INDEX_NAMES - TALLY_INDEX_SHAPE,
	STEPS = TALLY_INDEX_STEPS - TALLY_INDEX_SHAPE,
	LEFT = TALLY_INDEX_LEFT - TALLY_INDEX_SHAPE,
	RIGHT = TALLY_INDEX_RIGHT - TALLY_INDEX_SHAPE,
};

/* ---- reading ------------------------------------------------------------------ */

/* Return a section as an array of 32-bit words. */
static const uint32_t *words_get(struct tally_index *index, enum tally_index_id id, size_t *ret_nr)
{
	const uint32_t *words = tally_index_section(index, id, ret_nr);

	*ret_nr /= sizeof(*words);
	return words;
}

/* Open the search tree or the interval index. Both are optional, and a table has at most one of
 * them. */
static bool table_search_open(struct tally_index *index, enum tally_index_id first,
			      struct tally_symtab *table)
{
	size_t nr_left, nr_right, nr_steps;

	table->left = words_get(index, first + LEFT, &nr_left);
	table->right = words_get(index, first + RIGHT, &nr_right);
	table->index = words_get(index, first + STEPS, &nr_steps);
	if (table->index)
		table->index_len = nr_steps - 1;
	if (table->left || table->right)
		return nr_left == table->len && nr_right == table->len;
	return !table->index || (nr_steps >= 2 && table->index_shift < 64);
}

int tally_index_table_open(struct tally_index *index, enum tally_index_id first,
			   struct tally_symtab *ret_table)
{
	struct tally_symtab table = {.is_mapped = true};
	const struct tally_index_shape *shape;
	size_t len, symbols_len;

	shape = tally_index_section(index, first, &len);
	table.symbols = tally_index_section(index, first + SYMBOLS, &symbols_len);
	table.names = tally_index_section(index, first + NAMES, &table.names_len);
	if (len < sizeof(*shape) || !table.names || table.names[table.names_len - 1])
		return -ENOENT;
	table.len = symbols_len / sizeof(*table.symbols);
	table.index_shift = shape->index_shift;
	table.root = shape->root;
	if (!table.len || table.len > INT32_MAX || !table_search_open(index, first, &table) ||
	    index->is_broken)
		return -ENOENT;
	*ret_table = table;
	return 0;
}

/* ---- writing ------------------------------------------------------------------ */

/* Arena chunk that contains names. Names are written chunk by chunk, because determining any other
 * order would take longer. */
struct piece {
	const char *start;
	size_t first, end; /* range to write, starting with the first name */
	uint64_t offset;   /* the range's offset in the section */
};

struct pieces {
	TALLY_VEC(struct piece) list; /* sorted by address */
	struct piece *last;           /* piece in which the last name was found */
};

static int by_start(const void *a, const void *b)
{
	const struct piece *first = a, *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

static int pieces_list(struct pieces *pieces, const struct tally_arena *arena)
{
	const struct tally_arena_chunk *at = NULL;
	struct piece piece;
	size_t len;
	int ret = 0;

	while (!ret && (at = tally_arena_next(arena, at, &piece.start, &len))) {
		piece.first = len;
		piece.end = len;
		ret = tally_vec_push(&pieces->list, piece);
	}
	if (!ret && pieces->list.len)
		qsort(pieces->list.data, pieces->list.len, sizeof(piece), by_start);
	return ret;
}

static bool piece_has(const struct piece *piece, const char *name)
{
	return name >= piece->start && (size_t)(name - piece->start) < piece->end;
}

/* Return the piece that contains a name, or NULL. The piece that contained the previous name is
 * tried first. */
static struct piece *pieces_find(struct pieces *pieces, const char *name)
{
	size_t low = 0, high = pieces->list.len;

	if (pieces->last && piece_has(pieces->last, name))
		return pieces->last;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct piece *piece = &pieces->list.data[mid];

		if (piece_has(piece, name)) {
			pieces->last = piece;
			return piece;
		}
		if (name < piece->start)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* Determine the range of each piece that contains names, and the range's offset in the section. */
static int pieces_measure(struct pieces *pieces, const struct tally_symtab *table)
{
	uint64_t offset = 0;

	for (size_t i = 0; i < table->len; i++) {
		const char *name = tally_symtab_name(table, &table->symbols[i]);
		struct piece *piece = pieces_find(pieces, name);

		if (!piece)
			return -EINVAL;
		piece->first = TALLY_MIN(piece->first, (size_t)(name - piece->start));
	}
	tally_vec_for_each (piece, &pieces->list) {
		piece->offset = offset;
		offset += piece->end - piece->first;
	}
	return 0;
}

static void names_add(struct tally_index_writer *writer, enum tally_index_id id,
		      const struct pieces *pieces)
{
	tally_index_writer_begin(writer, id);
	tally_vec_for_each (piece, &pieces->list)
		tally_index_writer_add(writer, piece->start + piece->first,
				       piece->end - piece->first);
	tally_index_writer_add(writer, "", 1);
}

static void symbols_add(struct tally_index_writer *writer, enum tally_index_id id,
			struct pieces *pieces, const struct tally_symtab *table)
{
	struct tally_symbol batch[256];
	size_t nr = 0;

	tally_index_writer_begin(writer, id);
	for (size_t i = 0; i < table->len; i++) {
		const char *name = tally_symtab_name(table, &table->symbols[i]);
		const struct piece *piece = pieces_find(pieces, name);

		batch[nr] = table->symbols[i];
		batch[nr++].name_offset =
			piece->offset + (size_t)(name - piece->start) - piece->first;
		if (nr == TALLY_ARRAY_SIZE(batch) || i + 1 == table->len) {
			tally_index_writer_add(writer, batch, nr * sizeof(*batch));
			nr = 0;
		}
	}
}

static void words_add(struct tally_index_writer *writer, enum tally_index_id id,
		      const uint32_t *words, size_t nr)
{
	tally_index_writer_begin(writer, id);
	if (words)
		tally_index_writer_add(writer, words, nr * sizeof(*words));
}

uint64_t tally_index_table_size(const struct tally_symtab *table)
{
	uint64_t size = table->len * sizeof(*table->symbols) + table->arena.total;

	if (table->left)
		size += 2 * table->len * sizeof(*table->left);
	return size + (table->index ? table->index_len + 1 : 0) * sizeof(*table->index);
}

int tally_index_table_add(struct tally_index_writer *writer, enum tally_index_id first,
			  const struct tally_symtab *table)
{
	struct tally_index_shape shape = {table->index_shift, table->root};
	struct pieces pieces = {0};
	int ret = pieces_list(&pieces, &table->arena);

	if (!ret)
		ret = pieces_measure(&pieces, table);
	if (!ret) {
		tally_index_writer_begin(writer, first);
		tally_index_writer_add(writer, &shape, sizeof(shape));
		names_add(writer, first + NAMES, &pieces);
		symbols_add(writer, first + SYMBOLS, &pieces, table);
		words_add(writer, first + STEPS, table->index, table->index_len + 1);
		words_add(writer, first + LEFT, table->left, table->len);
		words_add(writer, first + RIGHT, table->right, table->len);
	}
	tally_vec_free(&pieces.list);
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses for the places, and the symbols and lines that the recording embeds for them. */
#include <errno.h>
#include <stdlib.h>

#include "import/import_private.h"
#include "symbols/embedded/stored_write.h"

/* Addresses of a place. A place is in the middle, so that the byte before it is in the same
 * place. */
enum { PLACE_SIZE = 16, PLACE_AT = 8 };

/* Distance between modules, and where they begin. Kernel code is above all user code. */
enum { MODULE_GAP = 1 << 16 };
#define USER_START   UINT64_C(0x200000000000)
#define USER_END     UINT64_C(0x7f0000000000)
#define KERNEL_START UINT64_C(0xffffffff80000000)
#define KERNEL_END   UINT64_C(0xfffffffff0000000)

/* Return the function that contains a place, which is the last of its rows. */
static uint32_t function_of(const struct imported *imported, const struct import_place *place)
{
	return imported->rows.data[place->first + place->nr - 1].function;
}

static int place_compare(const void *a_, const void *b_, void *arg)
{
	const struct imported *imported = arg;
	uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;
	const struct import_place *x = &imported->places.data[a], *y = &imported->places.data[b];
	uint32_t f = function_of(imported, x), g = function_of(imported, y);

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (f != g)
		return f < g ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Return the numbers of all places, sorted by module and function; NULL if out of memory. */
static uint32_t *places_sort(struct imported *imported)
{
	uint32_t *order = calloc(imported->places.len + 1, sizeof(*order));

	for (size_t i = 0; i < imported->places.len && order; i++)
		order[i] = (uint32_t)i;
	if (order && imported->places.len)
		qsort_r(order, imported->places.len, sizeof(*order), place_compare, imported);
	return order;
}

/* ---- addresses ------------------------------------------------------------------- */

/* Recorded addresses from here on are not offsets in files, but addresses of JIT code. */
#define RECORDED_END ((uint64_t)1 << 40)

/* Return true if a place keeps its recorded address. Places in functions do not, because the
 * functions' addresses are not known. */
static bool is_kept(const struct imported *imported, const struct import_place *place)
{
	return function_of(imported, place) == IMPORT_NONE && place->recorded < RECORDED_END;
}

/* Return the end of the recorded addresses of places, rounded up. */
static uint64_t kept_end(const struct imported *imported, const uint32_t *order, size_t nr)
{
	uint64_t end = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct import_place *place = &imported->places.data[order[i]];

		if (is_kept(imported, place))
			end = TALLY_MAX(end, place->recorded + 1);
	}
	return tally_round_up(end, MODULE_GAP);
}

/* Assign the addresses of a module's places, which are order[0] to order[nr - 1]. Those in
 * functions follow the recorded ones. Returns false if there are too many for the address space. */
static bool module_place(struct import_layout *layout, uint32_t module, const uint32_t *order,
			 size_t nr)
{
	struct imported *imported = layout->imported;
	bool is_kernel = imported->modules.data[module].is_kernel;
	uint64_t *next = is_kernel ? &layout->next_kernel : &layout->next_user, start = *next;
	uint64_t limit = is_kernel ? KERNEL_END : USER_END;
	uint64_t kept = kept_end(imported, order, nr), functions, end;
	bool keeps = start < limit && kept < limit - start;

	functions = keeps ? start + kept : start;
	end = functions + nr * PLACE_SIZE;
	if (end > limit)
		return false;
	for (size_t i = 0; i < nr; i++) {
		struct import_place *place = &imported->places.data[order[i]];

		place->address = keeps && is_kept(imported, place)
					 ? start + place->recorded
					 : functions + i * PLACE_SIZE + PLACE_AT;
	}
	*next = tally_round_up(end, MODULE_GAP) + MODULE_GAP;
	layout->ranges[module] = (struct import_range){start, end};
	return true;
}

/* Addresses that are not mapped stay the same, unless they would be in a module. */
static void unmapped_place(struct import_layout *layout, const uint32_t *order, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct import_place *place = &layout->imported->places.data[order[i]];
		bool is_free = place->recorded < USER_START ||
			       (place->recorded >= layout->next_user && place->recorded >> 47 == 0);

		place->address =
			is_free ? place->recorded : layout->next_user + i * PLACE_SIZE + PLACE_AT;
	}
}

int import_layout_make(struct imported *imported, struct import_layout *layout)
{
	uint32_t *order = places_sort(imported);
	size_t first = 0, nr = imported->places.len;

	*layout = (struct import_layout){
		.imported = imported,
		.ranges = calloc(imported->modules.len + 1, sizeof(*layout->ranges)),
		.order = order,
		.next_user = USER_START,
		.next_kernel = KERNEL_START,
	};
	if (!order || !layout->ranges)
		return -ENOMEM;
	while (first < nr) {
		uint32_t module = imported->places.data[order[first]].module;
		size_t end = first + 1;

		while (end < nr && imported->places.data[order[end]].module == module)
			end++;
		/* Places without a module are last. */
		if (module == IMPORT_NONE)
			unmapped_place(layout, order + first, end - first);
		else if (!module_place(layout, module, order + first, end - first))
			return -EFBIG;
		first = end;
	}
	return 0;
}

void import_layout_free(struct import_layout *layout)
{
	free(layout->ranges);
	free(layout->order);
}

/* Return the address in the form that the symbols of a module use: in the kernel, an address in
 * memory, otherwise an offset in the file. */
static uint64_t offset_of(const struct import_layout *layout, const struct import_place *place)
{
	bool is_kernel = layout->imported->modules.data[place->module].is_kernel;

	return place->address - (is_kernel ? 0 : layout->ranges[place->module].start);
}

/* ---- names ----------------------------------------------------------------------- */

struct import_naming {
	const struct import_layout *layout;
	struct tally_symbols *symbols;
	struct tally_stored_writer *writer;
};

static int dso_find(const struct import_naming *naming, uint32_t module, struct tally_dso **ret_dso)
{
	const struct import_module *of = &naming->layout->imported->modules.data[module];
	struct tally_dso_key key = {.name = import_module_name(naming->layout->imported, module)};

	key.kind = tally_dso_kind_of(key.name, of->is_kernel);
	return tally_dso_get(naming->symbols, &key, ret_dso);
}

static const char *text_of(const struct imported *imported, uint32_t text)
{
	return text == IMPORT_NONE ? NULL : tally_intern_text(&imported->texts, text);
}

/* Add the lines and inlined functions of a place. */
static int lines_add(const struct import_naming *naming, struct tally_dso *dso,
		     const struct import_place *place)
{
	const struct imported *imported = naming->layout->imported;
	uint64_t at = offset_of(naming->layout, place) - PLACE_AT;
	struct tally_line *lines = calloc(place->nr, sizeof(*lines));
	bool has_lines = place->nr > 1;
	int ret = lines ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < place->nr && !ret; i++) {
		const struct import_row *row = &imported->rows.data[place->first + i];

		lines[i].function = i + 1 < place->nr ? text_of(imported, row->function) : NULL;
		lines[i].file = text_of(imported, row->file);
		lines[i].line = row->line;
		has_lines |= lines[i].file != NULL;
	}
	if (!ret && has_lines)
		ret = tally_stored_writer_add_lines(naming->writer, dso,
						    (struct tally_span){at, at + PLACE_SIZE}, lines,
						    place->nr);
	free(lines);
	return ret;
}

/* Add the symbol of the places order[0] to order[nr - 1], which are in the same function. */
static int function_add(const struct import_naming *naming, const uint32_t *order, size_t nr)
{
	const struct imported *imported = naming->layout->imported;
	const struct import_place *place = &imported->places.data[order[0]];
	const char *name = text_of(imported, function_of(imported, place));
	uint64_t start = offset_of(naming->layout, place) - PLACE_AT;
	struct tally_dso *dso;
	int ret = dso_find(naming, place->module, &dso);

	if (!ret && name)
		ret = tally_stored_writer_add_symbol(naming->writer, dso, start,
						     start + nr * PLACE_SIZE, name);
	for (size_t i = 0; i < nr && !ret && name; i++)
		ret = lines_add(naming, dso, &imported->places.data[order[i]]);
	return ret;
}

static int functions_add(const struct import_naming *naming)
{
	const struct imported *imported = naming->layout->imported;
	const uint32_t *order = naming->layout->order;
	size_t first = 0, nr = imported->places.len;
	int ret = 0;

	while (first < nr && !ret) {
		const struct import_place *place = &imported->places.data[order[first]];
		size_t end = first + 1;

		while (end < nr && imported->places.data[order[end]].module == place->module &&
		       function_of(imported, &imported->places.data[order[end]]) ==
			       function_of(imported, place))
			end++;
		if (place->module != IMPORT_NONE)
			ret = function_add(naming, order + first, end - first);
		first = end;
	}
	return ret;
}

int import_names_make(const struct import_layout *layout, struct tally_str *out)
{
	struct import_naming naming = {.layout = layout};
	int ret = tally_symbols_new(NULL, &naming.symbols);

	if (!ret)
		ret = tally_stored_writer_new(&naming.writer);
	if (!ret)
		ret = functions_add(&naming);
	if (!ret)
		ret = tally_stored_writer_finish(naming.writer, out);
	tally_stored_writer_free(naming.writer);
	tally_symbols_free(naming.symbols);
	return ret;
}

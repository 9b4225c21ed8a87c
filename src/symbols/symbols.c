/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/bounds.h"
#include "symbols/cache/index_sources.h"
#include "symbols/dso.h"
#include "symbols/dso_path.h"
#include "symbols/dso_files.h"
#include "symbols/embedded/stored.h"
#include "symbols/jit/load_jit.h"
#include "symbols/lines/dso_lines.h"
#include "symbols/lines/symbols_types.h"
#include "symbols/load_code.h"
#include "symbols/mapped_file.h"
#include "symbols/origin.h"

/* Total budget for demangling. The names of a program with a million functions use a tenth of
 * it. */
enum { NAMES_MAX = 512 << 20 };

static int copy_text(struct tally_symbols *symbols, const char **text)
{
	if (!*text)
		return 0;
	*text = tally_arena_strndup(&symbols->arena, *text, strlen(*text));
	return *text ? 0 : -ENOMEM;
}

static int copy_debug_dirs(struct tally_symbols *symbols)
{
	static const char *const defaults[] = {"/usr/lib/debug", NULL};
	const char *const *from = symbols->options.debug_dirs;
	const char **copy;
	size_t nr = 0;
	int ret = 0;

	from = from ? from : defaults;
	while (from[nr])
		nr++;
	copy = tally_arena_alloc(&symbols->arena, (nr + 1) * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, from, (nr + 1) * sizeof(*copy));
	for (size_t i = 0; i < nr && !ret; i++)
		ret = copy_text(symbols, &copy[i]);
	symbols->options.debug_dirs = copy;
	return ret;
}

static int default_buildid_dir(struct tally_symbols *symbols)
{
	struct tally_str str = {0};
	int ret = tally_buildid_dir_find(&str);

	if (ret == -ENOENT)
		return 0;
	symbols->options.buildid_dir = tally_str_text(&str);
	if (!ret)
		ret = copy_text(symbols, &symbols->options.buildid_dir);
	tally_str_free(&str);
	return ret;
}

static int copy_options(struct tally_symbols *symbols)
{
	struct tally_symbols_options *options = &symbols->options;
	const char **texts[] = {&options->symfs,       &options->vmlinux,   &options->kallsyms,
				&options->buildid_dir, &options->index_dir, &options->fetched_dir};
	int ret = options->buildid_dir ? 0 : default_buildid_dir(symbols);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(texts) && !ret; i++)
		ret = copy_text(symbols, texts[i]);
	return ret ? ret : copy_debug_dirs(symbols);
}

int tally_symbols_new(const struct tally_symbols_options *options,
		      struct tally_symbols **ret_symbols)
{
	struct tally_symbols *symbols = calloc(1, sizeof(*symbols));
	int ret;

	if (!symbols)
		return -ENOMEM;
	symbols->names_left = NAMES_MAX;
	if (options)
		symbols->options = *options;
	ret = copy_options(symbols);
	if (ret)
		tally_symbols_free(symbols);
	else
		*ret_symbols = symbols;
	return ret;
}

static void dso_free(struct tally_dso *dso)
{
	/* Free the lines first: this also saves them, which requires the DSO's name. */
	tally_dso_types_free(dso);
	tally_dso_lines_free(dso);
	tally_sources_free(dso->cached.sources);
	dso->cached.sources = NULL;
	tally_dso_free_shown(dso);
	tally_symtab_free(&dso->files.table);
	tally_index_free(&dso->cached.index);
	tally_symtab_free(&dso->files.stubs);
	tally_dso_free_jit(dso);
	(void)tally_dso_release(dso);
	tally_dso_release_code(dso);
	free(dso->name);
	free(dso->reference);
	tally_vec_free(&dso->generated);
	free(dso->files.path);
	free(dso->rules.block);
	tally_index_free(&dso->rules.index);
	tally_dso_free_bounds(dso);
	free(dso);
}

void tally_symbols_free(struct tally_symbols *symbols)
{
	if (!symbols)
		return;
	tally_vec_for_each (dso, &symbols->dsos)
		dso_free(*dso);
	tally_vec_free(&symbols->dsos);
	tally_map_free(&symbols->by_key);
	tally_map_free(&symbols->cache.indexed);
	tally_symbols_free_stored(symbols);
	tally_index_dir_close(&symbols->cache.dir);
	free(symbols->kernel.kallsyms);
	tally_arena_free(&symbols->arena);
	free(symbols);
}

bool tally_symbol_is_bound(const struct tally_dso *dso, const struct tally_symbol *symbol)
{
	if (dso->embedded.is_used && tally_stored_is_bound(dso->embedded.object, symbol))
		return true;
	return tally_map_get(&dso->bounds.by_start, symbol->start) == (uintptr_t)symbol;
}

void tally_symbols_collect(struct tally_symbols *symbols, const uint8_t *keep)
{
	size_t left = 0;

	for (size_t i = 0; i < symbols->dsos.len; i++) {
		struct tally_dso *dso = symbols->dsos.data[i];

		if (keep[i] || dso == symbols->kernel.dso) {
			dso->number = (uint32_t)left;
			symbols->dsos.data[left++] = dso;
		} else {
			tally_dso_unlink(symbols, dso);
			dso_free(dso);
		}
	}
	symbols->dsos.len = left;
}

const char *tally_symbol_raw_name(const struct tally_dso *dso, const struct tally_symbol *symbol)
{
	const struct tally_symtab *table = &dso->files.table;

	if (tally_symtab_has(&dso->files.stubs, symbol))
		table = &dso->files.stubs;
	return tally_symtab_name(table, symbol);
}

const char *tally_symbol_name(struct tally_dso *dso, const struct tally_symbol *symbol)
{
	return tally_dso_shown_name(dso, tally_symbol_raw_name(dso, symbol));
}

/* Get the build-id from the file or the kernel, if it was not recorded. */
static void dso_request_build_id(struct tally_dso *dso)
{
	struct tally_build_id id = {0};
	int ret = -ENOENT;

	if (dso->kind == TALLY_DSO_USER)
		ret = tally_dso_own_build_id(dso, &id);
	else if (dso->kind == TALLY_DSO_KERNEL && !tally_kernel_is_here(dso->owner))
		ret = tally_kernel_build_id(id.id, &id.size);
	dso->own.is_final = true;
	if (!ret)
		dso->own.id = id;
}

const uint8_t *tally_dso_build_id(struct tally_dso *dso, size_t *ret_size)
{
	const struct tally_build_id *id = &dso->build_id;

	if (!id->size) {
		if (!dso->own.is_final)
			dso_request_build_id(dso);
		id = &dso->own.id;
	}
	*ret_size = id->size;
	return id->size ? id->id : NULL;
}

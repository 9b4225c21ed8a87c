/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_dso.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "symbols/cache/index_check.h"
#include "symbols/cache/index_sources.h"
#include "symbols/cache/index_table.h"
#include "symbols/dso_files.h"
#include "symbols/mapped_file.h"
#include "symbols/origin.h"

/* Minimum number of symbols: reading a smaller table takes no longer than reading its index. */
enum { SYMBOLS_LEAST = 256 };

/* Return true if the DSO can have an index. Options that select files or change the displayed names
 * prevent this, because the chosen aliases depend on the names. */
static bool dso_has_index(const struct tally_dso *dso)
{
	const struct tally_symbols_options *options = &dso->owner->options;

	if (!options->index_dir)
		return false;
	switch (dso->kind) {
	case TALLY_DSO_USER: return !options->no_demangle && !options->demangle_params;
	case TALLY_DSO_KERNEL:
		return !options->vmlinux && !options->kallsyms && dso == dso->owner->kernel.dso;
	default: return false;
	}
}

struct tally_index_dir *tally_index_dir_get(struct tally_symbols *symbols)
{
	if (!symbols->options.index_dir)
		return NULL;
	if (!symbols->cache.dir.path &&
	    tally_index_dir_open(symbols->options.index_dir, symbols->options.index_limit,
				 &symbols->cache.dir))
		return NULL;
	return &symbols->cache.dir;
}

int tally_dso_index_object(const struct tally_dso *dso, struct tally_build_id *ret_object)
{
	int ret;

	*ret_object = dso->build_id;
	if (dso->build_id.size)
		return 0;
	if (dso->kind == TALLY_DSO_KERNEL) {
		ret = tally_kernel_is_here(dso->owner);
		return ret ? ret : tally_kernel_build_id(ret_object->id, &ret_object->size);
	}
	return tally_dso_own_build_id(dso, ret_object);
}

static int begin_sources(struct tally_dso *dso, const struct tally_build_id *object)
{
	struct tally_source_facts *facts;

	dso->cached.sources = calloc(1, sizeof(*dso->cached.sources));
	if (!dso->cached.sources)
		return -ENOMEM;
	facts = &dso->cached.sources->facts;
	facts->kind = dso->kind;
	if (dso->kind == TALLY_DSO_KERNEL) {
		facts->kernel = tally_kernel_is_here(dso->owner);
		facts->has_address = dso->has_address;
		facts->address = dso->address;
	}
	tally_sources_set_object(dso->cached.sources, object, dso->reference);
	return 0;
}

bool tally_index_mark_used(struct tally_symbols *symbols, const struct tally_build_id *object,
			   enum tally_index_id what)
{
	uint64_t hash = tally_hash_bytes(object->id, object->size, what);

	if (tally_map_get(&symbols->cache.indexed, hash) != TALLY_MAP_NONE)
		return false;
	/* If memory allocation fails, the index is written once more than necessary. */
	(void)tally_map_set(&symbols->cache.indexed, hash, 0);
	return true;
}

/* Some objects have no stubs, but a broken section is an error. */
static int tables_open(struct tally_dso *dso)
{
	int ret = tally_index_table_open(&dso->cached.index, TALLY_INDEX_SHAPE, &dso->files.table);

	if (ret)
		return ret;
	ret = tally_index_table_open(&dso->cached.index, TALLY_INDEX_STUBS, &dso->files.stubs);
	if (!ret || !dso->cached.index.is_broken)
		return 0;
	tally_symtab_free(&dso->files.table);
	return ret;
}

int tally_dso_index_load(struct tally_dso *dso)
{
	struct tally_index_dir *dir;
	struct tally_build_id object;
	char *path;
	int ret;

	if (!dso_has_index(dso) || tally_dso_index_object(dso, &object))
		return -ENOENT;
	dir = tally_index_dir_get(dso->owner);
	if (!dir)
		return -ENOENT;
	ret = tally_index_open(dir, &object, &dso->cached.index);
	if (!ret)
		ret = tally_sources_check(dso, &object, &dso->cached.index, &dso->files.source,
					  &path);
	if (!ret) {
		ret = tables_open(dso);
		free(dso->files.path);
		dso->files.path = path;
	}
	if (!ret) {
		(void)tally_index_mark_used(dso->owner, &object, TALLY_INDEX_SYMBOLS);
		return 0;
	}
	tally_index_free(&dso->cached.index);
	(void)begin_sources(dso, &object);
	return -ENOENT;
}

/* Return true if the object can be identified only by its recorded or pinned build-id, because
 * `error` means that no file with that build-id was found. */
static bool is_by_id(const struct tally_dso *dso, int error)
{
	switch (error) {
	case 0:
	case -ENODATA: /* found, but without symbols */
	case -ENOTSUP:
	case -ENOMEM:
	case -EIO: return false;
	default:
		return dso->kind == TALLY_DSO_USER && dso->build_id.size &&
		       !dso->owner->options.symfs;
	}
}

int tally_dso_index_open_by_id(const struct tally_dso *dso, int error,
			       struct tally_index *ret_index)
{
	struct tally_index_dir *dir = is_by_id(dso, error) ? tally_index_dir_get(dso->owner) : NULL;

	return dir ? tally_index_open(dir, &dso->build_id, ret_index) : -ENOENT;
}

int tally_dso_index_load_by_id(struct tally_dso *dso, int error)
{
	const struct tally_source_facts *facts;
	size_t len;
	int ret = dso_has_index(dso) ? tally_dso_index_open_by_id(dso, error, &dso->cached.index)
				     : -ENOENT;

	if (ret)
		return ret;
	facts = tally_index_section(&dso->cached.index, TALLY_INDEX_FACTS, &len);
	ret = len < sizeof(*facts) || facts->kind != TALLY_DSO_USER ? -ENOENT : tables_open(dso);
	if (!ret)
		ret = tally_dso_set_source(dso, TALLY_DSO_SOURCE_INDEX, NULL);
	if (ret)
		tally_index_free(&dso->cached.index);
	return ret;
}

static int sources_add(struct tally_index_writer *writer, const struct tally_dso *dso)
{
	const struct tally_sources *sources = dso->cached.sources;
	struct tally_source_facts facts = sources->facts;
	int ret;

	facts.source = dso->files.source;
	if (dso->cached.is_kept)
		facts.place = TALLY_SOURCE_PINNED;
	tally_index_writer_begin(writer, TALLY_INDEX_FACTS);
	tally_index_writer_add(writer, &facts, sizeof(facts));
	tally_index_writer_begin(writer, TALLY_INDEX_PLACES);
	tally_index_writer_add(writer, sources->files.data,
			       sources->files.len * sizeof(*sources->files.data));
	tally_index_writer_begin(writer, TALLY_INDEX_TEXT);
	tally_index_writer_add(writer, sources->word, strlen(sources->word) + 1);
	ret = tally_index_table_add(writer, TALLY_INDEX_SHAPE, &dso->files.table);
	/* Write the stub table even if it is empty, to replace the stub table in the old index. */
	if (!ret)
		ret = tally_index_table_add(writer, TALLY_INDEX_STUBS, &dso->files.stubs);
	return ret;
}

static bool is_worth_it(const struct tally_dso *dso)
{
	const struct tally_sources *sources = dso->cached.sources;

	/* If the demangling budget is used up, aliases were chosen without their demangled
	 * names. */
	if (!sources || !sources->word || dso->files.state != TALLY_DSO_LOADED ||
	    !dso->owner->names_left)
		return false;
	return dso->cached.is_kept || (!sources->is_unfit && dso->files.table.len >= SYMBOLS_LEAST);
}

void tally_dso_index_save(struct tally_dso *dso)
{
	struct tally_index_writer *writer;
	struct tally_symbols *symbols = dso->owner;

	if (is_worth_it(dso) &&
	    tally_index_mark_used(symbols, &dso->cached.sources->object, TALLY_INDEX_SYMBOLS) &&
	    !tally_index_writer_open(&symbols->cache.dir, &dso->cached.sources->object,
				     tally_index_table_size(&dso->files.table) +
					     tally_index_table_size(&dso->files.stubs),
				     &writer))
		(void)tally_index_writer_close(writer, sources_add(writer, dso));
	tally_sources_free(dso->cached.sources);
	dso->cached.sources = NULL;
}

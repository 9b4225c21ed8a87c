/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "symbols/bounds.h"
#include "symbols/demangle.h"
#include "symbols/dso.h"
#include "symbols/lines/dso_lines.h"
#include "symbols/cache/index_sources.h"
#include "symbols/symbols_load.h"
#include "symbols/load_code.h"
#include "symbols/jit/load_jit.h"
#include "symbols/mapped_file.h"
#include "symbols/embedded/stored.h"

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
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	struct tally_str str = {0};
	int ret;

	if (!dir && !home)
		return 0;
	tally_str_add(&str, dir ? dir : home);
	if (!dir)
		tally_str_add(&str, "/.debug");
	ret = tally_str_error(&str);
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

static void dso_free_shown(struct tally_dso *dso)
{
	const struct tally_map_slot *slot;
	size_t pos = 0;

	while ((slot = tally_map_next(&dso->shown, &pos))) {
		if (slot->key != slot->value)
			free((void *)(uintptr_t)slot->value);
	}
	tally_map_free(&dso->shown);
}

static void dso_free(struct tally_dso *dso)
{
	/* Free the lines first: this also saves them, which requires the DSO's name. */
	tally_dso_lines_free(dso);
	tally_sources_free(dso);
	dso_free_shown(dso);
	tally_symtab_free(&dso->table);
	tally_index_free(&dso->index);
	tally_symtab_free(&dso->stubs);
	tally_dso_free_jit(dso);
	(void)tally_dso_release(dso);
	tally_dso_release_code(dso);
	free(dso->name);
	free(dso->reference);
	free(dso->path);
	free(dso->rules_block);
	tally_index_free(&dso->rules_index);
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
	tally_map_free(&symbols->indexed);
	tally_symbols_free_stored(symbols);
	tally_index_dir_close(&symbols->indexes);
	free(symbols->kallsyms);
	tally_arena_free(&symbols->arena);
	free(symbols);
}

bool tally_symbol_is_bound(const struct tally_dso *dso, const struct tally_symbol *symbol)
{
	if (dso->uses_stored && tally_stored_is_bound(dso->stored, symbol))
		return true;
	return tally_map_get(&dso->bounds, symbol->start) == (uintptr_t)symbol;
}

static struct tally_build_id key_build_id(const struct tally_dso_key *key)
{
	struct tally_build_id id = {.size = key->build_id ? key->build_id_size : 0};

	id.size = TALLY_MIN(id.size, (size_t)TALLY_BUILD_ID_MAX);
	if (id.size)
		memcpy(id.id, key->build_id, id.size);
	return id;
}

/* Return the inode if it is part of the DSO's identity, otherwise an all-zero inode. */
static struct tally_dso_inode key_inode(const struct tally_dso_key *key)
{
	if (key->kind != TALLY_DSO_USER || (key->build_id && key->build_id_size))
		return (struct tally_dso_inode){0};
	return key->inode;
}

bool tally_dso_inode_equal(const struct tally_dso_inode *a, const struct tally_dso_inode *b)
{
	if (a->ino != b->ino)
		return false;
	return !a->maj || !b->maj || (a->maj == b->maj && a->min == b->min);
}

/* Hash a key. The inode's device is not included; dso_has_key() compares it. */
static uint64_t key_hash(const char *name, enum tally_dso_kind kind, pid_t pid,
			 const struct tally_build_id *id, uint64_t ino)
{
	uint64_t hash = tally_hash_bytes(name, strlen(name), kind);

	hash = tally_hash_bytes(id->id, id->size, hash);
	return tally_hash_u64((uint32_t)pid, tally_hash_u64(ino, hash));
}

static bool dso_has_key(const struct tally_dso *dso, const struct tally_dso_key *key,
			const struct tally_build_id *id, const struct tally_dso_inode *inode)
{
	return dso->kind == key->kind && dso->pid == key->pid && dso->build_id.size == id->size &&
	       tally_dso_inode_equal(&dso->inode, inode) &&
	       !memcmp(dso->build_id.id, id->id, id->size) && !strcmp(dso->name, key->name);
}

static struct tally_dso *dso_new(struct tally_symbols *symbols, const struct tally_dso_key *key,
				 const struct tally_build_id *id)
{
	struct tally_dso *dso = calloc(1, sizeof(*dso));

	if (!dso)
		return NULL;
	dso->name = strdup(key->name);
	dso->owner = symbols;
	dso->number = (uint32_t)symbols->dsos.len;
	dso->kind = key->kind;
	dso->build_id = *id;
	dso->pid = key->pid;
	dso->nspid = key->nspid;
	dso->raw_names = key->kind == TALLY_DSO_KERNEL || key->kind == TALLY_DSO_MODULE;
	if (!dso->name || tally_vec_push(&symbols->dsos, dso)) {
		dso_free(dso);
		return NULL;
	}
	return dso;
}

/* Return the DSO with the given key, or NULL. Also get the hash of the key and the newest DSO with
 * that hash. */
static struct tally_dso *dso_find(const struct tally_symbols *symbols,
				  const struct tally_dso_key *key, uint64_t *ret_hash,
				  struct tally_dso **ret_newest)
{
	struct tally_build_id id = key_build_id(key);
	struct tally_dso_inode inode = key_inode(key);
	uint64_t hash = key_hash(key->name, key->kind, key->pid, &id, inode.ino);
	uint64_t found = tally_map_get(&symbols->by_key, hash);
	struct tally_dso *dso;

	*ret_hash = hash;
	*ret_newest = found == TALLY_MAP_NONE ? NULL : (struct tally_dso *)(uintptr_t)found;
	for (dso = *ret_newest; dso && !dso_has_key(dso, key, &id, &inode);)
		dso = dso->older;
	return dso;
}

/* Get or create the DSO for a key. The pid is part of the identity. */
static int dso_get(struct tally_symbols *symbols, const struct tally_dso_key *key,
		   struct tally_dso **ret_dso)
{
	struct tally_build_id id = key_build_id(key);
	struct tally_dso *newest, *dso;
	uint64_t hash;

	dso = dso_find(symbols, key, &hash, &newest);
	if (!dso) {
		dso = dso_new(symbols, key, &id);
		if (!dso)
			return -ENOMEM;
		dso->inode = key_inode(key);
		dso->older = newest;
		if (tally_map_set(&symbols->by_key, hash, (uintptr_t)dso)) {
			symbols->dsos.len--;
			dso_free(dso);
			return -ENOMEM;
		}
		if (!symbols->kernel && dso->kind == TALLY_DSO_KERNEL)
			symbols->kernel = dso;
	}
	*ret_dso = dso;
	return 0;
}

int tally_dso_get(struct tally_symbols *symbols, const struct tally_dso_key *key,
		  struct tally_dso **ret_dso)
{
	struct tally_dso_key copy;
	int ret;

	if (!key->name)
		return -EINVAL;
	copy = *key;
	if (key->kind == TALLY_DSO_USER)
		copy.pid = 0;
	ret = dso_get(symbols, &copy, ret_dso);
	/* Remember the last process that mapped the file, because it is the most likely to still be
	 * running. */
	if (!ret && key->kind == TALLY_DSO_USER && key->pid > 0) {
		atomic_store(&(*ret_dso)->mapper, key->pid);
		atomic_store(&(*ret_dso)->mapped_start, key->start);
		atomic_store(&(*ret_dso)->mapped_end, key->end);
	}
	return ret;
}

struct tally_dso_key tally_dso_key_of(const struct tally_dso *dso)
{
	return (struct tally_dso_key){
		.kind = dso->kind,
		.name = dso->name,
		.build_id = dso->build_id.size ? dso->build_id.id : NULL,
		.build_id_size = dso->build_id.size,
		.pid = dso->kind == TALLY_DSO_USER ? atomic_load(&dso->mapper) : dso->pid,
		.nspid = dso->nspid,
		.inode = dso->inode,
		.start = atomic_load(&dso->mapped_start),
		.end = atomic_load(&dso->mapped_end),
	};
}

int tally_dso_clone(struct tally_symbols *symbols, const struct tally_dso *of,
		    struct tally_dso **ret_twin)
{
	const struct tally_dso_key key = tally_dso_key_of(of);

	return tally_dso_get(symbols, &key, ret_twin);
}

int tally_dso_lookup(struct tally_symbols *symbols, const struct tally_dso_key *key,
		     struct tally_dso **ret_dso)
{
	struct tally_dso_key copy = *key;
	struct tally_dso *newest, *dso;
	uint64_t hash;

	if (key->kind == TALLY_DSO_USER)
		copy.pid = 0;
	dso = dso_find(symbols, &copy, &hash, &newest);
	if (dso)
		*ret_dso = dso;
	return dso ? 0 : -ENOENT;
}

/* Remove a DSO from the list of DSOs with the same hash. */
static void dso_unlink(struct tally_symbols *symbols, const struct tally_dso *dso)
{
	uint64_t hash = key_hash(dso->name, dso->kind, dso->pid, &dso->build_id, dso->inode.ino);
	uint64_t found = tally_map_remove(&symbols->by_key, hash);
	struct tally_dso *newest = found == TALLY_MAP_NONE ? NULL : (void *)(uintptr_t)found;
	struct tally_dso **link = &newest;

	while (*link && *link != dso)
		link = &(*link)->older;
	if (*link)
		*link = dso->older;
	/* This cannot fail: the removal above freed a slot. */
	if (newest)
		(void)tally_map_set(&symbols->by_key, hash, (uintptr_t)newest);
}

void tally_symbols_collect(struct tally_symbols *symbols, const uint8_t *keep)
{
	size_t left = 0;

	for (size_t i = 0; i < symbols->dsos.len; i++) {
		struct tally_dso *dso = symbols->dsos.data[i];

		if (keep[i] || dso == symbols->kernel) {
			dso->number = (uint32_t)left;
			symbols->dsos.data[left++] = dso;
		} else {
			dso_unlink(symbols, dso);
			dso_free(dso);
		}
	}
	symbols->dsos.len = left;
}

size_t tally_symbols_nr_dsos(const struct tally_symbols *symbols)
{
	return symbols->dsos.len;
}

int tally_dso_set_address(struct tally_dso *dso, const char *reference, uint64_t address)
{
	char *copy = NULL;

	if (reference) {
		copy = strdup(reference);
		if (!copy)
			return -ENOMEM;
	}
	free(dso->reference);
	dso->reference = copy;
	dso->address = address;
	dso->has_address = true;
	return 0;
}

bool tally_dso_address(const struct tally_dso *dso, uint64_t *ret_address)
{
	if (dso->has_address)
		*ret_address = dso->address;
	return dso->has_address;
}

const char *tally_dso_shown_name(void *arg, const char *raw)
{
	struct tally_dso *dso = arg;
	uint64_t known;
	char *text;

	if (dso->raw_names || dso->owner->options.no_demangle)
		return raw;
	known = tally_map_get(&dso->shown, (uintptr_t)raw);
	if (known != TALLY_MAP_NONE)
		return (const char *)(uintptr_t)known;
	text = tally_demangle(raw, dso->owner->options.demangle_params, &dso->owner->names_left);
	if (tally_map_set(&dso->shown, (uintptr_t)raw, (uintptr_t)(text ? text : raw))) {
		free(text); /* on memory allocation failure, use the raw name */
		text = NULL;
	}
	return text ? text : raw;
}

const char *tally_symbol_raw_name(const struct tally_dso *dso, const struct tally_symbol *symbol)
{
	const struct tally_symtab *table = &dso->table;

	if (tally_symtab_has(&dso->stubs, symbol))
		table = &dso->stubs;
	return tally_symtab_name(table, symbol);
}

const char *tally_symbol_name(struct tally_dso *dso, const struct tally_symbol *symbol)
{
	return tally_dso_shown_name(dso, tally_symbol_raw_name(dso, symbol));
}

enum tally_dso_kind tally_dso_kind(const struct tally_dso *dso)
{
	return dso->kind;
}

const char *tally_dso_name(const struct tally_dso *dso)
{
	return dso->name;
}

pid_t tally_dso_pid(const struct tally_dso *dso)
{
	return dso->pid;
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
	dso->asked_id = true;
	if (!ret)
		dso->own_id = id;
}

bool tally_dso_has_recorded_id(const struct tally_dso *dso)
{
	return dso->build_id.size != 0;
}

const uint8_t *tally_dso_build_id(struct tally_dso *dso, size_t *ret_size)
{
	const struct tally_build_id *id = &dso->build_id;

	if (!id->size) {
		if (!dso->asked_id)
			dso_request_build_id(dso);
		id = &dso->own_id;
	}
	*ret_size = id->size;
	return id->size ? id->id : NULL;
}

uint32_t tally_dso_number(const struct tally_dso *dso)
{
	return dso->number;
}

struct tally_dso *tally_dso_at(const struct tally_symbols *symbols, uint32_t number)
{
	return symbols->dsos.data[number];
}

struct tally_dso *tally_dso_next(const struct tally_symbols *symbols, size_t *pos)
{
	return *pos < symbols->dsos.len ? symbols->dsos.data[(*pos)++] : NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Identities of DSOs, and the list of all DSOs, which is searched by identity. */
#include "symbols/dso.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"

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

static void dso_new_undo(struct tally_dso *dso)
{
	free(dso->name);
	free(dso);
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
	dso->names.raw = key->kind == TALLY_DSO_KERNEL || key->kind == TALLY_DSO_MODULE;
	if (!dso->name || tally_vec_push(&symbols->dsos, dso)) {
		dso_new_undo(dso);
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
			dso_new_undo(dso);
			return -ENOMEM;
		}
		if (!symbols->kernel.dso && dso->kind == TALLY_DSO_KERNEL)
			symbols->kernel.dso = dso;
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
	if (!ret && key->kind == TALLY_DSO_USER)
		tally_dso_set_mapping(*ret_dso, key->pid, key->start, key->end);
	return ret;
}

void tally_dso_set_mapping(struct tally_dso *dso, pid_t pid, uint64_t start, uint64_t end)
{
	if (pid <= 0)
		return;
	atomic_store_explicit(&dso->mapping.process, pid, memory_order_relaxed);
	atomic_store_explicit(&dso->mapping.start, start, memory_order_relaxed);
	atomic_store_explicit(&dso->mapping.end, end, memory_order_relaxed);
}

struct tally_dso_key tally_dso_key_of(const struct tally_dso *dso)
{
	return (struct tally_dso_key){
		.kind = dso->kind,
		.name = dso->name,
		.build_id = dso->build_id.size ? dso->build_id.id : NULL,
		.build_id_size = dso->build_id.size,
		.pid = dso->kind == TALLY_DSO_USER ? atomic_load(&dso->mapping.process) : dso->pid,
		.nspid = dso->nspid,
		.inode = dso->inode,
		.start = atomic_load(&dso->mapping.start),
		.end = atomic_load(&dso->mapping.end),
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

void tally_dso_unlink(struct tally_symbols *symbols, const struct tally_dso *dso)
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

size_t tally_symbols_nr_dsos(const struct tally_symbols *symbols)
{
	return symbols->dsos.len;
}

int tally_dso_add_generated(struct tally_dso *dso, uint64_t start, uint64_t end)
{
	return tally_vec_push(&dso->generated, (struct tally_dso_range){start, end});
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

bool tally_dso_has_recorded_id(const struct tally_dso *dso)
{
	return dso->build_id.size != 0;
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

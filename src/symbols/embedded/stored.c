/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/embedded/stored.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "base/linked_list.h"
#include "symbols/dso.h"
#include "symbols/embedded/stored_format.h"

/* Maximum number of objects with the same name to compare. Each container can have a different file
 * with that name. */
enum { CANDIDATES_MAX = 1024 };

/* ---- matching of objects ------------------------------------------------------- */

/* Hash the name of an object. All names of the kernel have the same hash, as do a module's path and
 * its name in brackets. Returns 0 or -ENOMEM. */
static int name_hash(enum tally_dso_kind kind, const char *name, pid_t pid, uint64_t *ret_hash)
{
	char *module = NULL;

	if (kind == TALLY_DSO_MODULE) {
		module = tally_module_bare(name);
		if (!module)
			return -ENOMEM;
		name = module;
	} else if (kind == TALLY_DSO_KERNEL) {
		name = "";
	}
	*ret_hash = tally_hash_bytes(name, strlen(name), kind);
	if (kind == TALLY_DSO_PERF_MAP)
		*ret_hash = tally_hash_u64((uint32_t)pid, *ret_hash);
	free(module);
	return 0;
}

static bool module_equal(const char *a, const char *b)
{
	char *bare_a = tally_module_bare(a), *bare_b = tally_module_bare(b);
	bool equal = bare_a && bare_b && !strcmp(bare_a, bare_b);

	free(bare_a);
	free(bare_b);
	return equal;
}

static bool has_name(const struct tally_stored_object *object, const struct tally_dso *dso)
{
	if (object->kind != dso->kind)
		return false;
	switch (dso->kind) {
	case TALLY_DSO_KERNEL: return true;
	case TALLY_DSO_MODULE: return module_equal(object->name, dso->name);
	case TALLY_DSO_PERF_MAP: return object->pid == dso->pid;
	default: return !strcmp(object->name, dso->name);
	}
}

enum match { MATCH_NONE, MATCH_NAME, MATCH_SURE };

/* Compare build-ids if both are known, else inodes if both are known, else only names. */
static enum match object_match(const struct tally_stored_object *object,
			       const struct tally_dso *dso)
{
	bool equal;

	if (!has_name(object, dso))
		return MATCH_NONE;
	if (object->build_id.size && dso->build_id.size)
		equal = tally_build_id_equal(&object->build_id, &dso->build_id);
	else if (object->inode.ino && dso->inode.ino)
		equal = tally_dso_inode_equal(&object->inode, &dso->inode);
	else
		return MATCH_NAME;
	return equal ? MATCH_SURE : MATCH_NONE;
}

static const struct tally_stored_object *object_of(const struct tally_dso *dso)
{
	const struct tally_symbols *symbols = dso->owner;
	const struct tally_stored_object *by_name = NULL;
	uint64_t hash, at;

	if (name_hash(dso->kind, dso->name, dso->pid, &hash))
		return NULL;
	at = tally_map_get(&symbols->embedded.by_name, hash);
	for (int i = 0; at != TALLY_MAP_NONE && i < CANDIDATES_MAX; i++) {
		const struct tally_stored_object *object = &symbols->embedded.stored->objects[at];
		enum match match = object_match(object, dso);

		if (match == MATCH_SURE)
			return object;
		if (match == MATCH_NAME && !by_name)
			by_name = object;
		at = symbols->embedded.next[at] ? symbols->embedded.next[at] - 1 : TALLY_MAP_NONE;
	}
	return by_name;
}

/* Return true if the user specified the files that contain the DSO's symbols. */
static bool is_named_by_user(const struct tally_dso *dso)
{
	const struct tally_symbols_options *options = &dso->owner->options;

	if (dso->kind == TALLY_DSO_KERNEL && options->vmlinux)
		return true;
	if (dso->kind == TALLY_DSO_KERNEL || dso->kind == TALLY_DSO_MODULE)
		return options->kallsyms || options->symfs;
	return options->symfs;
}

const struct tally_stored_object *tally_dso_stored(struct tally_dso *dso)
{
	if (!dso->embedded.is_asked && dso->owner->embedded.stored && !is_named_by_user(dso))
		dso->embedded.object = object_of(dso);
	dso->embedded.is_asked = true;
	return dso->embedded.object;
}

enum tally_dso_state tally_stored_state_of(const struct tally_stored_object *object)
{
	return object->state;
}

/* ---- addresses ------------------------------------------------------------------ */

/* Return the number of array elements that start at or before `addr`. Each element begins with its
 * start address. */
static size_t count_before(const void *array, size_t nr, size_t size, uint64_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (tally_get_u64((const uint8_t *)array + mid * size) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct tally_stored_symbol *tally_stored_object_find(const struct tally_stored_object *object,
							   uint64_t addr)
{
	const struct tally_stored_symbol *symbol;
	size_t nr = count_before(object->exceptions, object->nr_exceptions,
				 sizeof(*object->exceptions), addr);

	if (nr && object->exceptions[nr - 1].addr == addr)
		return object->exceptions[nr - 1].symbol;
	nr = count_before(object->symbols, object->nr_symbols, sizeof(*object->symbols), addr);
	symbol = nr ? &object->symbols[nr - 1] : NULL;
	if (!symbol || (addr >= symbol->end && addr != symbol->symbol.start))
		return NULL;
	return symbol;
}

const struct tally_stored_span *tally_stored_object_lines(const struct tally_stored_object *object,
							  uint64_t addr)
{
	size_t nr = count_before(object->spans, object->nr_spans, sizeof(*object->spans), addr);
	const struct tally_stored_span *span = nr ? &object->spans[nr - 1] : NULL;

	return span && addr < span->at.end ? span : NULL;
}

const struct tally_symbol *tally_dso_find_stored(const struct tally_dso *dso, uint64_t addr)
{
	const struct tally_stored_symbol *found =
		tally_stored_object_find(dso->embedded.object, addr);

	return found && (!found->is_bound || dso->owner->options.bounds) ? &found->symbol : NULL;
}

bool tally_stored_has_lines(const struct tally_stored_object *object)
{
	return object->nr_spans != 0;
}

bool tally_dso_has_stored_lines(struct tally_dso *dso)
{
	const struct tally_stored_object *object = tally_dso_stored(dso);

	return object && tally_stored_has_lines(object);
}

size_t tally_dso_stored_lines(const struct tally_dso *dso, uint64_t addr,
			      const struct tally_line **ret_lines, struct tally_span *ret_span)
{
	const struct tally_stored_span *span =
		tally_stored_object_lines(dso->embedded.object, addr);

	if (!span || !span->nr)
		return 0;
	*ret_lines = span->lines;
	if (ret_span)
		*ret_span = span->at;
	return span->nr;
}

bool tally_stored_is_bound(const struct tally_stored_object *object,
			   const struct tally_symbol *symbol)
{
	const struct tally_stored_symbol *one =
		tally_container_of(symbol, struct tally_stored_symbol, symbol);

	/* The symbol of an inlined function is not in the array. */
	return ((uintptr_t)one - (uintptr_t)object->symbols) / sizeof(*one) < object->nr_symbols &&
	       one->is_bound;
}

bool tally_dso_is_stored_non_return(const struct tally_dso *dso, uint64_t addr)
{
	const uint64_t *astray = dso->embedded.object->astray;
	size_t nr = count_before(astray, dso->embedded.object->nr_astray, sizeof(*astray), addr);

	return nr && astray[nr - 1] == addr;
}

/* ---- all objects ----------------------------------------------------------------- */

/* Index the objects by name, in reverse order, so that a lookup finds the first object first. */
static int stored_index(struct tally_symbols *symbols)
{
	const struct tally_stored *stored = symbols->embedded.stored;
	int ret = 0;

	symbols->embedded.next = calloc(stored->nr + 1, sizeof(*symbols->embedded.next));
	if (!symbols->embedded.next)
		return -ENOMEM;
	for (size_t i = stored->nr; i-- && !ret;) {
		const struct tally_stored_object *object = &stored->objects[i];
		uint64_t hash, next;

		ret = name_hash(object->kind, object->name, object->pid, &hash);
		if (ret)
			break;
		next = tally_map_get(&symbols->embedded.by_name, hash);
		symbols->embedded.next[i] = next == TALLY_MAP_NONE ? 0 : (uint32_t)next + 1;
		ret = tally_map_set(&symbols->embedded.by_name, hash, i);
	}
	return ret;
}

int tally_symbols_set_stored(struct tally_symbols *symbols, const void *bytes, size_t len,
			     struct tally_error *err)
{
	int ret;

	tally_symbols_free_stored(symbols);
	ret = tally_stored_parse(bytes, len, &symbols->embedded.stored, err);
	if (!ret)
		ret = stored_index(symbols);
	if (ret)
		tally_symbols_free_stored(symbols);
	return ret;
}

void tally_symbols_free_stored(struct tally_symbols *symbols)
{
	tally_stored_free(symbols->embedded.stored);
	tally_map_free(&symbols->embedded.by_name);
	free(symbols->embedded.next);
	symbols->embedded.stored = NULL;
	symbols->embedded.next = NULL;
}

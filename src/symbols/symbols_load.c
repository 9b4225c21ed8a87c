/* SPDX-License-Identifier: BSD-2-Clause */
/* Load symbols on the first lookup, and report the result. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/bounds.h"
#include "symbols/code_file.h"
#include "symbols/dso.h"
#include "symbols/cache/index_dso.h"
#include "symbols/cache/index_sources.h"
#include "symbols/symbols_load.h"
#include "symbols/jit/load_jit.h"
#include "symbols/load_rules.h"
#include "symbols/embedded/stored.h"

/* Loaders, by kind of DSO. */
static int (*const loaders[])(struct tally_dso *dso) = {
	[TALLY_DSO_USER] = tally_dso_load_user,     [TALLY_DSO_KERNEL] = tally_dso_load_kernel,
	[TALLY_DSO_MODULE] = tally_dso_load_module, [TALLY_DSO_VDSO] = tally_dso_load_vdso,
	[TALLY_DSO_PERF_MAP] = tally_dso_load_jit,  [TALLY_DSO_JITDUMP] = tally_dso_load_jit,
};

static const char *const state_texts[] = {
	[TALLY_DSO_NOT_LOADED] = "not looked up",
	[TALLY_DSO_LOADED] = "symbols loaded",
	[TALLY_DSO_MISSING] = "file missing",
	[TALLY_DSO_MISMATCH] = "build-id differs from the recorded one",
	[TALLY_DSO_NO_SYMBOLS] = "no symbols in the file",
	[TALLY_DSO_NOT_ELF] = "not an ELF file",
	[TALLY_DSO_BROKEN] = "malformed file",
	[TALLY_DSO_DENIED] = "permission denied",
	[TALLY_DSO_UNSUPPORTED] = "the file is compressed, and this build cannot decompress it",
	[TALLY_DSO_TOO_LARGE] = "file too large",
	[TALLY_DSO_TRUNCATED] = "the file was truncated while it was being read",
	[TALLY_DSO_FOREIGN] =
		"cannot be matched with this machine's files: it was recorded elsewhere or before "
		"a reboot, and "
		"has no build-id; use --symfs, -k or --kallsyms to specify the symbols",
	[TALLY_DSO_REPLACED] = "the file at this path is not the one that was mapped: it was "
			       "replaced, or the process ran in a container",
	[TALLY_DSO_CHANGED] = "the file changed after it was recorded, and has no build-id",
	[TALLY_DSO_NOT_TRUSTED] =
		"its perf-PID.map or jitdump file is not owned by root, you or the "
		"process's user; use -f to accept it",
	[TALLY_DSO_NO_FILE] = "memory not backed by a file",
	[TALLY_DSO_NO_MEMORY] = "out of memory",
	[TALLY_DSO_NO_LINES] =
		"no debug information (compile with -g or install its debug symbols)",
	[TALLY_DSO_TIMEOUT] = "gave up reading its debug information, because it took too long",
	[TALLY_DSO_OVER_MEMORY] =
		"gave up reading its debug information, because it needed too much memory",
	[TALLY_DSO_DAMAGED] = "its debug information is damaged or too large: some addresses have "
			      "no line numbers",
	[TALLY_DSO_INCOMPLETE] =
		"parts of its debug information are missing (.dwo files, or the file "
		"made by dwz): some inlined functions cannot be distinguished",
	[TALLY_DSO_NO_RESOURCES] = "out of file descriptors or processes",
	[TALLY_DSO_DEBUG_ONLY] = "only its debug file was found, which does not contain the file "
				 "offsets of its code",
	[TALLY_DSO_REMOVED] = "no such file: it was removed, existed only in memory, or is in a "
			      "container (use tally report --symfs ROOT)",
	[TALLY_DSO_CRASHED] =
		"its debug information is malformed: the process that read it crashed",
};

/* Errors and the corresponding states, the most informative ones first. tally_worse_error() uses
 * the same order. */
static const struct {
	int code;
	enum tally_dso_state state;
} failures[] = {
	{-ENOMEM, TALLY_DSO_NO_MEMORY},
	{-EIO, TALLY_DSO_TRUNCATED},
	{-ESTALE, TALLY_DSO_MISMATCH},
	{TALLY_DSO_ERROR_FOREIGN, TALLY_DSO_FOREIGN},
	{TALLY_DSO_ERROR_REPLACED, TALLY_DSO_REPLACED},
	{TALLY_DSO_ERROR_CHANGED, TALLY_DSO_CHANGED},
	{TALLY_DSO_ERROR_NOT_TRUSTED, TALLY_DSO_NOT_TRUSTED},
	{TALLY_DSO_ERROR_DEBUG_ONLY, TALLY_DSO_DEBUG_ONLY},
	{-ENODATA, TALLY_DSO_NO_SYMBOLS},
	{-ENOSYS, TALLY_DSO_UNSUPPORTED},
	{-EFBIG, TALLY_DSO_TOO_LARGE},
	{-EBADMSG, TALLY_DSO_BROKEN},
	{-ENOEXEC, TALLY_DSO_NOT_ELF},
	{-EACCES, TALLY_DSO_DENIED},
	{-EPERM, TALLY_DSO_DENIED},
	{-EINVAL, TALLY_DSO_BROKEN},
	{-ENODEV, TALLY_DSO_NOT_ELF},
	{-ENOTSUP, TALLY_DSO_NO_SYMBOLS},
	{TALLY_DSO_ERROR_REMOVED, TALLY_DSO_REMOVED},
};

static size_t failure_rank(int code)
{
	size_t rank = 0;

	while (rank < TALLY_ARRAY_SIZE(failures) && failures[rank].code != code)
		rank++;
	return rank;
}

int tally_worse_error(int a, int b)
{
	return failure_rank(b) < failure_rank(a) ? b : a;
}

int tally_dso_release(struct tally_dso *dso)
{
	struct tally_image *images[] = {&dso->debugdata, &dso->runtime, &dso->image};
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(images); i++) {
		if (tally_file_map_check(&images[i]->map))
			ret = -EIO;
		tally_image_free(images[i]);
	}
	return ret;
}

enum tally_dso_state tally_dso_state_of_error(int code)
{
	size_t rank = failure_rank(code);

	if (!code)
		return TALLY_DSO_LOADED;
	return rank < TALLY_ARRAY_SIZE(failures) ? failures[rank].state : TALLY_DSO_MISSING;
}

static void dso_load_files(struct tally_dso *dso)
{
	int ret, cut;

	if (dso->kind >= TALLY_ARRAY_SIZE(loaders)) {
		dso->state = TALLY_DSO_NO_FILE;
		return;
	}
	if (!tally_dso_index_load(dso)) {
		dso->state = TALLY_DSO_LOADED;
		return;
	}
	ret = loaders[dso->kind](dso);
	cut = tally_dso_release(dso);
	ret = cut && ret != -ENOMEM ? cut : ret;
	if (ret) {
		tally_symtab_free(&dso->table);
		tally_symtab_free(&dso->stubs);
	}
	if (ret && !tally_dso_index_load_by_id(dso, ret)) {
		tally_sources_free(dso);
		ret = 0;
	}
	dso->state = tally_dso_state_of_error(ret);
	tally_dso_index_save(dso);
}

/* Load the symbols. Embedded symbols take precedence, because they are from the time of the
 * recording. If there are none, search the files. If this also fails, report the state from the
 * recording. */
static void dso_load(struct tally_dso *dso)
{
	const struct tally_stored_object *stored = tally_dso_stored(dso);

	if (!stored || tally_stored_state_of(stored) != TALLY_DSO_LOADED)
		dso_load_files(dso);
	if (!stored || dso->state == TALLY_DSO_LOADED)
		return;
	dso->uses_stored = true;
	dso->state = tally_stored_state_of(stored);
	dso->source = TALLY_DSO_SOURCE_STORED;
}

void tally_dso_prefer_files(struct tally_dso *dso)
{
	enum tally_dso_state state;
	enum tally_dso_source source;

	tally_dso_load(dso);
	if (dso->asks_files)
		return;
	dso->asks_files = true;
	if (!dso->uses_stored || dso->jit)
		return;
	state = dso->state;
	source = dso->source;
	dso_load_files(dso);
	dso->has_files = dso->state == TALLY_DSO_LOADED;
	dso->state = state;
	dso->source = source;
}

void tally_dso_load(struct tally_dso *dso)
{
	if (dso->state == TALLY_DSO_NOT_LOADED)
		dso_load(dso);
}

const struct tally_symbol *tally_dso_find(struct tally_dso *dso, uint64_t addr)
{
	const struct tally_symbol *symbol = NULL;

	tally_dso_load(dso);
	if (dso->uses_stored)
		symbol = tally_dso_find_stored(dso, addr);
	if (dso->uses_stored && (symbol || !dso->has_files))
		return symbol;
	if (dso->jit)
		return tally_dso_jit_find(dso, addr);
	if (dso->state == TALLY_DSO_LOADED)
		symbol = tally_symtab_find(&dso->stubs, addr);
	if (dso->state == TALLY_DSO_LOADED && !symbol)
		symbol = tally_symtab_find(&dso->table, addr);
	return symbol || !dso->owner->options.bounds ? symbol : tally_dso_find_bound(dso, addr);
}

const struct tally_unwind_table *tally_dso_rules(struct tally_dso *dso)
{
	int ret;

	if (dso->rules_state == TALLY_DSO_NOT_LOADED) {
		ret = tally_dso_load_rules(dso);
		dso->rules_state = tally_dso_state_of_error(ret);
	}
	return dso->rules_state == TALLY_DSO_LOADED ? &dso->rules : NULL;
}

void tally_dso_move_rules(struct tally_dso *dso, struct tally_dso *twin)
{
	if (dso->rules_state != TALLY_DSO_NOT_LOADED)
		return;
	dso->rules = twin->rules;
	dso->rules_block = twin->rules_block;
	dso->rules_index = twin->rules_index;
	dso->rules_state = twin->rules_state;
	dso->has_frame_pointers = twin->has_frame_pointers;
	twin->rules_block = NULL;
	twin->rules_index = (struct tally_index){0};
	twin->rules_state = TALLY_DSO_NOT_LOADED;
}

bool tally_dso_has_frame_pointers(const struct tally_dso *dso)
{
	return dso->has_frame_pointers;
}

enum tally_dso_state tally_dso_rules_state(const struct tally_dso *dso)
{
	return dso->rules_state;
}

const char *tally_dso_state_text(enum tally_dso_state state)
{
	return state_texts[state];
}

struct tally_dso_status tally_dso_status(const struct tally_dso *dso)
{
	struct tally_dso_status status = {
		.state = dso->state,
		.source = dso->source,
		.text = state_texts[dso->state],
		.path = dso->path,
		.nr_symbols = dso->table.len,
	};

	tally_dso_jit_status(dso, &status);
	return status;
}

int tally_dso_set_source(struct tally_dso *dso, enum tally_dso_source source, const char *path)
{
	dso->source = source;
	free(dso->path);
	dso->path = path ? strdup(path) : NULL;
	return path && !dso->path ? -ENOMEM : 0;
}

int tally_dso_finish(struct tally_dso *dso)
{
	struct tally_symtab_options options = {.shown_name = tally_dso_shown_name, .arg = dso};

	return tally_symtab_finish(&dso->table, &options);
}

void tally_dso_add_path(const struct tally_dso *dso, struct tally_str *str, const char *path)
{
	const char *symfs = dso->owner->options.symfs;

	if (symfs)
		tally_str_add(str, symfs);
	if (symfs && path[0] != '/')
		tally_str_add_char(str, '/');
	tally_str_add(str, path);
}

bool tally_build_id_add_path(const struct tally_build_id *id, const char *dir,
			     struct tally_str *str)
{
	if (id->size < 2)
		return false;
	tally_str_add(str, dir);
	tally_str_add(str, "/.build-id/");
	tally_str_add_hex(str, id->id[0], 2);
	tally_str_add_char(str, '/');
	for (size_t i = 1; i < id->size; i++)
		tally_str_add_hex(str, id->id[i], 2);
	return true;
}

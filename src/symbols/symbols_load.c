/* SPDX-License-Identifier: BSD-2-Clause */
/* Load symbols on the first lookup, and report the result. */
#include <errno.h>

#include "base/arith.h"
#include "symbols/bounds.h"
#include "symbols/cache/index_dso.h"
#include "symbols/cache/index_sources.h"
#include "symbols/code_file.h"
#include "symbols/dso.h"
#include "symbols/dso_files.h"
#include "symbols/embedded/stored.h"
#include "symbols/jit/load_jit.h"
#include "symbols/load_errors.h"
#include "symbols/symbols_load.h"

/* Loaders, by kind of DSO. */
static int (*const loaders[])(struct tally_dso *dso) = {
	[TALLY_DSO_USER] = tally_dso_load_user,     [TALLY_DSO_KERNEL] = tally_dso_load_kernel,
	[TALLY_DSO_MODULE] = tally_dso_load_module, [TALLY_DSO_VDSO] = tally_dso_load_vdso,
	[TALLY_DSO_PERF_MAP] = tally_dso_load_jit,  [TALLY_DSO_JITDUMP] = tally_dso_load_jit,
};

static void dso_load_files(struct tally_dso *dso)
{
	int ret, cut;

	if (dso->kind >= TALLY_ARRAY_SIZE(loaders)) {
		dso->files.state = TALLY_DSO_NO_FILE;
		return;
	}
	if (!tally_dso_index_load(dso)) {
		dso->files.state = TALLY_DSO_LOADED;
		return;
	}
	ret = loaders[dso->kind](dso);
	cut = tally_dso_release(dso);
	ret = cut && ret != -ENOMEM ? cut : ret;
	if (ret) {
		tally_symtab_free(&dso->files.table);
		tally_symtab_free(&dso->files.stubs);
	}
	if (ret && !tally_dso_index_load_by_id(dso, ret)) {
		tally_sources_free(dso->cached.sources);
		dso->cached.sources = NULL;
		ret = 0;
	}
	dso->files.state = tally_dso_state_of_error(ret);
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
	if (!stored || dso->files.state == TALLY_DSO_LOADED)
		return;
	dso->embedded.is_used = true;
	dso->files.state = tally_stored_state_of(stored);
	dso->files.source = TALLY_DSO_SOURCE_STORED;
}

void tally_dso_prefer_files(struct tally_dso *dso)
{
	enum tally_dso_state state;
	enum tally_dso_source source;

	tally_dso_load(dso);
	if (dso->embedded.asks_files)
		return;
	dso->embedded.asks_files = true;
	if (!dso->embedded.is_used || dso->jit)
		return;
	state = dso->files.state;
	source = dso->files.source;
	dso_load_files(dso);
	dso->embedded.has_files = dso->files.state == TALLY_DSO_LOADED;
	dso->files.state = state;
	dso->files.source = source;
}

void tally_dso_load(struct tally_dso *dso)
{
	if (dso->files.state == TALLY_DSO_NOT_LOADED)
		dso_load(dso);
}

const struct tally_symbol *tally_dso_find(struct tally_dso *dso, uint64_t addr)
{
	const struct tally_symbol *symbol = NULL;

	tally_dso_load(dso);
	if (dso->embedded.is_used)
		symbol = tally_dso_find_stored(dso, addr);
	if (dso->embedded.is_used && (symbol || !dso->embedded.has_files))
		return symbol;
	if (dso->jit)
		return tally_dso_jit_find(dso, addr);
	if (dso->files.state == TALLY_DSO_LOADED)
		symbol = tally_symtab_find(&dso->files.stubs, addr);
	if (dso->files.state == TALLY_DSO_LOADED && !symbol)
		symbol = tally_symtab_find(&dso->files.table, addr);
	return symbol || !dso->owner->options.bounds ? symbol : tally_dso_find_bound(dso, addr);
}

struct tally_dso_status tally_dso_status(const struct tally_dso *dso)
{
	struct tally_dso_status status = {
		.state = dso->files.state,
		.source = dso->files.source,
		.text = tally_dso_state_text(dso->files.state),
		.path = dso->files.path,
		.nr_symbols = dso->files.table.len,
	};

	tally_dso_jit_status(dso, &status);
	return status;
}

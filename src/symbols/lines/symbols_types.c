/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/lines/symbols_types.h"

#include <errno.h>
#include <stdlib.h>

#include "symbols/lines/dso_lines.h"

enum { WORKERS_MAX = 4 };

struct tally_dso_types {
	struct tally_dwarf_worker worker;
	bool has_worker;
	uint64_t asked;           /* number of the last request, counted over all files */
	int error;                /* result of all other requests */
	struct tally_lines texts; /* only the strings are used */
	struct tally_arena memory;
};

static int opener(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	struct tally_dso *dso = arg;

	return tally_debug_info_gather(&dso->lines->info, TALLY_DEBUG_VARIABLES,
				       tally_dso_worker_limits(dso).bytes, file, alt);
}

static void worker_stop(struct tally_dso *dso)
{
	struct tally_dso_types *types = dso->types;

	if (!types || !types->has_worker)
		return;
	types->has_worker = false;
	dso->owner->lines_used.nr_workers--;
	dso->owner->lines_used.answered += types->worker.answered;
	dso->owner->lines_used.waited += types->worker.waited;
	tally_dwarf_worker_stop(&types->worker);
}

/* If too many workers are running for types, stop the one that was not asked for longest. */
static void workers_limit(struct tally_symbols *symbols)
{
	struct tally_dso *oldest = NULL;
	unsigned nr = 0;

	for (size_t i = 0; i < symbols->dsos.len; i++) {
		struct tally_dso *dso = symbols->dsos.data[i];

		if (!dso->types || !dso->types->has_worker)
			continue;
		nr++;
		if (!oldest || dso->types->asked < oldest->types->asked)
			oldest = dso;
	}
	if (nr >= WORKERS_MAX)
		worker_stop(oldest);
}

static int worker_start(struct tally_dso *dso)
{
	struct tally_symbols *symbols = dso->owner;
	struct tally_dwarf_limits limits;
	int ret;

	workers_limit(symbols);
	limits = tally_dso_worker_limits(dso);
	limits.threads = 1;
	if (!limits.seconds)
		return TALLY_DWARF_ERROR_TIME;
	ret = tally_dwarf_worker_start(&dso->types->worker, &limits, opener, dso);
	if (ret)
		return ret;
	dso->types->has_worker = true;
	symbols->lines_used.nr_workers++;
	return 0;
}

/* Allocate the DSO's types and find its debug information. */
static int types_open(struct tally_dso *dso)
{
	if (!dso->types) {
		dso->types = calloc(1, sizeof(*dso->types));
		if (!dso->types)
			return -ENOMEM;
		if (!tally_dwarf_available() || !tally_dso_debug_info(dso))
			dso->types->error = -ENODATA;
	}
	return dso->types->error;
}

int tally_dso_variable(struct tally_dso *dso, const struct tally_variable_question *question,
		       struct tally_variable *ret_variable)
{
	int ret = types_open(dso);

	if (ret)
		return ret;
	dso->types->asked = ++dso->owner->lines_used.asked;
	if (!dso->types->has_worker)
		ret = worker_start(dso);
	if (!ret)
		ret = tally_dwarf_worker_variables(&dso->types->worker, question, 1,
						   &dso->types->texts, &dso->types->memory,
						   ret_variable);
	if (ret)
		dso->types->error = ret == -ENODATA || ret == -ENOMEM ? ret : -ECANCELED;
	return dso->types->error;
}

void tally_dso_types_free(struct tally_dso *dso)
{
	if (!dso->types)
		return;
	worker_stop(dso);
	tally_lines_free(&dso->types->texts);
	tally_arena_free(&dso->types->memory);
	free(dso->types);
	dso->types = NULL;
}

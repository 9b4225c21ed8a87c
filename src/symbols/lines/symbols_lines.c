/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/lines/symbols_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "dwarf/worker.h"
#include "symbols/embedded/stored.h"
#include "symbols/jit/jit_lookup.h"
#include "symbols/lines/debug_info.h"
#include "symbols/lines/dso_lines.h"
#include "symbols/load_errors.h"

enum {
	SECONDS = 120,
	FILES_SHARE = 3,        /* time limit for all files, in multiples of the limit for one */
	ANSWER_MAX = 512 << 20, /* limit on the answers for all files, in bytes */
	WORKERS_MAX = 6,
};

/* ---- opening --------------------------------------------------------------------- */

/* Return a DSO's lines, allocating them on first use. Returns NULL on memory allocation failure. */
static struct tally_dso_lines *dso_lines(struct tally_dso *dso)
{
	if (!dso->lines)
		dso->lines = calloc(1, sizeof(*dso->lines));
	return dso->lines;
}

/* Return the default memory limit of a worker: half of the machine's memory, which leaves the other
 * half to the user. The limit is halved again for each worker that is already running. */
static uint64_t bytes_default(const struct tally_symbols *symbols)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >>
	       (1 + symbols->lines_used.nr_workers);
}

struct tally_dwarf_limits tally_dso_worker_limits(const struct tally_dso *dso)
{
	const struct tally_symbols *symbols = dso->owner;
	unsigned seconds =
		symbols->options.lines_seconds ? symbols->options.lines_seconds : SECONDS;
	int64_t left = (int64_t)seconds * FILES_SHARE - symbols->lines_used.waited / 1000;

	return (struct tally_dwarf_limits){
		.seconds = (unsigned)TALLY_MIN(TALLY_MAX(left, 0), (int64_t)seconds),
		.bytes = bytes_default(symbols),
		.answer = ANSWER_MAX -
			  TALLY_MIN(symbols->lines_used.answered, (uint64_t)ANSWER_MAX - 1),
	};
}

static enum tally_dso_state state_of(int error)
{
	switch (error) {
	case 0: return TALLY_DSO_LOADED;
	case -ENODATA:
	case -ENOENT:
	case -ENOTSUP: return TALLY_DSO_NO_LINES;
	case TALLY_DWARF_ERROR_TIME: return TALLY_DSO_TIMEOUT;
	case -EFBIG:
	case TALLY_DWARF_ERROR_MEMORY: return TALLY_DSO_OVER_MEMORY;
	case TALLY_DWARF_ERROR_CRASHED: return TALLY_DSO_CRASHED;
	case -ENOSYS: return TALLY_DSO_UNSUPPORTED;
	case -EMFILE:
	case -ENFILE:
	case -EAGAIN: return TALLY_DSO_NO_RESOURCES;
	case -EACCES: return TALLY_DSO_DENIED;
	case TALLY_DSO_ERROR_DEBUG_ONLY: return TALLY_DSO_DEBUG_ONLY;
	case -ENOMEM: return TALLY_DSO_NO_MEMORY;
	default: return TALLY_DSO_BROKEN;
	}
}

/* Search for the debug information, unless this has already been done. */
static void lines_find(struct tally_dso *dso)
{
	struct tally_dso_lines *lines = dso->lines;
	int ret;

	if (lines->is_found)
		return;
	lines->is_found = true;
	if (dso->kind == TALLY_DSO_JITDUMP)
		ret = tally_dso_jit_has_lines(dso) ? 0 : -ENODATA;
	else
		ret = tally_debug_info_find(dso, &lines->info);
	lines->state = state_of(ret);
	if (!ret && dso->kind != TALLY_DSO_JITDUMP)
		tally_dso_lines_open(dso);
}

const struct tally_debug_info *tally_dso_debug_info(struct tally_dso *dso)
{
	struct tally_dso_lines *lines = dso_lines(dso);

	if (!lines)
		return NULL;
	lines_find(dso);
	return lines->info.image.elf.data ? &lines->info : NULL;
}

bool tally_dso_has_lines(struct tally_dso *dso)
{
	struct tally_dso_lines *lines = dso_lines(dso);

	if (tally_dso_has_stored_lines(dso))
		return true;
	if (!lines)
		return false;
	lines_find(dso);
	return lines->state == TALLY_DSO_LOADED;
}

enum tally_dso_state tally_dso_lines_state(const struct tally_dso *dso)
{
	const struct tally_dso_lines *lines = dso->lines;

	if (dso->embedded.object && tally_stored_has_lines(dso->embedded.object))
		return TALLY_DSO_LOADED;
	if (!lines || !lines->is_found)
		return TALLY_DSO_NOT_LOADED;
	if (lines->state != TALLY_DSO_LOADED)
		return lines->state;
	if (lines->nr_given_up + lines->worker.nr_given_up)
		return TALLY_DSO_DAMAGED;
	return lines->nr_missing + lines->worker.nr_missing ? TALLY_DSO_INCOMPLETE
							    : TALLY_DSO_LOADED;
}

/* Append the name of the .dwp package. dwp(1) names a package after the file that contains the
 * skeleton units, which is the debug file or its program. Returns false if the package does not
 * exist. */
static bool add_package(const struct tally_dso *dso, struct tally_str *out)
{
	const char *const beside[] = {dso->lines->info.image.path, dso->files.path};
	struct tally_str path = {0};
	bool is_there = false;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(beside) && !is_there; i++) {
		struct stat st;

		if (!beside[i])
			continue;
		tally_str_clear(&path);
		tally_str_addf(&path, "%s.dwp", beside[i]);
		is_there = !stat(tally_str_text(&path), &st) && S_ISREG(st.st_mode);
	}
	if (is_there)
		tally_str_add(out, tally_str_text(&path));
	tally_str_free(&path);
	return is_there;
}

void tally_dso_lines_reason(const struct tally_dso *dso, struct tally_str *out)
{
	enum tally_dso_state state = tally_dso_lines_state(dso);

	if (state == TALLY_DSO_INCOMPLETE && add_package(dso, out))
		tally_str_add(out,
			      " contains parts of its debug information, but tally does not read "
			      ".dwp packages: keep the .dwo files from the build, or build without "
			      "-gsplit-dwarf. Some inlined functions cannot be distinguished");
	else
		tally_str_add(out, tally_dso_state_text(state));
}

static int opener(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	struct tally_dso *dso = arg;

	return tally_debug_info_gather(&dso->lines->info,
				       dso->owner->lines_used.inlined_only ? TALLY_DEBUG_INLINED
									   : TALLY_DEBUG_LINES,
				       tally_dso_worker_limits(dso).bytes, file, alt);
}

/* ---- requests to the worker ------------------------------------------------------ */

static void worker_stop(struct tally_dso *dso)
{
	struct tally_dso_lines *lines = dso->lines;

	if (!lines->has_worker)
		return;
	lines->has_worker = false;
	lines->nr_given_up += lines->worker.nr_given_up;
	lines->nr_missing += lines->worker.nr_missing;
	dso->owner->lines_used.nr_workers--;
	tally_dwarf_worker_stop(&lines->worker);
}

/* Stop workers until less than `nr` are running; first those that would be restarted fastest. */
static void workers_limit(struct tally_symbols *symbols, unsigned nr)
{
	struct tally_dso *fastest;

	do {
		fastest = NULL;
		tally_vec_for_each (dso, &symbols->dsos) {
			const struct tally_dso_lines *lines = (*dso)->lines;

			if (lines && lines->has_worker &&
			    (!fastest || lines->worker.waited < fastest->lines->worker.waited))
				fastest = *dso;
		}
		if (fastest && symbols->lines_used.nr_workers >= nr)
			worker_stop(fastest);
	} while (fastest && symbols->lines_used.nr_workers >= nr);
}

/* Start a worker. Several workers can run at a time, for callers that alternate between files. If
 * too many are running, stop others. */
static int worker_start(struct tally_dso *dso)
{
	struct tally_symbols *symbols = dso->owner;
	struct tally_dwarf_limits limits;
	int ret;

	workers_limit(symbols, WORKERS_MAX);
	limits = tally_dso_worker_limits(dso);
	if (!limits.seconds)
		return TALLY_DWARF_ERROR_TIME;
	ret = tally_dwarf_worker_start(&dso->lines->worker, &limits, opener, dso);
	if (ret)
		return ret;
	dso->lines->has_worker = true;
	symbols->lines_used.nr_workers++;
	return 0;
}

static int worker_ask(struct tally_dso *dso, const uint64_t *addrs, size_t nr)
{
	struct tally_dso_lines *lines = dso->lines;
	int64_t waited = lines->worker.waited;
	uint64_t answered = lines->worker.answered;
	int ret = tally_dwarf_worker_resolve(&lines->worker, addrs, nr, &lines->known);

	dso->owner->lines_used.waited += lines->worker.waited - waited;
	dso->owner->lines_used.answered += lines->worker.answered - answered;
	return ret;
}

/* Request the lines for `addrs`, which are addresses in the debug information. */
static void lines_ask(struct tally_dso *dso, const uint64_t *addrs, size_t nr)
{
	struct tally_dso_lines *lines = dso->lines;
	int ret = lines->has_worker ? 0 : worker_start(dso);

	if (!ret)
		ret = worker_ask(dso, addrs, nr);
	/* Other workers reduce the memory that this one may use. */
	if (ret == TALLY_DWARF_ERROR_MEMORY && dso->owner->lines_used.nr_workers > 1) {
		workers_limit(dso->owner, 1);
		ret = worker_start(dso);
		if (!ret)
			ret = worker_ask(dso, addrs, nr);
	}
	if (ret)
		lines->state = state_of(ret);
	lines->is_new |= !ret;
}

void tally_dso_lines_open(struct tally_dso *dso)
{
	(void)tally_index_lines_open(dso, TALLY_INDEX_LINES, &dso->lines->indexed);
	if (dso->owner->lines_used.inlined_only)
		(void)tally_index_lines_open(dso, TALLY_INDEX_INLINED, &dso->lines->inlined_only);
}

const struct tally_line_span *tally_dso_lines_known(struct tally_dso_lines *lines, uint64_t addr)
{
	const struct tally_line_span *span = tally_lines_find(&lines->known, addr);

	if (!span && (!tally_index_lines_copy(&lines->indexed, addr, &lines->known) ||
		      !tally_index_lines_copy(&lines->inlined_only, addr, &lines->known)))
		span = tally_lines_find(&lines->known, addr);
	return span;
}

/* Return true if the lines for an address are unknown but may be in the debug information.
 * `*ret_in_file` is the corresponding address in the debug information. */
static bool is_unknown(struct tally_dso *dso, uint64_t addr, uint64_t *ret_in_file)
{
	struct tally_dso_lines *lines = dso->lines;
	uint64_t bias;

	if (lines->state != TALLY_DSO_LOADED || !tally_debug_info_bias(&lines->info, addr, &bias))
		return false;
	*ret_in_file = addr + bias;
	return !tally_dso_lines_known(lines, addr + bias);
}

/* Find the debug information, unless embedded lines are used. Returns true if files may be searched
 * for lines. */
static bool begin_asking(struct tally_dso *dso)
{
	if ((tally_dso_has_stored_lines(dso) && !dso->embedded.asks_files) || !dso_lines(dso))
		return false;
	lines_find(dso);
	return true;
}

bool tally_dso_lines_need_worker(struct tally_dso *dso, uint64_t addr)
{
	uint64_t in_file;

	return begin_asking(dso) && is_unknown(dso, addr, &in_file);
}

void tally_dso_lines_prepare(struct tally_dso *dso, const uint64_t *addrs, size_t nr)
{
	TALLY_VEC(uint64_t) wanted = {0};
	uint64_t in_file;

	if (!begin_asking(dso))
		return;
	for (size_t i = 0; i < nr; i++) {
		/* If memory allocation fails, the address is requested separately later. */
		if ((!i || addrs[i] != addrs[i - 1]) && is_unknown(dso, addrs[i], &in_file))
			(void)tally_vec_push(&wanted, in_file);
	}
	if (wanted.len) {
		lines_ask(dso, wanted.data, wanted.len);
		if (!dso->owner->lines_used.keeps_workers)
			worker_stop(dso);
	}
	tally_vec_free(&wanted);
}

void tally_lines_inlined_only(struct tally_symbols *symbols)
{
	symbols->lines_used.inlined_only = true;
}

void tally_lines_keep_workers(struct tally_symbols *symbols)
{
	symbols->lines_used.keeps_workers = true;
}

void tally_lines_stop_workers(struct tally_symbols *symbols)
{
	workers_limit(symbols, 1);
}

static int by_dso_and_address(const void *a, const void *b)
{
	const struct tally_dso_address *x = a, *y = b;
	uint32_t i = tally_dso_number(x->dso), j = tally_dso_number(y->dso);

	if (i != j)
		return i < j ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void tally_lines_prepare(struct tally_dso_address *all, size_t nr)
{
	TALLY_VEC(uint64_t) addrs = {0};

	if (nr)
		qsort(all, nr, sizeof(*all), by_dso_and_address);
	for (size_t i = 0; i < nr; i++) {
		(void)tally_vec_push(&addrs, all[i].addr);
		if (i + 1 < nr && all[i + 1].dso == all[i].dso)
			continue;
		tally_dso_lines_prepare(all[i].dso, addrs.data, addrs.len);
		addrs.len = 0;
	}
	tally_vec_free(&addrs);
}

/* Return the span that contains the address, and the difference between the span's addresses and
 * the DSO's. */
static const struct tally_line_span *span_find(struct tally_dso *dso, uint64_t addr,
					       uint64_t *ret_bias)
{
	struct tally_dso_lines *lines = dso->lines;
	const struct tally_line_span *span;
	uint64_t in_file;

	lines_find(dso);
	if (!tally_debug_info_bias(&lines->info, addr, ret_bias))
		return NULL;
	in_file = addr + *ret_bias;
	span = tally_dso_lines_known(lines, in_file);
	if (!span && lines->state == TALLY_DSO_LOADED) {
		lines_ask(dso, &in_file, 1);
		span = tally_lines_find(&lines->known, in_file);
	}
	return span;
}

/* Get the line from a JIT compiler's dump. */
static size_t lines_made(struct tally_dso *dso, uint64_t addr, const struct tally_line **ret_lines,
			 struct tally_span *ret_span)
{
	struct tally_span span;
	const struct tally_line *line = tally_dso_jit_find_line(dso, addr, &span);

	if (!line)
		return 0;
	*ret_lines = line;
	if (ret_span)
		*ret_span = span;
	return 1;
}

static size_t lines_of_files(struct tally_dso *dso, uint64_t addr,
			     const struct tally_line **ret_lines, struct tally_span *ret_span)
{
	const struct tally_line_span *span;
	uint64_t bias;

	if (!dso_lines(dso))
		return 0;
	span = span_find(dso, addr, &bias);
	if (!span && dso->kind == TALLY_DSO_JITDUMP)
		return lines_made(dso, addr, ret_lines, ret_span);
	if (!span)
		return 0;
	*ret_lines = span->lines;
	if (ret_span)
		*ret_span = (struct tally_span){span->start - bias, span->end - bias};
	return span->nr;
}

/* If tally_dso_prefer_files() was called, use embedded lines only if the files have none. This way,
 * a source file has the same name throughout a function. */
size_t tally_dso_lines(struct tally_dso *dso, uint64_t addr, const struct tally_line **ret_lines,
		       struct tally_span *ret_span)
{
	bool has_stored = tally_dso_has_stored_lines(dso);
	size_t nr = 0;

	if (!has_stored || dso->embedded.asks_files)
		nr = lines_of_files(dso, addr, ret_lines, ret_span);
	return nr || !has_stored ? nr : tally_dso_stored_lines(dso, addr, ret_lines, ret_span);
}

int tally_line_symbol(struct tally_dso *dso, const struct tally_line *line,
		      const struct tally_symbol **ret_symbol)
{
	struct tally_dso_lines *lines = dso_lines(dso); /* may be new for embedded lines */
	struct tally_symbol *symbol;
	uint32_t id;
	int ret;

	if (!line->function) {
		*ret_symbol = NULL;
		return 0;
	}
	ret = lines ? tally_intern(&lines->names, line->function, strlen(line->function), &id)
		    : -ENOMEM;
	/* An earlier call may have failed to allocate memory. */
	while (!ret && lines->symbols.len <= id)
		ret = tally_vec_push(&lines->symbols, NULL);
	if (ret)
		return ret;
	if (!lines->symbols.data[id]) {
		symbol = tally_arena_alloc(&lines->arena, sizeof(*symbol));
		if (!symbol || tally_map_set(&lines->inlined, (uintptr_t)symbol, id))
			return -ENOMEM;
		*symbol = (struct tally_symbol){.name_text = tally_intern_text(&lines->names, id)};
		lines->symbols.data[id] = symbol;
	}
	*ret_symbol = lines->symbols.data[id];
	return 0;
}

bool tally_symbol_is_inlined(const struct tally_dso *dso, const struct tally_symbol *symbol)
{
	return dso->lines &&
	       tally_map_get(&dso->lines->inlined, (uintptr_t)symbol) != TALLY_MAP_NONE;
}

/* Return true if the address space is limited (ulimit -v). If it is used up, libdw may leave out
 * functions without an error. */
static bool memory_is_limited(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur != RLIM_INFINITY;
}

void tally_dso_lines_free(struct tally_dso *dso)
{
	struct tally_dso_lines *lines = dso->lines;

	if (!lines)
		return;
	worker_stop(dso);
	/* Do not save incomplete lines, because the index does not record which lines are
	 * missing. */
	if (lines->is_new && !lines->nr_given_up && !lines->nr_missing && !memory_is_limited())
		tally_dso_lines_save(dso);
	tally_index_lines_free(&lines->indexed);
	tally_index_lines_free(&lines->inlined_only);
	tally_debug_info_free(&lines->info);
	tally_lines_free(&lines->known);
	tally_intern_free(&lines->names);
	tally_vec_free(&lines->symbols);
	tally_map_free(&lines->inlined);
	tally_arena_free(&lines->arena);
	free(lines);
	dso->lines = NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/health_jit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/types.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/vec.h"
#include "view/runtimes.h"

struct runtimes_found {
	TALLY_VEC(const struct tally_runtime *) list;
};

/* ---- language runtimes -------------------------------------------------------------- */

static void runtime_take(void *arg, const struct tally_dso *dso)
{
	const struct tally_runtime **found = arg, *one = tally_runtime_of(tally_dso_name(dso));

	if (one && (!*found || one < *found))
		*found = one;
}

/* Identify the runtime by the files that the process has mapped. If that fails, use the thread
 * name, because the maps of exited processes may have been discarded. */
static const struct tally_runtime *runtime_of_process(const struct tally_session *session,
						      pid_t pid)
{
	const struct tally_runtime *found = NULL;
	const char *comm;

	tally_machine_walk_files(session->machine, pid, runtime_take, &found);
	comm = found ? NULL : tally_machine_comm_of_tid(session->machine, pid);
	return comm ? tally_runtime_of(comm) : found;
}

/* Return true if a jitdump of the process was read. In that case, the user has already used the
 * suggested option. */
static bool process_has_dump(const struct tally_session *session, pid_t pid)
{
	const struct tally_dso *dso;
	size_t pos = 0;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		if (tally_dso_kind(dso) == TALLY_DSO_JITDUMP && tally_dso_pid(dso) == pid &&
		    tally_dso_status(dso).state == TALLY_DSO_LOADED)
			return true;
	}
	return false;
}

/* Return true if samples hit JIT code for which the compiler did not write any names. */
static bool map_is_missing(const struct tally_dso *dso)
{
	enum tally_dso_state state = tally_dso_status(dso).state;

	return tally_dso_kind(dso) == TALLY_DSO_PERF_MAP &&
	       (state == TALLY_DSO_MISSING || state == TALLY_DSO_NO_SYMBOLS);
}

/* Count the samples in each frame. Returns NULL without memory; the caller frees the array. */
static uint64_t *frame_samples(const struct tally_profile *profile, uint64_t *ret_all)
{
	uint64_t *nr = calloc(profile->frames.all.len + 1, sizeof(*nr));

	*ret_all = 0;
	if (!nr)
		return NULL;
	tally_vec_for_each (bucket, &profile->buckets) {
		uint32_t leaf = tally_bucket_leaf(&bucket->key);

		*ret_all += bucket->nr;
		if (leaf < profile->frames.all.len)
			nr[leaf] += bucket->nr;
	}
	return nr;
}

static bool has_perf_maps(const struct tally_session *session)
{
	const struct tally_dso *dso;
	size_t pos = 0;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		if (tally_dso_kind(dso) == TALLY_DSO_PERF_MAP)
			return true;
	}
	return false;
}

/* Return an interpreter with a tenth of all samples, or NULL if there is none, or if programs wrote
 * the names of their functions. */
static const struct tally_runtime *busy_interpreter(const struct tally_session *session,
						    const struct tally_profile *profile)
{
	const struct tally_runtime *found = NULL;
	uint64_t in = 0, all, *nr = has_perf_maps(session) ? NULL : frame_samples(profile, &all);

	for (size_t i = 0; nr && i < profile->frames.all.len; i++) {
		const struct tally_dso *dso = profile->frames.all.data[i].dso;
		const struct tally_runtime *runtime =
			nr[i] && dso ? tally_runtime_of(tally_dso_name(dso)) : NULL;

		if (!runtime || !runtime->is_interpreter)
			continue;
		found = runtime;
		in += nr[i];
	}
	free(nr);
	return found && in >= all / 10 ? found : NULL;
}

/* Collect the runtimes with unnamed code, without duplicates; without any, a busy interpreter. If
 * memory runs out, some runtimes may be missing. */
static void runtimes_gather(const struct tally_session *session,
			    const struct tally_profile *profile, struct runtimes_found *found)
{
	const struct tally_runtime *runtime;
	const struct tally_dso *dso;
	size_t pos = 0;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		bool is_new = true;

		if (!map_is_missing(dso))
			continue;
		runtime = runtime_of_process(session, tally_dso_pid(dso));
		tally_vec_for_each (each, &found->list)
			is_new &= *each != runtime;
		if (runtime && is_new && !process_has_dump(session, tally_dso_pid(dso)))
			(void)tally_vec_push(&found->list, runtime);
	}
	runtime = found->list.len ? NULL : busy_interpreter(session, profile);
	if (runtime)
		(void)tally_vec_push(&found->list, runtime);
}

/* ---- jitdumps ------------------------------------------------------------------------ */

static uint64_t dumps_text(const struct tally_session *session, struct tally_str *out)
{
	const struct tally_dso *dso;
	uint64_t guesses = 0;
	size_t pos = 0;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		struct tally_dso_status status = tally_dso_status(dso);

		guesses += status.nr_guesses;
		if (status.nr_guesses && out)
			tally_str_add_line(out,
					   "# JIT: %s: addresses were reused, so samples are "
					   "attributed to the last code at each address: %s",
					   tally_dso_name(dso),
					   status.has_arch_clock
						   ? "its timestamps use a CPU clock"
						   : "the samples have no timestamps from its "
						     "clock (use 'record -k mono')");
	}
	return guesses;
}

void tally_health_jit_text(const struct tally_session *session, const struct tally_profile *profile,
			   struct tally_str *out)
{
	struct runtimes_found found = {0};

	(void)dumps_text(session, out);
	runtimes_gather(session, profile, &found);
	tally_vec_for_each (runtime, &found.list)
		tally_str_addf(out, "# Hint: %s code has no symbols: %s\n", (*runtime)->name,
			       (*runtime)->hint);
	tally_vec_free(&found.list);
}

void tally_health_jit_json(const struct tally_session *session, const struct tally_profile *profile,
			   struct tally_str *out)
{
	struct runtimes_found found = {0};

	runtimes_gather(session, profile, &found);
	tally_json_open(out, "jit", '{');
	tally_json_u64(out, "guessed", dumps_text(session, NULL));
	tally_json_open(out, "runtimes", '[');
	tally_vec_for_each (runtime, &found.list) {
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "runtime", (*runtime)->name);
		tally_json_text(out, "hint", (*runtime)->hint);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
	tally_json_close(out, '}');
	tally_vec_free(&found.list);
}

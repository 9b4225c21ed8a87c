/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a table: the CPUs, cores, caches, threads etc. by which counts are aggregated. */
#include "cli/stat/stat_add_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/ranges.h"
#include "cli/stat/stat_count.h"
#include "client/topology.h"
#include "tally/perfdata.h"

void stat_thread_comm(int32_t tid, char *ret_comm, size_t size)
{
	char path[64], *text;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (tally_file_read(path, 256, &text, &len)) {
		snprintf(ret_comm, size, "<...>");
		return;
	}
	snprintf(ret_comm, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static int add_thread_keys(struct stat_session *session)
{
	int ret = 0;

	for (size_t i = 0; i < session->threads->nr && !ret; i++) {
		struct stat_key key = STAT_KEY_NONE;

		key.tid = session->threads->thread[i].tid;
		stat_thread_comm(key.tid, key.comm, sizeof(key.comm));
		ret = tally_vec_push(&session->keys, key);
	}
	return ret;
}

/* The CPUs of the recorded machine's nodes and caches. No machine has more of them; others are
 * ignored, because every CPU is looked up in each. */
enum { NODES_MAX = 1024, CACHES_MAX = 4096 };

struct recorded_places {
	const struct tally_perfdata_env *env; /* NULL for this machine */
	struct tally_ranges *nodes, *caches;
	uint32_t nr_nodes, nr_caches;
};

static void places_free(struct recorded_places *places)
{
	for (uint32_t i = 0; places->nodes && i < places->nr_nodes; i++)
		tally_ranges_free(&places->nodes[i]);
	for (uint32_t i = 0; places->caches && i < places->nr_caches; i++)
		tally_ranges_free(&places->caches[i]);
	free(places->nodes);
	free(places->caches);
}

/* Read the lists of CPUs. A damaged list is empty. */
static int places_read(const struct stat_session *session, struct recorded_places *places)
{
	const struct tally_perfdata_env *env = session->env;
	int ret = 0;

	*places = (struct recorded_places){.env = env};
	if (!env)
		return 0;
	places->nr_nodes = TALLY_MIN(env->nr_nodes, (uint32_t)NODES_MAX);
	places->nr_caches = TALLY_MIN(env->nr_caches, (uint32_t)CACHES_MAX);
	places->nodes = calloc(places->nr_nodes + 1, sizeof(*places->nodes));
	places->caches = calloc(places->nr_caches + 1, sizeof(*places->caches));
	if (!places->nodes || !places->caches)
		ret = -ENOMEM;
	for (uint32_t i = 0; i < places->nr_nodes && ret != -ENOMEM; i++)
		ret = tally_ranges_parse(env->nodes[i].cpus, &places->nodes[i]);
	for (uint32_t i = 0; i < places->nr_caches && ret != -ENOMEM; i++)
		ret = tally_ranges_parse(env->caches[i].cpus, &places->caches[i]);
	return ret == -ENOMEM ? ret : 0;
}

/* Return the NUMA node of a CPU of the recorded machine. */
static int32_t recorded_node(const struct recorded_places *places, int32_t cpu)
{
	for (uint32_t i = 0; i < places->nr_nodes; i++) {
		if (tally_ranges_have(&places->nodes[i], (uint32_t)cpu))
			return (int32_t)places->env->nodes[i].node;
	}
	return -1;
}

static struct tally_cpu_location cpu_location(const struct recorded_places *places, int32_t cpu)
{
	const struct tally_perfdata_env *env = places->env;

	if (!env)
		return tally_cpu_location(NULL, (struct tally_cpu){cpu});
	if (cpu < 0 || (uint32_t)cpu >= env->nr_cpus)
		return (struct tally_cpu_location){-1, -1, -1, -1, -1};
	return (struct tally_cpu_location){env->cpus[cpu].socket_id, env->cpus[cpu].die_id,
					   env->cpus[cpu].core_id, recorded_node(places, cpu), -1};
}

/* Find the cache of a CPU of the recorded machine, as tally_cpu_cache() does. */
static void recorded_cache(const struct recorded_places *places, struct stat_key *key,
			   uint32_t level)
{
	for (uint32_t i = 0; i < places->nr_caches; i++) {
		const struct tally_perfdata_cache *cache = &places->env->caches[i];

		if (!strcmp(cache->type, "Instruction") || (level && cache->level != level) ||
		    (int32_t)cache->level <= key->cache_level ||
		    !tally_ranges_have(&places->caches[i], (uint32_t)key->cpu))
			continue;
		key->cache_level = (int32_t)cache->level;
		key->cache = (int32_t)places->caches[i].all.data[0].first;
	}
}

static void set_cache(const struct recorded_places *places, int32_t level, struct stat_key *key)
{
	struct tally_cpu_cache cache;

	if (places->env) {
		recorded_cache(places, key, (uint32_t)level);
	} else if (!tally_cpu_cache(NULL, (struct tally_cpu){key->cpu}, level, &cache)) {
		key->cache_level = cache.level;
		key->cache = cache.first_cpu;
	}
}

static struct stat_key key_of(const struct stat_session *session,
			      const struct recorded_places *places, int32_t cpu)
{
	const struct stat_mode *mode = &stat_modes[session->config->mode];
	struct stat_key key = STAT_KEY_NONE;

	key.cpu = cpu;
	if (mode->show_nr) {
		struct tally_cpu_location place = cpu_location(places, cpu);

		key.socket = place.socket;
		key.die = TALLY_MAX(place.die, 0);
		key.core = place.core;
		key.node = TALLY_MAX(place.node, 0);
		key.cluster = place.cluster;
	}
	if (session->config->mode == STAT_AGGR_CACHE)
		set_cache(places, session->config->cache_level, &key);
	stat_key_keep(&key, mode->parts);
	return key;
}

/* Return true if a CPU's location is not known well enough for the aggregation mode. */
static bool key_is_incomplete(const struct stat_session *session, const struct stat_key *key)
{
	unsigned parts = stat_modes[session->config->mode].parts;

	return (parts & STAT_KEY_CACHE && key->cache < 0) ||
	       (parts & STAT_KEY_CLUSTER && key->cluster < 0);
}

static int compare_keys(const void *a, const void *b)
{
	const struct stat_key *x = a, *y = b;
	const int32_t pairs[][2] = {
		{x->node, y->node},
		{x->socket, y->socket},
		{x->die, y->die},
		{x->cluster, y->cluster},
		{x->cache_level, y->cache_level},
		{x->cache, y->cache},
		{x->core, y->core},
		{x->cpu, y->cpu},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(pairs); i++) {
		if (pairs[i][0] != pairs[i][1])
			return pairs[i][0] < pairs[i][1] ? -1 : 1;
	}
	return 0;
}

/* Mark a CPU as counted. Its key is set later, when all CPUs are known. */
static int mark_cpu(struct stat_session *session, int32_t cpu)
{
	int ret = 0;

	while (session->key_of_cpu.len <= (size_t)cpu && !ret)
		ret = tally_vec_push(&session->key_of_cpu, SIZE_MAX);
	if (!ret)
		session->key_of_cpu.data[cpu] = 0;
	return ret;
}

static int note_cpus(struct stat_session *session)
{
	int ret = 0;

	for (size_t i = 0; i < session->cpus->nr && !ret; i++)
		ret = mark_cpu(session, session->cpus->cpu[i].number);
	/* Uncore events have their own sets of CPUs. */
	tally_vec_for_each (row, &session->rows) {
		for (size_t i = 0; i < row->spec->nr_cpus && row->spec->uncore && !ret; i++)
			ret = mark_cpu(session, (int32_t)row->spec->cpus[i]);
	}
	return ret;
}

/* Add a key for each counted CPU, in order of the CPUs. */
static int add_key_of_cpus(struct stat_session *session)
{
	struct recorded_places places;
	int ret = places_read(session, &places);

	for (size_t cpu = 0; cpu < session->key_of_cpu.len && !ret; cpu++) {
		if (session->key_of_cpu.data[cpu] != SIZE_MAX)
			ret = tally_vec_push(&session->keys,
					     key_of(session, &places, (int32_t)cpu));
	}
	places_free(&places);
	return ret;
}

/* Sort the keys, keep one of equal keys, and set the keys of the CPUs. */
static int join_keys(struct stat_session *session)
{
	size_t nr = session->keys.len, kept = 0, at = 0;
	struct stat_key *of_cpus = malloc((nr + 1) * sizeof(*of_cpus)), *found;

	if (!of_cpus)
		return -ENOMEM;
	if (nr) {
		memcpy(of_cpus, session->keys.data, nr * sizeof(*of_cpus));
		qsort(session->keys.data, nr, sizeof(*of_cpus), compare_keys);
	}
	for (size_t i = 0; i < nr; i++) {
		if (!kept || compare_keys(&session->keys.data[kept - 1], &session->keys.data[i]))
			session->keys.data[kept++] = session->keys.data[i];
	}
	session->keys.len = kept;
	for (size_t cpu = 0; cpu < session->key_of_cpu.len; cpu++) {
		if (session->key_of_cpu.data[cpu] == SIZE_MAX)
			continue;
		found = bsearch(&of_cpus[at++], session->keys.data, kept, sizeof(*of_cpus),
				compare_keys);
		session->key_of_cpu.data[cpu] = (size_t)(found - session->keys.data);
	}
	free(of_cpus);
	return 0;
}

static int add_cpu_keys(struct stat_session *session)
{
	int ret = note_cpus(session);

	if (!ret)
		ret = add_key_of_cpus(session);
	if (ret)
		return ret;
	tally_vec_for_each (key, &session->keys)
		if (key_is_incomplete(session, key))
			return -ENODATA;
	return join_keys(session);
}

int stat_keys_add(struct stat_session *session)
{
	if (session->config->mode == STAT_AGGR_THREAD)
		return add_thread_keys(session);
	if (session->config->mode != STAT_AGGR_ALL)
		return add_cpu_keys(session);
	return tally_vec_push(&session->keys, (struct stat_key)STAT_KEY_NONE);
}

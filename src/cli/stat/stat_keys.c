/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of keys, and table of the aggregation modes. */
#include <string.h>

#include "base/arith.h"
#include "cli/stat/stat_table.h"

void stat_key_fields(const struct stat_key *key, struct stat_key_field ret_fields[STAT_KEY_FIELDS])
{
	const struct stat_key_field fields[STAT_KEY_FIELDS] = {
		{"node", key->node},
		{"socket", key->socket},
		{"die", key->die},
		{"cluster", key->cluster},
		{"cache_level", key->cache_level},
		{"cache", key->cache},
		{"core", key->core},
		{"cpu", key->cpu},
		{"tid", key->tid},
	};

	memcpy(ret_fields, fields, sizeof(fields));
}

void stat_key_keep(struct stat_key *key, unsigned parts)
{
	const struct {
		int32_t *field;
		unsigned part;
	} fields[] = {
		{&key->socket, STAT_KEY_SOCKET},     {&key->die, STAT_KEY_DIE},
		{&key->core, STAT_KEY_CORE},         {&key->node, STAT_KEY_NODE},
		{&key->cpu, STAT_KEY_CPU},           {&key->cluster, STAT_KEY_CLUSTER},
		{&key->cache_level, STAT_KEY_CACHE}, {&key->cache, STAT_KEY_CACHE},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields); i++)
		if (!(parts & fields[i].part))
			*fields[i].field = -1;
}

static void label_all(const struct stat_key *key, struct tally_str *out)
{
}

static void label_cpu(const struct stat_key *key, struct tally_str *out)
{
	tally_str_addf(out, "CPU%d", key->cpu);
}

static void label_core(const struct stat_key *key, struct tally_str *out)
{
	tally_str_addf(out, "S%d-D%d-C%d", key->socket, key->die, key->core);
}

static void label_die(const struct stat_key *key, struct tally_str *out)
{
	tally_str_addf(out, "S%d-D%d", key->socket, key->die);
}

static void label_cluster(const struct stat_key *key, struct tally_str *out)
{
	tally_str_addf(out, "S%d-D%d-CLS%d", key->socket, key->die, key->cluster);
}

static void label_cache(const struct stat_key *key, struct tally_str *out)
{
	tally_str_addf(out, "S%d-D%d-L%d-ID%d", key->socket, key->die, key->cache_level,
		       key->cache);
}

static void label_socket(const struct stat_key *key, struct tally_str *out)
{
	tally_str_addf(out, "S%d", key->socket);
}

static void label_node(const struct stat_key *key, struct tally_str *out)
{
	tally_str_addf(out, "N%d", key->node);
}

static void label_thread(const struct stat_key *key, struct tally_str *out)
{
	tally_str_addf(out, "%s-%d", key->comm, key->tid);
}

#define IN_DIE (STAT_KEY_SOCKET | STAT_KEY_DIE)

const struct stat_mode stat_modes[STAT_NR_AGGR] = {
	[STAT_AGGR_ALL] = {"", NULL, "", false, true, false, 0, label_all},
	[STAT_AGGR_CPU] = {"no-aggr", "cpu", "CPU       ", false, false, false, STAT_KEY_CPU,
			   label_cpu, 10},
	[STAT_AGGR_CORE] = {"per-core", "core", "core            cpus", false, true, true,
			    IN_DIE | STAT_KEY_CORE, label_core, 15},
	[STAT_AGGR_DIE] = {"per-die", "die", "die          cpus", false, true, true, IN_DIE,
			   label_die, 12},
	[STAT_AGGR_CLUSTER] = {"per-cluster", "cluster", "cluster          cpus", false, true, true,
			       IN_DIE | STAT_KEY_CLUSTER, label_cluster, 16},
	[STAT_AGGR_CACHE] = {"per-cache", "cache", "cache            cpus", false, true, true,
			     IN_DIE | STAT_KEY_CACHE, label_cache, 16},
	[STAT_AGGR_SOCKET] = {"per-socket", "socket", "socket cpus", false, true, true,
			      STAT_KEY_SOCKET, label_socket, 6},
	[STAT_AGGR_NODE] = {"per-node", "node", "node   cpus", false, true, true, STAT_KEY_NODE,
			    label_node, 6},
	[STAT_AGGR_THREAD] = {"per-thread", "thread", "            comm-pid     ", true, false,
			      false, 0, label_thread, 16, 8},
};

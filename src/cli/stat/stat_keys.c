/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of the aggregation modes. */
#include "cli/stat/stat_table.h"

static void key_all(struct stat_key *key)
{
	key->socket = key->die = key->core = key->node = key->cpu = -1;
}

static void key_cpu(struct stat_key *key)
{
	key->socket = key->die = key->core = key->node = -1;
}

static void key_core(struct stat_key *key)
{
	key->cpu = key->node = -1;
}

static void key_die(struct stat_key *key)
{
	key->cpu = key->node = key->core = -1;
}

static void key_socket(struct stat_key *key)
{
	key->cpu = key->node = key->core = key->die = -1;
}

static void key_node(struct stat_key *key)
{
	key->cpu = key->socket = key->core = key->die = -1;
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

const struct stat_mode stat_modes[STAT_NR_AGGR] = {
	[STAT_AGGR_ALL] = {"", NULL, "", false, true, false, key_all, label_all},
	[STAT_AGGR_CPU] = {"no-aggr", "cpu", "CPU       ", false, false, false, key_cpu, label_cpu,
			   10},
	[STAT_AGGR_CORE] = {"per-core", "core", "core            cpus", false, true, true, key_core,
			    label_core, 15},
	[STAT_AGGR_DIE] = {"per-die", "die", "die          cpus", false, true, true, key_die,
			   label_die, 12},
	[STAT_AGGR_SOCKET] = {"per-socket", "socket", "socket cpus", false, true, true, key_socket,
			      label_socket, 6},
	[STAT_AGGR_NODE] = {"per-node", "node", "node   cpus", false, true, true, key_node,
			    label_node, 6},
	[STAT_AGGR_THREAD] = {"per-thread", "thread", "            comm-pid     ", true, false,
			      false, key_all, label_thread, 16, 8},
};

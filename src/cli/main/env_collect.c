/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/env_collect.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/arith.h"
#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "tally/client.h"

#define SYS_CPU  "/sys/devices/system/cpu"
#define SYS_NODE "/sys/devices/system/node"
#define SYS_PMUS "/sys/bus/event_source/devices"

enum { FILE_MAX = 1 << 22, NAME_ROOM = 512 };

struct env {
	struct tally_perfdata_writer *writer;
	struct tally_arena arena; /* owns all strings */
	struct tally_cpus *online;
	uint32_t nr_cpus; /* configured CPUs */
};

/* Return the first line of a file, allocated in the arena; NULL if the file cannot be read. */
static const char *env_line(struct env *env, const char *path)
{
	char *text, *end;
	const char *line;
	size_t len;

	if (tally_file_read(path, FILE_MAX, &text, &len))
		return NULL;
	end = strchr(text, '\n');
	line = tally_arena_strndup(&env->arena, text, end ? (size_t)(end - text) : len);
	free(text);
	return line;
}

static int32_t env_number(struct env *env, const char *path)
{
	const char *line = env_line(env, path);

	return line && (isdigit((unsigned char)*line) || *line == '-') ? atoi(line) : -1;
}

static int set_text(struct env *env, uint32_t feature, const char *text)
{
	return text && *text ? tally_perfdata_writer_string(env->writer, feature, text) : 0;
}

static int add_names(struct env *env)
{
	struct utsname uts;
	int ret;

	if (uname(&uts))
		return 0;
	ret = set_text(env, TALLY_FEATURE_HOSTNAME, uts.nodename);
	if (!ret)
		ret = set_text(env, TALLY_FEATURE_OSRELEASE, uts.release);
	if (!ret)
		ret = set_text(env, TALLY_FEATURE_VERSION, "tally " TALLY_VERSION);
	if (!ret)
		ret = set_text(env, TALLY_FEATURE_ARCH, uts.machine);
	return ret;
}

/* ---- /proc/cpuinfo and /proc/meminfo --------------------------------------- */

/* Return the value of the first line that begins with "key : ", or "". */
static const char *info_value(struct env *env, const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *at;

		line += *line == '\n';
		if (strncmp(line, key, len) != 0)
			continue;
		at = line + len + strspn(line + len, " \t");
		if (*at != ':')
			continue;
		at += 1 + strspn(at + 1, " \t");
		at = tally_arena_strndup(&env->arena, at, strcspn(at, "\n"));
		return at ? at : "";
	}
	return "";
}

/* Write CPUDESC and CPUID. As in perf, CPUID consists of vendor, family, model and stepping; it is
 * written only if cpuinfo has all four, as on x86. */
static int add_cpu_kind(struct env *env)
{
	static const char *const names[] = {"model name", "Processor", "cpu model", "cpu", "uarch"};
	const char *desc = "", *vendor;
	char *text, id[256];
	size_t len;
	int ret;

	if (tally_file_read("/proc/cpuinfo", FILE_MAX, &text, &len))
		return 0;
	for (size_t i = 0; !*desc && i < TALLY_ARRAY_SIZE(names); i++)
		desc = info_value(env, text, names[i]);
	ret = set_text(env, TALLY_FEATURE_CPUDESC, desc);
	vendor = info_value(env, text, "vendor_id");
	snprintf(id, sizeof(id), "%s,%s,%s,%s", vendor, info_value(env, text, "cpu family"),
		 info_value(env, text, "model"), info_value(env, text, "stepping"));
	if (!ret && *vendor && strstr(id, ",,") == NULL)
		ret = set_text(env, TALLY_FEATURE_CPUID, id);
	free(text);
	return ret;
}

/* Return the value of a line "Key: 123 kB" in a meminfo file, or 0. */
static uint64_t meminfo_kb(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static int add_memory(struct env *env)
{
	char *text;
	size_t len;
	int ret = 0;

	if (tally_file_read("/proc/meminfo", FILE_MAX, &text, &len))
		return 0;
	if (meminfo_kb(text, "MemTotal:"))
		ret = tally_perfdata_writer_total_mem(env->writer, meminfo_kb(text, "MemTotal:"));
	free(text);
	return ret;
}

/* ---- CPUs ------------------------------------------------------------------ */

/* CPU sibling lists, without duplicates. */
struct siblings {
	TALLY_VEC(const char *) lists;
};

static int siblings_add(struct env *env, struct siblings *siblings, uint32_t cpu, const char *file)
{
	char path[NAME_ROOM];
	const char *list;

	snprintf(path, sizeof(path), SYS_CPU "/cpu%u/topology/%s", cpu, file);
	list = env_line(env, path);
	if (!list)
		return 0;
	tally_vec_for_each (have, &siblings->lists) {
		if (!strcmp(*have, list))
			return 0;
	}
	return tally_vec_push(&siblings->lists, list);
}

static int32_t topology_id(struct env *env, uint32_t cpu, const char *file)
{
	char path[NAME_ROOM];

	snprintf(path, sizeof(path), SYS_CPU "/cpu%u/topology/%s", cpu, file);
	return env_number(env, path);
}

static struct tally_perfdata_strings strings_of(const struct siblings *siblings)
{
	return (struct tally_perfdata_strings){siblings->lists.data, (uint32_t)siblings->lists.len};
}

static int add_topology(struct env *env)
{
	struct siblings cores = {0}, threads = {0}, dies = {0};
	struct tally_perfdata_cpu *cpus = calloc(env->nr_cpus, sizeof(*cpus));
	struct tally_perfdata_env topology = {.cpus = cpus, .nr_cpus = env->nr_cpus};
	int ret = cpus ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < env->nr_cpus; i++) {
		ret = siblings_add(env, &cores, i, "package_cpus_list");
		if (!ret)
			ret = siblings_add(env, &threads, i, "core_cpus_list");
		if (!ret)
			ret = siblings_add(env, &dies, i, "die_cpus_list");
		cpus[i].core_id = topology_id(env, i, "core_id");
		cpus[i].socket_id = topology_id(env, i, "physical_package_id");
		cpus[i].die_id = topology_id(env, i, "die_id");
	}
	topology.core_siblings = strings_of(&cores);
	topology.thread_siblings = strings_of(&threads);
	topology.die_siblings = strings_of(&dies);
	if (!ret && cores.lists.len)
		ret = tally_perfdata_writer_cpu_topology(env->writer, &topology);
	tally_vec_free(&dies.lists);
	tally_vec_free(&threads.lists);
	tally_vec_free(&cores.lists);
	free(cpus);
	return ret;
}

struct caches {
	TALLY_VEC(struct tally_perfdata_cache) all;
};

static bool same_cache(const struct tally_perfdata_cache *a, const struct tally_perfdata_cache *b)
{
	return a->level == b->level && !strcmp(a->type, b->type) && !strcmp(a->cpus, b->cpus);
}

/* Read the description of one of a CPU's caches. Return 1 if no cache has that index. */
static int cache_read(struct env *env, struct caches *caches, uint32_t cpu, unsigned index)
{
	static const char *const files[] = {
		"level", "coherency_line_size", "number_of_sets", "ways_of_associativity", "type",
		"size",  "shared_cpu_list"};
	const char *lines[TALLY_ARRAY_SIZE(files)];
	struct tally_perfdata_cache cache;
	char path[NAME_ROOM];

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), SYS_CPU "/cpu%u/cache/index%u/%s", cpu, index,
			 files[i]);
		lines[i] = env_line(env, path);
		if (!lines[i] && !i)
			return 1;
		if (!lines[i])
			lines[i] = "";
	}
	cache = (struct tally_perfdata_cache){
		.level = (uint32_t)atoi(lines[0]),
		.line_size = (uint32_t)atoi(lines[1]),
		.sets = (uint32_t)atoi(lines[2]),
		.ways = (uint32_t)atoi(lines[3]),
		.type = lines[4],
		.size = lines[5],
		.cpus = lines[6],
	};
	tally_vec_for_each (have, &caches->all) {
		if (same_cache(have, &cache))
			return 0;
	}
	return tally_vec_push(&caches->all, cache);
}

static int by_level(const void *a, const void *b)
{
	const struct tally_perfdata_cache *x = a, *y = b;

	return (x->level > y->level) - (x->level < y->level);
}

static int add_caches(struct env *env)
{
	enum { MOST = 10 };
	struct caches caches = {0};
	int ret = 0;

	for (uint32_t cpu = 0; ret >= 0 && cpu < env->nr_cpus; cpu++) {
		ret = 0;
		for (unsigned index = 0; !ret && index < MOST; index++)
			ret = cache_read(env, &caches, cpu, index);
	}
	ret = ret < 0 ? ret : 0;
	if (!ret && caches.all.len) {
		qsort(caches.all.data, caches.all.len, sizeof(*caches.all.data), by_level);
		ret = tally_perfdata_writer_caches(env->writer, caches.all.data,
						   (uint32_t)caches.all.len);
	}
	tally_vec_free(&caches.all);
	return ret;
}

/* ---- nodes ----------------------------------------------------------------- */

static int node_read(struct env *env, uint32_t number, struct tally_perfdata_node *ret_node)
{
	char path[NAME_ROOM], *text, key[64];
	const char *cpus;
	size_t len;

	snprintf(path, sizeof(path), SYS_NODE "/node%u/cpulist", number);
	cpus = env_line(env, path);
	snprintf(path, sizeof(path), SYS_NODE "/node%u/meminfo", number);
	if (!cpus || tally_file_read(path, FILE_MAX, &text, &len))
		return -ENOENT;
	*ret_node = (struct tally_perfdata_node){.node = number, .cpus = cpus};
	snprintf(key, sizeof(key), "Node %u MemTotal:", number);
	ret_node->mem_total_kb = meminfo_kb(text, key);
	snprintf(key, sizeof(key), "Node %u MemFree:", number);
	ret_node->mem_free_kb = meminfo_kb(text, key);
	free(text);
	return 0;
}

/* Append a node's memory blocks as a bit set: node, two copies of the number of bits, and the
 * 64-bit words of the set. Each field is a u64. */
static int add_node_blocks(struct tally_str *out, uint32_t number)
{
	TALLY_VEC(uint64_t) words = {0};
	uint64_t nr_bits = 0;
	struct dirent *entry;
	char path[NAME_ROOM];
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), SYS_NODE "/node%u", number);
	dir = opendir(path);
	while (dir && !ret && (entry = readdir(dir))) {
		unsigned long block;
		char *end;

		if (strncmp(entry->d_name, "memory", 6) != 0 ||
		    !isdigit((unsigned char)entry->d_name[6]))
			continue;
		block = strtoul(entry->d_name + 6, &end, 10);
		if (*end || block > 1 << 24)
			continue;
		while (!ret && words.len <= block / 64)
			ret = tally_vec_push(&words, 0);
		if (ret)
			break;
		words.data[block / 64] |= 1ull << block % 64;
		nr_bits = TALLY_MAX(nr_bits, (uint64_t)block + 1);
	}
	if (dir)
		closedir(dir);
	if (!ret) {
		uint64_t head[3] = {number, nr_bits, nr_bits};

		tally_str_add_bytes(out, head, sizeof(head));
		if (words.len)
			tally_str_add_bytes(out, words.data, 8 * words.len);
	}
	tally_vec_free(&words);
	return ret;
}

static int add_memory_blocks(struct env *env, const struct tally_cpus *nodes)
{
	const char *size = env_line(env, "/sys/devices/system/memory/block_size_bytes");
	uint64_t head[3] = {1, size ? strtoull(size, NULL, 16) : 0, nodes->nr};
	struct tally_str out = {0};
	int ret = 0;

	if (!head[1])
		return 0;
	tally_str_add_bytes(&out, head, sizeof(head));
	for (size_t i = 0; !ret && i < nodes->nr; i++)
		ret = add_node_blocks(&out, (uint32_t)nodes->cpu[i].number);
	if (!ret)
		ret = tally_str_error(&out);
	if (!ret)
		ret = tally_perfdata_writer_feature(env->writer, TALLY_FEATURE_MEM_TOPOLOGY,
						    out.data, out.len);
	tally_str_free(&out);
	return ret;
}

static int add_nodes(struct env *env)
{
	const char *line = env_line(env, SYS_NODE "/online");
	TALLY_VEC(struct tally_perfdata_node) all = {0};
	struct tally_cpus *nodes = NULL; /* node IDs */
	struct tally_perfdata_node node;
	int ret = 0;

	if (!line || tally_cpus_parse(line, &nodes))
		return 0;
	for (size_t i = 0; !ret && i < nodes->nr; i++) {
		if (!node_read(env, (uint32_t)nodes->cpu[i].number, &node))
			ret = tally_vec_push(&all, node);
	}
	if (!ret && all.len)
		ret = tally_perfdata_writer_numa(env->writer, all.data, (uint32_t)all.len);
	if (!ret)
		ret = add_memory_blocks(env, nodes);
	tally_vec_free(&all);
	free(nodes);
	return ret;
}

/* ---- PMUs ------------------------------------------------------------------ */

static int add_pmus(struct env *env)
{
	TALLY_VEC(struct tally_perfdata_pmu) pmus = {0};
	DIR *dir = opendir(SYS_PMUS);
	struct dirent *entry;
	char path[NAME_ROOM];
	int ret = 0;

	while (dir && !ret && (entry = readdir(dir))) {
		struct tally_perfdata_pmu pmu = {0};
		int32_t type;

		snprintf(path, sizeof(path), SYS_PMUS "/%s/type", entry->d_name);
		type = entry->d_name[0] == '.' ? -1 : env_number(env, path);
		if (type < 0)
			continue;
		pmu.type = (uint32_t)type;
		pmu.name = tally_arena_strndup(&env->arena, entry->d_name, strlen(entry->d_name));
		ret = pmu.name ? tally_vec_push(&pmus, pmu) : -ENOMEM;
	}
	if (dir)
		closedir(dir);
	if (!ret && pmus.len)
		ret = tally_perfdata_writer_pmus(env->writer, pmus.data, (uint32_t)pmus.len);
	tally_vec_free(&pmus);
	return ret;
}

/* Write the number of CPUs. As in perf, "available" means configured. */
static int add_cpu_count(struct env *env)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN), all = sysconf(_SC_NPROCESSORS_CONF);

	env->nr_cpus = (uint32_t)TALLY_MAX(all, 1);
	return tally_perfdata_writer_nrcpus(env->writer, (uint32_t)TALLY_MAX(online, 1),
					    env->nr_cpus);
}

/* Write the path to this program, followed by its arguments. */
static int add_cmdline(struct tally_perfdata_writer *writer, int argc, char **argv)
{
	const char **words = calloc((size_t)argc + 1, sizeof(*words));
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int ret;

	if (!words)
		return -ENOMEM;
	exe[len > 0 ? len : 0] = '\0';
	words[0] = len > 0 ? exe : "tally";
	memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
	ret = tally_perfdata_writer_cmdline(writer, argc + 1, words);
	free(words);
	return ret;
}

int tally_env_collect(struct tally_perfdata_writer *writer, int argc, char **argv)
{
	static int (*const parts[])(struct env * env) = {add_names,  add_cpu_count, add_cpu_kind,
							 add_memory, add_topology,  add_caches,
							 add_nodes,  add_pmus};
	struct env env = {.writer = writer};
	int ret = add_cmdline(writer, argc, argv);

	for (size_t i = 0; !ret && i < TALLY_ARRAY_SIZE(parts); i++)
		ret = parts[i](&env);
	tally_arena_free(&env.arena);
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Read the CPU topology from sysfs. */
#include "client/topology.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static int32_t read_id(const char *dir, const char *name)
{
	char path[320], *text;
	int32_t value;
	size_t len;

	snprintf(path, sizeof(path), "%s/topology/%s", dir, name);
	if (tally_file_read(path, 64, &text, &len))
		return -1;
	value = (int32_t)strtol(text, NULL, 10);
	free(text);
	return value;
}

/* Return the CPU's node, or -1 if unknown. The CPU's directory contains a link to the node. */
static int32_t read_node(const char *path)
{
	struct dirent *entry;
	int32_t node = -1;
	DIR *dir = opendir(path);

	if (!dir)
		return -1;
	while (node < 0 && (entry = readdir(dir))) {
		if (!strncmp(entry->d_name, "node", 4) && isdigit((unsigned char)entry->d_name[4]))
			node = atoi(entry->d_name + 4);
	}
	closedir(dir);
	return node;
}

struct tally_cpu_location tally_cpu_location(const char *sysfs, struct tally_cpu cpu)
{
	struct tally_cpu_location place;
	char dir[256];

	snprintf(dir, sizeof(dir), "%s/devices/system/cpu/cpu%d", sysfs ? sysfs : "/sys",
		 cpu.number);
	place.socket = read_id(dir, "physical_package_id");
	place.die = read_id(dir, "die_id");
	place.core = read_id(dir, "core_id");
	place.node = read_node(dir);
	place.cluster = read_id(dir, "cluster_id");
	/* The kernel's value if there are no clusters. */
	if (place.cluster == UINT16_MAX)
		place.cluster = -1;
	return place;
}

/* Read a file that describes the cache with this index. The caller frees the text. */
static int read_cache_file(const char *dir, unsigned index, const char *name, char **ret_text)
{
	char path[320];
	size_t len;

	snprintf(path, sizeof(path), "%s/cache/index%u/%s", dir, index, name);
	return tally_file_read(path, 65536, ret_text, &len);
}

/* Return 0, 1 if the cache with this index contains only code, or -ENOENT if there is no such
 * cache. */
static int read_cache(const char *dir, unsigned index, struct tally_cpu_cache *ret_cache)
{
	char *level = NULL, *type = NULL, *cpus = NULL;
	int ret = read_cache_file(dir, index, "level", &level);

	if (!ret)
		ret = read_cache_file(dir, index, "type", &type);
	if (!ret)
		ret = read_cache_file(dir, index, "shared_cpu_list", &cpus);
	if (!ret && isdigit((unsigned char)*cpus))
		*ret_cache = (struct tally_cpu_cache){atoi(level), atoi(cpus)};
	else
		ret = -ENOENT;
	if (!ret)
		ret = !strncmp(type, "Instruction", strlen("Instruction"));
	free(level);
	free(type);
	free(cpus);
	return ret;
}

int tally_cpu_cache(const char *sysfs, struct tally_cpu cpu, int32_t level,
		    struct tally_cpu_cache *ret_cache)
{
	struct tally_cpu_cache cache, best = {0};
	char dir[256];
	int ret;

	snprintf(dir, sizeof(dir), "%s/devices/system/cpu/cpu%d", sysfs ? sysfs : "/sys",
		 cpu.number);
	for (unsigned index = 0; (ret = read_cache(dir, index, &cache)) >= 0; index++) {
		if (!ret && cache.level > best.level && (!level || cache.level == level))
			best = cache;
	}
	if (!best.level)
		return -ENOENT;
	*ret_cache = best;
	return 0;
}

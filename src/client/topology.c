/* SPDX-License-Identifier: BSD-2-Clause */
/* Read the CPU topology from sysfs. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tally/client.h"

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
	return place;
}

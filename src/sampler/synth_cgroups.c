/* SPDX-License-Identifier: BSD-2-Clause */
/* Synthesize records that map the cgroup IDs in samples to the names of existing cgroups. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/vec.h"
#include "sampler/synth.h"

enum { MOUNTS_MAX = 1 << 20 };

/* Directories still to be visited. */
struct directories {
	TALLY_VEC(char *) paths;
};

/* Find the mount point of cgroup2, or of the perf_event hierarchy of cgroup v1. */
static bool find_root(char *ret_root, size_t size)
{
	char *text, *line, *save = NULL, dir[1024], type[64], options[1024];
	bool found = false;
	size_t len;

	if (tally_file_read("/proc/mounts", MOUNTS_MAX, &text, &len))
		return false;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%*s %1023s %63s %1023s", dir, type, options) != 3)
			continue;
		if (!strcmp(type, "cgroup2") ||
		    (!strcmp(type, "cgroup") && strstr(options, "perf_event"))) {
			snprintf(ret_root, size, "%s", dir);
			found = true;
			break;
		}
	}
	free(text);
	return found;
}

/* The ID in samples is the kernel's file handle for the cgroup directory. */
static bool cgroup_id(const char *path, uint64_t *ret_id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} name = {.handle.handle_bytes = sizeof(uint64_t)};
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &name.handle, &mount, 0))
		return false;
	memcpy(ret_id, name.handle.f_handle, sizeof(*ret_id));
	return true;
}

static void add_cgroup(struct tally_synth *synth, const char *root, const char *path)
{
	const char *name = path + strlen(root);
	uint64_t id;

	if (!cgroup_id(path, &id) || strlen(name) > 4096)
		return;
	name = *name ? name : "/";
	tally_synth_begin(synth, PERF_RECORD_CGROUP, 0, 8 + tally_round_up(strlen(name) + 1, 8));
	tally_synth_u64(synth, id);
	tally_synth_string(synth, name);
	tally_synth_end(synth);
}

/* Push the subdirectories of `path`. */
static int push_children(struct directories *todo, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char *child;
	int ret = 0;

	while (dir && !ret && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (asprintf(&child, "%s/%s", path, entry->d_name) < 0)
			ret = -ENOMEM;
		else
			ret = tally_vec_push(&todo->paths, child);
	}
	if (dir)
		closedir(dir);
	return ret;
}

int tally_synth_cgroups(struct tally_synth *synth)
{
	struct directories todo = {0};
	char root[1024];
	int ret;

	if (!find_root(root, sizeof(root)))
		return 0;
	add_cgroup(synth, root, root);
	ret = push_children(&todo, root);
	while (todo.paths.len) {
		char *path = todo.paths.data[--todo.paths.len];

		if (!ret) {
			add_cgroup(synth, root, path);
			ret = push_children(&todo, path);
		}
		free(path);
	}
	tally_vec_free(&todo.paths);
	return ret ? ret : tally_str_error(&synth->out);
}

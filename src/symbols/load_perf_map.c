/* SPDX-License-Identifier: BSD-2-Clause */
/* The map of its functions that a JIT compiler leaves in /tmp: perf-PID.map. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/dso.h"
#include "symbols/load.h"
#include "symbols/perfmap.h"

/* Larger than the map of any program that runs for days. */
enum { MAP_FILE_MAX = 256 << 20 };

/* The pid inside the innermost pid namespace of a process that still runs. */
static pid_t nspid_read(pid_t pid)
{
	struct tally_str path = {0};
	char *text = NULL, *line, *last;
	size_t len;
	pid_t nspid = pid;

	tally_str_addf(&path, "/proc/%d/status", (int)pid);
	if (tally_str_error(&path) || tally_file_read(tally_str_text(&path), 1 << 16, &text, &len))
		goto out;
	line = strstr(text, "\nNStgid:");
	if (!line)
		goto out;
	line[strcspn(line + 1, "\n") + 1] = '\0';
	last = strrchr(line, '\t');
	if (last && atoi(last) > 0)
		nspid = atoi(last);
out:
	free(text);
	tally_str_free(&path);
	return nspid;
}

/* Everybody may write into /tmp: whose word counts there? The process's user is known while it
 * runs. */
static int read_map_file(const struct tally_dso *dso, const char *path, char **ret_text,
			 size_t *ret_len)
{
	uid_t uids[3] = {0, geteuid()};
	struct tally_file_owners owners = {uids, 2};
	char process[32];
	struct stat st;
	int ret;

	snprintf(process, sizeof(process), "/proc/%d", (int)dso->pid);
	if (!stat(process, &st))
		uids[owners.nr++] = st.st_uid;
	ret = tally_file_read_named(path, dso->owner->options.any_owner ? NULL : &owners,
				    MAP_FILE_MAX, ret_text, ret_len);
	return ret == -EPERM ? TALLY_DSO_ERROR_NOT_TRUSTED : ret;
}

/* Read, not mapped: the process may be writing it still, or another one begin it anew. */
static int load_map_file(struct tally_dso *dso, const char *path)
{
	char *text;
	size_t len;
	int ret = read_map_file(dso, path, &text, &len);

	if (ret)
		return ret;
	ret = tally_perfmap_parse(text, len, &dso->table, &dso->nr_skipped, NULL);
	free(text);
	if (!ret && !dso->table.len) {
		tally_symtab_free(&dso->table);
		ret = -ENODATA;
	}
	return ret ? ret : tally_dso_set_source(dso, TALLY_DSO_SOURCE_PERF_MAP, path);
}

/* The places in the order of trust: the process's own /tmp while it runs, then ours. */
static void map_path(const struct tally_dso *dso, int place, pid_t nspid, struct tally_str *str)
{
	tally_str_clear(str);
	if (place == 0)
		tally_str_addf(str, "/proc/%d/root", (int)dso->pid);
	tally_dso_add_path(dso, str, "/tmp");
	tally_str_addf(str, "/perf-%d.map", (int)(place == 2 ? dso->pid : nspid));
}

int tally_dso_load_perf_map(struct tally_dso *dso)
{
	pid_t nspid = dso->nspid ? dso->nspid : nspid_read(dso->pid);
	struct tally_str path = {0};
	int ret = -ENOENT, one;

	if (tally_dso_is_here(dso))
		return TALLY_DSO_ERROR_FOREIGN;
	for (int place = 0; place < 3; place++) {
		map_path(dso, place, nspid, &path);
		one = tally_str_error(&path);
		if (!one)
			one = load_map_file(dso, tally_str_text(&path));
		ret = one ? tally_worse_error(ret, one) : 0;
		if (!one)
			break;
	}
	tally_str_free(&path);
	return ret;
}

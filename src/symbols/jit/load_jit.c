/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code described by JIT compiler files: perf-PID.map in /tmp, and jit-PID.dump at the path where it
 * was mapped. Both are written while the program is running. They are checked again on request, or
 * if a lookup finds nothing in them. A check reads new data at the end, or the whole file if it was
 * replaced or rewritten.
 */
#include "symbols/jit/load_jit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/file.h"
#include "symbols/dso_files.h"
#include "symbols/dso_path.h"
#include "symbols/jit/jit_code.h"
#include "symbols/jit/jit_file.h"
#include "symbols/jit/jitdump.h"
#include "symbols/load_errors.h"
#include "symbols/origin.h"

/* If a check took longer than LOOK_NS, the next check is delayed by CHECK_INTERVAL_FACTOR times
 * that duration. */
enum { LOOK_NS = 10000000, CHECK_INTERVAL_FACTOR = 16 };

/* ---- ownership of the files ------------------------------------------------------- */

/* Return a running process's pid in its innermost pid namespace. */
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

/* Return true if the process is running, and get its user ID. */
static bool process_stat(int pid, uid_t *ret_uid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &st))
		return false;
	*ret_uid = st.st_uid;
	return true;
}

int tally_jit_file_open(const char *path, int pid, bool any_owner, int *ret_fd)
{
	uid_t uids[3] = {0, geteuid()};
	struct tally_file_owners owners = {uids, 2};
	int ret;

	owners.nr += process_stat(pid, &uids[2]);
	ret = tally_file_open(path, any_owner ? NULL : &owners, ret_fd);
	return ret == -EPERM ? TALLY_DSO_ERROR_NOT_TRUSTED : ret;
}

int tally_dso_jit_file_open(const struct tally_dso *dso, const char *path, int *ret_fd)
{
	return tally_jit_file_open(path, dso->pid, dso->owner->options.any_owner, ret_fd);
}

/* Check that a dump was written by the process with the pid in the dump's name. A forked process
 * still has its parent's dump mapped. */
static int file_check(void *arg, const struct tally_jit *made)
{
	const struct tally_jitdump_header *header = tally_jitdump_header(made);
	const struct tally_dso *dso = arg;
	int named = 0;
	uid_t uid;

	if (!header)
		return 0;
	dso->jit->has_arch_clock = header->has_arch_clock;
	dso->jit->machine = header->machine;
	if (!tally_jitdump_pid(dso->name, &named) || header->pid != (uint32_t)named)
		return -EBADMSG;
	if (named == dso->pid || !process_stat(dso->pid, &uid) || nspid_read(dso->pid) == named)
		return 0;
	return -EBADMSG;
}

/* ---- candidate paths -------------------------------------------------------------- */

enum { MAP_PLACES = 3, DUMP_PLACES = 2 };

/* Build a candidate path. The most trusted path, in the running process's own root, is first; it is
 * followed by the paths in our root. */
static void place_path(const struct tally_dso *dso, int place, pid_t nspid, struct tally_str *str)
{
	bool is_map = dso->kind == TALLY_DSO_PERF_MAP;

	tally_str_clear(str);
	if (place == 0)
		tally_str_addf(str, "/proc/%d/root", (int)dso->pid);
	tally_dso_add_path(dso, str, is_map ? "/tmp" : dso->name);
	if (is_map)
		tally_str_addf(str, "/perf-%d.map", (int)(place == 2 ? dso->pid : nspid));
}

/* Limit on the total number of bytes read from all files. Programs do not write that much in
 * several days. A map describes the same number of functions in fewer bytes, so its bytes count
 * MAP_WEIGHT times. */
#define JIT_BYTES_MAX (UINT64_C(1) << 30)
enum { MAP_WEIGHT = 8 };

static int place_read(struct tally_dso *dso, int place, pid_t nspid, bool is_same)
{
	bool is_map = dso->kind == TALLY_DSO_PERF_MAP;
	unsigned weight = is_map ? MAP_WEIGHT : 1;
	uint64_t *used = &dso->owner->jit_read, before = dso->jit->file.total;
	const struct tally_jit_reading reading = {
		.is_dump = !is_map,
		.is_final = dso->jit->is_final,
		.is_same = is_same,
		.check = file_check,
		.arg = dso,
		.most = (JIT_BYTES_MAX - TALLY_MIN(*used, JIT_BYTES_MAX)) / weight,
	};
	struct tally_str path = {0};
	int fd, ret;

	place_path(dso, place, nspid, &path);
	ret = tally_str_error(&path);
	if (!ret)
		ret = tally_dso_jit_file_open(dso, tally_str_text(&path), &fd);
	if (!ret) {
		ret = tally_jit_file_read(&dso->jit->file, &reading, fd);
		*used += (dso->jit->file.total - before) * weight;
		close(fd);
	}
	if (!ret)
		ret = tally_dso_set_source(
			dso, is_map ? TALLY_DSO_SOURCE_PERF_MAP : TALLY_DSO_SOURCE_JITDUMP,
			tally_str_text(&path));
	if (!ret)
		dso->jit->place = place;
	tally_str_free(&path);
	return ret;
}

/* Read the file. Once a file has been found, only that file is read. When the process exits, its
 * root becomes inaccessible, so all candidate paths are searched for the same file. */
static int places_read(struct tally_dso *dso)
{
	bool is_known = dso->files.state == TALLY_DSO_LOADED;
	int nr = dso->kind == TALLY_DSO_PERF_MAP ? MAP_PLACES : DUMP_PLACES;
	pid_t nspid = dso->nspid ? dso->nspid : nspid_read(dso->pid);
	int ret = -ENOENT, one;

	if (is_known && !dso->jit->is_final)
		return place_read(dso, dso->jit->place, nspid, false);
	for (int place = 0; place < nr; place++) {
		one = place_read(dso, place, nspid, is_known);
		if (!one)
			return 0;
		ret = tally_worse_error(ret, one);
	}
	return ret;
}

int tally_dso_load_jit(struct tally_dso *dso)
{
	uint64_t start = tally_clock_now();
	uid_t uid;
	int ret = tally_dso_is_here(dso);

	if (ret)
		return ret;
	if (!dso->jit)
		dso->jit = calloc(1, sizeof(*dso->jit));
	if (!dso->jit)
		return -ENOMEM;
	/* Check if the process is running before reading the file: if the process has exited, the
	 * file is complete. */
	dso->jit->is_final = !process_stat(dso->pid, &uid);
	ret = places_read(dso);
	dso->jit->looked = tally_clock_now();
	dso->jit->took = dso->jit->looked - start;
	return ret;
}

/* ---- checking again ----------------------------------------------------------------- */

/* Read the new part, and return true if the code changed. If the file can no longer be read, keep
 * the existing code. */
static bool jit_refresh(struct tally_dso *dso)
{
	struct tally_dso_jit *jit = dso->jit;
	uint64_t before = jit->file.changes;
	int ret = tally_dso_load_jit(dso);

	if (!ret)
		dso->files.state = TALLY_DSO_LOADED;
	if (ret == -EFBIG || ret == -ENOMEM)
		jit->is_given_up = true;
	if (jit->file.changes == before)
		return false;
	dso->owner->generation++;
	return true;
}

bool tally_dso_jit_refresh(struct tally_dso *dso, uint64_t apart)
{
	struct tally_dso_jit *jit = dso->jit;
	struct timespec now;

	if (!jit || jit->is_final || jit->is_given_up ||
	    clock_gettime(CLOCK_MONOTONIC_COARSE, &now))
		return false;
	if (jit->took > LOOK_NS)
		apart = TALLY_MAX(apart, CHECK_INTERVAL_FACTOR * jit->took);
	if (apart &&
	    (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec < jit->looked + apart)
		return false;
	return jit_refresh(dso);
}

void tally_symbols_jit_refresh(struct tally_symbols *symbols)
{
	uid_t uid;

	tally_vec_for_each (dso, &symbols->dsos) {
		/* The pid of a process that has exited may have been reused. */
		if ((*dso)->jit && (*dso)->jit->is_final)
			(*dso)->jit->is_final = !process_stat((*dso)->pid, &uid);
		(void)tally_dso_jit_refresh(*dso, 0);
	}
}

uint64_t tally_symbols_generation(const struct tally_symbols *symbols)
{
	return symbols->generation;
}

/* ---- lookups ------------------------------------------------------------------------- */

const struct tally_symbol *tally_dso_jit_find(struct tally_dso *dso, uint64_t place)
{
	const struct tally_jit_code *code;

	if (!dso->jit)
		return NULL;
	if (dso->kind == TALLY_DSO_JITDUMP)
		return tally_jit_find_place(&dso->jit->file.made, place);
	code = tally_jit_find(&dso->jit->file.made, place, TALLY_JIT_ALWAYS);
	if (!code && tally_dso_jit_refresh(dso, TALLY_JIT_CHECK_NS))
		code = tally_jit_find(&dso->jit->file.made, place, TALLY_JIT_ALWAYS);
	return code ? code->symbol : NULL;
}

void tally_dso_jit_status(const struct tally_dso *dso, struct tally_dso_status *status)
{
	if (!dso->jit)
		return;
	status->nr_symbols = dso->jit->file.made.codes.len;
	status->nr_skipped = dso->jit->file.made.nr_skipped;
	status->nr_guesses = dso->kind == TALLY_DSO_JITDUMP ? dso->jit->file.made.nr_guesses : 0;
	status->has_arch_clock = dso->jit->has_arch_clock;
}

void tally_dso_free_jit(struct tally_dso *dso)
{
	if (dso->jit)
		tally_jit_free(&dso->jit->file.made);
	free(dso->jit);
	dso->jit = NULL;
}

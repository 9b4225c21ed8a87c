/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What JIT compilers tell of their code: perf-PID.map in /tmp, jit-PID.dump wherever it was mapped.
 * Both are written while the program runs. Where a look-up finds nothing in them, or somebody asks
 * for it, they are looked at again: what came to their end is read, and all of a file that took the
 * place of another, or was begun anew.
 */
#include "symbols/load_jit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/file.h"
#include "symbols/load.h"
#include "symbols/made.h"
#include "symbols/jit_file.h"
#include "symbols/jitdump.h"

/* After a look of any length the next one waits for so many times as long; those of its own accord
 * at least for a second. */
enum { LOOK_NS = 10000000, LOOKS_APART_NS = 1000000000, LOOKS_APART_TIMES = 16 };

struct tally_dso_jit {
	struct tally_jit_file file;
	int place;        /* where the file was found */
	uint64_t looked;  /* ns of CLOCK_MONOTONIC: when the last look ended */
	uint64_t took;    /* and how long it took */
	bool is_final;    /* nobody writes any more */
	bool is_given_up; /* more was written than is read */
	bool has_arch_clock;
	uint16_t machine; /* EM_... of a dump */
};

/* ---- whose it is ------------------------------------------------------------------ */

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

/* Whether the process is there, and whose it is. */
static bool process_look(const struct tally_dso *dso, uid_t *ret_uid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)dso->pid);
	if (stat(path, &st))
		return false;
	*ret_uid = st.st_uid;
	return true;
}

/* Everybody may write into /tmp: whose word counts there? The process's user is known while it
 * runs. */
static int file_open(const struct tally_dso *dso, const char *path, int *ret_fd)
{
	uid_t uids[3] = {0, geteuid()};
	struct tally_file_owners owners = {uids, 2};
	int ret;

	owners.nr += process_look(dso, &uids[2]);
	ret = tally_file_open(path, dso->owner->options.any_owner ? NULL : &owners, ret_fd);
	return ret == -EPERM ? TALLY_DSO_ERROR_NOT_TRUSTED : ret;
}

/* A dump is of the process that its name tells of: a fork has its parent's mapped, too. */
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
	if (named == dso->pid || !process_look(dso, &uid) || nspid_read(dso->pid) == named)
		return 0;
	return -EBADMSG;
}

/* ---- places ----------------------------------------------------------------------- */

enum { MAP_PLACES = 3, DUMP_PLACES = 2 };

/* The places in the order of trust: the process's own files while it runs, then ours. */
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

/* What is read of all processes, and over all readings: more than those of programs that run for
 * days. A map tells of as many functions in fewer bytes. */
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
		ret = file_open(dso, tally_str_text(&path), &fd);
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

/* Once a file was found it is the one; where the process has ended, whose files it was found in, it
 * is looked for at the other places. */
static int places_read(struct tally_dso *dso)
{
	bool is_known = dso->state == TALLY_DSO_LOADED;
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
	/* Asked before it is read: then all is there that ever will be. */
	dso->jit->is_final = !process_look(dso, &uid);
	ret = places_read(dso);
	dso->jit->looked = tally_clock_now();
	dso->jit->took = dso->jit->looked - start;
	return ret;
}

/* ---- looking again ------------------------------------------------------------------ */

/* Read what is new; true if there is any. What was found before stays where the file cannot be read
 * any more. */
static bool jit_look(struct tally_dso *dso)
{
	struct tally_dso_jit *jit = dso->jit;
	uint64_t before = jit->file.changes;
	int ret = tally_dso_load_jit(dso);

	if (!ret)
		dso->state = TALLY_DSO_LOADED;
	if (ret == -EFBIG || ret == -ENOMEM)
		jit->is_given_up = true;
	if (jit->file.changes == before)
		return false;
	dso->owner->generation++;
	return true;
}

/* Look again, at least `apart` ns behind the last look. Look-ups that find nothing are many: the
 * clock that is read for them is the cheap one. */
static bool jit_look_in_time(struct tally_dso *dso, uint64_t apart)
{
	struct tally_dso_jit *jit = dso->jit;
	struct timespec now;

	if (!jit || jit->is_final || jit->is_given_up ||
	    clock_gettime(CLOCK_MONOTONIC_COARSE, &now))
		return false;
	if (jit->took > LOOK_NS)
		apart = TALLY_MAX(apart, LOOKS_APART_TIMES * jit->took);
	if (apart &&
	    (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec < jit->looked + apart)
		return false;
	return jit_look(dso);
}

void tally_symbols_look_again(struct tally_symbols *symbols)
{
	uid_t uid;

	tally_vec_for_each (dso, &symbols->dsos) {
		/* The pid of one that has ended may be another's by now. */
		if ((*dso)->jit && (*dso)->jit->is_final)
			(*dso)->jit->is_final = !process_look(*dso, &uid);
		(void)jit_look_in_time(*dso, 0);
	}
}

uint64_t tally_symbols_generation(const struct tally_symbols *symbols)
{
	return symbols->generation;
}

/* ---- look-ups ------------------------------------------------------------------------ */

const struct tally_symbol *tally_dso_find_made(struct tally_dso *dso, uint64_t place)
{
	const struct tally_jit_code *code;

	if (!dso->jit)
		return NULL;
	if (dso->kind == TALLY_DSO_JITDUMP)
		return tally_jit_find_place(&dso->jit->file.made, place);
	code = tally_jit_find(&dso->jit->file.made, place, TALLY_JIT_ALWAYS);
	if (!code && jit_look_in_time(dso, LOOKS_APART_NS))
		code = tally_jit_find(&dso->jit->file.made, place, TALLY_JIT_ALWAYS);
	return code ? code->symbol : NULL;
}

bool tally_dso_find_place(struct tally_dso *dso, uint64_t addr, uint64_t time, uint64_t *ret_place)
{
	const struct tally_jit_code *code;

	tally_dso_load(dso);
	if (!dso->jit)
		return false;
	if (dso->jit->has_arch_clock)
		time = TALLY_JIT_ALWAYS;
	code = tally_jit_find(&dso->jit->file.made, addr, time);
	if (!code && jit_look_in_time(dso, LOOKS_APART_NS))
		code = tally_jit_find(&dso->jit->file.made, addr, time);
	if (code)
		*ret_place = code->symbol->start + (addr - code->where.start);
	return code;
}

const struct tally_line *tally_dso_find_made_line(struct tally_dso *dso, uint64_t place,
						  struct tally_span *ret_span)
{
	tally_dso_load(dso);
	return dso->jit ? tally_jit_find_line(&dso->jit->file.made, place, ret_span) : NULL;
}

bool tally_dso_has_made_lines(struct tally_dso *dso)
{
	tally_dso_load(dso);
	return dso->jit && dso->jit->file.made.lines.len;
}

int tally_dso_open_made(struct tally_dso *dso, int *ret_fd, uint16_t *ret_machine)
{
	struct stat st;
	int fd, ret;

	tally_dso_load(dso);
	if (!dso->jit || !dso->path)
		return -ENOENT;
	ret = file_open(dso, dso->path, &fd);
	if (ret)
		return ret;
	if (fstat(fd, &st) || st.st_dev != dso->jit->file.dev || st.st_ino != dso->jit->file.ino) {
		close(fd);
		return TALLY_DSO_ERROR_REPLACED;
	}
	*ret_fd = fd;
	*ret_machine = dso->jit->machine;
	return 0;
}

uint64_t tally_dso_made_distance(const struct tally_dso *dso, uint64_t place)
{
	uint64_t addr;

	return tally_jit_find_address(&dso->jit->file.made, place, &addr) ? addr - place : 0;
}

void tally_dso_status_made(const struct tally_dso *dso, struct tally_dso_status *status)
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

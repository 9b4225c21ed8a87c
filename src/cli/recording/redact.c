/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-ins for what tells of a user. */
#include "cli/recording/redact.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* ---- numbers ------------------------------------------------------------------- */

/* The number of a text, from 1; 0 when out of memory. */
static uint32_t text_number(struct tally_redactor *redactor, struct tally_intern *texts,
			    const char *text, size_t len)
{
	uint32_t number;

	if (!tally_intern(texts, text, len, &number))
		return number + 1;
	redactor->failed = true;
	return 0;
}

/* The stand-in of a text, once it was made. */
static const char *stand_in_known(const struct tally_stand_ins *all, uint32_t number)
{
	return number && number <= all->names.len ? all->names.data[number - 1] : NULL;
}

/* Take over the stand-in of the newest text; NULL: out of memory. */
static const char *stand_in_add(struct tally_redactor *redactor, struct tally_stand_ins *all,
				char *name)
{
	if (!name || tally_vec_push(&all->names, name)) {
		free(name);
		redactor->failed = true;
		return "redacted";
	}
	return name;
}

static const char *stand_in(struct tally_redactor *redactor, struct tally_stand_ins *all,
			    const char *before, const char *text, const char *behind)
{
	uint32_t number = text_number(redactor, &all->texts, text, strlen(text));
	const char *known = stand_in_known(all, number);
	char *made = NULL;

	if (known)
		return known;
	if (asprintf(&made, "%s%u%s", before, number, behind) < 0)
		made = NULL;
	return stand_in_add(redactor, all, made);
}

const char *tally_redact_comm(struct tally_redactor *redactor, const char *comm)
{
	return stand_in(redactor, &redactor->comms, "comm", comm, "");
}

const char *tally_redact_cgroup(struct tally_redactor *redactor, const char *path)
{
	return strcmp(path, "/") ? stand_in(redactor, &redactor->cgroups, "/cgroup", path, "")
				 : "/";
}

/* ---- paths ---------------------------------------------------------------------- */

/* What every machine has there. Below debug are paths of other places. */
static bool is_of_system(const char *path)
{
	static const char *const dirs[] = {
		"/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libx32/",  "/usr/libexec/",
		"/usr/bin/", "/usr/sbin/",  "/lib/",       "/lib32/",       "/lib64/",
		"/libx32/",  "/bin/",       "/sbin/",      "/usr/include/",
	};

	if (strstr(path, "/../") || !strncmp(path, "/usr/lib/debug/", 15))
		return false;
	/* Devices lie there, and in /dev/dri; in /dev/shm and others are files of users. */
	if (!strncmp(path, "/dev/", 5))
		return !strchr(path + 5, '/') || !strncmp(path, "/dev/dri/", 9);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(dirs); i++) {
		if (!strncmp(path, dirs[i], strlen(dirs[i])))
			return true;
	}
	return false;
}

/* "[anon:NAME]" has a name that the program gave. */
static bool is_of_memory(const char *path)
{
	static const char *const prefixes[] = {"//anon", "/anon_hugepage", "/SYSV", "anon_inode:["};
	int pid, end = 0;

	if (*path == '[')
		return !strchr(path, ':') || !strncmp(path, "[stack:", 7);
	if (sscanf(path, "/tmp/perf-%d.map%n", &pid, &end) == 1 && end && !path[end])
		return true;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(prefixes); i++) {
		if (!strncmp(path, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

static const char *path_stand_in(struct tally_redactor *redactor, const char *path)
{
	struct tally_stand_ins *all = &redactor->paths;
	uint32_t number = text_number(redactor, &all->texts, path, strlen(path));
	const char *known = stand_in_known(all, number), *slash = strrchr(path, '/');
	char *made = NULL;
	uint32_t dir;

	if (known)
		return known;
	dir = text_number(redactor, &redactor->dirs.texts, path,
			  slash ? (size_t)(slash - path) : 0);
	if (asprintf(&made, "/redacted/dir%u/file%u", dir, number) < 0)
		made = NULL;
	return stand_in_add(redactor, all, made);
}

const char *tally_redact_path(void *redactor_, const char *path)
{
	struct tally_redactor *redactor = redactor_;

	if (!*path || is_of_system(path) || is_of_memory(path))
		return path;
	if (!strncmp(path, "/memfd:", 7))
		return stand_in(redactor, &redactor->memory, "/memfd:", path, "");
	if (*path == '[')
		return stand_in(redactor, &redactor->memory, "[anon:", path, "]");
	return path_stand_in(redactor, path);
}

/* ---- names of JIT compilers -------------------------------------------------------- */

/* How much of a name is a path that begins here: up to a blank, a bracket, or the colon before a
 * line. */
static size_t path_len(const char *at)
{
	size_t len = strcspn(at, " \t()[]{}<>\"',;");
	const char *colon;

	for (colon = memchr(at, ':', len); colon;
	     colon = memchr(colon + 1, ':', len - (size_t)(colon + 1 - at))) {
		if (isdigit((unsigned char)colon[1]) || colon + 1 == at + len)
			return (size_t)(colon - at);
	}
	return len;
}

/* A slash begins a path if it is not inside a word. */
static bool is_path_start(const char *name, const char *at)
{
	return *at == '/' && (at == name || strchr(" \t:([{<\"'=@,;", at[-1])) && at[1] &&
	       !strchr(" /=", at[1]);
}

const char *tally_redact_name(void *redactor_, const char *name)
{
	struct tally_redactor *redactor = redactor_;
	struct tally_stand_ins *all = &redactor->names;
	struct tally_str out = {0}, path = {0};
	const char *known;
	uint32_t number;

	if (!strchr(name, '/'))
		return name;
	number = text_number(redactor, &all->texts, name, strlen(name));
	known = stand_in_known(all, number);
	if (known)
		return known;
	for (const char *at = name; *at;) {
		/* "file:///home/..." */
		bool is_url = !strncmp(at, "file:///", 8);
		size_t len;

		if (is_url)
			tally_str_add(&out, "file://");
		at += is_url ? 7 : 0;
		if (!is_url && !is_path_start(name, at)) {
			tally_str_add_char(&out, *at++);
			continue;
		}
		len = path_len(at);
		tally_str_clear(&path);
		tally_str_add_bytes(&path, at, len);
		tally_str_add(&out, tally_redact_path(redactor, tally_str_text(&path)));
		at += len;
	}
	redactor->failed |= tally_str_error(&out) || tally_str_error(&path);
	known = stand_in_add(redactor, all, strdup(tally_str_text(&out)));
	tally_str_free(&out);
	tally_str_free(&path);
	return known;
}

static void stand_ins_free(struct tally_stand_ins *all)
{
	tally_vec_for_each (name, &all->names)
		free(*name);
	tally_vec_free(&all->names);
	tally_intern_free(&all->texts);
}

void tally_redactor_free(struct tally_redactor *redactor)
{
	struct tally_stand_ins *all[] = {&redactor->paths,   &redactor->dirs,   &redactor->comms,
					 &redactor->cgroups, &redactor->memory, &redactor->names};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(all); i++)
		stand_ins_free(all[i]);
}

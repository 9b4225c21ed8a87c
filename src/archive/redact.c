/* SPDX-License-Identifier: BSD-2-Clause */
/* Placeholders for data that identifies a user. */
#include "archive/redact.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "archive/redact_known.h"

/* ---- numbers ------------------------------------------------------------------- */

/* Return a string's 1-based number, or 0 if memory runs out. */
static uint32_t text_number(struct tally_redactor *redactor, struct tally_intern *texts,
			    const char *text, size_t len)
{
	uint32_t number;

	if (!tally_intern(texts, text, len, &number))
		return number + 1;
	redactor->failed = true;
	return 0;
}

/* Return the existing placeholder for a string, or NULL. */
static const char *placeholder_find(const struct tally_placeholders *all, uint32_t number)
{
	return number && number <= all->names.len ? all->names.data[number - 1] : NULL;
}

/* Store the placeholder for the newest string and take ownership of `name`. Returns "redacted" if
 * memory runs out. */
static const char *placeholder_add(struct tally_redactor *redactor, struct tally_placeholders *all,
				   char *name)
{
	if (!name || tally_vec_push(&all->names, name)) {
		free(name);
		redactor->failed = true;
		return "redacted";
	}
	return name;
}

static const char *placeholder_of(struct tally_redactor *redactor, struct tally_placeholders *all,
				  const char *before, const char *text, const char *behind)
{
	uint32_t number = text_number(redactor, &all->texts, text, strlen(text));
	const char *known = placeholder_find(all, number);
	char *made = NULL;

	if (known)
		return known;
	if (asprintf(&made, "%s%u%s", before, number, behind) < 0)
		made = NULL;
	return placeholder_add(redactor, all, made);
}

const char *tally_redact_comm(struct tally_redactor *redactor, const char *comm)
{
	return placeholder_of(redactor, &redactor->comms, "comm", comm, "");
}

const char *tally_redact_cgroup(struct tally_redactor *redactor, const char *path)
{
	return strcmp(path, "/") ? placeholder_of(redactor, &redactor->cgroups, "/cgroup", path, "")
				 : "/";
}

/* ---- paths ---------------------------------------------------------------------- */

static const char *path_placeholder(struct tally_redactor *redactor, const char *path)
{
	struct tally_placeholders *all = &redactor->paths;
	uint32_t number = text_number(redactor, &all->texts, path, strlen(path));
	const char *known = placeholder_find(all, number), *slash = strrchr(path, '/');
	char *made = NULL;
	uint32_t dir;

	if (known)
		return known;
	dir = text_number(redactor, &redactor->dirs.texts, path,
			  slash ? (size_t)(slash - path) : 0);
	if (asprintf(&made, "/redacted/dir%u/file%u", dir, number) < 0)
		made = NULL;
	return placeholder_add(redactor, all, made);
}

/* Prefixes kept in the placeholders for unknown memory regions, so that readers recognise the kind
 * of memory. The first matching entry is used. */
static const struct {
	const char *prefix, *before, *behind;
} memory_kinds[] = {
	{"/memfd:", "/memfd:", ""},
	{"/dev/ashmem", "/dev/ashmem/", ""},
	{"anon_inode:", "anon_inode:[", "]"},
	{"/SYSV", "/SYSV:", ""},
	{"/anon_hugepage", "/anon_hugepage:", ""},
	{"[kernel.", "[kernel.", "]"},
	{"[guest.kernel.", "[guest.kernel.", "]"},
	{"[", "[anon:", "]"},
};

const char *tally_redact_path(void *redactor_, const char *path)
{
	struct tally_redactor *redactor = redactor_;

	if (tally_redact_is_known(path))
		return path;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(memory_kinds); i++) {
		if (!strncmp(path, memory_kinds[i].prefix, strlen(memory_kinds[i].prefix)))
			return placeholder_of(redactor, &redactor->memory, memory_kinds[i].before,
					      path, memory_kinds[i].behind);
	}
	return path_placeholder(redactor, path);
}

/* ---- names of JIT code ------------------------------------------------------------- */

/* If the text before `end` ends in ":DIGITS", return the start of that part, otherwise return
 * `end`. */
static const char *number_start(const char *text, const char *end)
{
	const char *at = end;

	while (at > text && isdigit((unsigned char)at[-1]))
		at--;
	return at < end && at > text && at[-1] == ':' ? at - 1 : end;
}

/* Return the start of a trailing ":LINE" or ":LINE:COLUMN". */
static const char *line_start(const char *text)
{
	return number_start(text, number_start(text, text + strlen(text)));
}

/* Return the start of the function's location, which follows the first word, such as "FILE" in
 * "JS:*run FILE". */
static const char *place_start(const char *name)
{
	size_t word = strcspn(name, " \t");
	bool has_path = strcspn(name, "/\\") < word;

	return has_path || !name[word] ? name : name + word + 1;
}

static int jit_name_make(struct tally_redactor *redactor, const char *name, struct tally_str *out)
{
	const char *place = place_start(name), *line = line_start(place);
	struct tally_str path = {0};
	int ret;

	tally_str_add_bytes(&path, place, (size_t)(line - place));
	tally_str_add_bytes(out, name, (size_t)(place - name));
	tally_str_add(out, path_placeholder(redactor, tally_str_text(&path)));
	tally_str_add(out, line);
	ret = tally_str_error(&path) ? tally_str_error(&path) : tally_str_error(out);
	tally_str_free(&path);
	return ret;
}

const char *tally_redact_name(void *redactor_, const char *name)
{
	struct tally_redactor *redactor = redactor_;
	struct tally_placeholders *all = &redactor->names;
	struct tally_str out = {0};
	const char *known;
	uint32_t number;

	if (!strpbrk(name, "/\\"))
		return name;
	number = text_number(redactor, &all->texts, name, strlen(name));
	known = placeholder_find(all, number);
	if (known)
		return known;
	redactor->failed |= jit_name_make(redactor, name, &out) != 0;
	known = placeholder_add(redactor, all, strdup(tally_str_text(&out)));
	tally_str_free(&out);
	return known;
}

static void placeholders_free(struct tally_placeholders *all)
{
	tally_vec_for_each (name, &all->names)
		free(*name);
	tally_vec_free(&all->names);
	tally_intern_free(&all->texts);
}

void tally_redactor_free(struct tally_redactor *redactor)
{
	struct tally_placeholders *all[] = {&redactor->paths,  &redactor->dirs,
					    &redactor->comms,  &redactor->cgroups,
					    &redactor->memory, &redactor->names};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(all); i++)
		placeholders_free(all[i]);
}

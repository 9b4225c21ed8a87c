/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/via_programs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/main/print.h"
#include "sampler/sampler_program.h"
#include "symbols/elf/image.h"

static const struct {
	const char *key, *what;
} troubles[] = {
	[TALLY_VIA_NO_RIGHTS] =
		{"without_rights",
		 "ran without the privileges of its file (set-user-ID, set-group-ID or "
		 "capabilities), because it was traced: it may have behaved differently"},
	[TALLY_VIA_LEAKS] = {"not_measured",
			     "was not measured: LeakSanitizer does not work under ptrace, so it "
			     "ran untraced (set ASAN_OPTIONS=detect_leaks=0 to measure it)"},
};

void tally_via_programs_init(struct tally_via_programs *programs)
{
	*programs = (struct tally_via_programs){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void tally_via_programs_free(struct tally_via_programs *programs)
{
	for (int i = 0; i < TALLY_VIA_NR_TROUBLES; i++) {
		tally_vec_for_each (path, &programs->paths[i].all)
			free(*path);
		tally_vec_free(&programs->paths[i].all);
	}
}

/* Remember a path to warn about. If memory allocation fails, the path is dropped. */
static void remember_path(struct tally_via_programs *programs, enum tally_via_trouble trouble,
			  const char *path)
{
	char *copy = strdup(path);
	bool is_known = !copy;

	pthread_mutex_lock(&programs->lock);
	tally_vec_for_each (known, &programs->paths[trouble].all)
		is_known |= copy && !strcmp(*known, copy);
	if (is_known || tally_vec_push(&programs->paths[trouble].all, copy))
		free(copy);
	pthread_mutex_unlock(&programs->lock);
}

/* ---- privileges ------------------------------------------------------------------------ */

/* Return true if executing the file grants privileges that this user does not have. */
static bool gives_rights(const char *path)
{
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !geteuid() ||
	    (!statvfs(path, &fs) && fs.f_flag & ST_NOSUID) ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
		st.st_gid != getegid()) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

int tally_via_programs_check(const char *command, const struct tally_messages *messages)
{
	char *path = tally_program_find(command);
	bool gives = path && gives_rights(path);

	if (gives) {
		tally_message_error(
			messages,
			"not running %s: its file gives it privileges (set-user-ID, set-group-ID "
			"or capabilities), which it would lose when traced by the user host",
			path);
		tally_message_hint(messages,
				   "run it without tally, or as a user with these privileges");
	}
	free(path);
	return gives ? -EPERM : 0;
}

/* ---- LeakSanitizer --------------------------------------------------------------------- */

/* The sanitizer in a process: LeakSanitizer alone, or AddressSanitizer, which includes it and also
 * reads ASAN_OPTIONS. */
enum sanitizer { SANITIZER_NONE, SANITIZER_LEAK, SANITIZER_ADDRESS };

static enum sanitizer sanitizer_among(const void *text, size_t len)
{
	static const struct {
		const char *name;
		enum sanitizer which;
	} names[] = {
		{"libasan.so", SANITIZER_ADDRESS},
		{"__asan_init", SANITIZER_ADDRESS},
		{"liblsan.so", SANITIZER_LEAK},
		{"__lsan_", SANITIZER_LEAK},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (memmem(text, len, names[i].name, strlen(names[i].name)))
			return names[i].which;
	}
	return SANITIZER_NONE;
}

/* Detect a sanitizer from the symbols that the file exports and imports. */
static enum sanitizer sanitizer_of_file(const char *path)
{
	enum sanitizer found = SANITIZER_NONE;
	struct tally_elf_section strings;
	struct tally_image image;
	const uint8_t *data;
	size_t len;

	if (tally_image_open_plain(path, NULL, &image))
		return SANITIZER_NONE;
	if (tally_elf_section_by_name(&image.elf, ".dynstr", &strings)) {
		data = tally_elf_section_data(&image.elf, &strings, &len);
		found = data ? sanitizer_among(data, len) : SANITIZER_NONE;
	}
	tally_image_free(&image);
	return found;
}

/* Return the value of a variable in a NUL-separated environment; NULL if it is not set. */
static const char *variable(const char *environment, size_t len, const char *name)
{
	size_t at = strlen(name);

	for (const char *one = environment; one < environment + len; one += strlen(one) + 1) {
		if (!strncmp(one, name, at) && one[at] == '=')
			return one + at + 1;
	}
	return NULL;
}

/* Set `*looks` to the last detect_leaks= value in the options, if there is any. */
static void read_options(const char *options, bool *looks)
{
	static const char between[] = " ,:\n\t\r'\"", name[] = "detect_leaks=";

	while (options && *options) {
		size_t len = strcspn(options, between), at = sizeof(name) - 1;

		if (len > at && !strncmp(options, name, at))
			*looks = !strchr("0fn", options[at]); /* "0", "false" or "no" */
		options += len + strspn(options + len, between);
	}
}

static bool has_leak_check(const char *path, int32_t pid)
{
	enum { ENVIRONMENT_MAX = 1 << 20 };
	enum sanitizer which = sanitizer_of_file(path);
	char name[64], *text = NULL;
	const char *preloaded;
	size_t len = 0;
	bool looks = true;

	snprintf(name, sizeof(name), "/proc/%d/environ", (int)pid);
	if (tally_file_read(name, ENVIRONMENT_MAX, &text, &len))
		return which;
	preloaded = variable(text, len, "LD_PRELOAD");
	if (!which && preloaded)
		which = sanitizer_among(preloaded, strlen(preloaded));
	if (which == SANITIZER_ADDRESS)
		read_options(variable(text, len, "ASAN_OPTIONS"), &looks);
	read_options(variable(text, len, "LSAN_OPTIONS"), &looks);
	free(text);
	return which && looks;
}

/* ---- results ----------------------------------------------------------------------------- */

bool tally_via_programs_executed(void *programs, int32_t pid)
{
	char link[32], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return true;
	path[len] = '\0';
	if (gives_rights(link))
		remember_path(programs, TALLY_VIA_NO_RIGHTS, path);
	if (!has_leak_check(path, pid))
		return true;
	remember_path(programs, TALLY_VIA_LEAKS, path);
	return false;
}

void tally_via_programs_warn(struct tally_via_programs *programs)
{
	pthread_mutex_lock(&programs->lock);
	for (int i = 0; i < TALLY_VIA_NR_TROUBLES; i++) {
		tally_vec_for_each (path, &programs->paths[i].all)
			tally_print_warning("%s %s", *path, troubles[i].what);
	}
	pthread_mutex_unlock(&programs->lock);
}

void tally_via_programs_json(struct tally_via_programs *programs, struct tally_str *out)
{
	pthread_mutex_lock(&programs->lock);
	for (int i = 0; i < TALLY_VIA_NR_TROUBLES; i++) {
		if (!programs->paths[i].all.len)
			continue;
		tally_json_open(out, troubles[i].key, '[');
		tally_vec_for_each (path, &programs->paths[i].all)
			tally_json_text(out, NULL, *path);
		tally_json_close(out, ']');
	}
	pthread_mutex_unlock(&programs->lock);
}

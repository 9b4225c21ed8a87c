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
#include "sampler/program.h"
#include "symbols/image.h"

static const struct {
	const char *key, *what;
} troubles[] = {
	[TALLY_VIA_NO_RIGHTS] = {"without_rights",
				 "ran without the rights of its file (set-user-ID, set-group-ID or "
				 "capabilities), as it was traced: what it did may be other than "
				 "without tally"},
	[TALLY_VIA_LEAKS] =
		{"not_measured",
		 "was not measured: LeakSanitizer does not work under ptrace, so it ran "
		 "untraced (ASAN_OPTIONS=detect_leaks=0 has it measured)"},
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

/* Out of memory it is forgotten. */
static void note(struct tally_via_programs *programs, enum tally_via_trouble trouble,
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

/* ---- rights ---------------------------------------------------------------------------- */

/* Whether executing the file gives rights that this user has not. */
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
			"%s is not run: it has the rights of its file (set-user-ID, "
			"set-group-ID or capabilities), and would lose them, as the user "
			"host traces it",
			path);
		tally_message_hint(messages,
				   "run it without tally, or as a user with those rights");
	}
	free(path);
	return gives ? -EPERM : 0;
}

/* ---- LeakSanitizer --------------------------------------------------------------------- */

static bool has_name(const struct tally_elf *elf, const char *section)
{
	static const char *const names[] = {"libasan.so", "liblsan.so", "__lsan_", "__asan_init"};
	struct tally_elf_section strings;
	const uint8_t *data;
	size_t len;

	if (!tally_elf_section_by_name(elf, section, &strings))
		return false;
	data = tally_elf_section_data(elf, &strings, &len);
	for (size_t i = 0; data && i < TALLY_ARRAY_SIZE(names); i++) {
		if (memmem(data, len, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

/* Whether the process was told not to look for leaks. */
static bool is_told_not_to(int32_t pid)
{
	enum { ENVIRONMENT_MAX = 1 << 20 };
	static const char word[] = "detect_leaks=0";
	char path[64], *text;
	size_t len;
	bool told;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	if (tally_file_read(path, ENVIRONMENT_MAX, &text, &len))
		return false;
	told = memmem(text, len, word, strlen(word)) != NULL;
	free(text);
	return told;
}

static bool looks_for_leaks(const char *path, int32_t pid)
{
	struct tally_image image;
	bool looks;

	if (tally_image_open_plain(path, NULL, &image))
		return false;
	looks = has_name(&image.elf, ".dynstr") && !is_told_not_to(pid);
	tally_image_free(&image);
	return looks;
}

/* ---- what was met ------------------------------------------------------------------------ */

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
		note(programs, TALLY_VIA_NO_RIGHTS, path);
	if (!looks_for_leaks(path, pid))
		return true;
	note(programs, TALLY_VIA_LEAKS, path);
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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/main/print.h"

#define SYSTEM_FILE "/etc/perfconfig"

enum { FILE_MAX = 1 << 20 };

/* Check that the file may be used: it could make other files be read or written. */
static bool is_usable(const char *path, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || S_ISDIR(st.st_mode))
		return false;
	if (S_ISREG(st.st_mode) && st.st_uid && st.st_uid != geteuid()) {
		tally_print_warning("%s is ignored, because it belongs to another user", path);
		return false;
	}
	if (st.st_size <= FILE_MAX)
		return true;
	tally_print_warning("%s is ignored, because it is larger than 1 MiB", path);
	return false;
}

/* Read a file to its end. Returns its text, to be freed; NULL if there is none. */
static char *read_text(int fd)
{
	struct tally_str text = {0};
	char part[4096];
	ssize_t len;

	while (text.len <= FILE_MAX && (len = read(fd, part, sizeof(part))) > 0)
		tally_str_add_bytes(&text, part, (size_t)len);
	if (text.failed || !text.data) {
		tally_str_free(&text);
		return NULL;
	}
	return text.data;
}

char *tally_settings_path(bool is_system)
{
	const char *given = getenv("PERF_CONFIG"), *home = getenv("HOME");
	struct tally_str path = {0};

	if (is_system)
		tally_str_add(&path, SYSTEM_FILE);
	else if (given)
		tally_str_add(&path, given);
	else if (home && *home)
		tally_str_addf(&path, "%s/.perfconfig", home);
	return path.data;
}

int tally_settings_text(const char *path, char **ret_text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = 0;
	char *text = NULL;

	if (fd < 0 && errno != ENOENT) {
		ret = -errno;
		tally_print_error("%s: cannot open: %s", path, strerror(-ret));
		return ret;
	}
	if (fd >= 0 && !is_usable(path, fd))
		ret = -EPERM;
	else if (fd >= 0)
		text = read_text(fd);
	if (!ret && !text)
		text = strdup("");
	if (fd >= 0)
		close(fd);
	if (!ret && !text)
		ret = -ENOMEM;
	if (!ret)
		*ret_text = text;
	return ret;
}

static int read_file(struct tally_settings *settings, const char *path, bool is_own)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = 0;
	const char *file;
	char *text = fd >= 0 && is_usable(path, fd) ? read_text(fd) : NULL;

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		tally_print_warning("%s: cannot open: %s", path, strerror(errno));
	file = text ? tally_arena_strndup(&settings->texts, path, strlen(path)) : NULL;
	if (text)
		ret = file ? tally_settings_parse(settings, text, file, is_own,
						  &tally_print_messages)
			   : -ENOMEM;
	free(text);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Read a file below the home directory, or the one named by a variable. */
static int read_user_file(struct tally_settings *settings, const char *variable, const char *name,
			  bool is_own)
{
	const char *given = getenv(variable), *home = getenv("HOME");
	struct tally_str path = {0};
	int ret = 0;

	if (given)
		tally_str_add(&path, given);
	else if (home && *home)
		tally_str_addf(&path, "%s/%s", home, name);
	if (tally_str_error(&path))
		ret = -ENOMEM;
	else if (path.len)
		ret = read_file(settings, tally_str_text(&path), is_own);
	tally_str_free(&path);
	return ret;
}

int tally_settings_read(struct tally_settings *settings)
{
	int ret = 0;

	if (!getenv("PERF_CONFIG"))
		ret = read_file(settings, SYSTEM_FILE, false);
	if (!ret)
		ret = read_user_file(settings, "PERF_CONFIG", ".perfconfig", false);
	if (!ret)
		ret = read_user_file(settings, "TALLY_CONFIG", ".config/tally/config", true);
	if (ret)
		tally_print_error("cannot read the settings: out of memory");
	return ret;
}

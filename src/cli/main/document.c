/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/document.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* Return true for pipes and devices, which cannot be replaced and are written to directly. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Detect "--html -i", where the user forgot the file name. To use a file named "-i", specify
 * "./-i". */
static bool is_option(const char *path)
{
	return path && path[0] == '-' && path[1];
}

int tally_document_check(const struct tally_document_place *place)
{
	const char *option = place->option, *path = place->path;
	struct tally_replacement tried;
	int ret;

	if (is_stdout(path) && place->is_binary && isatty(STDOUT_FILENO)) {
		tally_print_error("%s: refusing to write binary data to a terminal", option);
		tally_print_hint("redirect the output to a file or a pipe");
		return -EINVAL;
	}
	if (is_option(path)) {
		tally_print_error("%s %s: the file name is missing", option, path);
		tally_print_hint("use ./%s for a file with that name", path);
		return -EINVAL;
	}
	if (is_stdout(path))
		return 0;
	ret = tally_overwrite_check(option, path, place->kinds, place->force);
	if (ret || is_special(path))
		return ret;
	ret = tally_replacement_open(path, &tried);
	if (!ret)
		tally_replacement_close(&tried);
	return ret;
}

bool tally_document_is(const char *path, const char *input)
{
	struct stat in, out;

	if (is_stdout(path) || stat(input, &in) || stat(path, &out) || in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino)
		return false;
	tally_print_error("refusing to overwrite the recording %s itself", path);
	return true;
}

bool tally_document_is_packed(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	return len > 3 && !strcmp(path + len - 3, ".gz");
}

int tally_document_check_plain(const char *option, const char *path)
{
	if (!tally_document_is_packed(path))
		return 0;
	tally_print_error("%s does not write compressed files: use a name without .gz", option);
	return -EINVAL;
}

static bool was_printed(int code)
{
	return code == -EINTR || code == -ENOMEM || code == -ENODATA;
}

void tally_document_begin(const struct tally_document_place *place,
			  struct tally_document *ret_document)
{
	bool is_path = !is_stdout(place->path);

	*ret_document = (struct tally_document){.place = *place,
						.path = is_path ? place->path : NULL,
						.fd = is_path ? -1 : STDOUT_FILENO};
}

static int document_open(struct tally_document *document)
{
	if (document->fd >= 0)
		return 0;
	if (is_special(document->path)) {
		if (tally_overwrite_check(document->place.option, document->path, 0, false))
			return -ENODATA; /* already printed */
		document->fd = open(document->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return document->fd < 0 ? -errno : 0;
	}
	/* Check again, because another process may have created a file since
	 * tally_document_check(). */
	if (tally_overwrite_open(document->place.option, document->path, document->place.kinds,
				 document->place.force, &document->replacement))
		return -ENODATA; /* already printed */
	document->replaces = true;
	document->fd = document->replacement.fd;
	return 0;
}

/* main() reports errors writing to stdout. */
static int write_stdout(const void *bytes, size_t len)
{
	errno = 0;
	if (fwrite(bytes, 1, len, stdout) == len)
		return 0;
	return errno ? -errno : -EIO;
}

int tally_document_write(void *arg, const void *bytes, size_t len)
{
	struct tally_document *document = arg;
	const char *at = bytes;
	int ret = document_open(document);

	document->bytes += len;
	if (!document->path)
		return write_stdout(bytes, len);
	if (!ret && document->replaces)
		ret = tally_replacement_check(&document->replacement);
	while (len && !ret) {
		ssize_t written = write(document->fd, at, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		at += written;
		len -= (size_t)written;
	}
	return ret;
}

int tally_document_close(struct tally_document *document, int ret)
{
	/* Create the file even if nothing was written. */
	if (!ret)
		ret = document_open(document);
	if (ret && document->path && !was_printed(ret))
		tally_replacement_print_error(document->path, ret);
	if (document->replaces) {
		if (!ret)
			ret = tally_replacement_commit(&document->replacement, -1);
		tally_replacement_close(&document->replacement);
	} else if (document->path && document->fd >= 0 && close(document->fd) && !ret) {
		ret = tally_replacement_print_error(document->path, -errno);
	}
	return ret;
}

void tally_document_print(const struct tally_document *document, const char *command,
			  const char *what)
{
	char *whole = document->replaces ? realpath(document->path, NULL) : NULL;
	struct tally_str shown = {0};
	bool is_small = document->bytes < 1000000;

	if (!document->replaces)
		return;
	tally_str_add_escaped(&shown, whole ? whole : document->path);
	fprintf(stderr, "[ tally %s: %s: %s (%.1f %s) ]\n", command, what, tally_str_text(&shown),
		(double)document->bytes / (is_small ? 1e3 : 1e6), is_small ? "kB" : "MB");
	tally_str_free(&shown);
	free(whole);
}

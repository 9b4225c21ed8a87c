/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/document.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/main/output.h"
#include "cli/main/print.h"
#include "cli/recording/replace.h"

static int print_refused(const char *path, int code)
{
	if (code != -EINTR)
		tally_print_error("cannot write %s: %s", path, strerror(-code));
	return code;
}

static int write_all(struct tally_replacement *file, const struct tally_str *text)
{
	for (size_t at = 0; at < text->len;) {
		ssize_t nr = write(file->fd, text->data + at, text->len - at);
		int ret = tally_replacement_check(file);

		if (nr < 0 && errno != EINTR)
			return -errno;
		if (ret)
			return ret;
		at += nr > 0 ? (size_t)nr : 0;
	}
	return 0;
}

/* Temporaries are their owner's alone. */
static int open_up(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) ? -errno : 0;
}

int tally_document_write(const char *path, struct tally_str *text)
{
	struct tally_replacement file;
	int ret;

	if (tally_str_error(text))
		return print_refused(path, -ENOMEM);
	if (!strcmp(path, "-"))
		return tally_output_flush(text);
	ret = tally_replacement_open(path, &file);
	if (ret)
		return ret;
	ret = write_all(&file, text);
	if (!ret)
		ret = open_up(file.fd);
	if (ret)
		print_refused(path, ret);
	else
		ret = tally_replacement_commit(&file, file.fd);
	tally_replacement_close(&file);
	tally_str_clear(text);
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/page_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "cli/main/print.h"
#include "cli/recording/replace.h"

struct page_file {
	struct tally_replacement replacement;
	uint64_t bytes;
};

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

int tally_html_output_check(const char *path)
{
	struct tally_replacement tried;
	int ret = 0;

	if (is_stdout(path) && isatty(STDOUT_FILENO)) {
		tally_print_error("--html -: a page is not for terminals");
		tally_print_hint("--html FILE writes it to a file");
		return -EINVAL;
	}
	if (!is_stdout(path))
		ret = tally_replacement_open(path, &tried);
	if (!is_stdout(path) && !ret)
		tally_replacement_close(&tried);
	return ret;
}

bool tally_html_output_is(const char *path, const char *input)
{
	struct stat in, out;

	if (is_stdout(path) || stat(input, &in) || stat(path, &out) || in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino)
		return false;
	tally_print_error("--html %s: this is the recording itself, which stays as it is", path);
	return true;
}

static int write_file(void *arg, const void *bytes, size_t len)
{
	struct page_file *output = arg;
	int ret = tally_replacement_check(&output->replacement);

	output->bytes += len;
	return ret ? ret : tally_file_write_all(output->replacement.fd, bytes, len);
}

/* That it failed is told at the end of the program. */
static int write_stdout(void *arg, const void *bytes, size_t len)
{
	errno = 0;
	if (fwrite(bytes, 1, len, stdout) == len)
		return 0;
	return errno ? -errno : -EIO;
}

static void print_done(const char *command, const char *path, uint64_t bytes)
{
	char *whole = realpath(path, NULL);
	struct tally_str shown = {0};

	tally_str_add_escaped(&shown, whole ? whole : path);
	fprintf(stderr, "[ tally %s: page: %s (%.1f %s), open it with a browser ]\n", command,
		tally_str_text(&shown), (double)bytes / (bytes < 1e6 ? 1e3 : 1e6),
		bytes < 1e6 ? "kB" : "MB");
	tally_str_free(&shown);
	free(whole);
}

static int output_file(struct tally_html *page, const char *path, unsigned mode,
		       const char *command)
{
	struct page_file output = {0};
	int ret = tally_replacement_open(path, &output.replacement);

	if (ret)
		return ret;
	ret = tally_html_write(page, write_file, &output);
	if (!ret && fchmod(output.replacement.fd, mode & 0666))
		ret = -errno;
	if (ret && ret != -EINTR)
		tally_print_error("cannot write %s: %s", path, strerror(-ret));
	if (!ret)
		ret = tally_replacement_commit(&output.replacement, -1);
	if (!ret && command)
		print_done(command, path, output.bytes);
	tally_replacement_close(&output.replacement);
	return ret;
}

int tally_html_output(struct tally_html *page, const char *path, unsigned mode, const char *command)
{
	if (is_stdout(path))
		return tally_html_write(page, write_stdout, NULL);
	return output_file(page, path, mode, command);
}

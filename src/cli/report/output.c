/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an exported report goes. */
#include "cli/report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/main/output.h"
#include "cli/main/print.h"

static int print_refused(const struct report_output *output, int code)
{
	if (code != -EINTR && code != -ENOMEM)
		tally_print_error("cannot write %s: %s", output->path, strerror(-code));
	return code;
}

/* A pipe or a device is no file that could be replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

int report_output_open(const char *path, struct report_output *ret_output)
{
	struct report_output output = {.path = path, .fd = STDOUT_FILENO};
	int ret = 0;

	if (path && !strcmp(path, "-"))
		output.path = NULL;
	if (output.path && is_special(output.path)) {
		output.fd = open(output.path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		ret = output.fd < 0 ? print_refused(&output, -errno) : 0;
	} else if (output.path) {
		ret = tally_replacement_open(output.path, &output.replacement);
		output.replaces = true;
		output.fd = ret ? -1 : output.replacement.fd;
	}
	if (!ret)
		*ret_output = output;
	return ret;
}

int report_output_write(void *arg, const void *bytes, size_t len)
{
	struct report_output *output = arg;
	const char *at = bytes;
	int ret = output->replaces ? tally_replacement_check(&output->replacement) : 0;

	while (len && !ret) {
		ssize_t written = write(output->fd, at, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		at += written;
		len -= (size_t)written;
	}
	return ret;
}

int report_output_close(struct report_output *output, int ret)
{
	if (ret && output->path)
		print_refused(output, ret);
	if (output->replaces) {
		if (!ret)
			ret = tally_replacement_commit(&output->replacement, -1);
		tally_replacement_close(&output->replacement);
	} else if (output->path && close(output->fd) && !ret) {
		ret = print_refused(output, -errno);
	}
	return ret;
}

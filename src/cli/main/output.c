/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/output.h"

#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <stdio.h>

int tally_output_flush(struct tally_str *out)
{
	size_t written;

	if (tally_str_error(out))
		return -ENOMEM;
	errno = 0;
	written = fwrite(tally_str_text(out), 1, out->len, stdout);
	if (written != out->len)
		return errno ? -errno : -EIO;
	tally_str_clear(out);
	return 0;
}

bool tally_output_colours(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(none && *none) && term && strcmp(term, "dumb");
}

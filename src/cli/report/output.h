/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an exported report goes: standard output, a file that is there whole or not at all, or a
 * pipe or device. */
#ifndef TALLY_CLI_REPORT_OUTPUT_H
#define TALLY_CLI_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/recording/replace.h"

struct report_output {
	const char *path; /* NULL: standard output */
	int fd;
	bool replaces; /* a file: */
	struct tally_replacement replacement;
};

/* Open it; `path` is borrowed, NULL or "-": standard output. 0 or -errno, which was told. */
int report_output_open(const char *path, struct report_output *ret_output);

/* Write all bytes; `output` is a struct report_output. 0; -errno; -EINTR if the user wants to end:
 * nothing was told. */
int report_output_write(void *output, const void *bytes, size_t len);

/* Give a file its name if `ret` is 0, else remove it and print why, unless the user ended it. `ret`
 * or what closing came to. */
int report_output_close(struct report_output *output, int ret);

#endif

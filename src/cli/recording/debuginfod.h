/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug information from debuginfod servers, by libdebuginfod, which is loaded only here: other
 * parts of the program never ask the network. It keeps what it fetched in its own cache.
 */
#ifndef TALLY_CLI_RECORDING_DEBUGINFOD_H
#define TALLY_CLI_RECORDING_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct tally_debuginfod;

/* Load the library and name the servers: `urls`, separated by spaces; empty: those of
 * $DEBUGINFOD_URLS. 0; -EINVAL: no server is named; -ENOSYS: the library is not there; -ENOMEM; the
 * error was said. One at a time in a process. */
int tally_debuginfod_open(const char *urls, struct tally_debuginfod **ret_client);

/* NULL is allowed. */
void tally_debuginfod_close(struct tally_debuginfod *client);

/* Fetch the debug information of the file with this build id, at the path `name`; how far it is is
 * shown on a terminal, and Ctrl-C ends it. A file may take five minutes and 2 GiB, a server that
 * says nothing ten seconds. Sets `ret_dir`, which was initialised, to the directory of the cache:
 * DIR/BUILDID/debuginfo. 0; -ENOENT: no server has it; -EINTR: Ctrl-C; -ETIME, -EFBIG: given up;
 * -ENOMEM; or another -errno: no server answers. */
int tally_debuginfod_fetch(struct tally_debuginfod *client, const uint8_t *build_id, size_t size,
			   const char *name, struct tally_str *ret_dir);

/* How many bytes were fetched so far; those of the cache are none. */
uint64_t tally_debuginfod_fetched(const struct tally_debuginfod *client);

#endif

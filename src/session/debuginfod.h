/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fetch debug information from debuginfod servers with libdebuginfod. The library is loaded only
 * here, because no other part of the program uses the network. The library keeps the fetched files
 * in its own cache.
 */
#ifndef TALLY_SESSION_DEBUGINFOD_H
#define TALLY_SESSION_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/messages.h"
#include "base/str.h"

struct tally_debuginfod;

/* Verb of the progress while files are fetched. */
#define TALLY_DEBUGINFOD_VERB "fetching debug information for"

/* Return false in a static program, which cannot load the library. */
bool tally_debuginfod_available(void);

/* Load the library and set the servers to `urls`, separated by spaces, or to $DEBUGINFOD_URLS if
 * `urls` is empty. The servers and their timeouts are set in the environment. `to` and `progress`,
 * which may be NULL, are borrowed. Returns 0; -EINVAL if there is no server; -ENOSYS if the library
 * is missing or cannot be loaded; or -ENOMEM. Errors other than -ENOMEM have been emitted as
 * messages. */
int tally_debuginfod_open(const char *urls, const struct tally_messages *to,
			  const struct tally_progress *progress,
			  struct tally_debuginfod **ret_client);

/* Close the client. `client` may be NULL. */
void tally_debuginfod_close(struct tally_debuginfod *client);

/* Fetch the debug information for the file with this build ID. `name` is its path, which is shown
 * with the progress. SIGINT cancels the transfer, unless the signal is ignored. The limits are five
 * minutes and 2 GiB per file, and ten seconds for a server that does not respond. Sets `ret_dir`,
 * which must be initialised, to DIR if the file is cached as DIR/BUILDID/debuginfo. Returns 0;
 * -ENOENT if no server has the file; -EINTR after SIGINT; -ETIME or -EFBIG if a limit is exceeded;
 * -ENOMEM; or another -errno if no server responds. */
int tally_debuginfod_fetch(struct tally_debuginfod *client, const uint8_t *build_id, size_t size,
			   const char *name, struct tally_str *ret_dir);

/* Return the number of bytes fetched so far, not counting files found in the cache. */
uint64_t tally_debuginfod_fetched(const struct tally_debuginfod *client);

#endif

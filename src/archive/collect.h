/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the symbols for all addresses in samples, in order to embed them in the recording
 * (symbols/embedded/stored.h): sample addresses, callers, branches and data addresses. Each address
 * is looked up once. Callchains already seen in the same address space are skipped as a whole.
 */
#ifndef TALLY_ARCHIVE_COLLECT_H
#define TALLY_ARCHIVE_COLLECT_H

#include "base/map.h"
#include "profile/process/feed.h"
#include "symbols/embedded/stored_write.h"

struct tally_archive {
	struct tally_machine *machine; /* borrowed */
	struct tally_stored_writer *writer;
	struct tally_map seen;        /* location keys seen, with a flag for validated callers */
	struct tally_map kernel_seen; /* same for kernel addresses; valid for the maps below */
	struct tally_maps *kernel;
	struct tally_map chains; /* hashes of callchains, including the address space */
};

/* Initialize an archive. The machine's symbols must have the `bounds` option. This function and
 * tally_archive_add() return 0 or -ENOMEM. */
int tally_archive_init(struct tally_archive *archive, struct tally_machine *machine);
void tally_archive_free(struct tally_archive *archive);

/* Add the addresses in a sample, which must have a complete callchain. */
int tally_archive_add(struct tally_archive *archive, const struct tally_feed_sample *sample);

#endif

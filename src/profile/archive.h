/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of all addresses that samples hold, gathered to be stored with the recording
 * (symbols/stored.h): where they were, their callers, branches and data. Each address is looked up
 * once, and callers that came before in the same address space are passed over as a whole.
 */
#ifndef TALLY_PROFILE_ARCHIVE_H
#define TALLY_PROFILE_ARCHIVE_H

#include "abi/sample.h"
#include "base/map.h"
#include "profile/machine.h"
#include "symbols/stored_write.h"

struct tally_archive {
	struct tally_machine *machine; /* borrowed */
	struct tally_stored_writer *writer;
	struct tally_map seen;        /* location keys, and whether they were judged as callers */
	struct tally_map kernel_seen; /* the same of the kernel, by the maps of */
	struct tally_maps *kernel;    /* this moment */
	struct tally_map chains;      /* hashes of callers and their address space */
};

/* All of what follows: 0 or -ENOMEM. The machine's symbols are to have `bounds`. */
int tally_archive_init(struct tally_archive *archive, struct tally_machine *machine);
void tally_archive_free(struct tally_archive *archive);

/* Take the addresses of a sample, whose callers are all there. */
int tally_archive_add(struct tally_archive *archive, const struct tally_thread *thread,
		      uint8_t cpumode, const struct tally_sample *sample);

#endif

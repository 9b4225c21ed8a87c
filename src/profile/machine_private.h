/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a machine share. */
#ifndef TALLY_PROFILE_MACHINE_PRIVATE_H
#define TALLY_PROFILE_MACHINE_PRIVATE_H

#include "abi/record.h"
#include "base/arith.h"
#include "profile/machine.h"

enum { LOCATE_SLOTS = 1 << 15 };

/* Direct-mapped: an address that was looked up lately. */
struct locate_slot {
	uint64_t space; /* 0: empty */
	struct tally_location location;
};

/* A build id of the file's table, by the name it was recorded under. */
struct known_build_id {
	uint32_t name;   /* id in names */
	uint32_t module; /* of kernel modules: id of "[name]"; of others the same as name */
	uint8_t size;
	uint8_t bytes[TALLY_BUILD_ID_MAX];
};

struct tally_machine {
	struct tally_symbols *symbols;
	struct tally_intern comms, names;
	struct tally_map threads;                     /* tid -> struct tally_thread * */
	struct tally_thread *last;                    /* asked for; NULL if it may be stale */
	struct tally_map processes;                   /* pid -> struct tally_process * */
	TALLY_VEC(struct tally_thread *) all_threads; /* by index; owned here */
	struct tally_maps *kernel;
	struct tally_dso *kernel_dso;
	uint32_t kernel_name; /* id in names + 1; 0: the usual one */
	TALLY_VEC(struct known_build_id) build_ids;
	uint64_t next_space;
	uint64_t kernel_space;
	struct locate_slot *slots;
	struct tally_location nowhere;
	struct tally_machine_stats stats;
};

/* Take in a map. 0 or -ENOMEM. */
int machine_mmap(struct tally_machine *machine, const void *record, size_t len);
int machine_ksymbol(struct tally_machine *machine, const void *record, size_t len);

#endif

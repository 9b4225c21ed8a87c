/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a machine share. */
#ifndef TALLY_PROFILE_MACHINE_PRIVATE_H
#define TALLY_PROFILE_MACHINE_PRIVATE_H

#include <string.h>

#include "abi/record.h"
#include "base/arith.h"
#include "profile/machine.h"

/* No name of a task, file or function is longer: the kernel cuts them before. They are printed with
 * every sample, so a longer one is taken for damage. */
enum { MACHINE_NAME_MAX = 4095 };

static inline bool machine_name_fits(const char *name)
{
	return strlen(name) <= MACHINE_NAME_MAX;
}

/* PROT_EXEC, of whichever machine it is. */
enum { MACHINE_PROT_EXECUTE = 4 };

enum {
	LOCATE_FIRST_SLOTS = 1 << 12,
	LOCATE_SLOTS = 1 << 15,
	MACHINE_ENDED = 2048,
	MACHINE_RECENT = 64
};

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
	struct tally_thread *recent[MACHINE_RECENT];  /* asked for lately, by tid; or NULL */
	struct tally_map processes;                   /* pid -> struct tally_process * */
	TALLY_VEC(struct tally_thread *) all_threads; /* by index; owned here */
	struct tally_process *ended[MACHINE_ENDED];   /* lately; in turn, NULL: none yet */
	size_t nr_ended;
	struct tally_maps *kernel;
	struct tally_dso *kernel_dso;
	uint32_t kernel_name; /* id in names + 1; 0: the usual one */
	TALLY_VEC(struct known_build_id) build_ids;
	TALLY_VEC(uint32_t) build_id_of; /* by id in names: index + 1, 0 for none */
	uint64_t next_space;
	uint64_t kernel_space;
	struct locate_slot *slots; /* made at the first look-up */
	size_t nr_slots;           /* LOCATE_FIRST_SLOTS, or all once so many were missed */
	uint64_t nr_missed;
	uint64_t generation; /* of the symbols, as slots were filled */
	uint64_t time;       /* see tally_machine_set_time() */
	uint64_t latest;     /* time of a sample, fork or exit; 0: none had one */
	bool follows;        /* see tally_machine_follow() */
	bool shows_hidden;   /* see tally_machine_show_hidden() */
	bool shows_paths;    /* see tally_machine_show_paths() */
	bool has_outside;    /* see tally_machine_sample_thread() */
	struct tally_location nowhere;
	struct tally_machine_stats stats;
};

/* What stays, by number; and what the numbers of threads and comms become. */
struct machine_sweep {
	uint8_t *threads, *comms, *dsos; /* marks: needed for other reasons than being there */
	uint32_t *new_threads, *new_comms;
};

/* Room for all numbers, all marks unset. 0 or -ENOMEM. */
int machine_sweep_init(const struct tally_machine *machine, struct machine_sweep *sweep);
void machine_sweep_free(struct machine_sweep *sweep);

/* Free what is not marked and not there any more: threads that ended, comms, DSOs; give out numbers
 * anew. 0 or -ENOMEM, nothing changed. */
int machine_sweep(struct tally_machine *machine, struct machine_sweep *sweep);

/* One thread less is in the process; without any it is freed. NULL is fine. */
void machine_process_release(struct tally_machine *machine, struct tally_process *process);

/* Set the location key of a map of user space from the number of its DSO. */
void machine_mapping_key_set(struct tally_mapping *mapping);

/* The name of tasks that are not known by number: they have none of their own. */
#define MACHINE_UNKNOWN "[unknown]"

/* Note that there are tasks outside the recorder's pid namespace if this is the pid of one: 1. What
 * its record says is not to be taken in. 0 of others; -ENOMEM. */
int machine_is_outside(struct tally_machine *machine, int32_t pid);

/* The thread that a record is of which only a living thread causes. NULL when out of memory. */
struct tally_thread *machine_record_thread(struct tally_machine *machine, int32_t pid, int32_t tid);

/* Take in a map. 0 or -ENOMEM. */
int machine_mmap(struct tally_machine *machine, const void *record, size_t len);
int machine_ksymbol(struct tally_machine *machine, const void *record, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals shared by the files of a machine. */
#ifndef TALLY_PROFILE_MACHINE_PRIVATE_H
#define TALLY_PROFILE_MACHINE_PRIVATE_H

#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "profile/machine.h"

/* Maximum length of the name of a task, file or function; the kernel truncates names below this.
 * Longer names are treated as damage, because names are printed with every sample. */
enum { MACHINE_NAME_MAX = 4095 };

static inline bool machine_name_fits(const char *name)
{
	return strlen(name) <= MACHINE_NAME_MAX;
}

/* PROT_EXEC, which is the same on all architectures. */
enum { MACHINE_PROT_EXECUTE = 4 };

enum {
	LOCATE_FIRST_SLOTS = 1 << 12,
	LOCATE_SLOTS = 1 << 15,
	MACHINE_ENDED = 2048,
	MACHINE_RECENT = 64
};

/* Slot of a direct-mapped cache of addresses looked up recently. */
struct locate_slot {
	uint64_t space; /* 0: empty */
	struct tally_location location;
};

/* A build ID from the file's table, with the name it was recorded under. */
struct known_build_id {
	uint32_t name;   /* id in names */
	uint32_t module; /* for kernel modules: id of "[name]"; otherwise the same as name */
	uint8_t size;
	uint8_t bytes[TALLY_BUILD_ID_MAX];
};

struct tally_machine {
	struct tally_symbols *symbols;
	struct tally_intern comms, names;
	struct tally_map threads;                     /* tid -> struct tally_thread * */
	struct tally_thread *recent[MACHINE_RECENT];  /* used recently, by tid; or NULL */
	struct tally_map processes;                   /* pid -> struct tally_process * */
	TALLY_VEC(struct tally_thread *) all_threads; /* by index; owned here */
	struct tally_process *ended[MACHINE_ENDED];   /* recently, as a ring; NULL: not used yet */
	size_t nr_ended;
	struct tally_maps *kernel;
	struct tally_dso *kernel_dso;
	uint32_t kernel_name; /* id in names + 1; 0: the default name */
	TALLY_VEC(struct known_build_id) build_ids;
	TALLY_VEC(uint32_t) build_id_of; /* by id in names: index + 1, 0 for none */
	uint64_t next_space;
	uint64_t kernel_space;
	struct locate_slot *slots; /* allocated at the first look-up */
	size_t nr_slots;           /* LOCATE_FIRST_SLOTS; LOCATE_SLOTS after that many misses */
	uint64_t nr_missed;
	uint64_t generation; /* of the symbols, when the slots were filled */
	uint64_t time;       /* see tally_machine_set_time() */
	uint64_t latest;     /* time of a sample, fork or exit; 0: none known */
	bool follows;        /* see tally_machine_follow() */
	bool shows_hidden;   /* see tally_machine_show_hidden() */
	bool shows_paths;    /* see tally_machine_show_paths() */
	bool has_outside;    /* see tally_machine_sample_thread() */
	struct tally_location nowhere;
	struct tally_machine_stats stats;
};

/* Numbers of the objects to keep, and the new numbers of threads and comms. */
struct machine_sweep {
	uint8_t *threads, *comms, *dsos; /* marks of objects that are needed although they may be
	                                  * gone */
	uint32_t *new_threads, *new_comms;
};

/* Allocate space for all numbers, with all marks unset. Returns 0 or -ENOMEM. */
int machine_sweep_init(const struct tally_machine *machine, struct machine_sweep *sweep);
void machine_sweep_free(struct machine_sweep *sweep);

/* Free exited threads, comms and DSOs that are neither marked nor in use, and renumber the rest.
 * Returns 0, or -ENOMEM with nothing freed. */
int machine_sweep(struct tally_machine *machine, struct machine_sweep *sweep);

/* Drop a thread's reference to a process; the last one frees it. NULL is allowed. */
void machine_process_release(struct tally_machine *machine, struct tally_process *process);

/* Set the location key of a user-space mapping from the number of its DSO. */
void machine_mapping_key_set(struct tally_mapping *mapping);

/* Name of tasks without a pid in the recorder's namespace, which cannot be distinguished. */
#define MACHINE_UNKNOWN "[unknown]"

/* Return 1 if the pid is that of tasks outside the recorder's pid namespace, and note that there
 * are such tasks; the caller must ignore the record. Returns 0 for other pids, or -ENOMEM. */
int machine_is_outside(struct tally_machine *machine, int32_t pid);

/* Return the thread of a record that only living threads cause. NULL when out of memory. */
struct tally_thread *machine_record_thread(struct tally_machine *machine, int32_t pid, int32_t tid);

/* Process a mapping or KSYMBOL record. Returns 0 or -ENOMEM. */
int machine_mmap(struct tally_machine *machine, const void *record, size_t len);
int machine_ksymbol(struct tally_machine *machine, const void *record, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals shared by the source files of a machine. */
#ifndef TALLY_PROFILE_PROCESS_MACHINE_PRIVATE_H
#define TALLY_PROFILE_PROCESS_MACHINE_PRIVATE_H

#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "profile/process/machine.h"

/* Maximum length of a task, file or function name. The kernel truncates names to less than this.
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

/* Slot in a direct-mapped cache of recently looked-up addresses. */
struct locate_slot {
	uint64_t space; /* 0 if empty */
	struct tally_location location;
};

/* A build ID from the file's table, and the name under which it was recorded. */
struct known_build_id {
	uint32_t name;   /* ID in `names` */
	uint32_t module; /* ID of "[name]" for kernel modules; otherwise the same as `name` */
	uint8_t size;
	uint8_t bytes[TALLY_BUILD_ID_MAX];
};

struct tally_machine {
	struct tally_symbols *symbols;
	struct tally_intern comms, names;
	struct tally_map threads;                     /* maps tid to struct tally_thread * */
	struct tally_thread *recent[MACHINE_RECENT];  /* recently used threads, by tid; or NULL */
	struct tally_map processes;                   /* maps pid to struct tally_process * */
	TALLY_VEC(struct tally_thread *) all_threads; /* indexed by thread; owned by the machine */
	struct tally_process *ended[MACHINE_ENDED];   /* recently exited processes, or NULL */
	size_t nr_ended;
	struct tally_maps *kernel;
	struct tally_dso *kernel_dso;
	uint32_t kernel_name; /* ID in `names` + 1; 0 for the default name */
	TALLY_VEC(struct known_build_id) build_ids;
	TALLY_VEC(uint32_t) build_id_of; /* indexed by ID in `names`: index + 1, or 0 for none */
	struct machine_file *files;      /* see machine_files.c; NULL if there are none yet */
	uint64_t next_space;
	uint64_t kernel_space;
	struct locate_slot *slots; /* allocated on the first look-up */
	size_t nr_slots;           /* grows to LOCATE_SLOTS after LOCATE_FIRST_SLOTS misses */
	uint64_t nr_missed;
	uint64_t generation; /* symbols' generation when the slots were filled */
	uint64_t time;       /* see tally_machine_set_time() */
	uint64_t latest;     /* latest sample, fork or exit timestamp; 0 if none is known */
	bool follows;        /* see tally_machine_follow() */
	bool shows_hidden;   /* see tally_machine_show_hidden() */
	bool shows_paths;    /* see tally_machine_show_paths() */
	bool has_outside;    /* see tally_machine_sample_thread() */
	struct tally_dso *cut, *hidden; /* DSOs of TALLY_CUT and TALLY_HIDDEN_KERNEL, or NULL */
	tally_machine_guard guard;      /* or NULL */
	void *guard_arg;
	struct tally_location nowhere;
	struct tally_machine_stats stats;
};

/* Garbage collection state: marks for the objects to keep, and new numbers for threads and
 * comms. */
struct machine_sweep {
	uint8_t *threads, *comms, *dsos; /* marks for objects still needed, even if they are gone */
	uint32_t *new_threads, *new_comms;
};

/* Allocate space for all marks and numbers, with all marks cleared. Returns 0 or -ENOMEM. */
int machine_sweep_init(const struct tally_machine *machine, struct machine_sweep *sweep);
void machine_sweep_free(struct machine_sweep *sweep);

/* Free exited threads, comms and DSOs that are neither marked nor in use, and renumber the
 * remaining objects. Returns 0, or -ENOMEM with nothing freed. */
int machine_sweep(struct tally_machine *machine, struct machine_sweep *sweep);

/* Drop a thread's reference to a process. Dropping the last reference frees the process. NULL is
 * allowed. */
void machine_process_release(struct tally_machine *machine, struct tally_process *process);

/* Set the location key of a user-space mapping from its DSO's number. */
void machine_mapping_key_set(struct tally_mapping *mapping);

/* Name of tasks that have no PID in the recorder's namespace and therefore cannot be
 * distinguished. */
#define MACHINE_UNKNOWN "[unknown]"

/* Return 1 if the PID belongs to tasks outside the recorder's PID namespace, and record the fact
 * that such tasks exist; the caller must then ignore the record. Returns 0 for other PIDs, or
 * -ENOMEM. */
int machine_is_outside(struct tally_machine *machine, int32_t pid);

/* Return the thread for a record that only a live thread can have caused. Returns NULL when out of
 * memory. */
struct tally_thread *machine_record_thread(struct tally_machine *machine, int32_t pid, int32_t tid);

/* Return the DSO of a file that was mapped before in the same way, or NULL. `*ret_slot` is for
 * machine_file_set(), and may be NULL. */
struct tally_dso *machine_file_find(struct tally_machine *machine, const struct tally_mmap *mmap,
				    struct machine_file **ret_slot);
void machine_file_set(struct machine_file *slot, const struct tally_mmap *mmap,
		      struct tally_dso *dso);
/* Forget the files, because DSOs were freed or build IDs were added. */
void machine_files_clear(struct tally_machine *machine);

/* Process a mapping or KSYMBOL record. Returns 0 or -ENOMEM. */
int machine_mmap(struct tally_machine *machine, const void *record, size_t len);
int machine_ksymbol(struct tally_machine *machine, const void *record, size_t len);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions shared by the files that implement system_state.h. */
#ifndef TALLY_SAMPLER_SYSTEM_PRIVATE_H
#define TALLY_SAMPLER_SYSTEM_PRIVATE_H

#include "abi/abi_record.h"
#include "base/linked_list.h"
#include "base/vec.h"
#include "sampler/system_state.h"

/* A record without its trailer, shared by all mapping lists that contain it. */
struct system_record {
	unsigned refs;
	uint16_t size;
	uint8_t bytes[];
};

struct system_map {
	uint64_t start, end;
	struct system_record *record;
};

/* The mappings of a process, oldest first. Lists with more than one reference are not changed. */
struct system_maps {
	unsigned refs;
	size_t nr_compacted; /* length of the list when covered mappings were last dropped */
	TALLY_VEC(struct system_map) all;
};

struct system_task {
	struct tally_list link; /* in the tasks of its process */
	struct system_process *process;
	struct system_record *namespaces; /* or NULL */
	int32_t tid;
	bool has_comm, has_ended;
	bool is_seen; /* the records being merged contain the task */
	char comm[64];
};

struct system_process {
	struct tally_list tasks;
	struct system_maps *maps; /* NULL if there are none */
	int32_t pid, ppid;
	unsigned nr_alive; /* number of tasks, except a first thread that has exited */
	bool is_merged;    /* the records being merged contain the process */
	bool has_new_maps; /* ... and some of its mappings */
};

struct tally_system {
	size_t trailer;
	uint64_t limit, bytes, dropped;
	struct tally_map processes, tasks;   /* by PID and TID; values are pointers */
	struct tally_map ksymbols, programs; /* by address and ID; values are system_record */
	struct system_maps *kernel;
	struct tally_str other; /* the last merged records of other kinds, with trailers */
};

/* ---- memory: return NULL, and count it, if the limit is reached or memory is short --------- */

void *system_alloc(struct tally_system *system, size_t size);
void system_release(struct tally_system *system, void *block, size_t size);

/* Copy a record, without its trailer. The caller gets a reference. */
struct system_record *system_record_new(struct tally_system *system, const void *record,
					size_t len);
void system_record_put(struct tally_system *system, struct system_record *record);

/* ---- system_maps.c ------------------------------------------------------------------------- */

struct system_maps *system_maps_get(struct system_maps *maps);
void system_maps_put(struct tally_system *system, struct system_maps *maps);

/* Add a mapping to the list `*maps`, which is created if it is NULL, and copied if it is shared. */
void system_maps_add(struct tally_system *system, struct system_maps **maps, const void *record,
		     size_t len);

/* Drop mappings that newer ones cover completely. */
void system_maps_compact(struct tally_system *system, struct system_maps *maps);

/* ---- system_tasks.c ------------------------------------------------------------------------ */

/* Return the process, which is created if it is not known; NULL if that is not possible. */
struct system_process *system_process_get(struct tally_system *system, int32_t pid);
struct system_process *system_process_find(const struct tally_system *system, int32_t pid);
void system_process_free(struct tally_system *system, struct system_process *process);

/* Return the task, which is created if it is not known or if its TID belonged to another process;
 * NULL if that is not possible. */
struct system_task *system_task_get(struct tally_system *system, int32_t pid, int32_t tid);
struct system_task *system_task_find(const struct tally_system *system, int32_t tid);

/* Remove an exited task. The first thread is kept, and the process removed with its last task. */
void system_task_end(struct tally_system *system, struct system_task *task);

/* Remove all tasks but the first thread, which is alive afterwards. */
void system_process_reduce(struct tally_system *system, struct system_process *process);

void system_task_name(struct system_task *task, const char *comm);
void system_task_namespaces(struct tally_system *system, const void *record, size_t len);

/* ---- system_state.c ------------------------------------------------------------------------ */

/* Apply records of kernel code. */
void system_ksymbol(struct tally_system *system, const void *record, size_t len);
void system_program(struct tally_system *system, const void *record, size_t len);

/* Remove the functions, and the names, of all BPF programs. */
void system_bpf_clear(struct tally_system *system);

static inline bool system_record_is_user(const void *record)
{
	return (tally_record_header(record).misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
	       PERF_RECORD_MISC_USER;
}

static inline struct system_record *system_slot_record(uint64_t value)
{
	return (struct system_record *)(uintptr_t)value;
}

static inline struct system_process *system_slot_process(uint64_t value)
{
	return (struct system_process *)(uintptr_t)value;
}

#endif

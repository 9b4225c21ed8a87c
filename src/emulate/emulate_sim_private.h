/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to emulate/; shared by the scripted machine's source files. */
#ifndef TALLY_EMULATE_SIM_PRIVATE_H
#define TALLY_EMULATE_SIM_PRIVATE_H

#include "base/linked_list.h"
#include "base/map.h"
#include "emulate/backend.h"
#include "emulate/emulate_script.h"
#include "hosts/sim/sim.h"

/* A thread in a served process. */
struct emulated_task {
	int32_t pid, tid;
	struct tally_sim_task *task;
	struct tally_sim_step steps[6]; /* repeated: run a segment, sleep, run another, sleep */
	uint32_t stretch;               /* index of the next segment in steps[] */
	uint64_t spent;                 /* ns of CPU time since the program's start */
	uint32_t place;                 /* index of the current location; `left` ns remain there */
	uint64_t left, ip;
	uint64_t places[TALLY_SCRIPT_PLACES]; /* addresses; set only in a process's first thread */
	struct emulated_task *next;           /* next thread in the process */
};

struct emulated_event {
	struct emulated_machine *machine;
	struct tally_list link;
	void *wakes;
	int fd; /* the keeper's descriptor */
	bool has_ring, hung;
	uint64_t read_format;
	const struct tally_script_event *scripted; /* NULL if not in the script */
	uint32_t reads;                            /* position in the script's sequence */
	struct emulated_event *leader;             /* leader of the group, or the event itself */
};

struct emulated_machine {
	struct tally_emulate_backend backend;
	const struct tally_script *script;
	struct tally_sim *sim;
	struct tally_sim_task *keeper; /* task that owns all descriptors */
	uint32_t nr_cpus, nr_tasks;
	struct tally_sim_rates rates;
	struct tally_sim_event events[TALLY_SCRIPT_EVENTS];
	uint64_t weights; /* sum of the weights of all sample locations */
	uint64_t calls[TALLY_SCRIPT_READ + 1];
	struct tally_map tasks;   /* tid -> struct emulated_task */
	struct tally_list opened; /* events in the order in which they were opened */
};

static inline struct emulated_machine *machine_of(struct tally_emulate_backend *backend)
{
	return tally_container_of(backend, struct emulated_machine, backend);
}

/* ---- sim_tasks.c ---- */

/* Find the calling thread, or register it if it is unknown. Returns NULL if out of memory, or if
 * the process does not exist. */
struct emulated_task *emulated_task_of(struct emulated_machine *machine,
				       const struct tally_emulate_caller *caller);
/* Let a task use CPU time. */
void emulated_task_spend(struct emulated_machine *machine, struct emulated_task *task, uint64_t ns);
void emulated_fork(struct tally_emulate_backend *backend, int32_t parent, int32_t child);
void emulated_exec(struct tally_emulate_backend *backend, int32_t pid);
void emulated_end(struct tally_emulate_backend *backend, int32_t pid);
void emulated_exit(struct tally_emulate_backend *backend, int32_t pid);
void emulated_tasks_free(struct emulated_machine *machine);

/* ---- sim_maps.c ---- */

/* Report a program's mappings to the machine, and find the script's sample locations in them. */
void emulated_maps_read(struct emulated_machine *machine, struct emulated_task *task);

/* ---- sim_read.c ---- */

/* Replace the counts in the `len` bytes that read(2) returned for `event` with the script's values
 * for successive reads. */
void emulated_read_scripted(struct emulated_machine *machine, struct emulated_event *event,
			    void *values, size_t len);

/* ---- emulate_sim.c ---- */

/* Wake the callers that are waiting for events without live tasks. */
void emulated_hang_up(struct emulated_machine *machine);

#endif

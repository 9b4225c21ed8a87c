/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the scripted machine share. */
#ifndef TALLY_EMULATE_SIM_PRIVATE_H
#define TALLY_EMULATE_SIM_PRIVATE_H

#include "base/list.h"
#include "base/map.h"
#include "emulate/backend.h"
#include "emulate/script.h"
#include "hosts/sim/sim.h"

/* A thread of a process that is served. */
struct emulated_task {
	int32_t pid, tid;
	struct tally_sim_task *task;
	struct tally_sim_step steps[6]; /* run a stretch, sleep, run another, sleep, again */
	uint32_t stretch;               /* of steps[]: the one that comes next */
	uint64_t spent;                 /* CPU time since the program's start */
	uint32_t place;                 /* where it is, and for how long still */
	uint64_t left, ip;
	uint64_t places[TALLY_SCRIPT_PLACES]; /* of the process' first thread: their addresses */
	struct emulated_task *next;           /* thread of the process */
};

struct emulated_event {
	struct emulated_machine *machine;
	struct tally_list link;
	void *wakes;
	int fd; /* the keeper's */
	bool has_ring, hung;
	uint64_t read_format;
	const struct tally_script_event *scripted; /* NULL: none of the script's */
	uint32_t reads;                            /* of its sequence */
	struct emulated_event *leader;             /* of its group: itself if it is alone */
};

struct emulated_machine {
	struct tally_emulate_backend backend;
	const struct tally_script *script;
	struct tally_sim *sim;
	struct tally_sim_task *keeper; /* who has all descriptors */
	uint32_t nr_cpus, nr_tasks;
	struct tally_sim_rates rates;
	struct tally_sim_event events[TALLY_SCRIPT_EVENTS];
	uint64_t weights; /* of all places */
	uint64_t calls[TALLY_SCRIPT_READ + 1];
	struct tally_map tasks;   /* tid -> struct emulated_task */
	struct tally_list opened; /* events, in the order of their opening */
};

static inline struct emulated_machine *machine_of(struct tally_emulate_backend *backend)
{
	return tally_container_of(backend, struct emulated_machine, backend);
}

/* ---- sim_tasks.c ---- */

/* The thread that calls, which is made known if it is not; NULL: no memory, no such process. */
struct emulated_task *emulated_task_of(struct emulated_machine *machine,
				       const struct tally_emulate_caller *caller);
/* Let CPU time pass for it. */
void emulated_task_spend(struct emulated_machine *machine, struct emulated_task *task, uint64_t ns);
void emulated_fork(struct tally_emulate_backend *backend, int32_t parent, int32_t child);
void emulated_exec(struct tally_emulate_backend *backend, int32_t pid);
void emulated_end(struct tally_emulate_backend *backend, int32_t pid);
void emulated_exit(struct tally_emulate_backend *backend, int32_t pid);
void emulated_tasks_free(struct emulated_machine *machine);

/* ---- sim_maps.c ---- */

/* Tell the machine what a program has mapped, and find the script's places in it. */
void emulated_maps_read(struct emulated_machine *machine, struct emulated_task *task);

/* ---- sim_read.c ---- */

/* Put what the script says successive reads give in the place of what was counted: `len` bytes as
 * read(2) gave them of `event`. */
void emulated_read_scripted(struct emulated_machine *machine, struct emulated_event *event,
			    void *values, size_t len);

/* ---- sim.c ---- */

/* Tell whoever waits for an event that its tasks are gone. */
void emulated_hang_up(struct emulated_machine *machine);

#endif

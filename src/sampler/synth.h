/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Synthesized records describe tasks and maps that existed before the recording began. They are
 * collected in memory. As in perf, timestamps and IDs in their trailers are 0.
 */
#ifndef TALLY_SAMPLER_SYNTH_H
#define TALLY_SAMPLER_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "tally/rings.h"
#include "tally/client.h"

struct tally_synth {
	struct tally_str out; /* complete records */
	size_t trailer;       /* size of the kernel's sample_id, in bytes */
	const char *proc;     /* NULL for /proc */
	bool namespaces, maps, data_maps, build_ids;
	bool tasks;   /* COMM and FORK */
	bool parents; /* also FORK for main threads, if their parents have records */
	/* tally_synth_processes() skips the PIDs in `known`, and calls `pause` after each process.
	 * Both may be NULL. */
	const struct tally_map *known;
	int (*pause)(void *arg);
	void *arg;
	size_t hidden; /* number of processes with unreadable maps */
	bool others;   /* another user's maps were read, so reading them is permitted */
};

static inline const char *tally_synth_proc(const struct tally_synth *synth)
{
	return synth->proc ? synth->proc : "/proc";
}

/* Append the map of the kernel's text, "[kernel.kallsyms]_text". Adds nothing if its address is
 * hidden or cannot be read. Returns 0 or -ENOMEM. */
int tally_synth_kernel(struct tally_synth *synth);

/* Append the maps of loaded modules, with their file names. Returns 0 or -ENOMEM. */
int tally_synth_modules(struct tally_synth *synth);

/* Append the functions of the loaded BPF programs. Adds nothing if reading them is not permitted.
 * Returns 0 or -ENOMEM. */
int tally_synth_bpf(struct tally_synth *synth);

/* Append the current state of the process `pid`: threads, their names, executable maps. Adds
 * nothing if the process does not exist. Returns 0 or -ENOMEM. */
int tally_synth_process(struct tally_synth *synth, int32_t pid);

/* Return true if the process has exited and waits for its parent. No records describe it. */
bool tally_synth_is_zombie(const struct tally_synth *synth, int32_t pid);

/* Append the current state of the process and its descendants. Returns 0 or -ENOMEM. */
int tally_synth_tree(struct tally_synth *synth, int32_t pid);

/* Append the current state of all processes. Returns 0, the error from opening /proc, the error
 * from `pause`, or -ENOMEM. */
int tally_synth_processes(struct tally_synth *synth);

/* Append all cgroups below the cgroup2 mount point, with IDs. Returns 0 or -ENOMEM. */
int tally_synth_cgroups(struct tally_synth *synth);

/* Append perf.data's own records that list the requested threads or CPUs. Returns 0 or -ENOMEM. */
int tally_synth_thread_map(struct tally_synth *synth, const struct tally_threads *threads);
int tally_synth_cpu_map(struct tally_synth *synth, const struct tally_cpus *cpus);

/* Append perf.data's own record that converts the CPU's cycle counter to the time of samples. */
int tally_synth_time_conv(struct tally_synth *synth, const struct tally_ring_clock *clock);

/* For use by the other synth files: append the header of a record of type `type`. The caller then
 * appends `body` bytes. */
void tally_synth_begin(struct tally_synth *synth, uint32_t type, uint16_t misc, size_t body);
/* Append a string with its terminating NUL, padded to 8 bytes. */
void tally_synth_string(struct tally_synth *synth, const char *text);
/* Append a FORK record of a task that exists, with time 0, or a COMM record. */
void tally_synth_fork(struct tally_synth *synth, int32_t pid, int32_t ppid, int32_t tid,
		      int32_t ptid);
void tally_synth_comm(struct tally_synth *synth, int32_t pid, int32_t tid, const char *comm);
/* Append the trailer, all zeros. */
void tally_synth_end(struct tally_synth *synth);
void tally_synth_u32(struct tally_synth *synth, uint32_t value);
void tally_synth_u64(struct tally_synth *synth, uint64_t value);

#endif

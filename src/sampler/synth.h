/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that the kernel did not write: what was there before the recording began. They are
 * gathered in memory and look as perf's do: times and ids in their trailers are 0.
 */
#ifndef TALLY_SAMPLER_SYNTH_H
#define TALLY_SAMPLER_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tally/client.h"

struct tally_synth {
	struct tally_str out; /* whole records */
	size_t trailer;       /* bytes of sample_id that the kernel's records have */
	const char *proc;     /* NULL: /proc */
	bool namespaces, maps, data_maps, build_ids;
	bool tasks;    /* COMM and FORK */
	bool parents;  /* FORK of main threads too, as records of their parents are written as well
			*/
	size_t hidden; /* processes whose maps we may not read */
	bool others; /* maps of another user's process were read, so the right to do so is there */
};

static inline const char *tally_synth_proc(const struct tally_synth *synth)
{
	return synth->proc ? synth->proc : "/proc";
}

/* The kernel's text, "[kernel.kallsyms]_text". Nothing where its address is hidden or cannot be
 * read. 0 or -ENOMEM. */
int tally_synth_kernel(struct tally_synth *synth);

/* The loaded modules with their files. 0, also where there are none; -ENOMEM. */
int tally_synth_modules(struct tally_synth *synth);

/* The process `pid` as it is now: its threads, their names, its executable maps. A process
 * that is gone adds nothing. 0 or -ENOMEM. */
int tally_synth_process(struct tally_synth *synth, int32_t pid);

/* The process and all that descend from it. 0 or -ENOMEM. */
int tally_synth_tree(struct tally_synth *synth, int32_t pid);

/* Every process there is. 0; the error of opening /proc; -ENOMEM. */
int tally_synth_processes(struct tally_synth *synth);

/* Every cgroup below the mount point of cgroup2, with its id. 0 or -ENOMEM. */
int tally_synth_cgroups(struct tally_synth *synth);

/* perf.data's own records: the threads asked for and the CPUs. 0 or -ENOMEM. */
int tally_synth_thread_map(struct tally_synth *synth, const struct tally_threads *threads);
int tally_synth_cpu_map(struct tally_synth *synth, const struct tally_cpus *cpus);

/* A record of `type` and `size` bytes of body, which the caller appends next: header first.
 * For the other files of synthesizing. */
void tally_synth_begin(struct tally_synth *synth, uint32_t type, uint16_t misc, size_t body);
/* A string padded to 8 bytes with its NUL. */
void tally_synth_string(struct tally_synth *synth, const char *text);
/* The trailer, zeros. */
void tally_synth_end(struct tally_synth *synth);
void tally_synth_u32(struct tally_synth *synth, uint32_t value);
void tally_synth_u64(struct tally_synth *synth, uint64_t value);

#endif

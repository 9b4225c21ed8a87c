/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The current state of the recorded system: processes, threads, their names and mappings, and
 * kernel code. It is built from synthesized records and from the records that the kernel writes
 * later. tally_system_emit() describes the state in records, for the beginning of another file.
 *
 * Exited tasks are removed, and an exec replaces the mappings of a process. Processes that were
 * forked share the mappings of their parent until one of them maps something. Mappings that are
 * covered by newer ones are dropped. The kernel does not report munmap(2), so that a process may
 * have old mappings, but never more than the kernel permits (65,536).
 *
 * Memory is charged before it is allocated. What exceeds the limit, or cannot be allocated, is left
 * out and counted. Pointers and records come from the kernel and from procfs; names are those of
 * other users. Not thread-safe.
 */
#ifndef TALLY_SAMPLER_SYSTEM_STATE_H
#define TALLY_SAMPLER_SYSTEM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "sampler/synth.h"

struct tally_system;

/* Create an empty state. `trailer` is the size of the sample_id of the records, and `limit` the
 * maximum size of the state, both in bytes. Returns 0 or -ENOMEM. */
int tally_system_new(size_t trailer, uint64_t limit, struct tally_system **ret_system);

/* Free the state. NULL is allowed. */
void tally_system_free(struct tally_system *system);

/* Apply a COMM, FORK, EXIT, MMAP, MMAP2, NAMESPACES, KSYMBOL or BPF_EVENT record of `len` bytes.
 * Other types and damaged records are ignored. Records must be applied in the order of time. */
void tally_system_record(struct tally_system *system, const void *record, size_t len);

/* Apply records that were synthesized now (synth.h). Each process in the records gets their
 * tasks. It gets their mappings only if there are any, because unreadable mappings have no records.
 * The same applies to the maps of the kernel and to BPF programs.
 *
 * `distrusts`: kernel records may have been lost. If the name of a process has changed, its
 * mappings are removed, because it may have executed another program. */
void tally_system_merge(struct tally_system *system, const void *records, size_t len,
			bool distrusts);

/* Remove processes for which `is_gone` returns true. */
void tally_system_expire(struct tally_system *system, bool (*is_gone)(void *arg, int32_t pid),
			 void *arg);

/* Append records that describe the state to `synth->out`, ordered by PID. Whenever there are more
 * than 256 KiB, and at the end, call `write`, which clears synth->out. Returns 0, -ENOMEM, or the
 * callback's error. */
int tally_system_emit(struct tally_system *system, struct tally_synth *synth,
		      int (*write)(void *arg), void *arg);

/* Return the map with the PIDs of the known processes as keys. */
const struct tally_map *tally_system_pids(const struct tally_system *system);

/* Return the size of the state in bytes, and the number of tasks and mappings that were left out
 * because of the limit. */
uint64_t tally_system_bytes(const struct tally_system *system);
uint64_t tally_system_dropped(const struct tally_system *system);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replace the mappings of JIT compilers' dumps (jit-PID.dump) by mappings of ELF files, one for
 * each function in the dumps. The files are written to a directory of their own.
 *
 * Not supported: dumps of another byte order, and dumps with the times of a CPU's counter.
 */
#ifndef TALLY_CLI_INJECT_JIT_H
#define TALLY_CLI_INJECT_JIT_H

#include "base/map.h"
#include "base/vec.h"
#include "cli/inject/inject_copy.h"

/* A mapping that is inserted at its time: a complete MMAP2 record. */
struct inject_jit_map {
	uint64_t time, number; /* mappings of the same time keep their order */
	struct tally_str record;
};

/* All-zero, except for `dir` and `any_owner`, before the first record. */
struct inject_jit {
	const char *dir; /* directory for the ELF files; created for the first file */
	bool any_owner;  /* read dumps of untrusted owners, too */
	/* Mappings that were not inserted yet: a heap, because a hostile recording may name a dump
	 * for each of many processes. */
	TALLY_VEC(struct inject_jit_map) maps;
	struct tally_map pids; /* processes with a dump */
	uint64_t nr_files, nr_maps;
};

/* For inject_copy.before, with a struct inject_jit as `arg`. Records must arrive in the order of
 * their times. Returns 1 if the record is to be left out, 0, -ENOMEM, or -ECANCELED after printing
 * an error. */
int inject_jit_record(void *arg, struct inject_copy *copy,
		      const struct tally_perfdata_record *record);

void inject_jit_free(struct inject_jit *jit);

#endif

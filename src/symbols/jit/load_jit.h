/* SPDX-License-Identifier: BSD-2-Clause */
/* Code described by JIT compiler files, which grow while the programs are running. */
#ifndef TALLY_SYMBOLS_JIT_LOAD_JIT_H
#define TALLY_SYMBOLS_JIT_LOAD_JIT_H

#include "symbols/dso.h"
#include "symbols/jit/jit_file.h"

/* Minimum interval between checks after failed lookups, ns. */
enum { TALLY_JIT_CHECK_NS = 1000000000 };

struct tally_dso_jit {
	struct tally_jit_file file;
	int place;        /* index of the file's candidate path */
	uint64_t looked;  /* end of the last check, ns of CLOCK_MONOTONIC */
	uint64_t took;    /* duration of the last check, ns */
	bool is_final;    /* no process is writing to the file */
	bool is_given_up; /* not checked again: too large, or memory allocation failed */
	bool has_arch_clock;
	uint16_t machine; /* EM_... machine of a dump's code */
};

/* Loader for TALLY_DSO_PERF_MAP and TALLY_DSO_JITDUMP, see symbols_load.h. */
int tally_dso_load_jit(struct tally_dso *dso);

/* Read the new part of the file, unless the last check was less than `apart` ns ago. Failed lookups
 * are frequent, so a coarse clock is used. Returns true if the code changed. If the file can no
 * longer be read, the existing code is kept. */
bool tally_dso_jit_refresh(struct tally_dso *dso, uint64_t apart);

/* Open a JIT compiler's file if its owner is trusted or `any_owner` is set, because anyone can
 * write to /tmp. Trusted owners are root, the effective user and, while the process `pid` is
 * running, its user. Returns 0, TALLY_DSO_ERROR_NOT_TRUSTED, or an error from
 * tally_file_open(). */
int tally_jit_file_open(const char *path, int pid, bool any_owner, int *ret_fd);
/* Do the same for a DSO's process and options. */
int tally_dso_jit_file_open(const struct tally_dso *dso, const char *path, int *ret_fd);

/* Return the symbol at `place`, an address in the form that tally_dso_find() takes, or NULL. */
const struct tally_symbol *tally_dso_jit_find(struct tally_dso *dso, uint64_t place);

/* Add the results of reading the JIT files to a status. */
void tally_dso_jit_status(const struct tally_dso *dso, struct tally_dso_status *status);

void tally_dso_free_jit(struct tally_dso *dso);

#endif

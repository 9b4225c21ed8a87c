/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording that can be given to strangers: what tells of its user is replaced by stand-ins, the
 * same one wherever the same thing was, numbered by first appearance.
 *
 * Paths become /redacted/dir1/file1, but for those of the system (/usr/lib and the like) and the
 * names that the kernel gives to memory ([heap]); names of threads comm1; the host host1; cgroups
 * /cgroup1; the command line redacted. Functions keep their names, but for those that JIT compilers
 * made: of one with a slash only the word before the file stays. Registers are
 * zeroed. What may hold anything of the user and cannot be replaced is refused: dumps of stacks,
 * raw data, AUX data, types of records and features that are not known.
 */
#ifndef TALLY_CLI_RECORDING_REDACT_H
#define TALLY_CLI_RECORDING_REDACT_H

#include "base/intern.h"
#include "base/str.h"
#include "symbols/stored_write.h"
#include "tally/perfdata.h"

/* Stand-ins of one kind. */
struct tally_stand_ins {
	struct tally_intern texts; /* what they stand for */
	TALLY_VEC(char *) names;   /* by number of the text */
};

/* All zero: nothing has a stand-in yet. */
struct tally_redactor {
	struct tally_stand_ins paths, dirs, comms, cgroups, memory, names;
	bool failed; /* out of memory: texts were left out */
};

/* What is shown of a path or of the name of a mapping. It stays until the redactor is freed; never
 * NULL. `redactor` is a struct tally_redactor. */
const char *tally_redact_path(void *redactor, const char *path);

/* What is shown of a function's name that a JIT compiler made. A name without '/' and '\\' is shown
 * as it is. Of others the first word stays, if it has none of both, and a ":LINE" or
 * ":LINE:COLUMN" at the end; all between them becomes one stand-in of a path: "JS:*run
 * /redacted/dir1/file1:10:3". It stays until the redactor is freed; never NULL. */
const char *tally_redact_name(void *redactor, const char *name);

const char *tally_redact_comm(struct tally_redactor *redactor, const char *comm);
const char *tally_redact_cgroup(struct tally_redactor *redactor, const char *path);

void tally_redactor_free(struct tally_redactor *redactor);

/* Write the recording in `from` once more into the empty file `to`, redacted, with `names` as its
 * section of stored names. `between` is called as by tally_perfdata_copy(). 0; -EOPNOTSUPP with the
 * reason in `err` if it holds what cannot be redacted; -EINVAL; an error of writing; -ENOMEM. */
int tally_redact_file(struct tally_redactor *redactor, int from, int to,
		      const struct tally_str *names, int (*between)(void *arg), void *arg,
		      struct tally_error *err);

#endif

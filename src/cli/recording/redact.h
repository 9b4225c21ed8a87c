/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Make a recording that can be given to strangers. Data that identifies the user is replaced by
 * placeholders, numbered in order of appearance; equal data gets the same placeholder.
 *
 * Paths become /redacted/dir1/file1, except those of the system (/usr/lib and the like) and the
 * names that the kernel gives to memory ([heap]). Thread names become comm1, the host name host1,
 * cgroups /cgroup1, the command line "redacted". Function names are kept, except that names of JIT
 * code which contain a slash keep only the word before the file. Registers are zeroed. Data that
 * may contain anything and cannot be replaced is rejected: stack dumps, raw data, AUX data, unknown
 * types of records and features.
 */
#ifndef TALLY_CLI_RECORDING_REDACT_H
#define TALLY_CLI_RECORDING_REDACT_H

#include "base/intern.h"
#include "base/str.h"
#include "symbols/stored_write.h"
#include "tally/perfdata.h"

/* Placeholders of one kind. */
struct tally_placeholders {
	struct tally_intern texts; /* original texts */
	TALLY_VEC(char *) names;   /* placeholders, by number of the text */
};

/* Zero-initialised: no placeholders yet. */
struct tally_redactor {
	struct tally_placeholders paths, dirs, comms, cgroups, memory, names;
	bool failed; /* out of memory: some texts were dropped */
};

/* Return the placeholder of a path or mapping name. It is valid until the redactor is freed; never
 * NULL. `redactor` is a struct tally_redactor. */
const char *tally_redact_path(void *redactor, const char *path);

/* Return the redacted name of a JIT function. A name without '/' and '\\' is returned unchanged.
 * Otherwise the first word is kept if it contains neither, as is a trailing ":LINE" or
 * ":LINE:COLUMN"; the text between them becomes the placeholder of a path: "JS:*run
 * /redacted/dir1/file1:10:3". The result is valid until the redactor is freed; never NULL. */
const char *tally_redact_name(void *redactor, const char *name);

const char *tally_redact_comm(struct tally_redactor *redactor, const char *comm);
const char *tally_redact_cgroup(struct tally_redactor *redactor, const char *path);

void tally_redactor_free(struct tally_redactor *redactor);

/* Write a redacted copy of the recording in `from` to the empty file `to`, with `names` as the
 * section of embedded symbols. `between` is called as by tally_perfdata_copy(). Returns 0;
 * -EOPNOTSUPP, with the reason in `err`, if the recording contains data that cannot be redacted;
 * -EINVAL; a write error; or -ENOMEM. */
int tally_redact_file(struct tally_redactor *redactor, int from, int to,
		      const struct tally_str *names, int (*between)(void *arg), void *arg,
		      struct tally_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Redact a recording so that it can be published. Data that identifies the user is replaced with
 * placeholders, numbered in order of appearance. Identical data gets the same placeholder.
 *
 * Paths become /redacted/dir1/file1, except for system paths (such as /usr/lib) and the kernel's
 * names for memory regions (such as [heap]). Thread names become comm1, the host name becomes
 * host1, cgroups become /cgroup1, and the command line becomes "redacted". Function names are kept,
 * except that file paths in the names of JIT functions are replaced. Registers are zeroed. Data
 * that may contain anything and cannot be replaced is rejected: stack dumps, raw data, AUX data,
 * and unknown types of records and features.
 */
#ifndef TALLY_ARCHIVE_REDACT_H
#define TALLY_ARCHIVE_REDACT_H

#include "base/intern.h"
#include "base/str.h"
#include "symbols/embedded/stored_write.h"
#include "tally/perfdata.h"

/* Placeholders of one kind. */
struct tally_placeholders {
	struct tally_intern texts; /* original strings */
	TALLY_VEC(char *) names;   /* placeholders, indexed by string number */
};

/* A redactor. Zero-initialize it; it starts with no placeholders. */
struct tally_redactor {
	struct tally_placeholders paths, dirs, comms, cgroups, memory, names;
	bool failed; /* out of memory: some strings were dropped */
};

/* Return the placeholder for a path or mapping name. The result is never NULL and remains valid
 * until the redactor is freed. `redactor` is a struct tally_redactor. */
const char *tally_redact_path(void *redactor, const char *path);

/* Return the redacted name of a JIT function. A name that contains neither '/' nor '\\' is returned
 * unchanged. Otherwise, the first word is kept if it contains neither, and a trailing ":LINE" or
 * ":LINE:COLUMN" is also kept. The text between them is replaced with a path placeholder, for
 * example "JS:*run /redacted/dir1/file1:10:3". The result is never NULL and remains valid until the
 * redactor is freed. */
const char *tally_redact_name(void *redactor, const char *name);

const char *tally_redact_comm(struct tally_redactor *redactor, const char *comm);
const char *tally_redact_cgroup(struct tally_redactor *redactor, const char *path);

void tally_redactor_free(struct tally_redactor *redactor);

/* Write a redacted copy of the recording `from` to the empty file `to`, with `names` as its
 * embedded-symbols section. `between` is called as in tally_perfdata_copy(). Returns 0;
 * -EOPNOTSUPP, with the reason in `err`, if the recording contains data that cannot be redacted;
 * -EINVAL; a write error; or -ENOMEM. */
int tally_redact_file(struct tally_redactor *redactor, int from, int to,
		      const struct tally_str *names, int (*between)(void *arg), void *arg,
		      struct tally_error *err);

#endif

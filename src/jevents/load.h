/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event descriptions read at run time, as --events-dir does: the same types as the built-in ones,
 * so a new CPU needs no new program.
 */
#ifndef TALLY_JEVENTS_LOAD_H
#define TALLY_JEVENTS_LOAD_H

#include "jevents/diagnostic.h"
#include "jevents/models.h"

/* What is wanted of a tree. NULL members mean all. */
struct tally_load_filter {
	const char *arch;  /* "x86" */
	const char *cpuid; /* only models that the map gives this CPU, and system models */
};

/* Read `path`: a JSON file; a directory of them; an architecture's directory with its mapfile.csv;
 * or a directory of such directories. A file or directory without a map serves every CPU. Intel's
 * own layout, where the map names files, is read as well.
 *
 * 0 and `*ret_models`, which the caller frees; -ENOENT if there is nothing of the kind at `path` or
 * nothing that passes the filter; -EINVAL if the content has errors, told to `messages`; -EFBIG for
 * a file over 64 MiB; -E2BIG for a table beyond its limits; -ENOMEM; or the error of open(2) and
 * friends. `messages` may be NULL. */
int tally_models_load(const char *path, const struct tally_load_filter *filter,
		      struct tally_diagnostics *messages, struct tally_models **ret_models);

/* NULL is allowed. */
void tally_models_free(struct tally_models *models);

#endif

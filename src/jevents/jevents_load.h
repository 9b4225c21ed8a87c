/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load event descriptions at run time, as --events-dir does. The types are those of the built-in
 * models, so a new CPU can be supported without a new program.
 */
#ifndef TALLY_JEVENTS_LOAD_H
#define TALLY_JEVENTS_LOAD_H

#include "jevents/diagnostic.h"
#include "jevents/models.h"

/* Selects the models to load. NULL members match all. */
struct tally_load_filter {
	const char *arch;  /* "x86" */
	const char *cpuid; /* only models that the map lists for this CPU, and system models */
};

/* Read `path`: a JSON file; a directory with JSON files; the directory of an architecture with its
 * mapfile.csv; or a directory with such directories. A file or directory without a map applies to
 * every CPU. Intel's original layout, with a map that refers to files, is supported too.
 *
 * Returns 0 and `*ret_models`, which the caller frees; -ENOENT if `path` does not contain any of
 * these or nothing matches the filter; -EINVAL for errors in the content, which are reported to
 * `messages`; -EFBIG for a file larger than 64 MiB; -E2BIG if a limit of a table is exceeded;
 * -ENOMEM; or an error of open(2) and similar calls. `messages` may be NULL. */
int tally_models_load(const char *path, const struct tally_load_filter *filter,
		      struct tally_diagnostics *messages, struct tally_models **ret_models);

/* Free loaded models. `models` may be NULL. */
void tally_models_free(struct tally_models *models);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads event descriptions at run time, for --events-dir, into the types that the built-in models
 * use. This allows new CPUs to be supported without rebuilding the program.
 */
#ifndef TALLY_JEVENTS_LOAD_H
#define TALLY_JEVENTS_LOAD_H

#include "jevents/diagnostic.h"
#include "jevents/models.h"

/* Selects the models to load. NULL members match all. */
struct tally_load_filter {
	const char *arch;  /* "x86" */
	const char *cpuid; /* only models mapped to this CPU, and system models */
};

/*
 * Read `path`: a JSON file; a directory with JSON files; an architecture's directory with its
 * mapfile.csv; or a directory that contains such architecture directories. A file or directory
 * without a map applies to every CPU. Intel's original layout, with a map that refers to files, is
 * also supported.
 *
 * Returns 0 and `*ret_models`, which the caller frees; -ENOENT if `path` does not contain any of
 * these or nothing matches the filter; -EINVAL for errors in the content, which are reported to
 * `messages`; -EFBIG for a file larger than 64 MiB; -E2BIG if a table exceeds its limit; -ENOMEM;
 * or an error from open(2) or a similar call. `messages` may be NULL.
 */
int tally_models_load(const char *path, const struct tally_load_filter *filter,
		      struct tally_diagnostics *messages, struct tally_models **ret_models);

/* Free loaded models. `models` may be NULL. */
void tally_models_free(struct tally_models *models);

#endif

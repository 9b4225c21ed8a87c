/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the paths at which files are searched for. */
#ifndef TALLY_SYMBOLS_DSO_PATH_H
#define TALLY_SYMBOLS_DSO_PATH_H

#include "base/str.h"
#include "symbols/dso.h"

/* Append `path`, prefixed with the symfs directory if one is set. */
void tally_dso_add_path(const struct tally_dso *dso, struct tally_str *str, const char *path);

/* Append "DIR/.build-id/xx/yyyy". Returns false if the ID has fewer than two bytes. */
bool tally_build_id_add_path(const struct tally_build_id *id, const char *dir,
			     struct tally_str *str);

/* Append the directory of perf's cache of objects: $PERF_BUILDID_DIR, else $HOME/.debug. Returns 0;
 * -ENOENT if neither variable is set; or -ENOMEM. */
int tally_buildid_dir_find(struct tally_str *out);

#endif

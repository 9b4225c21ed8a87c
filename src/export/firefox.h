/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the source files for the Firefox Profiler format. */
#ifndef TALLY_EXPORT_FIREFOX_H
#define TALLY_EXPORT_FIREFOX_H

#include <errno.h>
#include <string.h>

#include "base/intern.h"
#include "base/map.h"
#include "export/model.h"
#include "export/stream.h"

enum firefox_category { FIREFOX_OTHER, FIREFOX_USER, FIREFOX_KERNEL };

struct firefox {
	const struct tally_export *export;
	const struct tally_profile *profile;
	struct tally_export_model model;
	struct tally_export_inlining *inlining;
	struct tally_export_tree tree; /* tree of frames; a stack's index is its path minus 1 */
	struct tally_intern strings;
	TALLY_VEC(struct tally_dso *) dsos; /* DSOs listed in "libs" */
	struct tally_map lib_of;            /* DSO -> index in `dsos` */
	struct tally_export_stream stream;
};

/* Add the members "libs", "threads" and "shared" of the profile. "shared" must be added last.
 * Return 0 or -errno. */
int firefox_add_libs(struct firefox *firefox);
int firefox_add_threads(struct firefox *firefox);
int firefox_add_shared(struct firefox *firefox);

#endif

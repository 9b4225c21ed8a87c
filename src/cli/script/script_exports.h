/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts of perf that make what tally report exports: flamegraph, gecko, stackcollapse. */
#ifndef TALLY_CLI_SCRIPT_EXPORTS_H
#define TALLY_CLI_SCRIPT_EXPORTS_H

#include "session/session.h"

struct script_export;

/* Return the export with this name, or NULL. */
const struct script_export *script_export_find(const char *name);

/* Run the export for a recording, with the filters of tally script. Returns the exit status. */
int script_export_run(const struct script_export *export,
		      const struct tally_session_options *session);

/* Print the names, as lines of 'script -l'. */
void script_exports_list(void);

/* Print only the names for shells. */
void script_exports_print(void);

#endif

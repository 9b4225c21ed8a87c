/* SPDX-License-Identifier: BSD-2-Clause */
/* script --per-event-dump: the samples of each event in a file of its own. */
#ifndef TALLY_CLI_SCRIPT_EVENT_DUMP_H
#define TALLY_CLI_SCRIPT_EVENT_DUMP_H

#include "cli/main/document.h"
#include "cli/script/script_print.h"

struct script_event_dump {
	struct tally_script_printer printer;
	struct tally_document document;
	uint64_t samples;
	char path[]; /* INPUT.EVENT.dump */
};

/* All zero is a valid initial state. */
struct script_event_dumps {
	TALLY_VEC(struct script_event_dump *) by_event; /* NULL for events without samples */
	bool force;                                     /* replace any existing file */
};

/* Return the file for an event, which is created if it is new, with a printer that has only its
 * session. Returns 0, -ENOMEM, or another -errno after printing an error. */
int script_event_dump_get(struct script_event_dumps *dumps, struct tally_session *session,
			  uint32_t event, struct script_event_dump **ret_dump, bool *ret_is_new);

/* Finish the files, print their names and free everything. If `ret` is not 0, remove the files.
 * Returns `ret` or an error from writing. */
int script_event_dumps_finish(struct script_event_dumps *dumps, int ret);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread that makes the text of samples. The thread that reads takes samples (script_sample.h)
 * and passes them in batches; the other thread uses the printer, the symbols and standard output.
 * tally_machine_set_guard() makes the first thread wait before it changes what both use.
 */
#ifndef TALLY_CLI_SCRIPT_THREAD_H
#define TALLY_CLI_SCRIPT_THREAD_H

#include "cli/script/script_print.h"

struct script_thread;

/* Start the thread, which uses `printer` until it is stopped. Returns NULL if that is not
 * possible. */
struct script_thread *script_thread_start(struct tally_script_printer *printer);

/* Print a sample in the thread, or at once after script_thread_stop(). Of `fields`, other than
 * SCRIPT_TAKEN_FIELDS must not be set while the thread runs. Returns 0, -ENOMEM, or the -errno of a
 * failed write, perhaps of earlier samples. */
int script_thread_print(struct script_thread *thread, const struct tally_feed_sample *sample,
			uint64_t fields);

/* Wait until the samples so far are printed, and end the thread. The caller may then use the
 * printer. `thread` may be NULL, or have been stopped before. */
void script_thread_stop(struct script_thread *thread);

/* Stop the thread and free it. `thread` may be NULL. */
void script_thread_free(struct script_thread *thread);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a sample is made in two steps. The first takes from the recorded processes what the
 * text depends on, before they change. The second makes the text, in another thread for large
 * recordings (script_thread.h).
 */
#ifndef TALLY_CLI_SCRIPT_SAMPLE_H
#define TALLY_CLI_SCRIPT_SAMPLE_H

#include "cli/script/script_print.h"

/* Fields that are shown without more than a struct script_sample and its locations. */
#define SCRIPT_TAKEN_FIELDS                                                                     \
	(SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID | SCRIPT_TIME | SCRIPT_CPU | SCRIPT_EVENT |      \
	 SCRIPT_PERIOD | SCRIPT_IP | SCRIPT_SYM | SCRIPT_DSO | SCRIPT_SYMOFF | SCRIPT_SRCLINE | \
	 SCRIPT_DSOFF)

/* A sample, without what may change before its text is made. */
struct script_sample {
	uint64_t fields, ip, time, period;
	const char *comm, *event; /* valid as long as the session */
	uint32_t comm_len;
	uint32_t nr_places; /* number of locations: the callchain, or the sampled address */
	uint32_t cpu;
	int32_t pid, tid;
	uint8_t cpumode;
	bool has_chain; /* the sample's event has callchains, which are shown */
};

/* A position in a struct script_found. */
struct script_found_at {
	const uint64_t *word;
	const uint8_t *is_return;
};

static inline struct script_found_at script_found_start(const struct script_found *found)
{
	return (struct script_found_at){found->words.data, found->returns.data};
}

static inline void script_found_free(struct script_found *found)
{
	tally_vec_free(&found->words);
	tally_vec_free(&found->returns);
}

/* Take what script_sample_add_task() needs. Uses only the members attr, event, thread, cpumode and
 * sample of `from`. */
void script_sample_take_task(struct tally_script_printer *printer,
			     const struct tally_feed_sample *from, uint64_t fields,
			     struct script_sample *ret_sample);

/* Take a sample for the functions below, and add its locations to `found`. Returns 0 or -ENOMEM. */
int script_sample_take(struct tally_script_printer *printer, const struct tally_feed_sample *from,
		       uint64_t fields, struct script_found *found,
		       struct script_sample *ret_sample);

/* Prefetch the text of a sample's locations, which are at `at`. Returns the position after them. */
struct script_found_at script_sample_prefetch(const struct tally_script_printer *printer,
					      const struct script_sample *sample,
					      struct script_found_at at);

/* Append the task, CPU and time to the printer's text. */
void script_sample_add_task(struct tally_script_printer *printer,
			    const struct script_sample *sample);

/* Append the task, CPU, time, period and event. */
void script_sample_add_start(struct tally_script_printer *printer,
			     const struct script_sample *sample);

/* Append the callchain or the sampled address. Its locations are at `at`, which is advanced. */
void script_sample_add_places(struct tally_script_printer *printer,
			      const struct script_sample *sample, struct script_found_at *at);

#endif

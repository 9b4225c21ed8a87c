/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of a case. */
#ifndef TALLY_CLI_SELFTEST_COUNTERS_H
#define TALLY_CLI_SELFTEST_COUNTERS_H

#include "cli/selftest/selftest.h"
#include "sampler/target.h"
#include "tally/client.h"

/* An all-zero structure has no counters. */
struct selftest_counters {
	struct tally_events *events;
	struct tally_event_list *list;
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_counters *counters;
};

/* Turn a refused event into a result: SKIPPED if the machine lacks the event or does not permit it,
 * FAILED if the refusal is not explained by the machine. `code` is the -errno. */
enum selftest_result selftest_refused(struct selftest *test, int code,
				      const struct tally_refusal *why);

/* Parse `text` and open its events on `target`; `transport` may be NULL for the kernel's. Close the
 * counters with selftest_counters_close(), even if the result is not OK. */
enum selftest_result selftest_counters_open(struct selftest *test, const char *text,
					    const struct tally_transport *transport,
					    const struct tally_target *target,
					    const struct tally_open_options *options,
					    struct selftest_counters *counters);

/* Read the sum of an event's counters. Returns FAILED if a counter cannot be read or has not been
 * counting the whole time. */
enum selftest_result selftest_counters_read(struct selftest *test,
					    const struct selftest_counters *counters, size_t event,
					    uint64_t *ret_value);

void selftest_counters_close(struct selftest_counters *counters);

#endif

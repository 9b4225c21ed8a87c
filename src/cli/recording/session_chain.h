/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callchains that are not recorded as such. With --call-graph lbr the user's part is the stack of
 * calls that the CPU keeps (PERF_SAMPLE_BRANCH_CALL_STACK); with --call-graph dwarf it is unwound
 * from a dump of the stack with the registers.
 */
#ifndef TALLY_CLI_RECORDING_SESSION_CHAIN_H
#define TALLY_CLI_RECORDING_SESSION_CHAIN_H

#include "cli/recording/session.h"

/* Put the user's part into the sample's callchain, as perf does, where it was recorded in one of
 * these ways; others stay as they are. The words are in session->chain, until the next sample.
 * 0 or -ENOMEM. */
int tally_session_chain(struct tally_session *session, const struct perf_event_attr *attr,
			const struct tally_thread *thread, struct tally_sample *sample);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Build callchains that are not recorded as such. With --call-graph lbr the user part is the call
 * stack recorded by the CPU (PERF_SAMPLE_BRANCH_CALL_STACK); with --call-graph dwarf it is unwound
 * from a stack dump and the registers.
 */
#ifndef TALLY_CLI_RECORDING_SESSION_CHAIN_H
#define TALLY_CLI_RECORDING_SESSION_CHAIN_H

#include "cli/recording/session.h"

/* Add the user part to the sample's callchain, in perf's format, if it was recorded in one of these
 * ways. Other callchains are unchanged. The words are in session->chain and valid until the next
 * sample. Returns 0 or -ENOMEM. */
int tally_session_chain(struct tally_session *session, const struct perf_event_attr *attr,
			const struct tally_thread *thread, struct tally_sample *sample);

#endif

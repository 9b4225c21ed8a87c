/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Build callchains from other sample data. With --call-graph lbr, the user part is the call stack
 * recorded by the CPU (PERF_SAMPLE_BRANCH_CALL_STACK). With --call-graph dwarf, the user part is
 * unwound from a stack dump and the registers.
 */
#ifndef TALLY_SESSION_CHAIN_H
#define TALLY_SESSION_CHAIN_H

#include "session/session.h"

/* If the sample was recorded with --call-graph lbr or dwarf, add the user part to its callchain, in
 * perf's format. Other callchains are unchanged. The new callchain is stored in session->chain and
 * remains valid until the next sample. Returns 0 or -ENOMEM. */
int tally_session_chain(struct tally_session *session, const struct perf_event_attr *attr,
			const struct tally_thread *thread, struct tally_sample *sample);

#endif

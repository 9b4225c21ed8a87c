/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Build the user part of callchains from other sample data. With --call-graph lbr, the user part is
 * the call stack recorded by the CPU (PERF_SAMPLE_BRANCH_CALL_STACK). With --call-graph dwarf, it
 * is unwound from a stack dump and the registers. Not thread-safe.
 */
#ifndef TALLY_PROFILE_PROCESS_USER_CHAIN_H
#define TALLY_PROFILE_PROCESS_USER_CHAIN_H

#include "profile/process/unwind.h"

struct tally_user_chains {
	struct tally_unwinder unwinder;
	uint8_t ip_register;      /* register number of the instruction pointer */
	TALLY_VEC(uint64_t) made; /* the last callchain that was not made by the unwinder */
};

/* Initialize for samples of `machine`, which is borrowed. `arch` is the name of the architecture
 * that recorded the samples, as in uname(); "" means this machine's. */
void tally_user_chains_init(struct tally_user_chains *chains, struct tally_machine *machine,
			    const char *arch);

/* If the sample was recorded with --call-graph lbr or dwarf, add the user part to its callchain, in
 * perf's format. If the stack cannot be unwound, or its rules are still being loaded, the user part
 * is the leaf function. Other callchains are unchanged. The new callchain remains valid until the
 * next call. Returns 0 or -ENOMEM. */
int tally_user_chain(struct tally_user_chains *chains, const struct perf_event_attr *attr,
		     const struct tally_thread *thread, struct tally_sample *sample);

void tally_user_chains_free(struct tally_user_chains *chains);

#endif

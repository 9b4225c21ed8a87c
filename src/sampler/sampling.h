/* SPDX-License-Identifier: BSD-2-Clause */
/* Description of a sampling: target, events, rate, and contents of samples. */
#ifndef TALLY_SAMPLER_SAMPLING_H
#define TALLY_SAMPLER_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/event_source.h"
#include "sampler/messages.h"
#include "sampler/target.h"
#include "tally/client.h"

/* Methods to record callchains. */
enum tally_callchain {
	TALLY_CALLCHAIN_NONE,
	TALLY_CALLCHAIN_FP,    /* frame pointers, which the kernel follows */
	TALLY_CALLCHAIN_DWARF, /* registers and a copy of the stack, to be unwound later */
	TALLY_CALLCHAIN_AUTO,  /* both: frame pointers continue where the copy ends */
	TALLY_CALLCHAIN_LBR,   /* from branch records of the PMU */
};

/* Defaults: samples per second; bytes of each ring; with stack dumps, and if permitted, the maximum
 * of each ring and of all rings, or 1/128 of the memory if that is more; bytes of a dump. */
enum {
	TALLY_SAMPLING_FREQ = 4000,
	TALLY_SAMPLING_RING = 512 << 10,
	TALLY_SAMPLING_DUMPS_RING = 32 << 20,
	TALLY_SAMPLING_DUMPS_RINGS = 64 << 20,
	TALLY_SAMPLING_STACK = 8192,
};

/* The default event. */
#define TALLY_SAMPLING_EVENT "cycles:P"

/* Kinds of existing objects to synthesize records for. */
enum { TALLY_SYNTH_TASK = 1, TALLY_SYNTH_MMAP = 2, TALLY_SYNTH_CGROUP = 4 };

/* Zeroed, the defaults, except for `synth`. Strings are borrowed. */
struct tally_sampling {
	struct tally_target target;
	struct tally_event_source source;
	uint64_t period;  /* events per sample, with has_period */
	const char *freq; /* samples per second, or "max"; NULL: TALLY_SAMPLING_FREQ */
	bool has_period, raw, no_samples, strict_freq;
	enum tally_callchain chain;
	uint32_t stack_size; /* of a dump; 0: TALLY_SAMPLING_STACK */
	uint64_t max_stack, branch_type, regs_intr, regs_user;
	bool branches; /* of the kinds in branch_type; only privilege levels or nothing: any kind */
	bool user_chains, kernel_chains, all_user, all_kernel;
	bool with_addr, with_time, with_period, with_weight, with_cpu, with_identifier;
	bool with_phys, with_data_page, with_code_page, with_transaction, inherit_stat;
	bool switch_events, namespaces, all_cgroups, buildid_mmap, no_bpf;
	bool use_clockid;
	int clockid;
	bool no_inherit, overwrite, no_buffering;
	bool is_delayed;           /* events are enabled later than the command is started */
	unsigned synth;            /* TALLY_SYNTH_* */
	bool tail_synth;           /* at the end of the recording */
	bool is_synthesized_again; /* repeated for further files or at the end */
	size_t ring_pages;         /* data pages of each ring; 0: default */
	bool quiet;                /* report only errors */
	const struct tally_messages *messages;   /* NULL: no messages */
	const struct tally_transport *transport; /* NULL: Linux */
	const struct tally_access *access; /* permission data for explanations; NULL: read when
	                                    * needed */
};

/*
 * Parse arguments of options, in perf's syntax. Returns 0, or -EINVAL after an error message.
 *
 * chain: "fp", "dwarf[,SIZE]", "auto[,SIZE]", "lbr", "no"; NULL selects fp unless a method is
 * selected already.
 *
 * branches: "any_call,u", added to the current types; NULL adds nothing.
 *
 * clock: "monotonic" etc., or a number.
 *
 * synth: "no", "task", "mmap", "cgroup", "all", or several of them.
 *
 * registers: "AX,BX", "" for all, "?" to list them (and return -EINVAL).
 */
int tally_sampling_parse_chain(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_branches(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_clock(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_synth(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_registers(const struct tally_sampling *sampling, const char *text,
				   uint64_t *ret_mask);

/* The same for callers that keep the strings: return the method that results from --call-graph
 * `text`, or -g (NULL), after `before` (NULL: none) was selected. */
const char *tally_sampling_choose_chain(const char *before, const char *text);

/* Return the mask of all registers that samples of this machine can have. */
uint64_t tally_sampling_all_registers(void);

#endif

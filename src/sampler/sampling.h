/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be sampled, and what a sample holds: the wishes, before anything is opened. */
#ifndef TALLY_SAMPLER_SAMPLING_H
#define TALLY_SAMPLER_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/event_source.h"
#include "sampler/messages.h"
#include "sampler/target.h"
#include "tally/client.h"

/* How the callers of a sampled function are found. */
enum tally_callchain {
	TALLY_CALLCHAIN_NONE,
	TALLY_CALLCHAIN_FP,    /* by frame pointers, in the kernel */
	TALLY_CALLCHAIN_DWARF, /* registers and a copy of the stack, to be unwound */
	TALLY_CALLCHAIN_AUTO,  /* both: frame pointers go on where the copy ends */
	TALLY_CALLCHAIN_LBR,   /* from the branches that the PMU keeps */
};

/* Unless told otherwise: samples a second; bytes of each ring; the most of each with stack dumps,
 * where that is permitted, and of all these, or 1/128 of the memory if that is more; bytes of a
 * dump. */
enum {
	TALLY_SAMPLING_FREQ = 4000,
	TALLY_SAMPLING_RING = 512 << 10,
	TALLY_SAMPLING_DUMPS_RING = 32 << 20,
	TALLY_SAMPLING_DUMPS_RINGS = 64 << 20,
	TALLY_SAMPLING_STACK = 8192,
};

/* The event that is sampled where none is named. */
#define TALLY_SAMPLING_EVENT "cycles:P"

/* Which records of what existed before are synthesized. */
enum { TALLY_SYNTH_TASK = 1, TALLY_SYNTH_MMAP = 2, TALLY_SYNTH_CGROUP = 4 };

/* All zero is a good default, but for `synth`. Texts are borrowed. */
struct tally_sampling {
	struct tally_target target;
	struct tally_event_source source;
	uint64_t period;  /* with has_period: events between samples */
	const char *freq; /* samples a second, or "max"; NULL: TALLY_SAMPLING_FREQ */
	bool has_period, raw, no_samples, strict_freq;
	enum tally_callchain chain;
	uint32_t stack_size; /* of a dump; 0: TALLY_SAMPLING_STACK */
	uint64_t max_stack, branch_type, regs_intr, regs_user;
	bool branches; /* of the kinds in branch_type; levels alone, or nothing, mean any kind */
	bool user_chains, kernel_chains, all_user, all_kernel;
	bool with_addr, with_time, with_period, with_weight, with_cpu, with_identifier;
	bool with_phys, with_data_page, with_code_page, with_transaction, inherit_stat;
	bool switch_events, namespaces, all_cgroups, buildid_mmap, no_bpf;
	bool use_clockid;
	int clockid;
	bool no_inherit, overwrite, no_buffering;
	bool is_delayed;           /* events are enabled later than the command starts */
	unsigned synth;            /* TALLY_SYNTH_* */
	bool tail_synth;           /* at the end of the recording, not at its beginning */
	bool is_synthesized_again; /* later on, for further files or at the end */
	size_t ring_pages;         /* data pages of each ring; 0: ours to choose */
	bool quiet;                /* errors alone are told */
	const struct tally_messages *messages;   /* NULL: nobody is told */
	const struct tally_transport *transport; /* NULL: Linux */
	const struct tally_access *access; /* the rules that explain; NULL: read when needed */
};

/*
 * Words of options, as perf has them. 0, or -EINVAL, which is told.
 *
 * chain: "fp", "dwarf[,SIZE]", "auto[,SIZE]", "lbr", "no"; NULL is fp, or what was chosen already.
 * branches: "any_call,u", added to what is there; NULL adds nothing.
 * clock: "monotonic" and its like, or a number.
 * synth: "no", "task", "mmap", "cgroup", "all", or several of them.
 * registers: "AX,BX", "" for all, "?" to be told them (and -EINVAL).
 */
int tally_sampling_parse_chain(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_branches(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_clock(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_synth(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_registers(const struct tally_sampling *sampling, const char *text,
				   uint64_t *ret_mask);

/* The same for who keeps the words: what --call-graph `text`, or -g (NULL), makes of what was
 * chosen before (NULL: nothing). */
const char *tally_sampling_choose_chain(const char *before, const char *text);

/* All registers that samples of this machine can have. */
uint64_t tally_sampling_all_registers(void);

#endif

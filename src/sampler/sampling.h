/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling description: target, events, rate and sample contents. */
#ifndef TALLY_SAMPLER_SAMPLING_H
#define TALLY_SAMPLER_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/event_source.h"
#include "base/messages.h"
#include "sampler/target.h"
#include "tally/client.h"

/* Methods of recording callchains. */
enum tally_callchain {
	TALLY_CALLCHAIN_NONE,
	TALLY_CALLCHAIN_FP,    /* frame pointers, which the kernel follows */
	TALLY_CALLCHAIN_DWARF, /* registers and a copy of the stack, to be unwound later */
	TALLY_CALLCHAIN_AUTO,  /* FP and DWARF; frame pointers are used where the copy ends */
	TALLY_CALLCHAIN_LBR,   /* from the PMU's branch records */
};

/* Defaults: FREQ in samples per second, RING in bytes per ring, STACK in bytes per stack dump. With
 * stack dumps, rings grow to DUMPS_RING bytes if permitted. All rings together grow to DUMPS_RINGS
 * bytes, or to 1/128 of memory if that is more. */
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

/* An all-zero struct selects the defaults, except for `synth`. Strings are borrowed. */
struct tally_sampling {
	struct tally_target target;
	struct tally_event_source source;
	uint64_t period;    /* events per sample, if has_period; 0 for the default */
	const char *freq;   /* samples per second, "max", or NULL for TALLY_SAMPLING_FREQ */
	const char *cgroup; /* sample only in this cgroup; requires CPUs. NULL for all */
	bool has_period, raw, no_samples, strict_freq;
	enum tally_callchain chain;
	bool defers_chains; /* with FP: unwind user space on return to it; from Linux 6.19 on */
	const char *default_chain; /* method of -g without a method; NULL for fp */
	uint32_t stack_size;       /* bytes per dump; 0 for TALLY_SAMPLING_STACK */
	uint64_t max_stack, branch_type, regs_intr, regs_user;
	/* Sample branches of the types in branch_type, or of any type if branch_type is 0 or
	 * contains only privilege levels. */
	bool branches;
	bool user_chains, kernel_chains, all_user, all_kernel;
	bool with_addr, with_data_maps, with_data_src; /* with_addr implies the others */
	bool with_time, with_period, with_weight, with_cpu, with_identifier;
	bool with_phys, with_data_page, with_code_page, with_transaction, inherit_stat;
	bool period_chosen; /* with_period is also set or cleared for frequencies and tracepoints */
	bool running_times; /* read how long events were enabled and counted, as with inherit_stat */
	bool switch_events, namespaces, all_cgroups, buildid_mmap, no_bpf;
	bool use_clockid;
	int clockid;
	bool no_inherit, overwrite, no_buffering;
	bool is_delayed;           /* events are enabled after the command has started */
	unsigned synth;            /* TALLY_SYNTH_* */
	bool tail_synth;           /* synthesize at the end of the recording */
	bool is_synthesized_again; /* synthesize again for further files or at the end */
	size_t ring_pages;         /* data pages per ring; 0 for the default */
	bool quiet;                /* report only errors */
	const struct tally_messages *messages;   /* NULL to print no messages */
	const struct tally_transport *transport; /* NULL for Linux */
	const struct tally_access *access; /* permissions, to explain errors; read later if NULL */
};

/*
 * Parse option arguments in perf's syntax. Returns 0, or reports an error and returns -EINVAL.
 *
 * chain: "fp[,defer]", "dwarf[,SIZE]", "auto[,SIZE]", "lbr", "no"; NULL selects fp unless another
 * method has been selected.
 *
 * branches: "any_call,u", added to the current types; NULL adds nothing.
 *
 * clock: "monotonic" etc., or a number.
 *
 * synth: "no", "task", "mmap", "cgroup", "all", or several of them.
 *
 * cgroup: "NAME", or "NAME,NAME" if the names are the same.
 *
 * registers: "AX,BX", "" for all, "?" to list them (and return -EINVAL).
 */
int tally_sampling_parse_chain(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_branches(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_cgroup(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_clock(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_synth(struct tally_sampling *sampling, const char *text);
int tally_sampling_parse_registers(const struct tally_sampling *sampling, const char *text,
				   uint64_t *ret_mask);

/* Variant of tally_sampling_parse_chain() for callers that keep the strings: return the method
 * selected by --call-graph `text`, or by -g if `text` is NULL. `before` is the method selected
 * earlier, or NULL. */
const char *tally_sampling_choose_chain(const char *before, const char *text);

/* Return the mask of all registers that samples on this machine can contain. */
uint64_t tally_sampling_all_registers(void);

#endif

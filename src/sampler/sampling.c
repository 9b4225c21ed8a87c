/* SPDX-License-Identifier: BSD-2-Clause */
/* Parse the option arguments that select how to sample. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arith.h"
#include "base/size.h"
#include "sampler/sampling.h"

int tally_sampling_parse_synth(struct tally_sampling *sampling, const char *text)
{
	static const struct {
		const char *word;
		unsigned bits;
	} words[] = {{"no", 0},
		     {"none", 0},
		     {"task", TALLY_SYNTH_TASK},
		     {"mmap", TALLY_SYNTH_MMAP},
		     {"cgroup", TALLY_SYNTH_CGROUP},
		     {"all", TALLY_SYNTH_TASK | TALLY_SYNTH_MMAP | TALLY_SYNTH_CGROUP}};

	sampling->synth = 0;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t len = strcspn(at, ","), i;

		for (i = 0; i < TALLY_ARRAY_SIZE(words); i++) {
			if (strlen(words[i].word) == len && !strncmp(words[i].word, at, len))
				break;
		}
		if (i == TALLY_ARRAY_SIZE(words)) {
			tally_message_error(sampling->messages,
					    "--synth %s: must be no, task, mmap, cgroup or all",
					    text);
			return -EINVAL;
		}
		sampling->synth |= words[i].bits;
	}
	return 0;
}

/* ---- callchains, branches, clocks, registers ------------------------------- */

static const struct {
	const char *word;
	enum tally_callchain chain;
	bool has_size; /* ",SIZE" may follow */
} chain_words[] = {
	{"fp", TALLY_CALLCHAIN_FP, false},    {"no", TALLY_CALLCHAIN_NONE, false},
	{"lbr", TALLY_CALLCHAIN_LBR, false},  {"dwarf", TALLY_CALLCHAIN_DWARF, true},
	{"auto", TALLY_CALLCHAIN_AUTO, true},
};

/* Round the size up to a multiple of 8, as the kernel requires, and limit it so that the rest of
 * the sample still fits into the record. */
static int parse_stack_size(struct tally_sampling *sampling, const char *text,
			    const char *size_text)
{
	enum { MOST = 65528 };
	uint64_t size;

	if (!tally_size_parse(size_text, 1, &size) || !size || size > MOST) {
		tally_message_error(sampling->messages,
				    "--call-graph %s: the size must be from 8 to %d bytes", text,
				    MOST);
		return -EINVAL;
	}
	sampling->stack_size = (uint32_t)TALLY_MIN(tally_round_up(size, 8), (uint64_t)MOST);
	return 0;
}

int tally_sampling_parse_chain(struct tally_sampling *sampling, const char *text)
{
	const char *word = text ? text : sampling->default_chain ? sampling->default_chain : "fp";
	size_t len = strcspn(word, ",");
	bool has_no_use;
	uint64_t size;

	if (!text && sampling->chain != TALLY_CALLCHAIN_NONE)
		return 0;
	sampling->defers_chains = !strcmp(word, "fp,defer");
	has_no_use = !strncmp(word, "fp,", 3) && tally_size_parse(word + 3, 1, &size);
	if (has_no_use)
		tally_message_warn(sampling->messages,
				   "--call-graph %s: the size is ignored; only dwarf and auto have "
				   "stack dumps",
				   word);
	if (has_no_use || sampling->defers_chains) {
		sampling->chain = TALLY_CALLCHAIN_FP;
		return 0;
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(chain_words); i++) {
		bool has_size = word[len] == ',';

		if (strlen(chain_words[i].word) != len || strncmp(chain_words[i].word, word, len) ||
		    (has_size && !chain_words[i].has_size))
			continue;
		sampling->chain = chain_words[i].chain;
		return has_size ? parse_stack_size(sampling, word, word + len + 1) : 0;
	}
	tally_message_error(sampling->messages,
			    "--call-graph %s: must be fp[,defer], dwarf[,size], auto[,size] "
			    "or lbr",
			    word);
	return -EINVAL;
}

const char *tally_sampling_choose_chain(const char *before, const char *text)
{
	if (text)
		return text;
	return before && strcmp(before, "no") ? before : "fp";
}

static const struct {
	const char *word;
	uint64_t bit;
} branch_words[] = {
	{"u", PERF_SAMPLE_BRANCH_USER},
	{"k", PERF_SAMPLE_BRANCH_KERNEL},
	{"hv", PERF_SAMPLE_BRANCH_HV},
	{"any", PERF_SAMPLE_BRANCH_ANY},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
	{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
	{"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
	{"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
	{"cond", PERF_SAMPLE_BRANCH_COND},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
	{"call", PERF_SAMPLE_BRANCH_CALL},
	{"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS},
	{"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES},
	{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
	{"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
	{"hw_index", PERF_SAMPLE_BRANCH_HW_INDEX},
	{"priv", PERF_SAMPLE_BRANCH_PRIV_SAVE},
};

int tally_sampling_parse_branches(struct tally_sampling *sampling, const char *text)
{
	sampling->branches = true;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t len = strcspn(at, ","), i;

		for (i = 0; i < TALLY_ARRAY_SIZE(branch_words); i++) {
			if (strlen(branch_words[i].word) == len &&
			    !strncmp(branch_words[i].word, at, len))
				break;
		}
		if (i == TALLY_ARRAY_SIZE(branch_words)) {
			tally_message_error(sampling->messages,
					    "-j %s: '%.*s' is not a branch type", text, (int)len,
					    at);
			return -EINVAL;
		}
		sampling->branch_type |= branch_words[i].bit;
	}
	return 0;
}

int tally_sampling_parse_cgroup(struct tally_sampling *sampling, const char *text)
{
	const char *last = strrchr(text, ',') ? strrchr(text, ',') + 1 : text;
	size_t len = strlen(last);
	bool is_one = !sampling->cgroup || !strcmp(sampling->cgroup, last);

	/* perf takes a name for each event; here, they must be the same. */
	for (const char *at = text; is_one && at < last; at += len + 1)
		is_one = !strncmp(at, last, len) && at[len] == ',';
	if (!is_one) {
		tally_message_error(sampling->messages, "samples can be taken in one cgroup only");
		tally_message_hint(sampling->messages,
				   "make a recording for each cgroup, or record all with "
				   "--all-cgroups and use 'report --sort cgroup'");
		return -EINVAL;
	}
	sampling->cgroup = last;
	return 0;
}

int tally_sampling_parse_clock(struct tally_sampling *sampling, const char *text)
{
	static const struct {
		const char *word;
		int clock;
	} clocks[] = {
		{"monotonic", CLOCK_MONOTONIC},
		{"mono", CLOCK_MONOTONIC},
		{"monotonic_raw", CLOCK_MONOTONIC_RAW},
		{"raw", CLOCK_MONOTONIC_RAW},
		{"boottime", CLOCK_BOOTTIME},
		{"boot", CLOCK_BOOTTIME},
		{"realtime", CLOCK_REALTIME},
		{"real", CLOCK_REALTIME},
		{"tai", CLOCK_TAI},
		{"clock_tai", CLOCK_TAI},
	};
	char *end;
	long number = strtol(text, &end, 10);

	if (!strncasecmp(text, "CLOCK_", 6))
		text += 6;
	sampling->use_clockid = true;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(clocks); i++) {
		if (!strcasecmp(clocks[i].word, text)) {
			sampling->clockid = clocks[i].clock;
			return 0;
		}
	}
	if (end != text && !*end && number >= 0 && number < 16) {
		sampling->clockid = (int)number;
		return 0;
	}
	tally_message_error(sampling->messages, "-k %s: unknown clock", text);
	return -EINVAL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Set the attr of each event from the sampling description, with perf's defaults. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/file.h"
#include "sampler/attrs.h"

#define MAX_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

/* Return the highest frequency that the kernel permits, or UINT64_MAX if it cannot be read. */
static uint64_t max_rate(void)
{
	uint64_t rate;
	char *text;
	size_t len;

	if (tally_file_read(MAX_RATE_FILE, 64, &text, &len))
		return UINT64_MAX;
	rate = strtoull(text, NULL, 10);
	free(text);
	return rate ? rate : UINT64_MAX;
}

/* Determine the frequency to request. */
static int find_freq(struct tally_sampler *sampler)
{
	const struct tally_sampling *sampling = sampler->sampling;
	uint64_t limit = max_rate();
	char *end;

	sampler->freq = TALLY_SAMPLING_FREQ;
	if (sampling->freq && !strcmp(sampling->freq, "max")) {
		if (limit == UINT64_MAX) {
			tally_message_error(sampling->messages,
					    "-F max: cannot read " MAX_RATE_FILE);
			return -ENOENT;
		}
		sampler->freq = limit;
	} else if (sampling->freq) {
		sampler->freq = strtoull(sampling->freq, &end, 10);
		if (*end || end == sampling->freq || !sampler->freq) {
			tally_message_error(sampling->messages, "-F %s: must be a frequency",
					    sampling->freq);
			return -EINVAL;
		}
	}
	if (sampler->freq <= limit)
		return 0;
	if (sampling->strict_freq) {
		tally_message_error(sampling->messages,
				    "%llu Hz exceeds the kernel's limit of %llu Hz",
				    (unsigned long long)sampler->freq, (unsigned long long)limit);
		tally_message_hint(sampling->messages,
				   "sudo sysctl kernel.perf_event_max_sample_rate=%llu",
				   (unsigned long long)sampler->freq);
		return -EINVAL;
	}
	tally_message_warn(sampling->messages,
			   "sampling at %llu Hz instead of %llu Hz, the limit of "
			   "kernel.perf_event_max_sample_rate",
			   (unsigned long long)limit, (unsigned long long)sampler->freq);
	sampler->freq = limit;
	return 0;
}

static bool term_given(const struct tally_event_spec *spec, uint32_t term)
{
	return spec->terms.given & term;
}

/* True if an event is something to record each time, not a count to sample. */
static bool is_recorded_each_time(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT || attr->type == PERF_TYPE_BREAKPOINT ||
	       tally_attr_is_bpf_output(attr);
}

/* Set the period or frequency. An event's own setting takes precedence over -c. Without either,
 * events that are recorded each time have a period of 1 unless -F was given. All other events use
 * the frequency. */
static void attr_rate(const struct tally_sampler *sampler, const struct tally_event_spec *spec,
		      struct perf_event_attr *attr)
{
	const struct tally_sampling *sampling = sampler->sampling;

	if (term_given(spec, TALLY_TERM_PERIOD | TALLY_TERM_FREQ))
		return;
	attr->freq = 0;
	if (sampling->has_period && sampling->period) {
		attr->sample_period = sampling->period;
	} else if (is_recorded_each_time(attr) && !sampling->freq) {
		attr->sample_period = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = sampler->freq;
	}
}

static void attr_chain(const struct tally_sampling *sampling, enum tally_callchain chain,
		       uint32_t stack_size, struct perf_event_attr *attr)
{
	if (chain == TALLY_CALLCHAIN_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = (uint16_t)sampling->max_stack;
	attr->defer_callchain = sampling->defers_chains;
	if (sampling->user_chains)
		attr->exclude_callchain_kernel = 1;
	if (sampling->kernel_chains)
		attr->exclude_callchain_user = 1;
	if (chain == TALLY_CALLCHAIN_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					   PERF_SAMPLE_BRANCH_NO_CYCLES |
					   PERF_SAMPLE_BRANCH_NO_FLAGS;
	} else if (chain == TALLY_CALLCHAIN_DWARF || chain == TALLY_CALLCHAIN_AUTO) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
				     PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
		attr->sample_regs_user = tally_sampling_all_registers();
		attr->sample_stack_user = stack_size;
		attr->exclude_callchain_user |= chain == TALLY_CALLCHAIN_DWARF;
	}
}

/* The event's own call-graph= takes precedence. */
static void attr_event_chain(const struct tally_sampling *sampling,
			     const struct tally_event_spec *spec, struct perf_event_attr *attr)
{
	static const struct {
		const char *word;
		enum tally_callchain chain;
	} words[] = {{"fp", TALLY_CALLCHAIN_FP},
		     {"yes", TALLY_CALLCHAIN_FP},
		     {"dwarf", TALLY_CALLCHAIN_DWARF},
		     {"auto", TALLY_CALLCHAIN_AUTO},
		     {"lbr", TALLY_CALLCHAIN_LBR}};
	enum tally_callchain chain = sampling->chain;
	uint32_t size = sampling->stack_size ? sampling->stack_size : TALLY_SAMPLING_STACK;

	if (term_given(spec, TALLY_TERM_CALL_GRAPH)) {
		chain = TALLY_CALLCHAIN_NONE;
		for (size_t i = 0; i < TALLY_ARRAY_SIZE(words); i++) {
			if (!strcmp(spec->terms.call_graph, words[i].word))
				chain = words[i].chain;
		}
	}
	if (term_given(spec, TALLY_TERM_STACK_SIZE))
		size = spec->terms.stack_size;
	attr_chain(sampling, chain, size, attr);
	if (chain != TALLY_CALLCHAIN_NONE && term_given(spec, TALLY_TERM_MAX_STACK))
		attr->sample_max_stack = (uint16_t)spec->terms.max_stack;
}

/* Return the branch types. If only privilege levels are given, select all branch types. */
static uint64_t branch_type(const struct tally_sampling *sampling)
{
	enum {
		LEVELS = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV
	};
	bool is_any = sampling->branches && !(sampling->branch_type & ~(uint64_t)LEVELS);

	return sampling->branch_type | (is_any ? PERF_SAMPLE_BRANCH_ANY : 0);
}

/* Select the sample fields, using a table of (wanted, bits) rows. */
static void attr_fields(const struct tally_sampler *sampler, const struct tally_event_spec *spec,
			struct perf_event_attr *attr)
{
	const struct tally_sampling *sampling = sampler->sampling;
	bool has_data = attr->type == PERF_TYPE_TRACEPOINT || tally_attr_is_bpf_output(attr);
	bool raw = sampling->raw || has_data;
	bool timed = !term_given(spec, TALLY_TERM_TIME) || spec->terms.time;
	const struct {
		bool wanted;
		uint64_t bits;
	} rows[] = {
		{true, PERF_SAMPLE_IP | PERF_SAMPLE_TID},
		{timed || raw, PERF_SAMPLE_TIME},
		{sampling->period_chosen ? sampling->with_period
					 : attr->freq || sampling->with_period || has_data,
		 PERF_SAMPLE_PERIOD},
		{raw, PERF_SAMPLE_RAW | PERF_SAMPLE_CPU},
		{sampling->with_cpu || tally_target_has_cpus(&sampling->target), PERF_SAMPLE_CPU},
		{sampling->with_addr, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC},
		{sampling->with_data_src, PERF_SAMPLE_DATA_SRC},
		{sampling->with_weight, PERF_SAMPLE_WEIGHT_STRUCT},
		{sampling->with_transaction, PERF_SAMPLE_TRANSACTION},
		{sampling->with_phys, PERF_SAMPLE_PHYS_ADDR},
		{sampling->with_data_page, PERF_SAMPLE_DATA_PAGE_SIZE},
		{sampling->with_code_page, PERF_SAMPLE_CODE_PAGE_SIZE},
		{sampling->all_cgroups, PERF_SAMPLE_CGROUP},
		{spec->sample_read, PERF_SAMPLE_READ},
		{sampling->branches, PERF_SAMPLE_BRANCH_STACK},
		{sampling->regs_intr, PERF_SAMPLE_REGS_INTR},
		{sampling->regs_user, PERF_SAMPLE_REGS_USER},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		attr->sample_type |= rows[i].wanted ? rows[i].bits : 0;
	attr->branch_sample_type = branch_type(sampling);
	attr->sample_regs_intr = sampling->regs_intr;
	attr->sample_regs_user = sampling->regs_user;
}

static void attr_exclude(const struct tally_sampling *sampling, struct perf_event_attr *attr)
{
	if (sampling->all_user) {
		attr->exclude_user = 0;
		attr->exclude_kernel = 1;
	}
	if (sampling->all_kernel) {
		attr->exclude_kernel = 0;
		attr->exclude_user = 1;
	}
}

/* Determine when the event counts, and for which tasks. Group members are enabled together with
 * their leader. */
static void attr_state(const struct tally_sampler *sampler, size_t index,
		       const struct tally_event_spec *spec, struct perf_event_attr *attr)
{
	const struct tally_sampling *sampling = sampler->sampling;
	bool is_leader = spec->leader == index || !spec->in_braces;
	bool is_command = tally_target_is_command(&sampling->target);

	attr->disabled = is_leader;
	attr->enable_on_exec = is_leader && is_command && !sampling->is_delayed;
	attr->inherit = !sampling->no_inherit && !sampling->target.tids &&
			!sampling->target.per_thread && !spec->sample_read;
	if (term_given(spec, TALLY_TERM_INHERIT))
		attr->inherit = spec->terms.inherit;
	attr->inherit_stat = sampling->inherit_stat && attr->inherit;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	if (sampling->inherit_stat || sampling->running_times)
		attr->read_format |=
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (spec->sample_read)
		attr->read_format |= PERF_FORMAT_GROUP;
	attr->write_backward = sampling->overwrite;
	if (term_given(spec, TALLY_TERM_OVERWRITE))
		attr->write_backward = spec->terms.overwrite;
	attr->sample_id_all = 1;
	if (sampling->no_buffering)
		attr->wakeup_events = 1;
	if (sampling->use_clockid) {
		attr->use_clockid = 1;
		attr->clockid = sampling->clockid;
	}
}

/* Set up the event that records tasks, names and maps. */
static void attr_tracking(const struct tally_sampling *sampling, struct perf_event_attr *attr)
{
	attr->mmap = attr->comm = attr->task = attr->mmap2 = attr->comm_exec = 1;
	attr->ksymbol = 1;
	attr->bpf_event = !sampling->no_bpf;
	attr->mmap_data = sampling->with_addr || sampling->with_data_maps ||
			  sampling->chain == TALLY_CALLCHAIN_DWARF;
	attr->namespaces = sampling->namespaces;
	attr->cgroup = sampling->all_cgroups;
	attr->context_switch = sampling->switch_events;
	attr->build_id = sampling->buildid_mmap;
	attr->defer_output = sampling->defers_chains;
}

/* Enable the dummy event from the start, independently of the other events. */
static void attr_dummy(const struct tally_sampler *sampler, struct perf_event_attr *attr)
{
	attr->exclude_guest = 0;
	attr->disabled = tally_target_is_command(&sampler->sampling->target);
	attr->enable_on_exec = attr->disabled;
	attr->freq = 0;
	attr->sample_period = 1;
	attr->sample_type &= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr->write_backward = 0;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
}

static void attr_make(struct tally_sampler *sampler, size_t index)
{
	struct tally_event_spec *spec = &sampler->specs.data[index];
	struct perf_event_attr *attr = &spec->attr;
	bool is_dummy = index && index == sampler->tracking;

	attr_rate(sampler, spec, attr);
	attr_exclude(sampler->sampling, attr);
	attr_fields(sampler, spec, attr);
	attr_event_chain(sampler->sampling, spec, attr);
	attr_state(sampler, index, spec, attr);
	/* Only the leader is sampled; its samples contain the counts of the members. */
	if (spec->sample_read && spec->leader != index) {
		attr->freq = 0;
		attr->sample_period = 0;
	}
	if (sampler->sampling->no_samples)
		attr->sample_period = 0;
	if (is_dummy)
		attr_dummy(sampler, attr);
	if (index == sampler->tracking)
		attr_tracking(sampler->sampling, attr);
}

/* Add IDs to samples if there are several events or if with_identifier is set. If with_identifier
 * is set or the sample layouts differ, put the IDs at a fixed offset. */
static void attrs_identify(struct tally_sampler *sampler)
{
	bool same = !sampler->sampling->with_identifier;

	tally_vec_for_each (spec, &sampler->specs) {
		if (spec->attr.sample_type != sampler->specs.data[0].attr.sample_type)
			same = false;
	}
	if (sampler->specs.len < 2 && !sampler->sampling->with_identifier)
		return;
	tally_vec_for_each (spec, &sampler->specs)
		spec->attr.sample_type |= same ? PERF_SAMPLE_ID : PERF_SAMPLE_IDENTIFIER;
}

int sampler_attrs(struct tally_sampler *sampler)
{
	const struct tally_sampling *sampling = sampler->sampling;
	int ret = find_freq(sampler);

	if (ret)
		return ret;
	if (sampling->has_period && sampling->freq) {
		tally_message_error(
			sampling->messages,
			"-c (a fixed period) and -F (a frequency) cannot be used together");
		return -EINVAL;
	}
	if (sampling->max_stack > UINT16_MAX) {
		tally_message_error(sampling->messages, "--max-stack %llu exceeds the limit of %u",
				    (unsigned long long)sampling->max_stack, UINT16_MAX);
		return -EINVAL;
	}
	for (size_t i = 0; i < sampler->specs.len; i++)
		attr_make(sampler, i);
	attrs_identify(sampler);
	return 0;
}

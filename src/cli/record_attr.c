/* SPDX-License-Identifier: BSD-2-Clause */
/* From what the command line wants to the attr of each event; perf's defaults. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/file.h"
#include "cli/record.h"
#include "cli/say.h"

#define MAX_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

/* The highest frequency that the kernel permits; UINT64_MAX when it does not tell. */
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

/* The frequency to ask for. */
static int find_freq(struct record *record)
{
	const struct record_config *config = record->config;
	uint64_t limit = max_rate();
	char *end;

	record->freq = RECORD_FREQ;
	if (config->freq && !strcmp(config->freq, "max")) {
		if (limit == UINT64_MAX) {
			tally_say_error("-F max: cannot read " MAX_RATE_FILE);
			return -ENOENT;
		}
		record->freq = limit;
	} else if (config->freq) {
		record->freq = strtoull(config->freq, &end, 10);
		if (*end || end == config->freq || !record->freq) {
			tally_say_error("-F %s: not a frequency", config->freq);
			return -EINVAL;
		}
	}
	if (record->freq <= limit)
		return 0;
	if (config->strict_freq) {
		tally_say_error("%llu Hz are more than the kernel permits (%llu)",
				(unsigned long long)record->freq, (unsigned long long)limit);
		tally_say_hint("sudo sysctl kernel.perf_event_max_sample_rate=%llu",
			       (unsigned long long)record->freq);
		return -EINVAL;
	}
	tally_say_warning("sampling at %llu Hz instead of %llu: "
			  "kernel.perf_event_max_sample_rate permits no more",
			  (unsigned long long)limit, (unsigned long long)record->freq);
	record->freq = limit;
	return 0;
}

static bool term_given(const struct tally_event_spec *spec, uint32_t term)
{
	return spec->terms.given & term;
}

/* Period or frequency: the event's own, else the command line's, else 1 of each event where
 * the string has no rate by nature, else the frequency. */
static void attr_rate(const struct record *record, const struct tally_event_spec *spec,
		      struct perf_event_attr *attr)
{
	const struct record_config *config = record->config;

	if (term_given(spec, TALLY_TERM_PERIOD | TALLY_TERM_FREQ))
		return;
	attr->freq = 0;
	if (config->has_period) {
		attr->sample_period = config->period;
	} else if ((attr->type == PERF_TYPE_TRACEPOINT || attr->type == PERF_TYPE_BREAKPOINT) &&
		   !config->freq) {
		attr->sample_period = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = record->freq;
	}
}

static void attr_chain(const struct record_config *config, enum record_chain chain,
		       uint32_t stack_size, struct perf_event_attr *attr)
{
	if (chain == RECORD_CHAIN_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = (uint16_t)config->max_stack;
	if (config->user_chains)
		attr->exclude_callchain_kernel = 1;
	if (config->kernel_chains)
		attr->exclude_callchain_user = 1;
	if (chain == RECORD_CHAIN_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					   PERF_SAMPLE_BRANCH_NO_CYCLES |
					   PERF_SAMPLE_BRANCH_NO_FLAGS;
	} else if (chain == RECORD_CHAIN_DWARF) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
				     PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
		attr->sample_regs_user = record_regs_all();
		attr->sample_stack_user = stack_size;
		attr->exclude_callchain_user = 1;
	}
}

/* An event's own call-graph= wins. */
static void attr_event_chain(const struct record_config *config,
			     const struct tally_event_spec *spec, struct perf_event_attr *attr)
{
	static const struct {
		const char *word;
		enum record_chain chain;
	} words[] = {{"fp", RECORD_CHAIN_FP},
		     {"yes", RECORD_CHAIN_FP},
		     {"dwarf", RECORD_CHAIN_DWARF},
		     {"lbr", RECORD_CHAIN_LBR}};
	enum record_chain chain = config->chain;
	uint32_t size = config->stack_size ? config->stack_size : 8192;

	if (term_given(spec, TALLY_TERM_CALL_GRAPH)) {
		chain = RECORD_CHAIN_NONE;
		for (size_t i = 0; i < TALLY_ARRAY_SIZE(words); i++) {
			if (!strcmp(spec->terms.call_graph, words[i].word))
				chain = words[i].chain;
		}
	}
	if (term_given(spec, TALLY_TERM_STACK_SIZE))
		size = spec->terms.stack_size;
	attr_chain(config, chain, size, attr);
	if (chain != RECORD_CHAIN_NONE && term_given(spec, TALLY_TERM_MAX_STACK))
		attr->sample_max_stack = (uint16_t)spec->terms.max_stack;
}

/* Which fields the samples have: rows of (wanted, bits). */
static void attr_fields(const struct record *record, const struct tally_event_spec *spec,
			struct perf_event_attr *attr)
{
	const struct record_config *config = record->config;
	bool tracepoint = attr->type == PERF_TYPE_TRACEPOINT, raw = config->raw || tracepoint;
	bool timed = !term_given(spec, TALLY_TERM_TIME) || spec->terms.time;
	const struct {
		bool wanted;
		uint64_t bits;
	} rows[] = {
		{true, PERF_SAMPLE_IP | PERF_SAMPLE_TID},
		{timed || raw, PERF_SAMPLE_TIME},
		{attr->freq || config->with_period || tracepoint, PERF_SAMPLE_PERIOD},
		{raw, PERF_SAMPLE_RAW | PERF_SAMPLE_CPU},
		{config->with_cpu || tally_target_has_cpus(&config->target), PERF_SAMPLE_CPU},
		{config->with_addr, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC},
		{config->with_weight, PERF_SAMPLE_WEIGHT_STRUCT},
		{config->with_transaction, PERF_SAMPLE_TRANSACTION},
		{config->with_phys, PERF_SAMPLE_PHYS_ADDR},
		{config->with_data_page, PERF_SAMPLE_DATA_PAGE_SIZE},
		{config->with_code_page, PERF_SAMPLE_CODE_PAGE_SIZE},
		{config->all_cgroups, PERF_SAMPLE_CGROUP},
		{spec->sample_read, PERF_SAMPLE_READ},
		{config->branch_type, PERF_SAMPLE_BRANCH_STACK},
		{config->regs_intr, PERF_SAMPLE_REGS_INTR},
		{config->regs_user, PERF_SAMPLE_REGS_USER},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		attr->sample_type |= rows[i].wanted ? rows[i].bits : 0;
	attr->branch_sample_type = config->branch_type;
	attr->sample_regs_intr = config->regs_intr;
	attr->sample_regs_user = config->regs_user;
}

static void attr_exclude(const struct record_config *config, struct perf_event_attr *attr)
{
	if (config->all_user) {
		attr->exclude_user = 0;
		attr->exclude_kernel = 1;
	}
	if (config->all_kernel) {
		attr->exclude_kernel = 0;
		attr->exclude_user = 1;
	}
}

/* When it counts and for whom. Members follow their leader. */
static void attr_state(const struct record *record, size_t index,
		       const struct tally_event_spec *spec, struct perf_event_attr *attr)
{
	const struct record_config *config = record->config;
	bool is_leader = spec->leader == index || !spec->in_braces;
	bool is_command = tally_target_is_command(&config->target);

	attr->disabled = is_leader;
	attr->enable_on_exec = is_leader && is_command && !record->delay_ns;
	attr->inherit = !config->no_inherit && !config->target.tids && !config->target.per_thread &&
			!spec->sample_read;
	if (term_given(spec, TALLY_TERM_INHERIT))
		attr->inherit = spec->terms.inherit;
	attr->inherit_stat = config->inherit_stat && attr->inherit;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	if (config->inherit_stat)
		attr->read_format |=
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (spec->sample_read)
		attr->read_format |= PERF_FORMAT_GROUP;
	attr->write_backward = config->overwrite;
	if (term_given(spec, TALLY_TERM_OVERWRITE))
		attr->write_backward = spec->terms.overwrite;
	attr->sample_id_all = 1;
	if (config->no_buffering)
		attr->wakeup_events = 1;
	if (config->use_clockid) {
		attr->use_clockid = 1;
		attr->clockid = config->clockid;
	}
}

/* The event that tells of tasks, names and maps. */
static void attr_tracking(const struct record_config *config, struct perf_event_attr *attr)
{
	attr->mmap = attr->comm = attr->task = attr->mmap2 = attr->comm_exec = 1;
	attr->ksymbol = 1;
	attr->bpf_event = !config->no_bpf;
	attr->mmap_data = config->with_addr || config->chain == RECORD_CHAIN_DWARF;
	attr->namespaces = config->namespaces;
	attr->cgroup = config->all_cgroups;
	attr->context_switch = config->switch_events;
	attr->build_id = config->buildid_mmap;
}

/* The dummy counts from the first moment, everywhere, whatever the others do. */
static void attr_dummy(const struct record *record, struct perf_event_attr *attr)
{
	attr->exclude_guest = 0;
	attr->disabled = tally_target_is_command(&record->config->target);
	attr->enable_on_exec = attr->disabled;
	attr->freq = 0;
	attr->sample_period = 1;
	attr->sample_type &= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr->write_backward = 0;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
}

static void attr_make(struct record *record, size_t index)
{
	struct tally_event_spec *spec = &record->specs.data[index];
	struct perf_event_attr *attr = &spec->attr;
	bool is_dummy = index && index == record->tracking;

	attr_rate(record, spec, attr);
	attr_exclude(record->config, attr);
	attr_fields(record, spec, attr);
	attr_event_chain(record->config, spec, attr);
	attr_state(record, index, spec, attr);
	/* Only the leader samples; the others are read with it. */
	if (spec->sample_read && spec->leader != index) {
		attr->freq = 0;
		attr->sample_period = 0;
	}
	if (record->config->no_samples)
		attr->sample_period = 0;
	if (is_dummy)
		attr_dummy(record, attr);
	if (index == record->tracking)
		attr_tracking(record->config, attr);
}

/* Several events need ids in their samples: at a fixed place where the layouts differ. */
static void attrs_identify(struct record *record)
{
	bool same = !record->config->with_identifier;

	tally_vec_for_each (spec, &record->specs) {
		if (spec->attr.sample_type != record->specs.data[0].attr.sample_type)
			same = false;
	}
	if (record->specs.len < 2 && !record->config->with_identifier)
		return;
	tally_vec_for_each (spec, &record->specs)
		spec->attr.sample_type |= same ? PERF_SAMPLE_ID : PERF_SAMPLE_IDENTIFIER;
}

int record_attrs(struct record *record)
{
	int ret = find_freq(record);

	if (ret)
		return ret;
	if (record->config->has_period && record->config->freq) {
		tally_say_error("-c and -F exclude each other: a fixed period or a frequency");
		return -EINVAL;
	}
	for (size_t i = 0; i < record->specs.len; i++)
		attr_make(record, i);
	attrs_identify(record);
	return 0;
}

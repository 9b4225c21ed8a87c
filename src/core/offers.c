/* SPDX-License-Identifier: BSD-2-Clause */
/* Features that not every host offers. An attr that requests a feature is rejected if the host does
 * not offer it. */
#include "core/check.h"
#include "core/refuse.h"

#if TALLY_CORE_SIDEBAND

static bool no_text_poke(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->text_poke && !(ops->offers & TALLY_HOST_TEXT_POKE);
}

static bool no_bpf(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->bpf_event && !(ops->offers & TALLY_HOST_BPF);
}

static bool no_cgroup_records(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->cgroup && !(ops->offers & TALLY_HOST_CGROUP);
}

#else

static bool no_sideband(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->mmap || attr->mmap2 || attr->mmap_data || attr->comm || attr->task ||
	       attr->context_switch || attr->namespaces || attr->ksymbol || attr->text_poke ||
	       attr->bpf_event || attr->cgroup;
}

#endif

#if TALLY_CORE_SAMPLE_PARTS

static bool no_cgroup(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_CGROUP && !ops->cgroup;
}

static bool no_page_sizes(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->sample_type & (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE) &&
	       !ops->page_size_of;
}

static bool no_physical(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_PHYS_ADDR && !ops->physical;
}

static bool no_aux(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_AUX && !(ops->offers & TALLY_HOST_EMPTY_AUX);
}

#else

static bool no_parts(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	const uint64_t words = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

	return attr->sample_type & ~words;
}

static bool no_clocks(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->use_clockid;
}

#endif

static bool is_software(const struct perf_event_attr *attr, uint64_t config)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == config;
}

static bool no_bpf_output(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return is_software(attr, PERF_COUNT_SW_BPF_OUTPUT) && !(ops->offers & TALLY_HOST_BPF);
}

static bool no_cgroup_switches(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return is_software(attr, PERF_COUNT_SW_CGROUP_SWITCHES) &&
	       !(ops->offers & TALLY_HOST_CGROUP);
}

static bool deferred_chains(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->defer_callchain || attr->defer_output;
}

#if !TALLY_CORE_FREQUENCIES
static bool no_frequencies(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->freq;
}
#endif

#if !TALLY_CORE_TRAPS
static bool no_traps(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->sigtrap;
}
#endif

#if !TALLY_CORE_WHOLE_ATTR
static bool no_tail(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	const uint8_t *bytes = (const uint8_t *)attr;
	uint8_t any = 0;

	for (size_t i = TALLY_CORE_ATTR_KEPT; i < sizeof(*attr); i++)
		any |= bytes[i];
	return any;
}
#endif

#if !TALLY_CORE_INHERITANCE
static bool no_inheritance(const struct tally_host_ops *ops, const struct perf_event_attr *attr)
{
	return attr->inherit || attr->inherit_thread;
}
#endif

static const struct {
	bool (*missing)(const struct tally_host_ops *ops, const struct perf_event_attr *attr);
	struct tally_core_refusal why;
} offers[] = {
#if !TALLY_CORE_INHERITANCE
	{no_inheritance, TALLY_WHY(-EOPNOTSUPP, "inherit", "this core is built without inheritance",
				   "open an event for each task")},
#endif
#if !TALLY_CORE_FREQUENCIES
	{no_frequencies, TALLY_WHY(-EOPNOTSUPP, "freq", "this core is built without frequency mode",
				   "set sample_period")},
#endif
#if !TALLY_CORE_TRAPS
	{no_traps, TALLY_WHY(-EOPNOTSUPP, "sigtrap", "this core is built without SIGTRAP support",
			     "poll the event")},
#endif
#if !TALLY_CORE_SIDEBAND
	{no_sideband,
	 TALLY_WHY(-EOPNOTSUPP, "mmap", "this core is built without sideband records",
		   "clear comm, mmap, mmap2, mmap_data, task, context_switch and similar bits")},
#endif
#if !TALLY_CORE_SAMPLE_PARTS
	{no_parts, TALLY_WHY(-EOPNOTSUPP, "sample_type",
			     "this core is built with support only for single-word sample fields",
			     "use only IP, TID, TIME, ADDR, ID, STREAM_ID, CPU and PERIOD")},
	{no_clocks,
	 TALLY_WHY(-EOPNOTSUPP, "use_clockid",
		   "this core is built with support only for its own clock", "clear use_clockid")},
#endif
#if !TALLY_CORE_WHOLE_ATTR
	{no_tail, TALLY_WHY(-EOPNOTSUPP, "branch_sample_type",
			    "this core is built without the attr fields after config2", "")},
#endif
	{no_bpf_output,
	 TALLY_WHY(-ENOENT, "config", "this machine does not support BPF programs", "")},
	{no_cgroup_switches, TALLY_WHY(-ENOENT, "config", "this machine has no cgroups", "")},
	{deferred_chains,
	 TALLY_WHY(-EINVAL, "defer_callchain", "deferred unwinding is not implemented", "")},
#if TALLY_CORE_SIDEBAND
	{no_text_poke,
	 TALLY_WHY(-EINVAL, "text_poke", "this machine does not report code changes", "")},
	{no_bpf, TALLY_WHY(-EINVAL, "bpf_event", "this machine does not support BPF programs", "")},
	{no_cgroup_records, TALLY_WHY(-EINVAL, "cgroup", "this machine has no cgroups", "")},
#endif
#if TALLY_CORE_SAMPLE_PARTS
	{no_cgroup, TALLY_WHY(-EINVAL, "sample_type", "CGROUP: this machine has no cgroups", "")},
	{no_page_sizes,
	 TALLY_WHY(
		 -EINVAL, "sample_type",
		 "DATA_PAGE_SIZE, CODE_PAGE_SIZE: page sizes cannot be determined on this machine",
		 "")},
	{no_physical,
	 TALLY_WHY(-EINVAL, "sample_type",
		   "PHYS_ADDR: physical addresses cannot be determined on this machine", "")},
	{no_aux, TALLY_WHY(-EINVAL, "sample_type", "AUX: this machine has no AUX areas", "")},
#endif
};

const struct tally_core_refusal tally_not_permitted =
	TALLY_WHY(-EACCES, "", "denied by a security module", "");

const struct tally_core_refusal *tally_check_offers(const struct tally_host_ops *ops,
						    const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(offers); i++) {
		if (offers[i].missing(ops, attr))
			return &offers[i].why;
	}
	return NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Records for objects that exist before the recording starts: IDs, the kernel and running tasks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/proc.h"
#include "sampler/privileges.h"
#include "sampler/sampler_refuse.h"
#include "sampler/sampler.h"
#include "tally/perfdata.h"

/* ID with its event, CPU and thread. */
struct index_entry {
	uint64_t id, event, cpu, tid;
};

static int add_index_entries(const struct tally_sampler *sampler, size_t event,
			     struct tally_str *out)
{
	const struct tally_cpus *cpus = tally_counters_cpus(sampler->counters, event);
	size_t nr_threads = tally_counters_nr_threads(sampler->counters);

	for (size_t i = 0; i < cpus->nr * nr_threads; i++) {
		struct index_entry entry = {
			.event = event,
			.cpu = (uint64_t)(int64_t)cpus->cpu[i / nr_threads].number,
			.tid = (uint64_t)(int64_t)sampler->threads->thread[i % nr_threads].tid,
		};

		/* A thread that exited before its events were opened has no counters and no IDs. */
		if (!tally_counters_id(sampler->counters, event, i / nr_threads, i % nr_threads,
				       &entry.id))
			tally_str_add_bytes(out, &entry, sizeof(entry));
	}
	return tally_str_error(out);
}

/* Put as many entries into each record as fit. */
int tally_sampler_add_ids(struct tally_sampler *sampler)
{
	enum { ENTRY = sizeof(struct index_entry), MOST = (65528 - 16) / ENTRY };
	struct tally_str entries = {0};
	int ret = 0;

	for (size_t e = 0; !ret && e < sampler->specs.len; e++)
		ret = add_index_entries(sampler, e, &entries);
	for (size_t at = 0; !ret && at < entries.len;) {
		size_t nr = TALLY_MIN((entries.len - at) / ENTRY, (size_t)MOST);

		tally_synth_begin(&sampler->synth, TALLY_PERFDATA_ID_INDEX, 0, 8 + nr * ENTRY);
		tally_synth_u64(&sampler->synth, nr);
		tally_str_add_bytes(&sampler->synth.out, entries.data + at, nr * ENTRY);
		at += nr * ENTRY;
	}
	tally_str_free(&entries);
	return ret;
}

/* All rings have the same clock. */
int tally_sampler_add_clock(struct tally_sampler *sampler)
{
	struct tally_ring_clock clock;

	if (!tally_rings_nr(sampler->rings) ||
	    !tally_ring_clock(tally_rings_at(sampler->rings, 0), &clock))
		return 0;
	return tally_synth_time_conv(&sampler->synth, &clock);
}

/* Return true if samples may contain kernel addresses. Transports that estimate counts sample only
 * user space. */
static bool kernel_is_wanted(const struct tally_sampler *sampler)
{
	const struct tally_transport *transport = sampler->sampling->transport;

	if (transport && transport->estimates)
		return false;
	tally_vec_for_each (spec, &sampler->specs) {
		if (!spec->attr.exclude_kernel)
			return true;
	}
	return false;
}

/* Before the exec, only the command's name matters. Later, its maps and children matter too. */
static int add_child(struct tally_sampler *sampler, const struct tally_child *child, bool started)
{
	int ret;

	if (!child || !child->pid || child->gone)
		return 0;
	if (started)
		return tally_synth_tree(&sampler->synth, child->pid);
	sampler->synth.maps = false;
	ret = tally_synth_process(&sampler->synth, child->pid);
	sampler->synth.maps = sampler->sampling->synth & TALLY_SYNTH_MMAP;
	return ret;
}

static int add_threads(struct tally_sampler *sampler)
{
	int32_t last = -1;
	int ret = 0;

	for (size_t i = 0; !ret && i < sampler->threads->nr; i++) {
		int32_t pid = sampler->threads->thread[i].pid;

		if (pid != last)
			ret = tally_synth_process(&sampler->synth, pid);
		last = pid;
	}
	return ret;
}

static int add_tasks(struct tally_sampler *sampler, const struct tally_child *child, bool started)
{
	const struct tally_sampling *sampling = sampler->sampling;
	int ret = 0;

	if (!(sampling->synth & (TALLY_SYNTH_TASK | TALLY_SYNTH_MMAP)) || !tally_proc_matches_us())
		return 0;
	if (tally_target_has_cpus(&sampling->target))
		return tally_synth_processes(&sampler->synth);
	if (!tally_target_is_command(&sampling->target))
		ret = add_threads(sampler);
	return ret ? ret : add_child(sampler, child, started);
}

static int gather_all(struct tally_sampler *sampler, const struct tally_child *child, bool started)
{
	struct tally_synth *synth = &sampler->synth;
	int ret = 0;

	if (kernel_is_wanted(sampler)) {
		ret = tally_synth_kernel(synth);
		if (!ret)
			ret = tally_synth_modules(synth);
		if (!ret && !sampler->sampling->no_bpf)
			ret = tally_synth_bpf(synth);
	}
	if (!ret)
		ret = tally_synth_thread_map(synth, sampler->threads);
	if (!ret)
		ret = tally_synth_cpu_map(synth, sampler->cpus);
	if (!ret && sampler->sampling->all_cgroups && sampler->sampling->synth & TALLY_SYNTH_CGROUP)
		ret = tally_synth_cgroups(synth);
	return ret ? ret : add_tasks(sampler, child, started);
}

static void synth_init(struct tally_sampler *sampler)
{
	struct tally_synth *synth = &sampler->synth;

	synth->trailer = tally_trailer_size(&sampler->layout);
	synth->namespaces = sampler->sampling->namespaces;
	synth->build_ids = sampler->sampling->buildid_mmap;
	synth->data_maps = sampler->specs.data[sampler->tracking].attr.mmap_data;
	synth->tasks = sampler->sampling->synth & TALLY_SYNTH_TASK;
	synth->maps = sampler->sampling->synth & TALLY_SYNTH_MMAP;
	synth->parents = false;
}

/* On the first call, append the records gathered earlier. On later calls, append the current state,
 * which is incomplete if privileges have been dropped. */
static int gather(struct tally_sampler *sampler, const struct tally_child *child, bool is_tail,
		  bool started)
{
	struct tally_str *out = &sampler->synth.out;
	bool is_fresh = !is_tail && !sampler->is_gathered_used && sampler->before.len;

	if (is_fresh)
		tally_str_add_bytes(out, sampler->before.data, sampler->before.len);
	sampler->is_gathered_used = true;
	tally_str_free(&sampler->before);
	return is_fresh ? tally_str_error(out) : gather_all(sampler, child, started);
}

int tally_sampler_add_existing(struct tally_sampler *sampler, const struct tally_child *child,
			       bool is_tail, bool started)
{
	synth_init(sampler);
	return gather(sampler, child, is_tail, started);
}

/* ---- gathering with privileges --------------------------------------------- */

static void warn_hidden(const struct tally_sampler *sampler)
{
	const struct tally_messages *messages = sampler->sampling->messages;
	struct tally_access access;
	struct tally_refusal why;
	char what[96];

	if (sampler->sampling->quiet)
		return;
	tally_access_read(NULL, &access);
	if (!tally_proc_matches_us())
		tally_message_warn(messages, "existing tasks have no names, because /proc belongs "
					     "to another PID namespace: " TALLY_PROC_FIX);
	if (tally_target_has_cpus(&sampler->sampling->target) && !access.initial_pid_namespace)
		tally_message_warn(
			messages,
			"tasks outside this PID namespace are recorded as PID 0, without names; "
			"run tally outside the namespace (in a container: --pid=host)");
	if (kernel_is_wanted(sampler) && !tally_access_kernel_addresses(&access, &why))
		tally_refuse_warning("the kernel's symbols will be missing", &why, messages);
	if (sampler->synth.hidden && !sampler->synth.others &&
	    !tally_access_foreign_maps(&access, &why)) {
		snprintf(what, sizeof(what), "the symbols of %zu processes will be missing",
			 sampler->synth.hidden);
		tally_refuse_warning(what, &why, messages);
	}
}

/* Warn about records that will be incomplete later, once privileges have been dropped. */
static void warn_later(const struct tally_sampler *sampler)
{
	const struct tally_sampling *sampling = sampler->sampling;

	if (sampling->quiet || !sampler->had_privileges)
		return;
	if (sampling->tail_synth)
		tally_message_warn(sampling->messages,
				   "capabilities are now dropped: later records of other users' "
				   "processes show their state at this point");
	if (sampler->synth.build_ids)
		tally_message_warn(sampling->messages,
				   "no build IDs in the maps of running processes, because files "
				   "are not read while tally holds capabilities");
}

int tally_sampler_gather(struct tally_sampler *sampler, const struct tally_child *child)
{
	int ret = 0;

	synth_init(sampler);
	sampler->had_privileges = tally_privileges_held();
	warn_later(sampler);
	/* Do not read users' files with privileges that the user does not have. */
	sampler->synth.build_ids &= !sampler->had_privileges;
	if (!sampler->sampling->tail_synth || sampler->had_privileges)
		ret = gather_all(sampler, child, false);
	if (ret) {
		tally_message_error(sampler->sampling->messages,
				    "cannot read the running processes: %s", strerror(-ret));
		return ret;
	}
	sampler->before = sampler->synth.out;
	sampler->synth.out = (struct tally_str){0};
	warn_hidden(sampler);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file begins with: ids, the kernel, and the tasks that were there before. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "sampler/privileges.h"
#include "cli/record.h"
#include "sampler/refuse.h"
#include "cli/say.h"

/* Which id belongs to which event, CPU and thread. */
struct index_entry {
	uint64_t id, event, cpu, tid;
};

static int add_index_entries(const struct record *record, size_t event, struct tally_str *out)
{
	const struct tally_cpus *cpus = tally_counters_cpus(record->counters, event);
	size_t nr_threads = tally_counters_nr_threads(record->counters);

	for (size_t i = 0; i < cpus->nr * nr_threads; i++) {
		struct index_entry entry = {
			.event = event,
			.cpu = (uint64_t)(int64_t)cpus->cpu[i / nr_threads].number,
			.tid = (uint64_t)(int64_t)record->threads->thread[i % nr_threads].tid,
		};

		/* A thread that ended before it was opened has no counters, and no ids. */
		if (!tally_counters_id(record->counters, event, i / nr_threads, i % nr_threads,
				       &entry.id))
			tally_str_add_bytes(out, &entry, sizeof(entry));
	}
	return tally_str_error(out);
}

/* As many entries in a record as fit. */
static int add_id_index(struct record *record)
{
	enum { ENTRY = sizeof(struct index_entry), MOST = (65528 - 16) / ENTRY };
	struct tally_str entries = {0};
	int ret = 0;

	for (size_t e = 0; !ret && e < record->specs.len; e++)
		ret = add_index_entries(record, e, &entries);
	for (size_t at = 0; !ret && at < entries.len;) {
		size_t nr = TALLY_MIN((entries.len - at) / ENTRY, (size_t)MOST);

		tally_synth_begin(&record->synth, TALLY_PERFDATA_ID_INDEX, 0, 8 + nr * ENTRY);
		tally_synth_u64(&record->synth, nr);
		tally_str_add_bytes(&record->synth.out, entries.data + at, nr * ENTRY);
		at += nr * ENTRY;
	}
	tally_str_free(&entries);
	return ret;
}

/* Kernel addresses can turn up in samples. */
static bool kernel_is_wanted(const struct record *record)
{
	tally_vec_for_each (spec, &record->specs) {
		if (!spec->attr.exclude_kernel)
			return true;
	}
	return false;
}

/* The command before its exec has a name and nothing else that will matter; later it has maps
 * and children. */
static int add_child(struct record *record, bool later)
{
	int ret;

	if (!record->child.pid || record->child.gone)
		return 0;
	if (later)
		return tally_synth_tree(&record->synth, record->child.pid);
	record->synth.maps = false;
	ret = tally_synth_process(&record->synth, record->child.pid);
	record->synth.maps = record->config->synth & RECORD_SYNTH_MMAP;
	return ret;
}

static int add_threads(struct record *record)
{
	int32_t last = -1;
	int ret = 0;

	for (size_t i = 0; !ret && i < record->threads->nr; i++) {
		int32_t pid = record->threads->thread[i].pid;

		if (pid != last)
			ret = tally_synth_process(&record->synth, pid);
		last = pid;
	}
	return ret;
}

static int add_tasks(struct record *record, bool tail)
{
	const struct record_config *config = record->config;
	int ret = 0;

	if (!(config->synth & (RECORD_SYNTH_TASK | RECORD_SYNTH_MMAP)))
		return 0;
	if (tally_target_has_cpus(&config->target))
		return tally_synth_processes(&record->synth);
	if (!tally_target_is_command(&config->target))
		ret = add_threads(record);
	return ret ? ret : add_child(record, tail || record->output.names.len);
}

static int write_out(struct record *record)
{
	struct tally_str *out = &record->synth.out;
	int ret = tally_str_error(out);

	if (!ret && out->len)
		ret = tally_perfdata_writer_write(record->output.writer, out->data, out->len);
	tally_str_clear(out);
	return ret;
}

static int gather_all(struct record *record, bool tail)
{
	struct tally_synth *synth = &record->synth;
	int ret = 0;

	if (kernel_is_wanted(record)) {
		ret = tally_synth_kernel(synth);
		if (!ret)
			ret = tally_synth_modules(synth);
	}
	if (!ret)
		ret = tally_synth_thread_map(synth, record->threads);
	if (!ret)
		ret = tally_synth_cpu_map(synth, record->cpus);
	if (!ret && record->config->all_cgroups && record->config->synth & RECORD_SYNTH_CGROUP)
		ret = tally_synth_cgroups(synth);
	return ret ? ret : add_tasks(record, tail);
}

static void synth_init(struct record *record)
{
	struct tally_synth *synth = &record->synth;

	synth->trailer = tally_trailer_size(&record->layout);
	synth->namespaces = record->config->namespaces;
	synth->build_ids = record->config->buildid_mmap;
	synth->data_maps = record->specs.data[record->tracking].attr.mmap_data;
	synth->tasks = record->config->synth & RECORD_SYNTH_TASK;
	synth->maps = record->config->synth & RECORD_SYNTH_MMAP;
	synth->parents = false;
}

/* The first time what was prepared. Later what can be seen then, which is less where our rights
 * were given up: what was seen with them stands before it. */
static int gather(struct record *record, bool tail)
{
	struct tally_str *out = &record->synth.out;
	bool is_fresh = !tail && !record->is_prepared_used && record->before.len;

	if (record->before.len && (is_fresh || record->had_privileges))
		tally_str_add_bytes(out, record->before.data, record->before.len);
	record->is_prepared_used = true;
	if (!record->had_privileges)
		tally_str_free(&record->before);
	return is_fresh ? tally_str_error(out) : gather_all(record, tail);
}

int record_synthesize(struct record *record, bool tail)
{
	struct tally_synth *synth = &record->synth;
	int ret;

	synth_init(record);
	if (!tail) {
		ret = add_id_index(record);
		if (!ret)
			ret = write_out(record);
		if (ret)
			return ret;
	}
	if (tail == record->config->tail_synth) {
		ret = gather(record, tail);
		if (ret)
			return ret;
	}
	if (!tail)
		tally_synth_begin(synth, TALLY_PERFDATA_FINISHED_INIT, 0, 0);
	return write_out(record);
}

/* ---- with our privileges --------------------------------------------------- */

static void tell_hidden(const struct record *record)
{
	struct tally_permits permits;
	struct tally_refusal why;
	char what[96];

	if (record->config->quiet)
		return;
	tally_permits_read(NULL, &permits);
	if (kernel_is_wanted(record) && !tally_permits_kernel_addresses(&permits, &why))
		tally_refuse_warning("the kernel's symbols will be missing", &why,
				     &tally_say_messages);
	if (record->synth.hidden && !record->synth.others &&
	    !tally_permits_foreign_maps(&permits, &why)) {
		snprintf(what, sizeof(what), "the symbols of %zu processes will be missing",
			 record->synth.hidden);
		tally_refuse_warning(what, &why, &tally_say_messages);
	}
}

/* What is done without them later on, and is less for it. */
static void tell_later(const struct record *record)
{
	const struct record_config *config = record->config;

	if (config->quiet || !record->had_privileges)
		return;
	if (config->tail_synth || config->switch_signal || config->switch_bytes ||
	    config->switch_ns)
		tally_say_warning("capabilities are given up now: later on other users' processes "
				  "are told of as they are now");
	if (record->synth.build_ids)
		tally_say_warning("no build ids in the maps of processes that run already: their "
				  "files are not read with capabilities");
}

int record_synth_prepare(struct record *record)
{
	int ret = 0;

	synth_init(record);
	record->had_privileges = tally_privileges_held();
	tell_later(record);
	/* Files of all users are not ours to read with more rights than our user's. */
	record->synth.build_ids &= !record->had_privileges;
	if (!record->config->tail_synth || record->had_privileges)
		ret = gather_all(record, false);
	if (ret)
		return ret;
	record->before = record->synth.out;
	record->synth.out = (struct tally_str){0};
	tell_hidden(record);
	return 0;
}

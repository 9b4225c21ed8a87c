/* SPDX-License-Identifier: BSD-2-Clause */
/* From records to the profile. */
#include <errno.h>
#include <unistd.h>

#include "abi/record.h"
#include "base/endian.h"
#include "cli/top/feed.h"
#include "cli/top/rows.h"
#include "sampler/privileges.h"

/* ---- setting up -------------------------------------------------------------- */

static int feed_ids(struct top *top)
{
	const struct tally_counters *counters = top->sampler.counters;
	int ret = 0;

	for (size_t e = 0; e < top->sampler.specs.len; e++) {
		size_t nr =
			tally_counters_cpus(counters, e)->nr * tally_counters_nr_threads(counters);

		for (size_t i = 0; i < nr && !ret; i++) {
			size_t threads = tally_counters_nr_threads(counters);
			uint64_t id;

			if (tally_counters_id(counters, e, i / threads, i % threads, &id))
				continue; /* of a task that was gone already */
			ret = tally_map_put(&top->ids, id, e);
		}
	}
	return ret;
}

/* Where a CPU waits for work: as in perf top, that is nobody's time. */
static const char *const idle_functions[] = {
	"acpi_idle_do_entry",
	"acpi_processor_ffh_cstate_enter",
	"acpi_safe_halt",
	"arch_cpu_idle",
	"cpu_idle",
	"cpu_idle_poll.isra.0",
	"cpu_startup_entry",
	"cpuidle_enter_state",
	"default_idle",
	"default_idle_call",
	"do_idle",
	"enter_idle",
	"exit_idle",
	"idle_cpu",
	"intel_idle",
	"intel_idle_ibrs",
	"intel_idle_irq",
	"mwait_idle",
	"mwait_idle_with_hints",
	"mwait_idle_with_hints.constprop.0",
	"native_safe_halt",
	"poll_idle",
	"ppc64_runlatch_off",
	"pseries_dedicated_idle_sleep",
	"psw_idle",
	"psw_idle_exit",
	"pv_native_safe_halt",
	NULL,
};

int top_feed_restart(struct top *top, unsigned by)
{
	const struct report_config *report = &top->config->report;
	struct tally_profile_options options = {
		.by = by,
		.max_stack = (uint32_t)report->max_stack,
		.is_live = true,
		.filter = {.comms = report->comm_list,
			   .dsos = report->dso_list,
			   .symbols = report->symbol_list,
			   .symbol_part = report_config_sample_part(report),
			   .idle = top->config->show_idle ? NULL : idle_functions},
	};
	struct tally_profile made;
	int ret = tally_profile_init(&made, top->machine, &options);

	if (ret)
		return ret;
	tally_profile_free(&top->profile);
	top->profile = made;
	top->generation++;
	return 0;
}

int top_feed_init(struct top *top)
{
	const struct report_config *report = &top->config->report;
	struct tally_symbols_options symbols = {
		.vmlinux = report->vmlinux,
		.kallsyms = report->kallsyms,
		.no_demangle = report->no_demangle,
		.kallsyms_fd = tally_privileges_kallsyms(),
	};
	int ret = 0;

	top->kallsyms_fd = symbols.kallsyms_fd;
	tally_vec_for_each (spec, &top->sampler.specs) {
		struct tally_sample_layout layout;

		if (!ret)
			ret = tally_sample_layout_init(&layout, &spec->attr);
		if (!ret)
			ret = tally_vec_push(&top->layouts, layout);
	}
	if (!ret)
		ret = feed_ids(top);
	if (!ret)
		ret = tally_symbols_new(&symbols, &top->symbols);
	if (!ret)
		ret = tally_machine_new(top->symbols, &top->machine);
	top->feed.machine = top->machine;
	if (!ret) {
		tally_machine_follow(top->machine);
		tally_machine_show_hidden(top->machine);
		ret = top_feed_restart(top, top_profile_by(report));
	}
	return ret;
}

void top_feed_free(struct top *top)
{
	tally_profile_free(&top->profile);
	tally_machine_free(top->machine);
	tally_symbols_free(top->symbols);
	if (top->kallsyms_fd > 0)
		close(top->kallsyms_fd);
	tally_map_free(&top->ids);
	tally_vec_free(&top->layouts);
}

/* ---- what was there before ----------------------------------------------------- */

static int feed_synthesized(struct top *top, struct tally_str *records)
{
	const struct tally_feed_event none = {0};
	int ret = tally_str_error(records);
	struct tally_feed_sample facts;
	struct tally_sample sample;

	for (size_t at = 0; at < records->len && !ret;) {
		const char *record = records->data + at;
		uint16_t size = tally_record_header(record).size;

		ret = tally_feed_record(&top->feed, &none, record, size, &sample, &facts);
		at += size;
	}
	tally_str_free(records);
	return ret;
}

int top_feed_existing(struct top *top)
{
	int ret = tally_sampler_gather(&top->sampler, NULL);

	return ret ? ret : feed_synthesized(top, &top->sampler.before);
}

/* A thread that no record told of, as one was lost: ask procfs, once. */
static struct tally_thread *feed_adopt(struct top *top, struct tally_thread *thread)
{
	struct tally_synth synth = {.tasks = true, .maps = true};
	int32_t pid = thread->pid, tid = thread->tid;

	if (tally_synth_process(&synth, pid) || feed_synthesized(top, &synth.out))
		return NULL;
	thread = tally_machine_thread(top->machine, pid, tid);
	if (thread)
		thread->has_comm = true;
	return thread;
}

/* ---- records ------------------------------------------------------------------- */

/* The event that a sample is of, 0 for other records. All layouts have the id at the same place. */
static size_t event_of(const struct top *top, const struct perf_event_header *record)
{
	int16_t at = top->layouts.data[0].sample_id;
	uint64_t event = 0;

	if (record->type == PERF_RECORD_SAMPLE && at > 0 && (size_t)at + 8 <= record->size)
		event = tally_map_get(&top->ids, tally_get_u64((const uint8_t *)record + at));
	return event < top->layouts.len ? (size_t)event : 0;
}

static uint64_t feed_lost(const struct top *top)
{
	return top->feed.counts.lost_records + top->feed.counts.lost_samples;
}

static int feed_sample(struct top *top, const struct perf_event_header *record, size_t event,
		       const struct tally_sample *sample, const struct tally_feed_sample *facts)
{
	struct tally_thread *thread = facts->thread;

	top->now.samples++;
	top->now.user += facts->cpumode == PERF_RECORD_MISC_USER;
	top->now.exact += !!(record->misc & PERF_RECORD_MISC_EXACT_IP);
	if (!thread->has_comm && thread->tid > 0)
		thread = feed_adopt(top, thread);
	if (!thread)
		return -ENOMEM;
	return tally_profile_add(&top->profile, (uint32_t)event, thread, facts->cpumode, sample,
				 facts->weight, 0);
}

int top_feed_record(struct top *top, const struct perf_event_header *record)
{
	size_t number = event_of(top, record);
	struct tally_feed_event event = {&top->layouts.data[number],
					 &top->sampler.specs.data[number].attr};
	struct tally_sample sample; /* large: not cleared, decoding does that */
	struct tally_feed_sample facts;
	uint64_t lost = feed_lost(top);
	int ret;

	if (top->is_paused && record->type == PERF_RECORD_SAMPLE)
		return 0;
	ret = tally_feed_record(&top->feed, &event, record, record->size, &sample, &facts);
	top->now.lost += feed_lost(top) - lost;
	top->may_have_lost |= record->type == PERF_RECORD_LOST;
	return ret > 0 ? feed_sample(top, record, number, &sample, &facts) : ret;
}

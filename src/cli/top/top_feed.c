/* SPDX-License-Identifier: BSD-2-Clause */
/* Feed records to the profile. */
#include <errno.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "cli/main/symbol_index.h"
#include "cli/top/top_feed.h"
#include "cli/top/top_rows.h"
#include "profile/process/branch_stack.h"
#include "sampler/privileges.h"

/* ---- setup ------------------------------------------------------------------- */

/* Functions in which an idle CPU waits. They are hidden by default, as in perf top. */
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

/* Add a sample or a branch to the profile. `arg` is a struct top. */
static int feed_one(void *arg, struct tally_feed_sample *sample)
{
	struct top *top = arg;
	size_t added;
	int ret = tally_ignore_callees_apply(&top->ignore, top->live.machine, sample);

	if (!ret)
		ret = tally_labels_set(&top->labels.of, sample, &added);
	return ret ? ret : tally_profile_add(&top->profile, sample);
}

static int feed_sample(void *arg, struct tally_feed_sample *sample)
{
	struct top *top = arg;
	/* Members of a group that are only read in their leader's samples take no samples. */
	bool is_own = sample->attr->sample_period;

	top->now.samples += is_own;
	top->now.user += is_own && sample->cpumode == PERF_RECORD_MISC_USER;
	top->now.exact +=
		is_own && tally_record_header(sample->record).misc & PERF_RECORD_MISC_EXACT_IP;
	if ((top->config->switches.on || top->config->switches.off) &&
	    !tally_event_switch_passes(&top->config->switches,
				       top->sampler.specs.data[sample->event].name,
				       &top->is_switched_off))
		return 0;
	if (top->config->sampling.branches)
		return tally_branches_each(top->live.machine, sample, feed_one, top);
	return feed_one(top, sample);
}

/* Size limit, in bytes, for samples that are waiting for deferred callchains. */
enum { WAITING_LIMIT = 4 << 20 };

int top_feed_restart(struct top *top, unsigned by)
{
	const struct top_config *config = top->config;
	struct tally_profile_options options = {
		.by = by,
		.max_stack = (uint32_t)config->sampling.max_stack,
		.raw_chains = config->raw_chains,
		.is_absolute = config->is_absolute,
		.is_live = true,
		.filter = {.comms = config->rows.comm_list.items,
			   .dsos = config->rows.dso_list.items,
			   .symbols = config->rows.symbol_list.items,
			   .symbol_part = tally_show_sample_part(&config->rows.show),
			   .idle = config->show_idle ? NULL : idle_functions},
	};
	struct tally_profile made;
	int ret = tally_profile_init(&made, top->live.machine, &options);

	if (ret)
		return ret;
	tally_profile_free(&top->profile);
	top->profile = made;
	top->seen = ++top->generation; /* there is nothing to age yet */
	return 0;
}

int top_feed_init(struct top *top)
{
	const struct top_config *config = top->config;
	struct tally_symbols_options symbols = config->symbols;
	int ret = tally_index_apply(config->no_index, &top->index, &top->index_dir);

	top->kallsyms_fd = tally_privileges_kallsyms();
	symbols.bounds = !config->no_bounds;
	symbols.kallsyms_fd = top->kallsyms_fd;
	symbols.index_dir = top->index.index_dir;
	symbols.index_limit = top->index.index_limit;
	if (!ret)
		ret = tally_live_init(&top->live, &top->sampler, &symbols, feed_sample, top);
	if (ret)
		return ret;
	top->is_switched_off = config->switches.on != NULL;
	top->live.completes = true;
	top->live.feed.joins = true;
	top->live.feed.deferred.limit = WAITING_LIMIT;
	tally_machine_follow(top->live.machine);
	tally_machine_show_hidden(top->live.machine);
	ret = top_labels_start(&top->labels, config, top->live.machine);
	return ret ? ret : top_feed_restart(top, top_profile_by(&config->rows.show));
}

int top_feed_start_loader(struct top *top)
{
	int ret = tally_loader_new(&top->index, &top->loader);

	if (ret)
		return ret;
	top->live.chains.unwinder.is_ready = tally_loader_is_ready;
	top->live.chains.unwinder.arg = top->loader;
	return 0;
}

void top_feed_free(struct top *top)
{
	tally_profile_free(&top->profile);
	top_labels_free(&top->labels);
	tally_ignore_callees_free(&top->ignore);
	(void)tally_loader_end(top->loader); /* after a timeout, the loader does not use `top` */
	tally_live_free(&top->live);
	tally_str_free(&top->index_dir);
	if (top->kallsyms_fd > 0)
		close(top->kallsyms_fd);
}

/* ---- existing threads and mappings --------------------------------------------- */

int top_feed_existing(struct top *top)
{
	struct tally_str *before = &top->sampler.before;
	int ret = tally_sampler_gather(&top->sampler, NULL);

	if (!ret)
		ret = tally_str_error(before);
	if (!ret)
		ret = tally_live_feed(&top->live, before->data, before->len);
	for (size_t at = 0; at < before->len && !ret;) {
		uint16_t size = tally_record_header(before->data + at).size;

		ret = tally_labels_learn(&top->labels.of, before->data + at, size);
		at += size;
	}
	tally_str_free(before);
	return ret;
}

/* ---- records ------------------------------------------------------------------- */

static uint64_t feed_lost(const struct top *top)
{
	return top->live.feed.counts.lost_records + top->live.feed.counts.lost_samples;
}

int top_feed_record(struct top *top, const struct perf_event_header *record)
{
	uint64_t lost = feed_lost(top);
	int ret;

	if (top->is_paused && record->type == PERF_RECORD_SAMPLE)
		return 0;
	ret = tally_live_record(&top->live, record);
	if (!ret)
		ret = tally_labels_learn(&top->labels.of, record, tally_record_header(record).size);
	top->now.lost += feed_lost(top) - lost;
	top->may_have_lost |= record->type == PERF_RECORD_LOST;
	return ret;
}

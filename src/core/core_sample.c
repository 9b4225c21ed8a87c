/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/core_sample.h"

#include "core/output.h"
#include "core/read.h"

#if TALLY_CORE_SAMPLE_PARTS

/* Data source with mem_op, lvl, snoop, lock, dtlb and lvl_num all set to "not available". */
#define DATA_SRC_UNKNOWN UINT64_C(0x1e05080021)

/* ---- callchains ------------------------------------------------------------------------- */

struct chain {
	uint64_t *ips;
	uint32_t nr, max; /* number of entries, including markers, and its limit */
	uint32_t left;    /* remaining entries, not counting markers */
};

/* Append the kernel or user part of the callchain: a marker and as many entries as the limit
 * allows. */
static void chain_part(struct chain *chain, const struct tally_core *core,
		       const struct tally_core_sample_data *sample_data, bool user)
{
	uint32_t room = chain->max - chain->nr, got;

	if (room < 2 || !chain->left)
		return;
	room = TALLY_MIN(room - 1, chain->left);
	if (core->ops->callchain) {
		got = core->ops->callchain(core->host, sample_data, user,
					   chain->ips + chain->nr + 1, room);
		got = TALLY_MIN(got, room);
	} else {
		got = user == (sample_data->mode == PERF_RECORD_MISC_USER);
		chain->ips[chain->nr + 1] = sample_data->ip;
	}
	if (!got)
		return;
	chain->ips[chain->nr] = user ? (uint64_t)PERF_CONTEXT_USER : (uint64_t)PERF_CONTEXT_KERNEL;
	chain->nr += got + 1;
	chain->left -= got;
}

static void gather_callchain(struct tally_output *output,
			     const struct tally_core_sample_data *sample_data,
			     struct tally_sample *sample)
{
	const struct tally_core *core = output->event->core;
	const struct perf_event_attr *attr = &output->event->attr;
	uint64_t bytes;
	struct chain chain = {0};

	chain.left = attr->sample_max_stack ? attr->sample_max_stack : core->settings.max_stack;
	chain.ips = (uint64_t *)(void *)tally_output_spare(
		output, 8 * ((uint64_t)chain.left + core->settings.max_contexts), &bytes);
	chain.max = (uint32_t)(bytes / 8);
	if (!attr->exclude_callchain_kernel && sample_data->mode != PERF_RECORD_MISC_USER)
		chain_part(&chain, core, sample_data, false);
	if (!attr->exclude_callchain_user)
		chain_part(&chain, core, sample_data, true);
	sample->callchain = (struct tally_words){(uint8_t *)chain.ips, chain.nr};
}

/* ---- registers and stack ---------------------------------------------------------------- */

static struct tally_regs gather_registers(struct tally_output *output,
					  const struct tally_core_sample_data *sample_data,
					  bool user, uint64_t mask)
{
	const struct tally_core *core = output->event->core;
	struct tally_regs regs = {PERF_SAMPLE_REGS_ABI_NONE, mask, {NULL, 0}};
	uint64_t want = (uint64_t)tally_popcount(mask) * 8, bytes;
	uint8_t *to = tally_output_spare(output, want, &bytes);

	if (bytes < want || !core->ops->registers)
		return regs;
	/* Clear data from the previous sample, as the host may not fill in all registers. */
	__builtin_memset(to, 0, want);
	regs.abi =
		core->ops->registers(core->host, sample_data, user, mask, (uint64_t *)(void *)to);
	regs.values = (struct tally_words){to, want / 8};
	return regs;
}

/* Add a stack dump, limited to the space left in the record, which has a 16-bit size field. */
static void gather_stack(struct tally_output *output,
			 const struct tally_core_sample_data *sample_data,
			 struct tally_sample *sample)
{
	const struct tally_core *core = output->event->core;
	uint64_t used, bytes;
	uint8_t *to;

	used = tally_sample_size(&output->event->layout, sample) + 8;
	bytes = output->event->attr.sample_stack_user;
	if (used + bytes > output->max)
		bytes = used < output->max ? output->max - used : 0;
	to = tally_output_spare(output, bytes & ~UINT64_C(7), &bytes);
	sample->stack_user_size = bytes;
	sample->stack_user.data = to;
	if (bytes && core->ops->stack)
		sample->stack_user.len = TALLY_MIN(
			core->ops->stack(core->host, sample_data, to, (uint32_t)bytes), bytes);
}

/* ---- branches and words ----------------------------------------------------------------- */

static void gather_branches(const struct tally_core_sample_data *sample_data,
			    struct tally_sample *sample)
{
	sample->branches.data = (const uint8_t *)sample_data->branches;
	sample->branches.nr = (uint64_t)sample_data->nr_branches * 3;
	sample->branch_hw_idx = UINT64_MAX;
	if (sample_data->branch_counters)
		sample->branch_counters = (struct tally_words){
			(const uint8_t *)sample_data->branch_counters, sample_data->nr_branches};
}

#define BY_HOST                                                                    \
	(PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE | \
	 PERF_SAMPLE_CODE_PAGE_SIZE)

/* Fill in the words that the host supplies. An attr that requires an operation that the host lacks
 * has already been rejected; see offers.c. */
static void gather_host_words(const struct tally_core *core, uint64_t wanted,
			      const struct tally_core_sample_data *sample_data,
			      struct tally_sample *sample)
{
	const struct tally_host_ops *ops = core->ops;

	if (wanted & PERF_SAMPLE_PHYS_ADDR)
		sample->phys_addr = ops->physical(core->host, sample_data->addr);
	if (wanted & PERF_SAMPLE_CGROUP)
		sample->cgroup = ops->cgroup(core->host);
	if (wanted & PERF_SAMPLE_DATA_PAGE_SIZE)
		sample->data_page_size = ops->page_size_of(core->host, sample_data->addr);
	if (wanted & PERF_SAMPLE_CODE_PAGE_SIZE)
		sample->code_page_size = ops->page_size_of(core->host, sample_data->ip);
}

static void gather_parts(struct tally_output *output,
			 const struct tally_core_sample_data *sample_data,
			 const struct tally_bytes *raw, struct tally_sample *sample)
{
	const struct perf_event_attr *attr = &output->event->attr;
	uint64_t wanted = attr->sample_type;

	sample->weight = sample_data->weight;
	sample->data_src = sample_data->data_src ? sample_data->data_src : DATA_SRC_UNKNOWN;
	sample->transaction = sample_data->transaction;
	if (wanted & PERF_SAMPLE_READ)
		tally_read_sample(output, sample);
	if (wanted & PERF_SAMPLE_CALLCHAIN)
		gather_callchain(output, sample_data, sample);
	if (wanted & PERF_SAMPLE_RAW && raw)
		sample->raw = *raw;
	if (wanted & PERF_SAMPLE_BRANCH_STACK)
		gather_branches(sample_data, sample);
	if (wanted & PERF_SAMPLE_REGS_USER)
		sample->regs_user =
			gather_registers(output, sample_data, true, attr->sample_regs_user);
	if (wanted & PERF_SAMPLE_REGS_INTR)
		sample->regs_intr =
			gather_registers(output, sample_data, false, attr->sample_regs_intr);
	if (wanted & BY_HOST)
		gather_host_words(output->event->core, wanted, sample_data, sample);
	if (wanted & PERF_SAMPLE_STACK_USER)
		gather_stack(output, sample_data, sample);
}

#else

static void gather_parts(struct tally_output *output,
			 const struct tally_core_sample_data *sample_data,
			 const struct tally_bytes *raw, struct tally_sample *sample)
{
}

#endif

/* ---- the sample ------------------------------------------------------------------------- */

/* Fields that gather_words() and tally_output_identify() always fill in, because doing so costs
 * nothing. The layout selects the fields that are written. */
#define PLAIN_WORDS                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)

static void gather_words(struct tally_output *output,
			 const struct tally_core_sample_data *sample_data,
			 struct tally_sample *sample)
{
	sample->ip = sample_data->ip;
	sample->addr = sample_data->addr;
	sample->period = output->event->hw.last_period;
}

/* Request a wakeup every `wakeup_events` samples. */
static void count_sample(struct tally_output *output)
{
	const struct perf_event_attr *attr = &output->root->attr;
	struct tally_core_buffer *buffer = output->buffer;

	if (attr->watermark || !attr->wakeup_events)
		return;
	/* The increment is atomic, as an interrupt may count a sample at the same time. */
	if (tally_fetch_add(&buffer->samples, 1) + 1 < attr->wakeup_events)
		return;
	tally_store_relaxed(&buffer->samples, 0);
	tally_store_relaxed(&buffer->wake, true);
}

bool tally_sample_write(struct tally_core_event *event,
			const struct tally_core_sample_data *sample_data,
			const struct tally_bytes *raw)
{
	uint16_t misc = sample_data->mode | (sample_data->exact_ip ? PERF_RECORD_MISC_EXACT_IP : 0);
	const struct tally_sample_layout *layout = &event->layout;
	struct tally_output output;
	struct tally_sample sample;
	size_t len;
	uint8_t *to;

	if (!tally_output_begin(&output, event))
		return false;
	/* Fields that are not filled in must be 0 instead of old stack contents. */
	if (TALLY_CORE_SAMPLE_PARTS && layout->sample_type & ~(uint64_t)PLAIN_WORDS) {
		__builtin_memset(&sample, 0, sizeof(sample));
		gather_parts(&output, sample_data, raw, &sample);
	}
	tally_output_identify(&output, &sample);
	gather_words(&output, sample_data, &sample);
	len = tally_sample_size(layout, &sample);
	to = tally_output_reserve(&output, len);
	if (to) {
		count_sample(&output);
		tally_sample_encode(layout, &sample, misc, to, len, &len);
		tally_output_commit(&output);
	}
	return tally_output_end(&output);
}

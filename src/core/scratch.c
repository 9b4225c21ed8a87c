/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/scratch.h"

#include "core/context.h"
#include "core/family.h"
#include "core/ref.h"

/* ---- size ------------------------------------------------------------------------------- */

enum {
	NEED_WORDS = 2048,  /* fixed-size words, two register sets, trailers, LOST record */
	NEED_NAMES = 8192,  /* paths and symbols; longer strings are truncated */
	NEED_GROUP = 16384, /* counts of the largest group that can be opened */
};

static bool has_names(const struct perf_event_attr *attr)
{
	return attr->mmap || attr->mmap2 || attr->mmap_data || attr->comm || attr->ksymbol ||
	       attr->cgroup || attr->namespaces;
}

/* Return true if a part of the record has no length limit. */
static bool has_any_length(const struct perf_event_attr *attr)
{
	const uint64_t types = PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX;

	return attr->sample_type & types || attr->text_poke;
}

/* Return the maximum size of the event's records. */
static uint32_t need_of(const struct tally_core_event *event)
{
	const struct tally_core_settings *settings = &event->core->settings;
	const struct perf_event_attr *attr = &event->attr;
	uint64_t stack = !TALLY_CORE_SAMPLE_PARTS ? 0
			 : attr->sample_max_stack ? attr->sample_max_stack
						  : tally_load_relaxed(&settings->max_stack);
	uint64_t need = NEED_WORDS;

	if (TALLY_CORE_SAMPLE_PARTS && has_any_length(attr))
		return settings->record_max;
	if (TALLY_CORE_SIDEBAND && (has_names(attr) || event->classic))
		need += NEED_NAMES;
	if (!TALLY_CORE_SAMPLE_PARTS)
		return TALLY_MIN((uint32_t)need, settings->record_max);
	if (attr->sample_type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_GROUP)
		need += NEED_GROUP;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		need += 8 * (stack + tally_load_relaxed(&settings->max_contexts) + 1);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		need += attr->sample_stack_user + 16;
	return (uint32_t)TALLY_MIN(tally_round_up(need, 8), settings->record_max);
}

static size_t scratch_bytes(uint32_t each)
{
	return sizeof(struct tally_core_scratch) + (size_t)2 * TALLY_CORE_NESTING * each;
}

/* ---- replacement ------------------------------------------------------------------------ */

struct exchange {
	struct tally_core_cpu *cpu;
	struct tally_core_scratch *scratch;
};

/* Runs on the CPU that owns the memory. When this function returns, no writer on that CPU is using
 * the old memory: nested writers have already finished, and later interrupts use the new memory. */
static void exchange_here(void *arg)
{
	struct exchange *exchange = arg;

	exchange->scratch = tally_exchange(&exchange->cpu->scratch, exchange->scratch);
}

static void exchange_locked(struct exchange *exchange)
{
	struct tally_core_cpu *cpu = exchange->cpu;
	uint32_t each = exchange->scratch ? exchange->scratch->each : 0;

	/* No record is written on an offline CPU, so its memory can be replaced from here. */
	if (!tally_load_relaxed(&cpu->online) || !tally_load_relaxed(&cpu->scratch) ||
	    tally_cpu_call(cpu->core, cpu->number, exchange_here, exchange))
		exchange_here(exchange);
	tally_store_release(&cpu->scratch_each, each);
}

/* Replace the CPU's memory with `scratch` if that is larger, or remove the memory if `scratch` is
 * NULL and the memory has no holder. Free whichever memory is no longer needed. The family lock of
 * the CPU's context protects the size. */
static void exchange(struct tally_core_cpu *cpu, struct tally_core_scratch *scratch)
{
	struct exchange exchange = {cpu, scratch};

	tally_family_lock(cpu->own.family);
	if (scratch ? cpu->scratch_each < scratch->each
		    : cpu->scratch_each && !tally_load_relaxed(&cpu->scratch_holders))
		exchange_locked(&exchange);
	tally_family_unlock(cpu->own.family);
	if (exchange.scratch)
		tally_core_free(cpu->core, exchange.scratch, scratch_bytes(exchange.scratch->each));
}

static int scratch_ensure(struct tally_core_cpu *cpu, uint32_t each)
{
	struct tally_core_scratch *scratch;

	if (tally_load_acquire(&cpu->scratch_each) >= each)
		return 0;
	scratch = tally_core_alloc(cpu->core, scratch_bytes(each));
	if (!scratch)
		return -ENOMEM;
	scratch->each = each;
	exchange(cpu, scratch);
	return 0;
}

int tally_scratch_prepare(struct tally_core_event *event, uint64_t ring)
{
	struct tally_core *core = event->core;
	/* Records longer than the ring are lost, but the area must be large enough to detect
	 * them. */
	uint32_t each = (uint32_t)TALLY_MIN(need_of(event), ring + NEED_WORDS);
	int ret = 0;

	if (event->cpu >= 0)
		return scratch_ensure(&core->cpus[event->cpu], each);
	for (uint32_t i = 0; i < core->nr_cpus && !ret; i++)
		ret = scratch_ensure(&core->cpus[i], each);
	return ret;
}

/* ---- holders ---------------------------------------------------------------------------- */

/* The first holder takes the lock, to wait for a removal in progress. */
static void hold(struct tally_core_cpu *cpu)
{
	if (tally_ref_get_live(&cpu->scratch_holders))
		return;
	tally_family_lock(cpu->own.family);
	tally_fetch_add(&cpu->scratch_holders, 1);
	tally_family_unlock(cpu->own.family);
}

static void release(struct tally_core_cpu *cpu)
{
	if (tally_ref_put(&cpu->scratch_holders))
		exchange(cpu, NULL);
}

static void for_cpus(struct tally_core *core, int32_t cpu, void (*fn)(struct tally_core_cpu *cpu))
{
	uint32_t first = cpu < 0 ? 0 : (uint32_t)cpu, end = cpu < 0 ? core->nr_cpus : first + 1;

	for (uint32_t i = first; i < end; i++)
		fn(&core->cpus[i]);
}

void tally_scratch_hold(struct tally_core *core, int32_t cpu)
{
	for_cpus(core, cpu, hold);
}

void tally_scratch_release(struct tally_core *core, int32_t cpu)
{
	for_cpus(core, cpu, release);
}

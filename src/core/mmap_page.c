/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/mmap_page.h"

#include "core/buffer.h"

#if TALLY_CORE_SELF_READ

/* Sign-extend the value of a `width`-bit counter. */
static int64_t sign_extend(uint64_t value, uint8_t width)
{
	uint8_t unused = width && width < 64 ? (uint8_t)(64 - width) : 0;

	return (int64_t)(value << unused) >> unused;
}

static uint32_t user_index(struct tally_core_event *event)
{
	struct tally_core_pmu *pmu = event->pmu;

	if (event->state != TALLY_STATE_ACTIVE || !(pmu->caps & TALLY_PMU_USER_READ))
		return 0;
	return pmu->user_index ? pmu->user_index(pmu, &event->hw) : (uint32_t)event->hw.index + 1;
}

/* Set the offset so that the offset plus the sign-extended counter value is the count. */
static void write_offset(struct tally_core_event *event, struct perf_event_mmap_page *page,
			 uint64_t previous, uint64_t count)
{
	uint64_t base = page->index ? (uint64_t)sign_extend(previous, event->hw.width) : 0;

	page->offset = (int64_t)(count + tally_load_relaxed(&event->child_count) - base);
}

/* Write the counter's fields. Repeat this if the overflow interrupt changed one of the values
 * during the calculation. */
static void write_count(struct tally_core_event *event, struct perf_event_mmap_page *page)
{
	uint64_t previous, count;

	do {
		previous = tally_load_relaxed(&event->hw.previous);
		count = tally_load_relaxed(&event->count);
		page->index = user_index(event);
		page->pmc_width = event->hw.width;
		write_offset(event, page, previous, count);
	} while (previous != tally_load_relaxed(&event->hw.previous) ||
		 count != tally_load_relaxed(&event->count));
}

static void write_times(struct tally_core_event *event, struct perf_event_mmap_page *page)
{
	const struct tally_core_context *context = event->context;
	const struct tally_core_times *times = tally_event_times(event);
	const struct tally_core *core = event->core;
	struct tally_core_clock_params params = {0};

	page->time_enabled = times->enabled + tally_load_relaxed(&event->child_enabled);
	page->time_running = times->running + tally_load_relaxed(&event->child_running);
	if (core->ops->clock_params)
		core->ops->clock_params(core->host, &params);
	page->cap_user_time = page->cap_user_time_zero = params.valid;
	page->time_mult = params.mult;
	page->time_shift = params.shift;
	page->time_zero = params.zero;
	/* time_offset plus the converted cycle counter is the time since the last update of the
	 * context's time. The two times above date from that update. */
	page->time_offset = params.zero - (context->time - context->offset);
}

/* Return the event's own page, or NULL. */
static struct perf_event_mmap_page *page_of(struct tally_core_event *event)
{
	struct tally_core_buffer *buffer = tally_load_acquire(&event->buffer);

	return buffer && buffer->owner == event ? buffer->page : NULL;
}

/* page->lock is odd while the page is being written. */
static void page_write_begin(struct perf_event_mmap_page *page)
{
	tally_store_relaxed(&page->lock, tally_load_relaxed(&page->lock) + 1);
	tally_write_fence();
}

static void page_write_end(struct perf_event_mmap_page *page)
{
	tally_store_release(&page->lock, tally_load_relaxed(&page->lock) + 1);
}

void tally_page_write(struct tally_core_event *event)
{
	struct perf_event_mmap_page *page = page_of(event);

	if (!page)
		return;
	page_write_begin(page);
	write_count(event, page);
	write_times(event, page);
	page_write_end(page);
}

void tally_page_begin(struct tally_core_event *event)
{
	struct perf_event_mmap_page *page = page_of(event);

	if (page)
		page->cap_user_rdpmc = !!(event->pmu->caps & TALLY_PMU_USER_READ);
	tally_page_update(event);
}

void tally_page_recount(struct tally_core_event *event)
{
	struct perf_event_mmap_page *page = page_of(event);

	if (!page || !page->index)
		return;
	page_write_begin(page);
	write_offset(event, page, tally_load_relaxed(&event->hw.previous),
		     tally_load_relaxed(&event->count));
	page_write_end(page);
}

#endif

void tally_page_init(const struct tally_core_event *event, struct tally_core_buffer *buffer)
{
	struct perf_event_mmap_page *page = buffer->page;

	page->version = 0;
	page->compat_version = 0;
	page->cap_bit0_is_deprecated = 1;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset =
		(uint64_t)tally_metadata_pages(event->core) * event->core->ops->page_size;
	page->data_size = buffer->size;
}

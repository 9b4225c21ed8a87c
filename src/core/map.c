/* SPDX-License-Identifier: BSD-2-Clause */
/* Making ring buffers, who pays for them, and who writes to them. */
#include "core/buffer.h"
#include "core/context.h"
#include "core/page.h"
#include "core/refuse.h"

/* Pages of data that a buffer has at most: their number and that of its chunks fit 32 bits. */
enum { PAGES_MAX = 1 << 30 };

/* ---- memory ----------------------------------------------------------------------------- */

static void free_pages(struct tally_core_buffer *buffer)
{
	const struct tally_core *core = buffer->core;
	size_t page = core->ops->page_size;
	size_t per_chunk = ((size_t)1 << buffer->chunk_shift) / page;

	for (uint32_t i = 0; buffer->chunks && i < buffer->nr_chunks; i++) {
		if (buffer->chunks[i])
			core->ops->pages_free(core->host, buffer->chunks[i], per_chunk);
	}
	tally_core_free(core, buffer->chunks, buffer->nr_chunks * sizeof(*buffer->chunks));
	if (buffer->page)
		core->ops->pages_free(core->host, buffer->page, 1);
}

static void buffer_free(struct tally_core_buffer *buffer)
{
	if (!buffer)
		return;
	if (buffer->user)
		buffer->user->locked_pages -= buffer->user_pages;
	if (buffer->space)
		buffer->space->locked_pages -= buffer->space_pages;
	free_pages(buffer);
	tally_core_free(buffer->core, buffer, sizeof(*buffer));
}

static int alloc_pages(struct tally_core_buffer *buffer, size_t nr)
{
	const struct tally_core *core = buffer->core;
	bool scattered = core->settings.scattered;
	size_t per_chunk = scattered ? 1 : nr;

	buffer->size = nr * core->ops->page_size;
	buffer->chunk_shift = tally_log2(per_chunk * core->ops->page_size);
	buffer->nr_chunks = (uint32_t)(nr / per_chunk);
	buffer->chunks = tally_core_alloc(core, buffer->nr_chunks * sizeof(*buffer->chunks));
	if (!buffer->chunks)
		return -ENOMEM;
	for (uint32_t i = 0; i < buffer->nr_chunks; i++) {
		buffer->chunks[i] = core->ops->pages_alloc(core->host, per_chunk);
		if (!buffer->chunks[i])
			return -ENOMEM;
	}
	return 0;
}

static int alloc_buffer(struct tally_core_buffer *buffer, size_t nr)
{
	const struct tally_core *core = buffer->core;

	buffer->page = core->ops->pages_alloc(core->host, 1);
	if (!buffer->page)
		return -ENOMEM;
	return nr ? alloc_pages(buffer, nr) : 0;
}

/* ---- who pays --------------------------------------------------------------------------- */

/*
 * Every user has a share for each CPU, for all his buffers together; what goes beyond it counts
 * against what his process may lock.
 */
static int charge(struct tally_core *core, struct tally_core_task *current, size_t pages,
		  struct tally_core_buffer *buffer)
{
	size_t page = core->ops->page_size;
	uint64_t share = (uint64_t)tally_load_relaxed(&core->settings.mlock_kb) * 1024 / page *
			 TALLY_MAX(core->nr_online, 1);
	uint64_t before = current->user ? current->user->locked_pages : 0;
	uint64_t room = share > before ? share - before : 0;
	uint64_t extra = pages > room ? pages - room : 0;
	uint64_t held = current->space ? current->space->locked_pages : 0;
	uint64_t limit =
		core->ops->memlock_limit ? core->ops->memlock_limit(core->host, current) / page : 0;

	if (extra && held + extra > limit && tally_load_relaxed(&core->settings.paranoid) > -1 &&
	    !core->ops->capable(core->host, current, TALLY_CORE_CAP_IPC_LOCK))
		return -EPERM;
	buffer->user = current->user;
	buffer->user_pages = pages - extra;
	buffer->space = current->space;
	buffer->space_pages = extra;
	if (buffer->user)
		buffer->user->locked_pages += buffer->user_pages;
	if (buffer->space)
		buffer->space->locked_pages += buffer->space_pages;
	return 0;
}

/* ---- attaching -------------------------------------------------------------------------- */

void tally_buffer_attach(struct tally_core_buffer *buffer, struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	uintptr_t flags = core->ops->irq_save(core->host);

	tally_spin_lock(&buffer->lock, core->ops, core->host);
	tally_list_insert(&buffer->events, &event->output);
	tally_spin_unlock(&buffer->lock);
	tally_store_release(&event->buffer, buffer);
	core->ops->irq_restore(core->host, flags);
}

static void unlink_event(struct tally_core_event *event)
{
	struct tally_core_buffer *buffer = event->buffer;
	struct tally_core *core = event->core;
	uintptr_t flags = core->ops->irq_save(core->host);

	tally_store_release(&event->buffer, NULL);
	tally_spin_lock(&buffer->lock, core->ops, core->host);
	tally_list_remove(&event->output);
	tally_spin_unlock(&buffer->lock);
	core->ops->irq_restore(core->host, flags);
}

void tally_buffer_detach(struct tally_core_event *event)
{
	if (!event->buffer)
		return;
	unlink_event(event);
	tally_core_quiesce(event->core);
}

/* ---- mmap(2) ---------------------------------------------------------------------------- */

static const struct tally_core_refusal bad_length = {
	-EINVAL, "length", "the mapping is not 1 + 2^n pages from offset 0",
	"map one page and a power of two of pages"};
static const struct tally_core_refusal other_length = {
	-EINVAL, "length", "the buffer exists and has another size", "map it with the same size"};
static const struct tally_core_refusal redirected = {
	-EBUSY, "", "the event writes to another event's buffer", "map that event"};
static const struct tally_core_refusal inherited = {
	-EINVAL, "inherit", "children on several CPUs would write to one buffer at once",
	"open the event once for each CPU"};
static const struct tally_core_refusal locked = {
	-EPERM, "length", "over the limit of locked memory",
	"map less, raise perf_event_mlock_kb or RLIMIT_MEMLOCK, or get CAP_IPC_LOCK"};
static const struct tally_core_refusal no_memory = {-ENOMEM, "length", "no memory for the buffer",
						    "map less"};

static void buffer_setup(struct tally_core_buffer *buffer, struct tally_core_event *event,
			 bool writable)
{
	uint32_t watermark = event->attr.watermark ? event->attr.wakeup_watermark : 0;

	buffer->watermark = TALLY_MIN(watermark, buffer->size);
	if (!buffer->watermark)
		buffer->watermark = buffer->size / 2;
	buffer->overwrite = !writable;
	buffer->owner = event;
	buffer->mappings = 1;
}

static void update_page_here(struct tally_core_cpu *cpu, struct tally_core_context *context,
			     void *arg)
{
	tally_page_update(arg);
}

/* A buffer of `nr` pages of data, paid for by `current` before any memory is taken. */
static const struct tally_core_refusal *buffer_new(struct tally_core *core,
						   struct tally_core_task *current, size_t nr,
						   struct tally_core_buffer **ret_buffer)
{
	struct tally_core_buffer *buffer = tally_core_alloc(core, sizeof(*buffer));
	const struct tally_core_refusal *why = NULL;

	if (!buffer)
		return &no_memory;
	buffer->core = core;
	tally_list_init(&buffer->events);
	if (charge(core, current, nr + 1, buffer))
		why = &locked;
	else if (alloc_buffer(buffer, nr))
		why = &no_memory;
	if (why)
		buffer_free(buffer);
	else
		*ret_buffer = buffer;
	return why;
}

static const struct tally_core_refusal *map_new(struct tally_core *core,
						struct tally_core_task *current,
						struct tally_core_event *event, size_t nr,
						bool writable)
{
	struct tally_core_buffer *buffer;
	const struct tally_core_refusal *why;

	if (nr > PAGES_MAX)
		return &no_memory;
	why = buffer_new(core, current, nr, &buffer);
	if (why)
		return why;
	buffer_setup(buffer, event, writable);
	tally_page_init(event, buffer);
	tally_buffer_attach(buffer, event);
	tally_context_run(event->context, update_page_here, event);
	return NULL;
}

static const struct tally_core_refusal *map_again(struct tally_core_event *event, size_t nr)
{
	struct tally_core_buffer *buffer = event->buffer;

	if (buffer->size != nr * event->core->ops->page_size)
		return &other_length;
	if (buffer->owner != event)
		return &redirected;
	buffer->mappings++;
	return NULL;
}

int tally_core_mmap(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_event *event, size_t len, uint64_t pgoff, bool writable,
		    struct tally_core_buffer **ret_buffer, struct tally_core_refusal *ret_why)
{
	size_t page = core->ops->page_size;
	size_t nr = len <= SIZE_MAX - page ? (len + page - 1) / page : 0;
	const struct tally_core_refusal *why = NULL;

	core->ops->config_lock(core->host);
	if (pgoff || !nr || (nr > 1 && !tally_is_pow2(nr - 1)))
		why = &bad_length;
	else if (event->attr.inherit && event->cpu < 0)
		why = &inherited;
	else if (event->buffer)
		why = map_again(event, nr - 1);
	else
		why = map_new(core, current, event, nr - 1, writable);
	if (!why)
		*ret_buffer = event->buffer;
	core->ops->config_unlock(core->host);
	return tally_refuse(why, ret_why);
}

void tally_core_munmap(struct tally_core *core, struct tally_core_event *event,
		       struct tally_core_buffer *buffer)
{
	core->ops->config_lock(core->host);
	if (!--buffer->mappings) {
		while (!tally_list_empty(&buffer->events))
			unlink_event(tally_container_of(buffer->events.next,
							struct tally_core_event, output));
		tally_core_quiesce(core);
		buffer_free(buffer);
	}
	core->ops->config_unlock(core->host);
}

void *tally_core_buffer_page(const struct tally_core_buffer *buffer, size_t index)
{
	size_t page = buffer->core->ops->page_size;
	uint64_t offset = (uint64_t)(index - 1) * page;

	if (!index)
		return buffer->page;
	if (index > buffer->size / page)
		return NULL;
	return buffer->chunks[offset >> buffer->chunk_shift] +
	       (offset & ((UINT64_C(1) << buffer->chunk_shift) - 1));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Create, account for and map ring buffers. */
#include "core/buffer.h"
#include "core/context.h"
#include "core/mmap_page.h"
#include "core/refuse.h"
#include "core/scratch.h"

/* Maximum number of data pages in a buffer. The number of pages and the number of chunks fit in 32
 * bits. */
enum { PAGES_MAX = 1 << 30 };

/* ---- memory ----------------------------------------------------------------------------- */

static void free_pages(struct tally_core_buffer *buffer)
{
	const struct tally_core *core = buffer->core;
	size_t per_chunk = tally_pages(core, (uint64_t)1 << buffer->chunk_shift);
	size_t nr = tally_metadata_pages(core);

	if (buffer->contiguous)
		nr += tally_pages(core, buffer->size);
	for (uint32_t i = 0; buffer->chunks && i < buffer->nr_chunks; i++) {
		if (buffer->chunks[i] && !buffer->contiguous)
			core->ops->pages_free(core->host, buffer->chunks[i], per_chunk);
	}
	tally_core_free(core, buffer->chunks, buffer->nr_chunks * sizeof(*buffer->chunks));
	if (buffer->page)
		core->ops->pages_free(core->host, buffer->page, nr);
}

static int alloc_chunks(struct tally_core_buffer *buffer, size_t per_chunk)
{
	const struct tally_core *core = buffer->core;

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
	size_t metadata = tally_metadata_pages(core);
	bool scattered = core->settings.scattered && !buffer->contiguous;
	size_t per_chunk = scattered ? 1 : nr;

	/* Set the size first: free_pages() uses it, even if an allocation fails. */
	buffer->size = nr * core->ops->page_size;
	buffer->page = core->ops->pages_alloc(core->host, metadata + (buffer->contiguous ? nr : 0));
	if (!buffer->page)
		return -ENOMEM;
	if (!nr)
		return 0;
	buffer->chunk_shift = tally_log2(per_chunk * core->ops->page_size);
	buffer->nr_chunks = scattered ? (uint32_t)nr : 1;
	buffer->chunks = tally_core_alloc(core, buffer->nr_chunks * sizeof(*buffer->chunks));
	if (!buffer->chunks)
		return -ENOMEM;
	if (!buffer->contiguous)
		return alloc_chunks(buffer, per_chunk);
	buffer->chunks[0] = (uint8_t *)buffer->page + metadata * core->ops->page_size;
	return 0;
}

/* ---- accounting ------------------------------------------------------------------------- */

#if TALLY_CORE_USERS

/* Limits of the calling task, obtained from the host before the accounts are checked. */
struct limits {
	uint64_t share; /* pages that each user may lock, in all buffers together */
	uint64_t more;  /* additional pages that the address space may lock */
};

static struct limits limits_of(struct tally_core *core, struct tally_core_task *current)
{
	const struct tally_host_ops *ops = core->ops;
	struct limits limits = {0, UINT64_MAX};

	limits.share =
		tally_pages(core, (uint64_t)tally_load_relaxed(&core->settings.mlock_kb) * 1024) *
		TALLY_MAX(tally_load_relaxed(&core->nr_online), 1);
	if (tally_load_relaxed(&core->settings.paranoid) > -1 &&
	    !tally_core_capable(core, current, TALLY_CORE_CAP_IPC_LOCK))
		limits.more = ops->memlock_limit
				      ? tally_pages(core, ops->memlock_limit(core->host, current))
				      : 0;
	return limits;
}

/* Called with the registry lock held. */
static int charge_locked(const struct limits *limits, size_t pages,
			 struct tally_core_buffer *buffer)
{
	uint64_t before = buffer->user ? buffer->user->locked_pages : 0;
	uint64_t room = limits->share > before ? limits->share - before : 0;
	uint64_t extra = pages > room ? pages - room : 0;
	uint64_t held = buffer->space ? buffer->space->locked_pages : 0;

	if (extra && (held > limits->more || extra > limits->more - held))
		return -EPERM;
	buffer->user_pages = pages - extra;
	buffer->space_pages = extra;
	if (buffer->user)
		buffer->user->locked_pages += buffer->user_pages;
	if (buffer->space)
		buffer->space->locked_pages += buffer->space_pages;
	return 0;
}

/*
 * Charge a buffer. Each user may lock a share of pages per CPU, for all buffers together; pages
 * beyond that share count against the memory that the process may lock.
 */
static int charge(struct tally_core *core, struct tally_core_task *current, size_t pages,
		  struct tally_core_buffer *buffer)
{
	struct limits limits = limits_of(core, current);
	uintptr_t flags;
	int ret;

	buffer->user = current ? current->user : NULL;
	buffer->space = current ? current->space : NULL;
	flags = tally_registry_lock(core);
	ret = charge_locked(&limits, pages, buffer);
	tally_registry_unlock(core, flags);
	return ret;
}

static void uncharge(struct tally_core_buffer *buffer)
{
	uintptr_t flags = tally_registry_lock(buffer->core);

	if (buffer->user)
		buffer->user->locked_pages -= buffer->user_pages;
	if (buffer->space)
		buffer->space->locked_pages -= buffer->space_pages;
	tally_registry_unlock(buffer->core, flags);
}

#else

static int charge(struct tally_core *core, struct tally_core_task *current, size_t pages,
		  struct tally_core_buffer *buffer)
{
	return 0;
}

static void uncharge(struct tally_core_buffer *buffer)
{
}

#endif

void tally_buffer_free(struct tally_core_buffer *buffer)
{
	uncharge(buffer);
	if (buffer->has_scratch)
		tally_scratch_release(buffer->core, buffer->cpu);
	if (buffer->context)
		tally_context_put(buffer->context);
	free_pages(buffer);
	tally_core_free(buffer->core, buffer, sizeof(*buffer));
}

/* ---- mmap(2) ---------------------------------------------------------------------------- */

static const struct tally_core_refusal bad_length =
	TALLY_WHY(-EINVAL, "length", "the mapping is not 1 + 2^n pages from offset 0",
		  "map one page plus a power of two of data pages");
static const struct tally_core_refusal revoked =
	TALLY_WHY(-ENODEV, "", "the event's PMU or tracepoint was unregistered", "close the event");
static const struct tally_core_refusal other_length =
	TALLY_WHY(-EINVAL, "length", "the buffer already exists with a different size",
		  "map it with the same size");
static const struct tally_core_refusal redirected =
	TALLY_WHY(-EBUSY, "", "the event writes to another event's buffer", "map that event");
static const struct tally_core_refusal inherited = TALLY_WHY(
	-EINVAL, "inherit", "children on several CPUs would write to one buffer at the same time",
	"open the event once for each CPU");
static const struct tally_core_refusal moves = TALLY_WHY(
	-EINVAL, "cpu", "the event can migrate between CPUs, but a ring buffer belongs to one CPU",
	"read the event instead");
static const struct tally_core_refusal locked = TALLY_WHY(
	-EPERM, "length", "exceeds the locked memory limit",
	"map a smaller buffer, raise perf_event_mlock_kb or RLIMIT_MEMLOCK, or get CAP_IPC_LOCK");
static const struct tally_core_refusal no_memory =
	TALLY_WHY(-ENOMEM, "length", "out of memory for the buffer", "map a smaller buffer");

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
	buffer->context = event->context;
	tally_context_get(buffer->context);
	tally_page_init(event, buffer);
}

/* Snapshot of the event, taken in accordance with the context rule. */
struct event_snapshot {
	struct tally_core_event *event;
	bool revoked;
};

static void update_page_here(struct tally_core_cpu *cpu, struct tally_core_context *context,
			     void *arg)
{
	struct event_snapshot *look = arg;

	look->revoked = look->event->state == TALLY_STATE_REVOKED;
	if (!look->revoked)
		tally_page_begin(look->event);
}

/* A mapping request. */
struct map_request {
	struct tally_core *core;
	struct tally_core_task *current;
	struct tally_core_event *event;
	size_t nr; /* number of data pages */
	bool writable;
};

/* Allocate the memory that records are written to. On failure, tally_buffer_free() frees it. */
static int alloc_ring_memory(const struct map_request *mapper, struct tally_core_buffer *buffer)
{
	int ret = alloc_buffer(buffer, mapper->nr);

	if (ret || !mapper->nr)
		return ret;
	tally_scratch_hold(mapper->core, buffer->cpu);
	buffer->has_scratch = true;
	return tally_scratch_prepare(mapper->event, buffer->size);
}

/* Create a buffer, charging its pages before they are allocated. */
static const struct tally_core_refusal *buffer_new(const struct map_request *mapper,
						   struct tally_core_buffer **ret_buffer)
{
	struct tally_core *core = mapper->core;
	struct tally_core_buffer *buffer = tally_core_alloc(core, sizeof(*buffer));
	const struct tally_core_refusal *why = NULL;

	if (!buffer)
		return &no_memory;
	buffer->core = core;
	buffer->contiguous = core->settings.contiguous;
	buffer->cpu = mapper->event->cpu;
	buffer->refs = 1;
	tally_list_init(&buffer->events);
	if (charge(core, mapper->current, mapper->nr + tally_metadata_pages(core), buffer))
		why = &locked;
	else if (alloc_ring_memory(mapper, buffer))
		why = &no_memory;
	if (why)
		tally_buffer_put(buffer);
	else
		*ret_buffer = buffer;
	return why;
}

/* Create a buffer and attach it. *ret_buffer stays NULL if another caller has attached a buffer
 * first. */
static const struct tally_core_refusal *map_new(const struct map_request *mapper,
						struct tally_core_buffer **ret_buffer)
{
	struct event_snapshot look = {mapper->event, false};
	const struct tally_core_refusal *why;
	struct tally_core_buffer *buffer;

	if (mapper->nr > PAGES_MAX)
		return &no_memory;
	why = buffer_new(mapper, &buffer);
	if (why)
		return why;
	buffer_setup(buffer, mapper->event, mapper->writable);
	if (tally_buffer_attach(buffer, mapper->event)) {
		tally_buffer_put(buffer);
		return NULL;
	}
	/* The PMU may have been unregistered during the allocation. */
	tally_context_run(mapper->event->context, update_page_here, &look);
	if (look.revoked) {
		tally_buffer_unmap(buffer);
		return &revoked;
	}
	*ret_buffer = buffer;
	return NULL;
}

/* Map the event's existing buffer. *ret_buffer stays NULL if the buffer is being released. */
static const struct tally_core_refusal *map_again(const struct map_request *mapper,
						  struct tally_core_buffer *buffer,
						  struct tally_core_buffer **ret_buffer)
{
	uint64_t size = (uint64_t)mapper->nr * mapper->core->ops->page_size;

	switch (tally_buffer_map(buffer, mapper->event, size)) {
	case 0: *ret_buffer = buffer; return NULL;
	case -EINVAL: return &other_length;
	case -EBUSY: return &redirected;
	}
	tally_buffer_unlink(buffer, mapper->event);
	return NULL;
}

/* Map the event's buffer, or create one. Memory is allocated without locks; try again if the event
 * gets or loses a buffer in the meantime. */
static const struct tally_core_refusal *map(const struct map_request *mapper,
					    struct tally_core_buffer **ret_buffer)
{
	const struct tally_core_refusal *why = NULL;
	struct tally_core_buffer *buffer = NULL, *has;

	while (!why && !buffer) {
		has = tally_buffer_get(mapper->event);
		why = has ? map_again(mapper, has, &buffer) : map_new(mapper, &buffer);
		tally_buffer_put(has);
	}
	if (!why)
		*ret_buffer = buffer;
	return why;
}

int tally_core_mmap(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_event *event, size_t len, uint64_t pgoff, bool writable,
		    struct tally_core_buffer **ret_buffer, struct tally_core_refusal *ret_why)
{
	size_t page = core->ops->page_size, metadata = tally_metadata_pages(core);
	size_t nr = len <= SIZE_MAX - page ? tally_pages(core, len + page - 1) : 0;
	const struct map_request mapper = {core, current, event, nr - metadata, writable};
	const struct tally_core_refusal *why;

	if (tally_load_relaxed(&event->state) == TALLY_STATE_REVOKED)
		why = &revoked;
	else if (current && !tally_event_permitted(event, TALLY_HOST_READ))
		why = &tally_not_permitted;
	else if (pgoff || nr < metadata || (nr > metadata && !tally_is_pow2(nr - metadata)))
		why = &bad_length;
	else if (event->attr.inherit && event->cpu < 0)
		why = &inherited;
	else if (event->moves)
		why = &moves;
	else
		why = map(&mapper, ret_buffer);
	return tally_refusal_report(why, ret_why);
}

size_t tally_core_mmap_size(const struct tally_core *core, size_t data_len)
{
	return tally_metadata_pages(core) * core->ops->page_size + data_len;
}

void tally_core_munmap(struct tally_core *core, struct tally_core_event *event,
		       struct tally_core_buffer *buffer)
{
	tally_buffer_unmap(buffer);
}

void *tally_core_buffer_page(const struct tally_core_buffer *buffer, size_t index)
{
	size_t page = buffer->core->ops->page_size, metadata = tally_metadata_pages(buffer->core);
	uint64_t offset = (uint64_t)(index - metadata) * page;

	if (index < metadata)
		return (uint8_t *)buffer->page + index * page;
	if (index - metadata >= tally_pages(buffer->core, buffer->size))
		return NULL;
	return buffer->chunks[offset >> buffer->chunk_shift] +
	       (offset & ((UINT64_C(1) << buffer->chunk_shift) - 1));
}

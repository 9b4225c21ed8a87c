/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach events to buffers, and manage the lifetime of buffers.
 *
 * An event's buffer pointer is changed under the event's output lock. A buffer's list of events and
 * its number of mappings are changed under the buffer's lock, which is taken first. A buffer exists
 * while it is mapped, and slightly longer for callers that hold a reference or walk its events.
 * Writers use neither locks nor references: they run with interrupts off on the only CPU that may
 * write. Therefore a call to that CPU must complete before the memory is freed.
 */
#include "core/buffer.h"
#include "core/context.h"
#include "core/ref.h"

/* ---- locks ------------------------------------------------------------------------------ */

static void lock_buffer(struct tally_core_buffer *buffer)
{
	tally_spin_lock(&buffer->lock, buffer->core->ops, buffer->core->host);
}

static void lock_output(struct tally_core_event *event)
{
	tally_spin_lock(&event->output_lock, event->core->ops, event->core->host);
}

/* ---- references ------------------------------------------------------------------------- */

struct tally_core_buffer *tally_buffer_get(struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	uintptr_t flags = core->ops->irq_save(core->host);
	struct tally_core_buffer *buffer;

	lock_output(event);
	buffer = event->buffer;
	if (buffer)
		tally_ref_get(&buffer->refs);
	tally_spin_unlock(&event->output_lock);
	core->ops->irq_restore(core->host, flags);
	return buffer;
}

void tally_buffer_put(struct tally_core_buffer *buffer)
{
	if (buffer && tally_ref_put(&buffer->refs))
		tally_buffer_free(buffer);
}

/* ---- attaching -------------------------------------------------------------------------- */

/* Detach an event from its buffer. Called with buffer->lock and event->output_lock held. */
static void unlink_locked(struct tally_core_event *event)
{
	tally_store_release(&event->buffer, NULL);
	tally_list_remove(&event->output);
}

static int attach_locked(struct tally_core_buffer *buffer, struct tally_core_event *event)
{
	if (!buffer->mappings)
		return -ENODEV;
	if (event->buffer)
		return -EBUSY;
	tally_list_insert(&buffer->events, &event->output);
	tally_store_release(&event->buffer, buffer);
	return 0;
}

int tally_buffer_attach(struct tally_core_buffer *buffer, struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	uintptr_t flags = core->ops->irq_save(core->host);
	int ret;

	lock_buffer(buffer);
	lock_output(event);
	ret = attach_locked(buffer, event);
	tally_spin_unlock(&event->output_lock);
	tally_spin_unlock(&buffer->lock);
	core->ops->irq_restore(core->host, flags);
	return ret;
}

void tally_buffer_unlink(struct tally_core_buffer *buffer, struct tally_core_event *event)
{
	const struct tally_core *core = event->core;
	uintptr_t flags = core->ops->irq_save(core->host);

	lock_buffer(buffer);
	lock_output(event);
	if (event->buffer == buffer)
		unlink_locked(event);
	tally_spin_unlock(&event->output_lock);
	tally_spin_unlock(&buffer->lock);
	core->ops->irq_restore(core->host, flags);
}

/* Writers may continue to use the buffer, which is not freed before a call to their CPU has
 * completed. */
void tally_buffer_detach(struct tally_core_event *event)
{
	struct tally_core_buffer *buffer = tally_buffer_get(event);

	if (buffer)
		tally_buffer_unlink(buffer, event);
	tally_buffer_put(buffer);
}

/* Detach only the buffer that was checked. Between detaching and attaching, the event may get its
 * own buffer or another event's buffer. In that case, check again. */
int tally_buffer_redirect(struct tally_core_event *event, struct tally_core_buffer *to)
{
	int ret = -EBUSY;

	while (ret == -EBUSY) {
		struct tally_core_buffer *has = tally_buffer_get(event);
		bool own = has && has->owner == event, done = has == to;

		if (has && !own && !done)
			tally_buffer_unlink(has, event);
		tally_buffer_put(has);
		if (own)
			return -EBUSY;
		if (done)
			return 0;
		ret = to ? tally_buffer_attach(to, event) : 0;
	}
	return ret;
}

/* Unlink one event. Return false if the list is empty. */
static bool unlink_first(struct tally_core_buffer *buffer)
{
	const struct tally_core *core = buffer->core;
	uintptr_t flags = core->ops->irq_save(core->host);
	struct tally_core_event *event;
	bool any;

	lock_buffer(buffer);
	any = !tally_list_empty(&buffer->events);
	if (any) {
		event = tally_container_of(buffer->events.next, struct tally_core_event, output);
		lock_output(event);
		unlink_locked(event);
		tally_spin_unlock(&event->output_lock);
	}
	tally_spin_unlock(&buffer->lock);
	core->ops->irq_restore(core->host, flags);
	return any;
}

/* ---- mappings --------------------------------------------------------------------------- */

int tally_buffer_map(struct tally_core_buffer *buffer, const struct tally_core_event *event,
		     uint64_t size)
{
	const struct tally_core *core = buffer->core;
	uintptr_t flags = core->ops->irq_save(core->host);
	int ret = 0;

	lock_buffer(buffer);
	if (!buffer->mappings)
		ret = -ENODEV;
	else if (buffer->size != size)
		ret = -EINVAL;
	else if (buffer->owner != event)
		ret = -EBUSY;
	else
		buffer->mappings++;
	tally_spin_unlock(&buffer->lock);
	core->ops->irq_restore(core->host, flags);
	return ret;
}

static bool last_mapping(struct tally_core_buffer *buffer)
{
	const struct tally_core *core = buffer->core;
	uintptr_t flags = core->ops->irq_save(core->host);
	bool last;

	lock_buffer(buffer);
	last = !--buffer->mappings;
	tally_spin_unlock(&buffer->lock);
	core->ops->irq_restore(core->host, flags);
	return last;
}

/* Wait for writers that started before the last event was unlinked. Records are written on the
 * buffer's CPU. The metadata page is written on the CPU that the owner's context is on, or under
 * the context's lock if it is on no CPU. */
static void wait_for_writers(struct tally_core_buffer *buffer)
{
	struct tally_core *core = buffer->core;
	int32_t cpu = tally_context_cpu(buffer->context);

	tally_cpu_quiesce(core, cpu);
	if (buffer->cpu != cpu)
		tally_cpu_quiesce(core, buffer->cpu);
	while (tally_load_acquire(&buffer->walkers)) {
		if (core->ops->relax)
			core->ops->relax(core->host);
	}
}

void tally_buffer_unmap(struct tally_core_buffer *buffer)
{
	if (!last_mapping(buffer))
		return;
	while (unlink_first(buffer))
		;
	wait_for_writers(buffer);
	tally_buffer_put(buffer);
}

void tally_buffer_count_lost(struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	uintptr_t flags = core->ops->irq_save(core->host);

	lock_output(event);
	if (event->buffer)
		tally_count_up(&event->buffer->lost, 1);
	tally_count_up(&event->lost, 1);
	tally_spin_unlock(&event->output_lock);
	core->ops->irq_restore(core->host, flags);
}

/* ---- waking ----------------------------------------------------------------------------- */

/* Return the event's buffer, or NULL, and keep the buffer until the walk is finished. Interrupts
 * must stay off during the walk. */
static struct tally_core_buffer *walk_begin(struct tally_core_event *event)
{
	struct tally_core_buffer *buffer;

	lock_output(event);
	buffer = event->buffer;
	if (buffer)
		tally_ref_get(&buffer->walkers);
	tally_spin_unlock(&event->output_lock);
	return buffer;
}

bool tally_buffer_for_each(struct tally_core_event *event,
			   void (*fn)(const struct tally_core_event *event, unsigned what),
			   unsigned what)
{
	struct tally_core_buffer *buffer = walk_begin(event);

	if (!buffer)
		return false;
	lock_buffer(buffer);
	tally_list_for_each (link, &buffer->events)
		fn(tally_container_of(link, struct tally_core_event, output), what);
	tally_spin_unlock(&buffer->lock);
	tally_ref_put(&buffer->walkers);
	return true;
}

uint32_t tally_buffer_poll(struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	uintptr_t flags = core->ops->irq_save(core->host);
	uint32_t events;

	lock_output(event);
	events = event->buffer ? tally_exchange(&event->buffer->poll, 0) : TALLY_CORE_POLLHUP;
	tally_spin_unlock(&event->output_lock);
	core->ops->irq_restore(core->host, flags);
	return events;
}

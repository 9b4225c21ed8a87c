/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/buffer.h"

static uint8_t *buffer_address(const struct tally_core_buffer *buffer, uint64_t at,
			       uint64_t *ret_room)
{
	uint64_t chunk_size = UINT64_C(1) << buffer->chunk_shift;
	uint64_t offset = at & (buffer->size - 1);
	uint64_t in_chunk = offset & (chunk_size - 1);

	*ret_room = chunk_size - in_chunk;
	return buffer->chunks[offset >> buffer->chunk_shift] + in_chunk;
}

/* Return true if there is enough free space. One byte always remains free, so that head == tail
 * means empty. */
static bool has_room(const struct tally_core_buffer *buffer, uint64_t head, bool backward,
		     uint32_t len)
{
	uint64_t tail, used;

	if (buffer->overwrite)
		return len < buffer->size;
	tail = tally_load_acquire(&buffer->page->data_tail);
	used = backward ? tail - head : head - tail;
	/* User space controls data_tail. An invalid value only makes the buffer appear full. */
	return used < buffer->size && len < buffer->size - used;
}

/*
 * Advance the wakeup mark by one watermark at a time, so that wakeups are evenly spaced. If the
 * mark would still lag by more than a watermark, advance it to the end of the record; otherwise
 * every record would cause a wakeup until the mark has caught up. If an interrupt has already
 * advanced the mark past the end of this record, no wakeup is due.
 */
static void advance_watermark(struct tally_core_buffer *buffer, uint64_t head, bool backward)
{
	uint64_t written = backward ? 0 - head : head, watermark = buffer->watermark;
	uint64_t mark = tally_load_relaxed(&buffer->wakeup), next;

	do {
		if ((int64_t)(written - mark) <= (int64_t)watermark)
			return;
		next = written - mark <= 2 * watermark ? mark + watermark : written;
	} while (!tally_local_compare_exchange(&buffer->wakeup, &mark, next));
	tally_store_relaxed(&buffer->wake, true);
}

/* Publish all records up to the head, unless an outer writer has not finished yet. An interrupt may
 * write more records after the head was read, so check the head again. Return true if a wakeup is
 * due. */
static bool buffer_publish(struct tally_core_buffer *buffer)
{
	uint64_t head;

	if (tally_load_relaxed(&buffer->writers) > 1) {
		tally_store_relaxed(&buffer->writers, buffer->writers - 1);
		return false;
	}
	do {
		tally_store_relaxed(&buffer->writers, 1);
		head = tally_load_relaxed(&buffer->head);
		tally_store_release(&buffer->page->data_head, head);
		tally_store_relaxed(&buffer->writers, 0);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (head != tally_load_relaxed(&buffer->head));
	if (!tally_load_relaxed(&buffer->wake))
		return false;
	tally_store_relaxed(&buffer->wake, false);
	tally_store_release(&buffer->poll, TALLY_CORE_POLLIN);
	return true;
}

bool tally_buffer_reserve(struct tally_core_buffer *buffer, bool backward, uint32_t len,
			  uint8_t *scratch, bool *wake, struct tally_slot *ret_slot)
{
	uint64_t head, next, room;
	uint8_t *to;

	if (!buffer->size || tally_load_relaxed(&buffer->paused))
		return false;
	tally_store_relaxed(&buffer->writers, buffer->writers + 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	head = tally_load_relaxed(&buffer->head);
	do {
		if (!has_room(buffer, head, backward, len)) {
			*wake |= buffer_publish(buffer);
			return false;
		}
		next = backward ? head - len : head + len;
	} while (!tally_local_compare_exchange(&buffer->head, &head, next));
	advance_watermark(buffer, next, backward);
	head = backward ? next : head;
	to = buffer_address(buffer, head, &room);
	*ret_slot = (struct tally_slot){buffer, room < len ? scratch : to, head, len, room < len};
	return true;
}

static void copy_out(struct tally_slot *slot)
{
	uint64_t done = 0;

	while (done < slot->len) {
		uint64_t room;
		uint8_t *to = buffer_address(slot->buffer, slot->at + done, &room);
		uint64_t len = TALLY_MIN(room, slot->len - done);

		__builtin_memcpy(to, slot->to + done, len);
		done += len;
	}
}

bool tally_buffer_commit(struct tally_slot *slot)
{
	if (slot->elsewhere)
		copy_out(slot);
	return buffer_publish(slot->buffer);
}

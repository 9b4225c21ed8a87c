/* SPDX-License-Identifier: BSD-2-Clause */
/* Read a ring from within the kernel. */
#include "core/buffer.h"

/* Copy `len` bytes from offset `at` in the ring, page by page. */
static void copy_bytes(const struct tally_core_buffer *buffer, uint64_t at, uint8_t *to, size_t len)
{
	size_t page = buffer->core->ops->page_size, first = tally_metadata_pages(buffer->core);

	while (len) {
		uint64_t offset = at & (buffer->size - 1);
		size_t in_page = (size_t)offset & (page - 1);
		size_t part = TALLY_MIN(len, page - in_page);
		const uint8_t *from = tally_core_buffer_page(
			buffer, first + (size_t)tally_pages(buffer->core, offset));

		__builtin_memcpy(to, from + in_page, part);
		at += part;
		to += part;
		len -= part;
	}
}

/* Read the header of the record at the tail, where `used` bytes are available. Return false if the
 * header is invalid. */
static bool read_header(const struct tally_core_buffer *buffer, uint64_t tail, uint64_t used,
			struct perf_event_header *header)
{
	if (used > buffer->size || used < sizeof(*header))
		return false;
	copy_bytes(buffer, tail, (uint8_t *)header, sizeof(*header));
	return header->size >= sizeof(*header) && !(header->size % 8) && header->size <= used;
}

int64_t tally_core_buffer_read(struct tally_core_buffer *buffer, void *to, size_t len)
{
	uint64_t head = tally_load_acquire(&buffer->page->data_head);
	uint64_t tail = tally_load_relaxed(&buffer->page->data_tail);
	struct perf_event_header header;

	if (buffer->overwrite || !buffer->size || head == tail)
		return 0;
	if (!read_header(buffer, tail, head - tail, &header)) {
		tally_store_release(&buffer->page->data_tail, head);
		return -EINVAL;
	}
	if (header.size > len)
		return -ENOSPC;
	/* User space may have mapped the ring and may change it, so return the header that was
	 * checked. */
	__builtin_memcpy(to, &header, sizeof(header));
	copy_bytes(buffer, tail + sizeof(header), (uint8_t *)to + sizeof(header),
		   header.size - sizeof(header));
	tally_store_release(&buffer->page->data_tail, tail + header.size);
	return header.size;
}

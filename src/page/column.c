/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/column.h"

#include "base/arith.h"
#include "base/varint.h"

const struct page_column_kind page_column_kinds[PAGE_NR_COLUMNS] = {
	[PAGE_STRING_BYTES] = {"string_bytes", PAGE_VARINT},
	[PAGE_STRING_TEXT] = {"string_text", PAGE_TEXT},
	[PAGE_FRAME_NAME] = {"frame_name", PAGE_VARINT},
	[PAGE_FRAME_FILE] = {"frame_file", PAGE_VARINT},
	[PAGE_FRAME_FLAGS] = {"frame_flags", PAGE_U8},
	[PAGE_FRAME_SHORT] = {"frame_short", PAGE_VARINT, true},
	[PAGE_NODE_PARENT] = {"node_parent", PAGE_DELTA},
	[PAGE_NODE_FRAME] = {"node_frame", PAGE_VARINT},
	[PAGE_THREAD_PID] = {"thread_pid", PAGE_VARINT},
	[PAGE_THREAD_TID] = {"thread_tid", PAGE_VARINT},
	[PAGE_THREAD_NAME] = {"thread_name", PAGE_VARINT},
	[PAGE_SAMPLE_RECORDING] = {"sample_recording", PAGE_VARINT, true},
	[PAGE_SAMPLE_TIME] = {"sample_time", PAGE_DELTA},
	[PAGE_SAMPLE_NODE] = {"sample_node", PAGE_VARINT},
	[PAGE_SAMPLE_THREAD] = {"sample_thread", PAGE_VARINT},
	[PAGE_SAMPLE_CPU] = {"sample_cpu", PAGE_VARINT},
	[PAGE_SAMPLE_EVENT] = {"sample_event", PAGE_VARINT},
	[PAGE_SAMPLE_WEIGHT] = {"sample_weight", PAGE_VARINT},
	[PAGE_LOSS_RECORDING] = {"loss_recording", PAGE_VARINT},
	[PAGE_LOSS_TIME] = {"loss_time", PAGE_DELTA},
	[PAGE_LOSS_CPU] = {"loss_cpu", PAGE_VARINT},
	[PAGE_LOSS_COUNT] = {"loss_count", PAGE_VARINT},
	[PAGE_ANNOTATIONS] = {"annotations", PAGE_JSON, true},
};

const char *page_encoding_name(enum page_encoding encoding)
{
	static const char *const names[] = {
		[PAGE_VARINT] = "varint", [PAGE_DELTA] = "delta", [PAGE_U8] = "u8",
		[PAGE_TEXT] = "text",     [PAGE_JSON] = "json",
	};

	return names[encoding];
}

/* Encode the difference as an unsigned number. Small differences of either sign become small
 * numbers. */
static uint64_t zigzag(uint64_t from, uint64_t to)
{
	return to >= from ? (to - from) * 2 : (from - to) * 2 - 1;
}

void page_column_add(struct page_column *columns, enum page_column_number number, uint64_t value)
{
	enum page_encoding encoding = page_column_kinds[number].encoding;
	struct page_column *column = &columns[number];

	value = TALLY_MIN(value, PAGE_VALUE_MAX);
	if (encoding == PAGE_U8)
		tally_str_add_char(&column->bytes, (char)value);
	else if (encoding == PAGE_DELTA)
		tally_str_add_varint(&column->bytes, zigzag(column->last, value));
	else
		tally_str_add_varint(&column->bytes, value);
	column->last = value;
	column->is_used |= value != 0;
	column->count++;
}

bool page_column_is_written(const struct page_column *columns, enum page_column_number number)
{
	return !page_column_kinds[number].is_optional || columns[number].is_used;
}

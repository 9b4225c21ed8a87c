/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page_table.h"

#include <string.h>

#include "base/arith.h"
#include "base/utf8.h"
#include "profile/frame_kind.h"
#include "tally/abi.h"

enum { NR_THREAD_WORDS = 3 };

/* ---- strings ------------------------------------------------------------------- */

/* Return how many bytes of the text to keep, without splitting a character. */
static size_t kept_length(const char *text, size_t len)
{
	if (len <= PAGE_STRING_MAX)
		return len;
	len = PAGE_STRING_MAX;
	while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static void add_utf8(struct tally_str *out, const char *text, size_t len)
{
	uint32_t point;

	while (len) {
		size_t nr = tally_utf8_read(text, len, &point);

		tally_str_add_bytes(out, nr ? text : "\xef\xbf\xbd", nr ? nr : 3);
		text += nr ? nr : 1;
		len -= nr ? nr : 1;
	}
}

int page_string(struct tally_html *page, const char *text, uint32_t *ret_string)
{
	size_t nr = page->strings.strings.len, len = strlen(text), kept = kept_length(text, len);
	struct tally_str *all = &page->columns[PAGE_STRING_TEXT].bytes;
	size_t start = all->len;
	int ret = tally_intern(&page->strings, text, kept, ret_string);

	if (ret || nr == page->strings.strings.len)
		return ret;
	page->nr_cut_strings += kept < len;
	add_utf8(all, text, kept);
	page_column_add(page->columns, PAGE_STRING_BYTES, all->len - start);
	page->columns[PAGE_STRING_TEXT].count = all->len;
	return 0;
}

/* ---- words that identify an object ------------------------------------------------ */

/* Find or add the object identified by `words`. If the object is new, its first `nr_columns` words
 * are appended to consecutive columns, starting with column `first`. */
static int object_intern(struct tally_html *page, struct tally_intern *table, const uint32_t *words,
			 uint32_t nr_words, enum page_column_number first, uint32_t nr_columns,
			 uint32_t *ret_number)
{
	size_t nr = table->strings.len;
	int ret = tally_intern(table, (const char *)words, nr_words * sizeof(*words), ret_number);

	if (ret || nr == table->strings.len)
		return ret;
	for (uint32_t i = 0; i < nr_columns; i++)
		page_column_add(page->columns, first + i, words[i]);
	return 0;
}

int page_event(struct tally_html *page, const struct page_event *event, uint32_t *ret_event)
{
	return tally_intern(&page->events, (const char *)event, sizeof(*event), ret_event);
}

int page_thread(struct tally_html *page, const struct tally_machine *machine,
		const struct tally_thread *thread, uint32_t comm, uint32_t *ret_thread)
{
	uint32_t words[NR_THREAD_WORDS] = {(uint32_t)thread->pid + 1, (uint32_t)thread->tid + 1};
	int ret = page_string(page,
			      tally_intern_text(tally_machine_comms(machine),
						tally_machine_comm_of(machine, comm)),
			      &words[2]);

	return ret ? ret
		   : object_intern(page, &page->threads, words, NR_THREAD_WORDS, PAGE_THREAD_PID,
				   NR_THREAD_WORDS, ret_thread);
}

/* ---- frames ---------------------------------------------------------------------- */

static uint32_t frame_side(const struct tally_frame *frame, enum tally_dso_kind kind)
{
	static const uint32_t sides[8] = {
		[PERF_RECORD_MISC_KERNEL] = FRAME_KERNEL,
		[PERF_RECORD_MISC_HYPERVISOR] = FRAME_HYPERVISOR,
		[PERF_RECORD_MISC_GUEST_KERNEL] = FRAME_GUEST,
		[PERF_RECORD_MISC_GUEST_USER] = FRAME_GUEST,
	};
	uint32_t side = sides[frame->cpumode & 7];

	return !side && (kind == TALLY_DSO_KERNEL || kind == TALLY_DSO_MODULE) ? FRAME_KERNEL
									       : side;
}

static uint32_t frame_flags(const struct tally_frame *frame, const char *path)
{
	enum tally_dso_kind kind = frame->dso ? tally_dso_kind(frame->dso) : TALLY_DSO_UNKNOWN;
	uint32_t flags = frame_side(frame, kind);

	if (!frame->symbol)
		flags |= FRAME_NAMELESS;
	else if (kind == TALLY_DSO_UNKNOWN) /* TALLY_CUT is the only symbol without a file */
		flags |= FRAME_CUT;
	else if (tally_symbol_is_inlined(frame->dso, frame->symbol))
		flags |= FRAME_INLINED;
	if (kind == TALLY_DSO_PERF_MAP || kind == TALLY_DSO_JITDUMP)
		flags |= FRAME_JIT;
	if (tally_frame_is_foreign(frame, path))
		flags |= FRAME_FOREIGN;
	return flags;
}

int page_frame_words(struct tally_html *page, const struct tally_frame *frame,
		     uint32_t words[PAGE_FRAME_WORDS])
{
	int ret = 0;

	words[0] = words[1] = 0;
	if (frame->symbol)
		ret = page_string(page, tally_symbol_name(frame->dso, frame->symbol), &words[0]);
	if (!ret && frame->dso)
		ret = page_file(page, frame, &words[1]);
	if (!ret)
		words[2] = frame_flags(frame, tally_intern_text(&page->strings, words[1]));
	return ret;
}

int page_frame(struct tally_html *page, const uint32_t words[PAGE_FRAME_WORDS], uint32_t variant,
	       uint32_t which, const char *short_name, uint32_t *ret_frame)
{
	const uint32_t all[PAGE_FRAME_ALL_WORDS] = {words[0], words[1], words[2], variant, which};
	size_t nr = page->frames.strings.len;
	uint32_t string = 0;
	int ret = object_intern(page, &page->frames, all, PAGE_FRAME_ALL_WORDS, PAGE_FRAME_NAME,
				PAGE_FRAME_WORDS, ret_frame);

	if (ret || nr == page->frames.strings.len)
		return ret;
	if (short_name)
		ret = page_string(page, short_name, &string);
	page_column_add(page->columns, PAGE_FRAME_SHORT, string == words[0] ? 0 : string);
	return ret;
}

/* ---- nodes ----------------------------------------------------------------------- */

int page_node(struct tally_html *page, uint32_t parent, uint32_t frame, uint32_t *ret_node)
{
	size_t nr = page->nodes.all.len;
	int ret = tally_paths_reach(&page->nodes, page->frames.strings.len);

	if (!ret)
		ret = tally_paths_child(&page->nodes, parent, frame, ret_node);
	if (ret || nr == page->nodes.all.len)
		return ret;
	page_column_add(page->columns, PAGE_NODE_PARENT, parent);
	page_column_add(page->columns, PAGE_NODE_FRAME, frame);
	return 0;
}

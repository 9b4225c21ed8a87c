/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoding of the design document "Performance Counters for Linux", translated to and from the
 * ABI of today. Freestanding; all functions are pure, and nothing is kept between calls.
 * docs/classic.md has the table of old name to new name, and what has no counterpart.
 *
 * Who offers the old calls on top of the new ones does this:
 *
 *	open:	tally_classic_attr_decode(), perf_event_open(), IOC_ID; the classic attr is kept
 *	read:	read() with tally_classic_read_size() bytes, tally_classic_read()
 *	ioctl:	tally_classic_ioctl()
 *	mmap:	pages of its own; tally_classic_page() whenever the event's page changed, and
 *		tally_classic_record() and tally_classic_ring_write() for each record of its buffer
 *
 * The document's names are kept with TALLY_CLASSIC_ in front, as some of them mean something else
 * today.
 */
#ifndef TALLY_ABI_CLASSIC_H
#define TALLY_ABI_CLASSIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/error.h"
#include "tally/abi.h"

/* ---- the attr -------------------------------------------------------------------------- */

/* perf_event_attr of the document: 56 bytes. The document reserves 52 bits after `comm`, which
 * leaves one of the word over: it is reserved too. */
struct tally_classic_attr {
	uint64_t config; /* 1 bit raw_type, 7 bits type, 56 bits event_id; from the top */
	uint64_t irq_period;
	uint32_t record_type; /* TALLY_CLASSIC_RECORD_* */
	uint32_t read_format; /* PERF_FORMAT_TOTAL_TIME_ENABLED, _RUNNING */
	uint64_t disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1,
		exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1, mmap : 1, munmap : 1,
		comm : 1, __reserved_1 : 53;
	uint32_t extra_config_len;
	uint32_t wakeup_events;
	uint64_t __reserved_2;
	uint64_t __reserved_3;
};

#define TALLY_CLASSIC_RAW_MASK   (1ull << 63)
#define TALLY_CLASSIC_TYPE_SHIFT 56
#define TALLY_CLASSIC_TYPE_MASK  (0x7full << TALLY_CLASSIC_TYPE_SHIFT)
#define TALLY_CLASSIC_EVENT_MASK ((1ull << TALLY_CLASSIC_TYPE_SHIFT) - 1)

/* enum perf_event_record_format. */
enum tally_classic_record_format {
	TALLY_CLASSIC_RECORD_IP = 1U << 0,
	TALLY_CLASSIC_RECORD_TID = 1U << 1,
	TALLY_CLASSIC_RECORD_TIME = 1U << 2,
	TALLY_CLASSIC_RECORD_ADDR = 1U << 3,
	TALLY_CLASSIC_RECORD_GROUP = 1U << 4,
	TALLY_CLASSIC_RECORD_CALLCHAIN = 1U << 5,
};

/*
 * The attr of today that does the same. Without wakeup_events a page that is filled wakes:
 * `page_size` bytes. `munmap` has no counterpart: who has a core of ours behind it tells it.
 * 0; -EINVAL, with the reason and the offset of the field in the classic attr, for a type that
 * there is not, bits that are not defined, reserved fields and extra_config_len that are not 0.
 */
int tally_classic_attr_decode(const struct tally_classic_attr *classic, uint32_t page_size,
			      struct perf_event_attr *ret_attr, struct tally_error *err);

/*
 * The inverse; `munmap` is set by the caller. 0; -EOPNOTSUPP, with the reason and the offset of the
 * field in `attr`, for what the document cannot say.
 */
int tally_classic_attr_encode(const struct perf_event_attr *attr, uint32_t page_size,
			      struct tally_classic_attr *ret_classic, struct tally_error *err);

/* The document's calls: "flags is currently unused and must be zero"; requests ENABLE, DISABLE and
 * REFRESH; prctl. The number of today, or -EINVAL (flags, prctl), -ENOTTY (requests). */
int tally_classic_flags(unsigned long flags);
int64_t tally_classic_ioctl(unsigned long request);

enum { TALLY_CLASSIC_PRCTL_DISABLE = 31, TALLY_CLASSIC_PRCTL_ENABLE = 32 };
int tally_classic_prctl(int option);

/* ---- counts ----------------------------------------------------------------------------- */

enum { TALLY_CLASSIC_READ_MAX = 3 * 8 };

/*
 * What read() is to give: the value, then what read_format asks for, in order of its bits. `bytes`
 * are `len` bytes read from the event as tally_classic_attr_decode() made it, `id` is that of the
 * event itself. 0 bytes, of a pinned event in the error state, are 0 bytes.
 * Bytes written to `out`; -ENOSPC when `out_len` is too small; -EINVAL when `bytes` are not the
 * counts of that event.
 */
int64_t tally_classic_read(const struct tally_classic_attr *classic, const void *bytes, size_t len,
			   uint64_t id, void *out, size_t out_len);

/* Bytes that read() of the event today may give for a group of `nr`. */
size_t tally_classic_read_size(const struct tally_classic_attr *classic, uint32_t nr);

/* ---- records ---------------------------------------------------------------------------- */

enum tally_classic_event_type {
	TALLY_CLASSIC_MMAP = 1,
	TALLY_CLASSIC_MUNMAP = 2,
	TALLY_CLASSIC_COMM = 3,
};

enum {
	TALLY_CLASSIC_MISC_KERNEL = 1 << 0,
	TALLY_CLASSIC_MISC_USER = 1 << 1,
	TALLY_CLASSIC_MISC_OVERFLOW = 1 << 2, /* header.type is a set of TALLY_CLASSIC_RECORD_* */
};

/* Type of the MUNMAP records that our core writes for classic events; laid out as MMAP. */
enum { TALLY_CLASSIC_CORE_MUNMAP = 1024 };

/* The classic config of a group's member, by its id: what its `event` is in RECORD_GROUP. */
typedef uint64_t (*tally_classic_config_of)(void *arg, uint64_t id);

/*
 * Translate one record of `len` bytes in host order that an event wrote whose attr
 * tally_classic_attr_decode() made from `classic`. `config_of` (NULL: members are told by their
 * id) names the members of a group.
 * Bytes written to `out`, a multiple of 8; 0 for records that the document does not have, or that
 * `classic` did not ask for; -ENOSPC when `out_len` is too small (sizes of records grow by no more
 * than 8); -EINVAL for a record that is none.
 */
int64_t tally_classic_record(const struct tally_classic_attr *classic, const void *record,
			     size_t len, tally_classic_config_of config_of, void *arg, void *out,
			     size_t out_len);

/* ---- the page ---------------------------------------------------------------------------- */

/* perf_event_mmap_page of the document. */
struct tally_classic_page {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock;
	uint32_t index;
	int64_t offset;
	uint32_t data_head;
};

/* What the page of today says, as far as the document's says it too; data_head is kept. */
void tally_classic_page(const struct perf_event_mmap_page *page,
			struct tally_classic_page *classic);

/* Append `len` bytes of record to the `size` bytes of `data`, a power of two, behind `page`, and
 * move data_head, which wraps at 2^32. What was not read is overwritten: the document has no tail.
 */
void tally_classic_ring_write(struct tally_classic_page *page, uint8_t *data, uint32_t size,
			      const void *record, uint32_t len);

#endif

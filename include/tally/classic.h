/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ABI of the design document "Performance Counters for Linux" (2009): its attr, its record
 * stream and its calls, implemented on top of the current perf_event_open(2). docs/classic.md maps
 * each old name to the current one, and lists the names without a counterpart.
 *
 * The document's names have the prefix TALLY_CLASSIC_ or tally_classic_ here, because several of
 * them have a different meaning today. A program that includes neither linux/perf_event.h nor
 * tally/abi.h can use the document's own names as well:
 *
 *	#define TALLY_CLASSIC_NAMES
 *	#include <tally/classic.h>
 *
 *	struct perf_event_attr attr = {.config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1};
 *	struct tally_classic *perf;
 *	uint64_t count;
 *	int fd;
 *
 *	tally_classic_new(NULL, &perf);
 *	fd = tally_classic_open(perf, &attr, 0, -1, -1, 0);
 *	tally_classic_ioctl(perf, fd, PERF_EVENT_IOC_ENABLE, 0);
 *	...
 *	tally_classic_read(perf, fd, &count, sizeof(count));
 *	tally_classic_free(perf);
 *
 * Programs that make the system call themselves with the document's attr run unchanged under `tally
 * emulate --abi classic -- PROGRAM`.
 *
 * This file has four parts:
 * - structures and constants
 * - translation functions for kernels and hosts (freestanding, also in libtally-core)
 * - the document's calls (libtally)
 * - the document's own names
 *
 * Functions return 0 or a negative errno unless stated otherwise; `ret_` outputs are untouched on
 * failure.
 *
 * Threads: a translation function uses only its arguments, and may be called from any thread. A
 * struct tally_classic or struct tally_classic_ring may be used by one thread at a time.
 */
#ifndef TALLY_CLASSIC_H
#define TALLY_CLASSIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flexible array members are a C99 feature that C++ compilers accept as an extension. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
extern "C" {
#endif

struct perf_event_attr;      /* current attr, defined in tally/abi.h */
struct perf_event_mmap_page; /* current metadata page, defined in tally/abi.h */
struct tally_transport;      /* tally/client.h */
struct pollfd;               /* poll.h */

/* ---- structures and constants --------------------------------------------------------------- */

/* The document's struct perf_event_attr, 56 bytes long. The document's bit fields add up to 63
 * bits; the 64th bit is reserved as well. */
struct tally_classic_attr {
	uint64_t config;      /* TALLY_CLASSIC_EVENT() or TALLY_CLASSIC_RAW() */
	uint64_t irq_period;  /* events between overflows; if 0, the event only counts */
	uint32_t record_type; /* TALLY_CLASSIC_RECORD_*: what an overflow packet contains */
	uint32_t read_format; /* TALLY_CLASSIC_FORMAT_*: what read() returns after the value */
	uint64_t disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1,
		exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1, mmap : 1, munmap : 1,
		comm : 1, __reserved_1 : 53;
	uint32_t extra_config_len; /* 0 */
	uint32_t wakeup_events;    /* overflows between wakeups; if 0, wake up on each full page */
	uint64_t __reserved_2;
	uint64_t __reserved_3;
};

/* The bit fields of `config`: raw_type, type, event_id. */
#define TALLY_CLASSIC_RAW_MASK   (1ull << 63)
#define TALLY_CLASSIC_TYPE_SHIFT 56
#define TALLY_CLASSIC_TYPE_MASK  (0x7full << TALLY_CLASSIC_TYPE_SHIFT)
#define TALLY_CLASSIC_EVENT_MASK ((1ull << TALLY_CLASSIC_TYPE_SHIFT) - 1)

/* Build `config` for a generalized event, or for an event in the CPU's own encoding. */
#define TALLY_CLASSIC_EVENT(type, id) \
	((uint64_t)(type) << TALLY_CLASSIC_TYPE_SHIFT | (uint64_t)(id))
#define TALLY_CLASSIC_RAW(code) (TALLY_CLASSIC_RAW_MASK | (uint64_t)(code))

/* The type field of the config word. */
enum tally_classic_type_id {
	TALLY_CLASSIC_TYPE_HARDWARE = 0,
	TALLY_CLASSIC_TYPE_SOFTWARE = 1,
	TALLY_CLASSIC_TYPE_TRACEPOINT = 2,
};

/* Event IDs of type HARDWARE. */
enum tally_classic_hw_id {
	TALLY_CLASSIC_HW_CPU_CYCLES = 0,
	TALLY_CLASSIC_HW_INSTRUCTIONS = 1,
	TALLY_CLASSIC_HW_CACHE_REFERENCES = 2,
	TALLY_CLASSIC_HW_CACHE_MISSES = 3,
	TALLY_CLASSIC_HW_BRANCH_INSTRUCTIONS = 4,
	TALLY_CLASSIC_HW_BRANCH_MISSES = 5,
	TALLY_CLASSIC_HW_BUS_CYCLES = 6,
};

/* Event IDs of type SOFTWARE. */
enum tally_classic_sw_ids {
	TALLY_CLASSIC_SW_CPU_CLOCK = 0,
	TALLY_CLASSIC_SW_TASK_CLOCK = 1,
	TALLY_CLASSIC_SW_PAGE_FAULTS = 2,
	TALLY_CLASSIC_SW_CONTEXT_SWITCHES = 3,
	TALLY_CLASSIC_SW_CPU_MIGRATIONS = 4,
	TALLY_CLASSIC_SW_PAGE_FAULTS_MIN = 5,
	TALLY_CLASSIC_SW_PAGE_FAULTS_MAJ = 6,
	TALLY_CLASSIC_SW_ALIGNMENT_FAULTS = 7,
	TALLY_CLASSIC_SW_EMULATION_FAULTS = 8,
};

/* Values that read() returns after the count, in bit order. Each value is a u64. */
enum tally_classic_read_format {
	TALLY_CLASSIC_FORMAT_TOTAL_TIME_ENABLED = 1, /* ns */
	TALLY_CLASSIC_FORMAT_TOTAL_TIME_RUNNING = 2, /* ns */
};

/* Contents of an overflow packet, in bit order. */
enum tally_classic_record_format {
	TALLY_CLASSIC_RECORD_IP = 1U << 0,
	TALLY_CLASSIC_RECORD_TID = 1U << 1,
	TALLY_CLASSIC_RECORD_TIME = 1U << 2,
	TALLY_CLASSIC_RECORD_ADDR = 1U << 3,
	TALLY_CLASSIC_RECORD_GROUP = 1U << 4,
	TALLY_CLASSIC_RECORD_CALLCHAIN = 1U << 5,
};

/* Values of header.type, unless TALLY_CLASSIC_MISC_OVERFLOW is set in header.misc. */
enum tally_classic_event_type {
	TALLY_CLASSIC_MMAP = 1,
	TALLY_CLASSIC_MUNMAP = 2, /* same layout as MMAP */
	TALLY_CLASSIC_COMM = 3,
};

enum {
	TALLY_CLASSIC_MISC_KERNEL = 1 << 0,
	TALLY_CLASSIC_MISC_USER = 1 << 1,
	TALLY_CLASSIC_MISC_OVERFLOW = 1 << 2, /* header.type is a set of TALLY_CLASSIC_RECORD_* */
};

/* The document's struct perf_event_header. */
struct tally_classic_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* record size including this header, a multiple of 8 */
};

/* Record of an executable mapping (MMAP, MUNMAP). */
struct tally_classic_mmap_record {
	struct tally_classic_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	char filename[];
};

/* Record of a task's name (COMM). */
struct tally_classic_comm_record {
	struct tally_classic_header header;
	uint32_t pid, tid;
	char comm[];
};

/* The document's struct perf_event_mmap_page. The data begins one page after this structure. */
struct tally_classic_page {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock;  /* seqlock that protects index and offset */
	uint32_t index; /* 0 if user space cannot currently read the counter */
	int64_t offset;
	uint32_t data_head; /* wraps at 2^32; there is no tail, so unread data is overwritten */
};

/* Third argument of the ioctl requests: apply the request to the whole group that the event
 * leads. */
enum { TALLY_CLASSIC_IOC_FLAG_GROUP = 1 };

/* The document's requests, with Linux's current numbers. */
enum {
	TALLY_CLASSIC_IOC_ENABLE = 0x2400,
	TALLY_CLASSIC_IOC_DISABLE = 0x2401,
	TALLY_CLASSIC_IOC_REFRESH = 0x2402, /* enable for `arg` overflows, then disable */
};

/* Options of tally_classic_prctl(). */
enum { TALLY_CLASSIC_PRCTL_DISABLE = 31, TALLY_CLASSIC_PRCTL_ENABLE = 32 };

/* ---- translation functions ------------------------------------------------------------------- */

/*
 * Steps to implement the document's calls on top of the current perf_event_open(2):
 *
 *	open	tally_classic_attr_decode(), perf_event_open(), PERF_EVENT_IOC_ID; keep the attr.
 *		Pass errors through tally_classic_open_error()
 *	read	read() of tally_classic_counts_size() bytes, tally_classic_counts()
 *	ioctl	tally_classic_check_request(), ioctl() with the same number
 *	mmap	mmap(), allocate memory of the same size, tally_classic_ring_init(); then call
 *		tally_classic_ring_update() whenever the event's ring buffer may have changed
 */

/* The reason why a request was rejected. */
struct tally_classic_error {
	const char *text; /* constant; lower case, no full stop */
	size_t offset;    /* offset of the offending field in the structure passed in */
};

/*
 * Convert a classic attr to the current attr with the same meaning. If wakeup_events is 0, the
 * event wakes its reader after `page_size` bytes of records. `munmap` has no counterpart on Linux,
 * which does not write MUNMAP records; a host that runs tally's core can implement it with
 * tally_core_event_emit_munmap(). Return 0, or -EINVAL if `classic` contains a type or bit that the
 * document does not define, or if a reserved field or extra_config_len is not 0. `ret_error` (may
 * be NULL) is set on failure.
 */
int tally_classic_attr_decode(const struct tally_classic_attr *classic, uint32_t page_size,
			      struct perf_event_attr *ret_attr,
			      struct tally_classic_error *ret_error);

/* Convert a current attr to the classic attr. `munmap` becomes 0. The TID that
 * tally_classic_attr_decode() adds to an inherited event with GROUP is kept. Return 0, or
 * -EOPNOTSUPP if the document cannot express the event; `ret_error` (may be NULL) then contains the
 * offset of the offending field in `attr`. */
int tally_classic_attr_encode(const struct perf_event_attr *attr, uint32_t page_size,
			      struct tally_classic_attr *ret_classic,
			      struct tally_classic_error *ret_error);

/* Check the flags of a classic open call. Return 0, or -EINVAL if `flags` is not 0. */
int tally_classic_check_flags(unsigned long flags);

/* Check the request number of a classic ioctl call. Return 0, or -ENOTTY if it is not
 * TALLY_CLASSIC_IOC_*. */
int tally_classic_check_request(unsigned long request);

/* Check the option of a classic prctl call. Return 0, or -EINVAL if it is not
 * TALLY_CLASSIC_PRCTL_*. */
int tally_classic_check_prctl(int option);

/* Translate an error from the current perf_event_open(2). Return -EINVAL if the CPU cannot count
 * the event, as the document requires, and otherwise `error`. */
int tally_classic_open_error(const struct tally_classic_attr *classic, int error);

/* Maximum size in bytes of one event's counts: value, time enabled, time running. */
enum { TALLY_CLASSIC_COUNTS_MAX = 3 * 8 };

/*
 * Convert the result of read(2) on the current event (`len` bytes at `bytes`) to the document's
 * layout: the value, then the values selected by read_format. `id` is the event's own ID. Return
 * the number of bytes written to `out`; 0 if `len` is 0 (a pinned event in the error state);
 * -ENOSPC if `out_len` is too small; -EINVAL if `bytes` does not contain counts of that event.
 */
int64_t tally_classic_counts(const struct tally_classic_attr *classic, const void *bytes,
			     size_t len, uint64_t id, void *out, size_t out_len);

/* Return the maximum number of bytes that read(2) returns for a current event in a group of `nr`
 * events. */
size_t tally_classic_counts_size(const struct tally_classic_attr *classic, uint32_t nr);

/* Type of the MUNMAP records that tally's core writes for classic events. */
enum { TALLY_CLASSIC_CORE_MUNMAP = 1024 };

/* Return the classic config of the group member with event ID `id`. The config becomes the member's
 * `event` in TALLY_CLASSIC_RECORD_GROUP. */
typedef uint64_t (*tally_classic_config_of)(void *arg, uint64_t id);

/*
 * Translate one record of `len` bytes, in host byte order. The record's event must have been opened
 * with the attr that tally_classic_attr_decode() made from `classic`. If `config_of` is NULL, group
 * members are identified by their event ID. Return the number of bytes written to `out`, a multiple
 * of 8; 0 if the document does not define the record or `classic` did not request it; -ENOSPC if
 * `out_len` is too small (a translated record is at most 8 bytes longer); -EINVAL if `record` is
 * not a whole record.
 */
int64_t tally_classic_record(const struct tally_classic_attr *classic, const void *record,
			     size_t len, tally_classic_config_of config_of, void *arg, void *out,
			     size_t out_len);

/* Size in bytes of the scratch memory in which records are assembled. */
enum { TALLY_CLASSIC_SCRATCH = 2 * 65536 + 8 };

/* A current ring buffer, and the document's ring buffer that receives the translated records. */
struct tally_classic_ring {
	struct tally_classic_attr attr;
	tally_classic_config_of config_of; /* may be NULL */
	void *config_arg;
	struct perf_event_mmap_page *from;
	struct tally_classic_page *to;
	size_t page_size; /* distance from the page to the data, in both ring buffers */
	size_t from_size; /* size of the data in `from`; at least two pages if !wakeup_events */
	size_t size;      /* size of the data in `to`, in bytes */
	uint8_t *scratch; /* TALLY_CLASSIC_SCRATCH bytes */
	/* Private. */
	uint64_t tail;        /* read position in `from` */
	uint32_t head;        /* write position in `to` */
	uint32_t oldest;      /* position of the oldest record in `to` that is still intact */
	uint64_t records;     /* number of records appended to `to` */
	uint64_t overwritten; /* number of records in `to` that were overwritten */
	uint64_t lost;        /* records dropped by the implementation (PERF_RECORD_LOST) */
};

/* Return the size in bytes of the data area that the current ring buffer needs for a classic
 * mapping of `len` bytes (metadata page included). The result is at least two pages, because a
 * one-page ring buffer cannot wake its reader after one page. */
static inline size_t tally_classic_from_size(size_t len, size_t page_size)
{
	return len - page_size < 2 * page_size ? 2 * page_size : len - page_size;
}

/* Initialize the private fields. The caller must have set the fields up to `scratch` and mapped
 * both ring buffers. Return 0, or -EINVAL unless both sizes are powers of two between 8 and
 * 2^31. */
int tally_classic_ring_init(struct tally_classic_ring *ring);

/* Translate the next record that has a classic form, and release its space in `from`. Return false
 * if there is no such record. */
bool tally_classic_ring_step(struct tally_classic_ring *ring);

/* Translate all records, and copy the other fields of the metadata page. `index` is set to 0,
 * because a copy cannot be used to read the counter. */
void tally_classic_ring_update(struct tally_classic_ring *ring);

/* A decoded overflow packet. Fields that the packet does not contain are 0 or NULL. */
struct tally_classic_sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time; /* ns */
	uint64_t addr;
	uint64_t nr_group;     /* number of group members; the leader is first */
	const uint64_t *group; /* `event` and `val` of each member */
	uint16_t nr;           /* number of callchain addresses, in the order hv, kernel, user */
	uint16_t hv, kernel, user;
	const uint64_t *ips;
};

/* Decode an overflow packet. The pointers point into `record`, which must be aligned to 8 bytes
 * and at least header.size bytes long. Return 0, or -EINVAL if `record` is not a whole overflow
 * packet. */
int tally_classic_sample_decode(const struct tally_classic_header *record,
				struct tally_classic_sample *ret_sample);

/* ---- the calls ------------------------------------------------------------------------------- */

/*
 * The document's calls, on any implementation of perf_event_open(2) (a transport as in
 * tally/client.h). Descriptors belong to the implementation. The kernel's descriptors may be passed
 * to fcntl(2) and poll(2), as in the document, but must be closed with tally_classic_close(), not
 * close(2). An object may be used by one thread at a time. A child created by fork(2) may read and
 * control the events of its parent's object, and may free the object, but cannot use or map ring
 * buffers.
 *
 * A source file that includes tally/client.h to define its own transport cannot use the document's
 * names.
 */
struct tally_classic;

/* Create an object. `transport` must outlive the object. If `transport` is NULL, the object uses
 * the running kernel, or the emulation if the program runs under `tally emulate`. Return 0 or
 * -ENOMEM. */
int tally_classic_new(const struct tally_transport *transport, struct tally_classic **ret_classic);

/* Close all events and free the object. NULL is allowed. */
void tally_classic_free(struct tally_classic *classic);

/*
 * Open an event, like sys_perf_event_open(). Return a descriptor; -EINVAL if the attr is invalid
 * according to the document, if the CPU cannot count the hardware event, or if `flags` is not 0;
 * -EFAULT if `attr` is NULL; -EBADF if `group_fd` is neither -1 nor a descriptor of this object;
 * -ENOMEM; or the error from perf_event_open(2). `munmap` has no effect on Linux, which never
 * writes MUNMAP records.
 */
int tally_classic_open(struct tally_classic *classic, const struct tally_classic_attr *attr,
		       int32_t pid, int32_t cpu, int group_fd, unsigned long flags);

/* Return why the last tally_classic_open() failed: what is wrong with the attr, or which field
 * requires a privilege that the caller lacks (-EACCES). `text` is NULL if the attr was not the
 * reason. */
struct tally_classic_error tally_classic_why(const struct tally_classic *classic);

/* For a descriptor that does not belong to the object, the functions below return -EBADF;
 * tally_classic_next() returns NULL and tally_classic_lost() returns 0. */

/* Close the descriptor and unmap its ring buffer. If the event leads a group, the members become
 * single events. Return 0 or -EBADF. */
int tally_classic_close(struct tally_classic *classic, int fd);

/* Read the count and the values that read_format selects. Return the number of bytes; 0 for a
 * pinned event in the error state; -ENOSPC if `len` is too small; -EFAULT if `to` is NULL; -ENOMEM;
 * or the error from read(2). */
int64_t tally_classic_read(struct tally_classic *classic, int fd, void *to, size_t len);

/* Issue a TALLY_CLASSIC_IOC_* request. Return 0; -ENOTTY for other requests; or the error from
 * ioctl(2). */
int tally_classic_ioctl(struct tally_classic *classic, int fd, unsigned long request,
			unsigned long arg);

/* Enable or disable those events of this object that count the calling process or thread and are
 * group leaders or single events. Other group members and events of other tasks are unchanged.
 * Return 0; -EINVAL for any other option; or the first error from ioctl(2). */
int tally_classic_prctl(struct tally_classic *classic, int option);

/*
 * Map the ring buffer of an event; `len` is the size of 1 + 2^n pages. The data begins one page
 * after `*ret_page`. The caller must not write to the mapping. The page's `index` is always 0.
 * data_head is updated by tally_classic_update(), tally_classic_poll() and tally_classic_next().
 * Return 0; -EINVAL for any other length, for an event with `inherit` that counts a task on all
 * CPUs, or in a child created by fork(2); -EBUSY if the event already has a ring buffer; -ENOMEM;
 * or the error from mmap(2).
 */
int tally_classic_mmap(struct tally_classic *classic, int fd, size_t len,
		       const struct tally_classic_page **ret_page);

/* Unmap the ring buffer of `fd`. Return 0, or -EINVAL if `fd` has no ring buffer. */
int tally_classic_munmap(struct tally_classic *classic, int fd);

/* Translate new records into the ring buffer of `fd`. Return 0, or -EINVAL if `fd` has no ring
 * buffer. */
int tally_classic_update(struct tally_classic *classic, int fd);

/* Call poll(2) on `polls`, which may include descriptors that do not belong to this object, and
 * then tally_classic_update() for this object's ready descriptors. Return the number of ready
 * descriptors; -EOPNOTSUPP if the transport cannot poll; or the error from poll(2). */
int tally_classic_poll(struct tally_classic *classic, struct pollfd *polls, size_t nr,
		       int timeout_ms);

/*
 * Return the next record from the ring buffer of `fd`, or NULL if there are no more records or `fd`
 * has no ring buffer. The record is valid until the next call with this object. Records that are
 * overwritten before they are returned count as lost.
 */
const struct tally_classic_header *tally_classic_next(struct tally_classic *classic, int fd);

/* Return the number of records lost so far: records that the implementation dropped, and records
 * that tally_classic_next() found overwritten. */
uint64_t tally_classic_lost(const struct tally_classic *classic, int fd);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

/* ---- the document's own names ---------------------------------------------------------------- */

#ifdef TALLY_CLASSIC_NAMES
#if defined(_LINUX_PERF_EVENT_H) || defined(_UAPI_LINUX_PERF_EVENT_H)
#error "TALLY_CLASSIC_NAMES cannot be used together with the names of linux/perf_event.h"
#endif
/* Suppress a later inclusion of the Linux header, because several of its names have a different
 * meaning here. */
#define _LINUX_PERF_EVENT_H
#define _UAPI_LINUX_PERF_EVENT_H

#define perf_event_attr      tally_classic_attr
#define perf_event_header    tally_classic_header
#define perf_event_mmap_page tally_classic_page

enum perf_type_id {
	PERF_TYPE_HARDWARE = TALLY_CLASSIC_TYPE_HARDWARE,
	PERF_TYPE_SOFTWARE = TALLY_CLASSIC_TYPE_SOFTWARE,
	PERF_TYPE_TRACEPOINT = TALLY_CLASSIC_TYPE_TRACEPOINT,
};

enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES = TALLY_CLASSIC_HW_CPU_CYCLES,
	PERF_COUNT_HW_INSTRUCTIONS = TALLY_CLASSIC_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CACHE_REFERENCES = TALLY_CLASSIC_HW_CACHE_REFERENCES,
	PERF_COUNT_HW_CACHE_MISSES = TALLY_CLASSIC_HW_CACHE_MISSES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS = TALLY_CLASSIC_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_BRANCH_MISSES = TALLY_CLASSIC_HW_BRANCH_MISSES,
	PERF_COUNT_HW_BUS_CYCLES = TALLY_CLASSIC_HW_BUS_CYCLES,
};

enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK = TALLY_CLASSIC_SW_CPU_CLOCK,
	PERF_COUNT_SW_TASK_CLOCK = TALLY_CLASSIC_SW_TASK_CLOCK,
	PERF_COUNT_SW_PAGE_FAULTS = TALLY_CLASSIC_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES = TALLY_CLASSIC_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS = TALLY_CLASSIC_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN = TALLY_CLASSIC_SW_PAGE_FAULTS_MIN,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ = TALLY_CLASSIC_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_ALIGNMENT_FAULTS = TALLY_CLASSIC_SW_ALIGNMENT_FAULTS,
	PERF_COUNT_SW_EMULATION_FAULTS = TALLY_CLASSIC_SW_EMULATION_FAULTS,
};

enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = TALLY_CLASSIC_FORMAT_TOTAL_TIME_ENABLED,
	PERF_FORMAT_TOTAL_TIME_RUNNING = TALLY_CLASSIC_FORMAT_TOTAL_TIME_RUNNING,
};

enum perf_event_record_format {
	PERF_RECORD_IP = TALLY_CLASSIC_RECORD_IP,
	PERF_RECORD_TID = TALLY_CLASSIC_RECORD_TID,
	PERF_RECORD_TIME = TALLY_CLASSIC_RECORD_TIME,
	PERF_RECORD_ADDR = TALLY_CLASSIC_RECORD_ADDR,
	PERF_RECORD_GROUP = TALLY_CLASSIC_RECORD_GROUP,
	PERF_RECORD_CALLCHAIN = TALLY_CLASSIC_RECORD_CALLCHAIN,
};

enum perf_event_type {
	PERF_RECORD_MMAP = TALLY_CLASSIC_MMAP,
	PERF_RECORD_MUNMAP = TALLY_CLASSIC_MUNMAP,
	PERF_RECORD_COMM = TALLY_CLASSIC_COMM,
};

#define PERF_RECORD_MISC_KERNEL   TALLY_CLASSIC_MISC_KERNEL
#define PERF_RECORD_MISC_USER     TALLY_CLASSIC_MISC_USER
#define PERF_RECORD_MISC_OVERFLOW TALLY_CLASSIC_MISC_OVERFLOW

#define PERF_EVENT_IOC_ENABLE  TALLY_CLASSIC_IOC_ENABLE
#define PERF_EVENT_IOC_DISABLE TALLY_CLASSIC_IOC_DISABLE
#define PERF_EVENT_IOC_REFRESH TALLY_CLASSIC_IOC_REFRESH
#define PERF_IOC_FLAG_GROUP    TALLY_CLASSIC_IOC_FLAG_GROUP

#ifndef PR_TASK_PERF_EVENTS_DISABLE
#define PR_TASK_PERF_EVENTS_DISABLE 31
#define PR_TASK_PERF_EVENTS_ENABLE  32
#endif
#endif

#endif

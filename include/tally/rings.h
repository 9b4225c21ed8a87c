/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All ring buffers of a measurement: one for each CPU, or one for each thread if the counters
 * follow the thread between CPUs. This object owns the mappings, the redirection of counters to the
 * rings, and the poll set. The caller owns the counters, which must outlive this object.
 *
 *	tally_rings_new(counters, &rings);
 *	tally_rings_map(rings, pages);
 *	tally_counters_enable(counters);
 *	while (tally_rings_nr_alive(rings) && tally_rings_poll(rings, -1) >= 0) {
 *		for (i = 0; i < tally_rings_nr(rings); i++)
 *			while ((record = tally_ring_next(tally_rings_at(rings, i))))
 *				...
 *		tally_rings_consume(rings, false);
 *	}
 *	tally_rings_free(rings);
 *
 * The records of one ring are in the order in which they were written. The rings are not merged:
 * sort by time if the order matters. sample.h decodes the records.
 *
 * This works with any transport that can poll; see client.h. Functions that return int return 0 or
 * a negative errno; `ret_` pointers are untouched on failure. An object may be used by one thread
 * at a time.
 */
#ifndef TALLY_RINGS_H
#define TALLY_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/client.h"

/* A function may have the name of a structure; GCC warns about this in C++. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#endif

struct tally_rings;

/* Assign the open counters to rings. Counters of write_backward events get separate overwrite
 * rings. Nothing is mapped yet. The caller frees `*ret_rings`. Return 0 or -ENOMEM. */
int tally_rings_new(const struct tally_counters *counters, struct tally_rings **ret_rings);

/* Unmap the rings and free them. NULL is allowed. */
void tally_rings_free(struct tally_rings *rings);

/* Return the number of rings. */
size_t tally_rings_nr(const struct tally_rings *rings);

/* Return the number of counters that write to any of the rings. */
size_t tally_rings_nr_counters(const struct tally_rings *rings);

/* Map all rings with `pages` data pages each (a power of two), and redirect every other counter to
 * its ring. On failure, all rings are unmapped, and the call may be repeated with fewer pages.
 * Return 0; -EINVAL if `pages` is not a power of two; -EPERM if the limit on locked memory is
 * exceeded; or an error from mmap(2) or PERF_EVENT_IOC_SET_OUTPUT. */
int tally_rings_map(struct tally_rings *rings, size_t pages);

/* Return the ring with this index, which belongs to `rings`; NULL before tally_rings_map(). */
struct tally_ring *tally_rings_at(const struct tally_rings *rings, size_t index);

/* Return true if the kernel overwrites the oldest data of the ring. */
bool tally_rings_is_overwrite(const struct tally_rings *rings, size_t index);

/* The conversion of the CPU's cycle counter to the clock of the samples. Source: cap_user_time_zero
 * in perf_event_open(2). */
struct tally_ring_clock {
	uint64_t shift, mult, zero;
	uint64_t cycles, mask; /* of counters narrower than 64 bits, if `is_short` is set */
	bool is_short;
};

/* Get the conversion from the ring's page. Return false if the kernel does not give one, for
 * example because the samples use another clock. */
bool tally_ring_clock(const struct tally_ring *ring, struct tally_ring_clock *ret_clock);

/* Pause or resume the kernel's writes to the overwrite rings, which must be paused while being
 * read. Tries all overwrite rings and returns the first error. */
int tally_rings_pause(const struct tally_rings *rings, bool pause);

/* Get the data written to a ring since the last call with this position, which is initially 0. The
 * ring must not be an overwrite ring. The records are not consumed and must not have been consumed
 * before. Return false if there is no new data. */
bool tally_ring_peek_data(const struct tally_ring *ring, uint64_t *position,
			  struct tally_ring_data *ret_data);

/* Let the kernel reuse the space of all data that has been read. Overwrite rings are included only
 * if `overwrite` is set. */
void tally_rings_consume(const struct tally_rings *rings, bool overwrite);

/* ---- waiting ------------------------------------------------------------------ */

/* Add a descriptor on which tally_rings_poll() also waits for POLLIN. The caller still owns `fd`;
 * -1 leaves the slot unused. `*ret_slot` identifies the descriptor to the functions below. Returns
 * 0 or -ENOMEM. */
int tally_rings_watch(struct tally_rings *rings, int fd, size_t *ret_slot);

/* Replace the descriptor in this slot. */
void tally_rings_watch_set(struct tally_rings *rings, size_t slot, int fd);

/* Return the last poll(2) result for a watched descriptor, such as POLLIN or POLLHUP, or 0. */
short tally_rings_watch_events(const struct tally_rings *rings, size_t slot);

/*
 * Wait until a ring has data to read, a watched descriptor is ready or `timeout` ms have passed (-1
 * for no timeout). A counter is always ready once all its tasks have exited. In that case, the ring
 * polls its next counter, because all of a ring's counters are woken in the same way. A ring with
 * no counters left is no longer alive. Return the number of ready descriptors, which is also 0
 * after a signal, or an error from poll(2).
 */
int tally_rings_poll(struct tally_rings *rings, int timeout);

/* Return the number of rings with a counter that has live tasks. If there are none, no more data
 * will be written. */
size_t tally_rings_nr_alive(const struct tally_rings *rings);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All ring buffers of one recording: one for each CPU, or for each thread if its counters follow it
 * from CPU to CPU. This object owns the mappings, the redirections of counters to them, and the
 * poll set. The counters stay the caller's and must outlive it.
 *
 *	tally_rings_new(counters, &rings);
 *	tally_rings_map(rings, pages);
 *	while (tally_rings_poll(rings, -1) >= 0 && tally_rings_nr_alive(rings))
 *		for (size_t i = 0; i < tally_rings_nr(rings); i++)
 *			... tally_ring_next(tally_rings_at(rings, i)) ...
 *	tally_rings_free(rings);
 *
 * Not handled here: choosing the number of pages (sampler/ring_pages.h), merging rings by time, AUX
 * areas.
 */
#ifndef TALLY_CLIENT_RINGS_H
#define TALLY_CLIENT_RINGS_H

#include "tally/client.h"

struct tally_rings;

/* Sort the open counters into rings. Those of write_backward events get overwrite rings of their
 * own. Nothing is mapped yet. Returns 0 or -ENOMEM. */
int tally_rings_new(const struct tally_counters *counters, struct tally_rings **ret_rings);

/* Unmap and free; NULL is allowed. */
void tally_rings_free(struct tally_rings *rings);

size_t tally_rings_nr(const struct tally_rings *rings);

/* Return the number of counters that write to any of the rings. */
size_t tally_rings_nr_counters(const struct tally_rings *rings);

/* Map all rings with `pages` data pages each, a power of two, and redirect every other counter to
 * its ring. On failure no ring stays mapped, and the call may be repeated with fewer pages. Returns
 * 0; -EPERM if over the limit of locked memory; or the error of mmap(2) or
 * PERF_EVENT_IOC_SET_OUTPUT. */
int tally_rings_map(struct tally_rings *rings, size_t pages);

/* Return the ring with this index. Valid after tally_rings_map(). */
struct tally_ring *tally_rings_at(const struct tally_rings *rings, size_t index);
bool tally_rings_is_overwrite(const struct tally_rings *rings, size_t index);

/* Pause or resume the kernel's writes to the overwrite rings, so that they can be read; the others
 * need no pause. Tries all of them and returns the first error. */
int tally_rings_pause(const struct tally_rings *rings, bool pause);

/* Get the data written to a ring since the last call with this position, which starts at 0. The
 * ring must not be an overwrite ring. The records stay unread. Call this before they are consumed.
 * Returns false if there is no new data. */
bool tally_ring_peek_data(const struct tally_ring *ring, uint64_t *position,
			  struct tally_ring_data *ret_data);

/* Release everything that was read to the kernel; that of overwrite rings only with `overwrite`. */
void tally_rings_consume(const struct tally_rings *rings, bool overwrite);

/* ---- waiting ------------------------------------------------------------------ */

/* Also wait for POLLIN on `fd`, which stays the caller's; -1 leaves the slot unused. `*ret_slot` is
 * for the calls below. Returns 0 or -ENOMEM. */
int tally_rings_watch(struct tally_rings *rings, int fd, size_t *ret_slot);

/* Wait for another descriptor in this slot. */
void tally_rings_watch_set(struct tally_rings *rings, size_t slot, int fd);

/* Return what poll(2) last reported for a watched descriptor: POLLIN, POLLHUP ..., or 0. */
short tally_rings_watch_events(const struct tally_rings *rings, size_t slot);

/*
 * Wait until a ring has data to read, a watched descriptor is ready or `timeout` ms have passed
 * (-1: no timeout). A counter is always ready once all of its tasks have ended. The ring then polls
 * its next counter, as all counters of a ring are woken alike; a ring without any left is no longer
 * alive. Returns the number of ready descriptors; 0 also after a signal; or the error of poll(2).
 */
int tally_rings_poll(struct tally_rings *rings, int timeout);

/* Return the number of rings that have a counter with live tasks. If it is 0, nothing more will be
 * written. */
size_t tally_rings_nr_alive(const struct tally_rings *rings);

#endif

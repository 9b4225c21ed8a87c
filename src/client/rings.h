/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All ring buffers of one recording: one for each CPU, or for each thread where counters follow it
 * from CPU to CPU. It owns the mappings, the redirections of counters to them, and the set that is
 * polled; the counters stay the caller's and must outlive it.
 *
 *	tally_rings_new(counters, &rings);
 *	tally_rings_map(rings, pages);
 *	while (tally_rings_poll(rings, -1) >= 0 && tally_rings_nr_alive(rings))
 *		for (size_t i = 0; i < tally_rings_nr(rings); i++)
 *			... tally_ring_next(tally_rings_at(rings, i)) ...
 *	tally_rings_free(rings);
 *
 * Not here: choosing how many pages (sampler/ring_pages.h), merging rings by time, AUX areas.
 */
#ifndef TALLY_CLIENT_RINGS_H
#define TALLY_CLIENT_RINGS_H

#include "tally/client.h"

struct tally_rings;

/* Sort the open counters into rings. Those of write_backward events have rings of their own, which
 * are overwritten. Nothing is mapped yet. 0 or -ENOMEM. */
int tally_rings_new(const struct tally_counters *counters, struct tally_rings **ret_rings);

/* Unmap and free; NULL is allowed. */
void tally_rings_free(struct tally_rings *rings);

size_t tally_rings_nr(const struct tally_rings *rings);

/* Counters that write into any of them. */
size_t tally_rings_nr_counters(const struct tally_rings *rings);

/* Map all of them with `pages` data pages each, a power of two, and redirect every other counter to
 * its ring: all, or on failure none, and it may be tried again with fewer. 0; -EPERM over the limit
 * of locked memory; the error of mmap(2) or of PERF_EVENT_IOC_SET_OUTPUT. */
int tally_rings_map(struct tally_rings *rings, size_t pages);

/* The ring with this index, after tally_rings_map(). */
struct tally_ring *tally_rings_at(const struct tally_rings *rings, size_t index);
bool tally_rings_is_overwrite(const struct tally_rings *rings, size_t index);

/* Have the kernel not write (or write again) into rings that are overwritten, so that they can be
 * read; the others need no pause. The first error, after having tried all. */
int tally_rings_pause(const struct tally_rings *rings, bool pause);

/* What was written to a ring that is not overwritten since the last call with this position, which
 * begins at 0. Nothing is handed out by this. It is to be called before what was written since is
 * consumed. False when there is nothing. */
bool tally_ring_look(const struct tally_ring *ring, uint64_t *position,
		     struct tally_ring_data *ret_data);

/* Give everything that was read back to the writer: of the overwritten ones only with `overwrite`.
 */
void tally_rings_consume(const struct tally_rings *rings, bool overwrite);

/* ---- waiting ------------------------------------------------------------------ */

/* Wait for `fd` too, which is the caller's, for POLLIN. -1: the slot waits for nothing. `*ret_slot`
 * is for the calls below. 0 or -ENOMEM. */
int tally_rings_watch(struct tally_rings *rings, int fd, size_t *ret_slot);

/* Wait for another descriptor in its place. */
void tally_rings_watch_set(struct tally_rings *rings, size_t slot, int fd);

/* What poll(2) said of a watched descriptor the last time: POLLIN, POLLHUP ...; 0: nothing. */
short tally_rings_watch_events(const struct tally_rings *rings, size_t slot);

/*
 * Wait until a ring wants to be read, a watched descriptor is ready or `timeout` ms have passed
 * (-1: for ever). A counter whose tasks have all ended is ready for ever: the ring then waits by
 * the next of its counters, as all of a ring are woken alike, and without any left it is not alive
 * any more. The number of descriptors that were ready; 0 also after a signal; the error of poll(2).
 */
int tally_rings_poll(struct tally_rings *rings, int timeout);

/* Rings with counters whose tasks live: without any nothing more will be written. */
size_t tally_rings_nr_alive(const struct tally_rings *rings);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tally/rings.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "client/counters_private.h"

struct ring_slot {
	struct tally_ring *ring; /* NULL if not mapped */
	bool overwrite;
	int32_t cpu;        /* -1 for one thread's counters, on any CPU */
	size_t thread;      /* thread index if `cpu` is -1 */
	TALLY_VEC(int) fds; /* counters that write to this ring; the first is mapped */
	size_t polled;      /* index of the polled counter */
};

struct tally_rings {
	const struct tally_transport *transport;
	TALLY_VEC(struct ring_slot) slots;
	TALLY_VEC(struct pollfd) polls; /* watched descriptors, then one per slot */
	size_t nr_watched;
};

/* ---- sorting counters into rings ------------------------------------------------ */

struct sorter {
	const struct tally_counters *counters;
	struct tally_rings *rings;
	struct tally_map by_key; /* key -> slot index */
};

/* Return the key of the ring that a counter uses. Counters bound to the same CPU share a ring;
 * counters not bound to a CPU share a ring per thread. */
static uint64_t slot_key(const struct ring_slot *like)
{
	uint64_t where = like->cpu >= 0 ? (uint64_t)like->cpu : 1ull << 62 | like->thread;

	return where | (uint64_t)like->overwrite << 63;
}

static int counter_sort(struct sorter *sorter, const struct ring_slot *like, int fd)
{
	struct tally_rings *rings = sorter->rings;
	uint64_t key = slot_key(like), at;

	if (fd < 0)
		return 0;
	at = tally_map_get(&sorter->by_key, key);
	if (at == TALLY_MAP_NONE) {
		at = rings->slots.len;
		if (tally_vec_push(&rings->slots, *like) || tally_map_set(&sorter->by_key, key, at))
			return -ENOMEM;
	}
	return tally_vec_push(&rings->slots.data[at].fds, fd);
}

static int event_sort(struct sorter *sorter, const struct counter_event *event)
{
	const struct tally_counters *counters = sorter->counters;
	int ret = 0;

	for (size_t thread = 0; thread < counters->threads->nr; thread++) {
		for (size_t cpu = 0; !ret && cpu < event->cpus->nr; cpu++) {
			const struct ring_slot like = {
				.overwrite = event->attr.write_backward,
				.cpu = event->cpus->cpu[cpu].number,
				.thread = thread,
			};

			ret = counter_sort(sorter, &like,
					   event->fds[counter_index(counters, cpu, thread)]);
		}
	}
	return ret;
}

static int polls_init(struct tally_rings *rings)
{
	int ret = 0;

	tally_vec_for_each (slot, &rings->slots) {
		if (!ret)
			ret = tally_vec_push(&rings->polls,
					     (struct pollfd){slot->fds.data[0], POLLIN, 0});
	}
	return ret;
}

int tally_rings_new(const struct tally_counters *counters, struct tally_rings **ret_rings)
{
	struct tally_rings *rings = calloc(1, sizeof(*rings));
	struct sorter sorter = {counters, rings, {0}};
	int ret = 0;

	if (!rings)
		return -ENOMEM;
	rings->transport = counters->transport;
	for (size_t i = 0; !ret && i < counters->nr_events; i++)
		ret = event_sort(&sorter, &counters->events[i]);
	if (!ret)
		ret = polls_init(rings);
	tally_map_free(&sorter.by_key);
	if (ret)
		tally_rings_free(rings);
	else
		*ret_rings = rings;
	return ret;
}

static void rings_unmap(struct tally_rings *rings)
{
	tally_vec_for_each (slot, &rings->slots) {
		tally_ring_unmap(slot->ring);
		slot->ring = NULL;
	}
}

void tally_rings_free(struct tally_rings *rings)
{
	if (!rings)
		return;
	rings_unmap(rings);
	tally_vec_for_each (slot, &rings->slots)
		tally_vec_free(&slot->fds);
	tally_vec_free(&rings->slots);
	tally_vec_free(&rings->polls);
	free(rings);
}

size_t tally_rings_nr(const struct tally_rings *rings)
{
	return rings->slots.len;
}

size_t tally_rings_nr_counters(const struct tally_rings *rings)
{
	size_t nr = 0;

	tally_vec_for_each (slot, &rings->slots)
		nr += slot->fds.len;
	return nr;
}

/* ---- mapping and reading ---------------------------------------------------------- */

static int slot_map(struct tally_rings *rings, struct ring_slot *slot, size_t pages)
{
	const struct tally_transport *transport = rings->transport;
	int ret = tally_ring_map(transport, slot->fds.data[0], pages, slot->overwrite, &slot->ring);

	for (size_t i = 1; !ret && i < slot->fds.len; i++)
		ret = transport->ioctl(transport, slot->fds.data[i], PERF_EVENT_IOC_SET_OUTPUT,
				       (uintptr_t)slot->fds.data[0]);
	return ret;
}

int tally_rings_map(struct tally_rings *rings, size_t pages)
{
	if (!pages || pages & (pages - 1))
		return -EINVAL;
	tally_vec_for_each (slot, &rings->slots) {
		int ret = slot_map(rings, slot, pages);

		if (ret) {
			rings_unmap(rings);
			return ret;
		}
	}
	return 0;
}

struct tally_ring *tally_rings_at(const struct tally_rings *rings, size_t index)
{
	return rings->slots.data[index].ring;
}

bool tally_rings_is_overwrite(const struct tally_rings *rings, size_t index)
{
	return rings->slots.data[index].overwrite;
}

int tally_rings_pause(const struct tally_rings *rings, bool pause)
{
	const struct tally_transport *transport = rings->transport;
	int ret = 0;

	tally_vec_for_each (slot, &rings->slots) {
		int one = 0;

		if (slot->overwrite)
			one = transport->ioctl(transport, slot->fds.data[0],
					       PERF_EVENT_IOC_PAUSE_OUTPUT, pause);
		ret = ret ? ret : one;
	}
	return ret;
}

void tally_rings_consume(const struct tally_rings *rings, bool overwrite)
{
	tally_vec_for_each (slot, &rings->slots) {
		if (overwrite || !slot->overwrite)
			tally_ring_consume(slot->ring);
	}
}

/* ---- waiting ------------------------------------------------------------------------ */

int tally_rings_watch(struct tally_rings *rings, int fd, size_t *ret_slot)
{
	size_t at = rings->nr_watched;

	if (tally_vec_push(&rings->polls, (struct pollfd){.fd = -1}))
		return -ENOMEM;
	for (size_t i = rings->polls.len - 1; i > at; i--)
		rings->polls.data[i] = rings->polls.data[i - 1];
	rings->polls.data[at] = (struct pollfd){fd, POLLIN, 0};
	rings->nr_watched++;
	*ret_slot = at;
	return 0;
}

void tally_rings_watch_set(struct tally_rings *rings, size_t slot, int fd)
{
	rings->polls.data[slot].fd = fd;
}

short tally_rings_watch_events(const struct tally_rings *rings, size_t slot)
{
	return rings->polls.data[slot].revents;
}

/* Poll the ring's next counter instead of a counter that hung up. */
static void slot_hang_up(struct ring_slot *slot, struct pollfd *poll)
{
	if (poll->fd < 0 || !(poll->revents & (POLLHUP | POLLERR | POLLNVAL)))
		return;
	slot->polled++;
	poll->fd = slot->polled < slot->fds.len ? slot->fds.data[slot->polled] : -1;
}

int tally_rings_poll(struct tally_rings *rings, int timeout)
{
	int nr = rings->transport->poll(rings->transport, rings->polls.data, rings->polls.len,
					timeout);

	if (nr < 0) {
		/* If poll(2) failed, it has not set revents. */
		tally_vec_for_each (poll, &rings->polls)
			poll->revents = 0;
		return nr == -EINTR ? 0 : nr;
	}
	for (size_t i = 0; i < rings->slots.len; i++)
		slot_hang_up(&rings->slots.data[i], &rings->polls.data[rings->nr_watched + i]);
	return nr;
}

size_t tally_rings_nr_alive(const struct tally_rings *rings)
{
	size_t alive = 0;

	for (size_t i = rings->nr_watched; i < rings->polls.len; i++)
		alive += rings->polls.data[i].fd >= 0;
	return alive;
}

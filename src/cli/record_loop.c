/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording itself: sleep until a ring is half full, a signal came, or a deadline passed
 * (--flush-ms at the latest); then write out what all the rings hold with one writev, as it stands
 * in them.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/record.h"
#include "cli/say.h"

enum { FIRST_RING = 2 }; /* in the array for poll: behind signals and control */

struct loop {
	TALLY_VEC(struct pollfd) polls;
	TALLY_VEC(struct iovec) pieces;
};

uint64_t record_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- moving data ----------------------------------------------------------- */

static int ring_pause(const struct record_ring *ring, bool pause)
{
	const struct tally_transport *linux_ = tally_transport_linux();

	if (!ring->overwrite)
		return 0;
	return linux_->ioctl(linux_, ring->fds.data[0], PERF_EVENT_IOC_PAUSE_OUTPUT, pause);
}

static int add_piece(struct loop *loop, const void *data, size_t len)
{
	return len ? tally_vec_push(&loop->pieces, (struct iovec){(void *)data, len}) : 0;
}

/* The pieces of all rings that are wanted, and the mark that closes a round. */
static int gather(struct record *record, struct loop *loop, bool overwrite)
{
	static const struct perf_event_header round = {TALLY_PERFDATA_FINISHED_ROUND, 0,
						       sizeof(round)};
	struct tally_ring_data data;
	int ret = 0;

	tally_vec_for_each (ring, &record->rings) {
		if (ret || (ring->overwrite && !overwrite) || !tally_ring_data(ring->ring, &data))
			continue;
		ret = add_piece(loop, data.first, data.first_len);
		if (!ret)
			ret = add_piece(loop, data.second, data.second_len);
	}
	if (!ret && loop->pieces.len)
		ret = add_piece(loop, &round, sizeof(round));
	return ret;
}

static int drain(struct record *record, struct loop *loop, bool overwrite)
{
	int ret;

	loop->pieces.len = 0;
	ret = gather(record, loop, overwrite);
	if (!ret && loop->pieces.len)
		ret = tally_perfdata_writer_writev(record->output.writer, loop->pieces.data,
						   (int)loop->pieces.len);
	if (ret)
		return ret;
	tally_vec_for_each (ring, &record->rings) {
		if (!ring->overwrite || overwrite)
			tally_ring_consume(ring->ring);
	}
	record->drained = record_now();
	return 0;
}

int record_drain(struct record *record, bool overwrite)
{
	struct loop loop = {0};
	int ret;

	tally_vec_for_each (ring, &record->rings) {
		if (overwrite)
			ring_pause(ring, true);
	}
	ret = drain(record, &loop, overwrite);
	tally_vec_for_each (ring, &record->rings) {
		if (overwrite)
			ring_pause(ring, false);
	}
	tally_vec_free(&loop.pieces);
	return ret;
}

/* ---- waiting --------------------------------------------------------------- */

static int polls_init(struct record *record, struct loop *loop)
{
	int ret = tally_vec_push(&loop->polls, (struct pollfd){record->signals, POLLIN, 0});

	if (!ret)
		ret = tally_vec_push(&loop->polls, (struct pollfd){record->control.fd, POLLIN, 0});
	tally_vec_for_each (ring, &record->rings) {
		if (!ret)
			ret = tally_vec_push(&loop->polls,
					     (struct pollfd){ring->fds.data[0], POLLIN, 0});
	}
	return ret;
}

/* A descriptor whose tasks are all gone is always ready: wait for the next one of its ring, as
 * all of them are woken alike. Without any left the ring is finished. */
static void polls_hang_up(struct record *record, struct loop *loop)
{
	size_t alive = 0;

	for (size_t i = 0; i < record->rings.len; i++) {
		struct record_ring *ring = &record->rings.data[i];
		struct pollfd *at = &loop->polls.data[FIRST_RING + i];

		if (at->fd >= 0 && at->revents & (POLLHUP | POLLERR | POLLNVAL)) {
			ring->polled++;
			at->fd = ring->polled < ring->fds.len ? ring->fds.data[ring->polled] : -1;
		}
		alive += at->fd >= 0;
	}
	if (!alive)
		record->stop = true;
}

static void take_signal(struct record *record, int signal)
{
	switch (signal) {
	case SIGCHLD:
		tally_child_wait(&record->child, false);
		if (record->child.gone)
			record->stop = true;
		break;
	case SIGUSR2: record->dump = true; break;
	default: record->stop = true; record->interrupts++;
	}
}

void record_signals_read(struct record *record)
{
	struct signalfd_siginfo info;

	while (read(record->signals, &info, sizeof(info)) == sizeof(info))
		take_signal(record, (int)info.ssi_signo);
}

/* Milliseconds until the next deadline, rounded up; -1 without one. */
static int next_timeout(const struct record *record)
{
	const struct record_config *config = record->config;
	uint64_t now = record_now(), at = UINT64_MAX;

	if (record->disabled && record->delay_ns > 0)
		at = record->started + (uint64_t)record->delay_ns;
	if (config->switch_ns)
		at = TALLY_MIN(at, record->output.opened + config->switch_ns);
	/* What is in a ring is lost when we are killed. */
	if (config->flush_ms)
		at = TALLY_MIN(at, record->drained + config->flush_ms * 1000000);
	if (at == UINT64_MAX)
		return -1;
	return at <= now ? 0 : (int)TALLY_MIN((at - now + 999999) / 1000000, (uint64_t)INT32_MAX);
}

static int wait_for_data(struct record *record, struct loop *loop)
{
	int nr = poll(loop->polls.data, loop->polls.len, next_timeout(record));

	if (nr < 0)
		return errno == EINTR ? 0 : -errno;
	record->wakeups += nr > 0;
	if (loop->polls.data[0].revents)
		record_signals_read(record);
	if (loop->polls.data[1].revents) {
		int ret = record_control_read(record);

		if (ret)
			return ret;
		loop->polls.data[1].fd = record->control.fd;
	}
	polls_hang_up(record, loop);
	return 0;
}

/* ---- what is due ----------------------------------------------------------- */

static int check_delay(struct record *record)
{
	if (!record->disabled || record->delay_ns <= 0 ||
	    record_now() < record->started + (uint64_t)record->delay_ns)
		return 0;
	record->disabled = false;
	record->delay_ns = -1;
	if (!record->config->quiet)
		fprintf(stderr, "Events enabled\n");
	return tally_counters_enable(record->counters);
}

static bool switch_is_due(const struct record *record)
{
	const struct record_config *config = record->config;
	uint64_t bytes = tally_perfdata_writer_bytes(record->output.writer);

	return (record->dump && config->switch_signal) ||
	       (config->switch_bytes && bytes >= config->switch_bytes) ||
	       (config->switch_ns && record_now() >= record->output.opened + config->switch_ns);
}

static int check_output(struct record *record)
{
	const struct record_config *config = record->config;
	uint64_t bytes = tally_perfdata_writer_bytes(record->output.writer);

	if (config->max_size && record->output.bytes_total + bytes >= config->max_size) {
		if (!config->quiet)
			fprintf(stderr,
				"[ tally record: size limit reached (%llu KB), stopping ]\n",
				(unsigned long long)(record->output.bytes_total + bytes) / 1024);
		record->stop = true;
		return 0;
	}
	if (!record->stop && switch_is_due(record)) {
		record->dump = false;
		return record_output_switch(record);
	}
	return 0;
}

int record_run(struct record *record)
{
	struct loop loop = {0};
	int ret = polls_init(record, &loop);

	record->drained = record_now();
	while (!ret && !record->stop) {
		ret = wait_for_data(record, &loop);
		if (!ret)
			ret = drain(record, &loop, false);
		if (!ret)
			ret = check_delay(record);
		if (!ret)
			ret = check_output(record);
	}
	tally_vec_free(&loop.polls);
	tally_vec_free(&loop.pieces);
	return ret;
}

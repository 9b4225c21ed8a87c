/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that builds the profile from drained records and decays the profile at every
 * refresh. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/clock.h"
#include "base/thread.h"
#include "cli/top/top_drain.h"
#include "cli/top/top_feed.h"
#include "cli/top/top_rows.h"
#include "cli/top/top_reader.h"
#include "symbols/jit/jit_code.h"

enum { TRIM_EVERY = 32 }; /* in refreshes */

/* Data taken off the queue. */
struct reading {
	TALLY_VEC(uint8_t) bytes;
	uint64_t tick; /* time of a refresh that is due, or 0 */
	bool ended;
	uint64_t dropped;
	int error;
};

static void wake_by(int fd)
{
	uint64_t one = 1;

	(void)!write(fd, &one, sizeof(one));
}

static bool is_gone(int32_t pid, int32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	return access(path, F_OK) != 0 && errno == ENOENT;
}

/* Finish an interval: publish its counts, decay the profile, and discard obsolete data. */
static int refresh(struct top *top, uint64_t now)
{
	size_t gone;
	int ret = 0;

	top->lost += top->now.lost;
	top->dropped += top->now.dropped;
	top->shown = top->now;
	top->shown_ns = now - top->interval_start;
	top->shown_chains = top->profile.stats;
	top->profile.stats = (struct tally_profile_stats){0};
	top->now = (struct top_counts){0};
	top->interval_start = now;
	/* The thread that shows an interval also ages the profile, in top_rows_finished(). Age it
	 * here only if this interval was never shown. */
	if (top->seen != top->generation)
		ret = top_rows_age(top);
	tally_symbols_jit_refresh(top->live.symbols);
	gone = tally_machine_expire(top->live.machine, top->may_have_lost ? is_gone : NULL);
	top->may_have_lost = false;
	if (!ret)
		ret = tally_profile_collect(&top->profile, gone);
	if (!ret)
		ret = top_labels_collect(&top->labels, &top->profile);
	/* Return free memory between live allocations to the operating system. */
	if (++top->generation % TRIM_EVERY == 0)
		(void)malloc_trim(0);
	return ret;
}

/* Wait for records or a refresh, and take all records. The buffers are swapped to reuse their
 * memory. */
static void queue_drain(struct top_queue *queue, struct reading *reading)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->bytes.len && !queue->tick && !queue->ended)
		pthread_cond_wait(&queue->more, &queue->lock);
	__typeof__(queue->bytes) empty = {.data = reading->bytes.data, .cap = reading->bytes.cap};

	reading->bytes.data = queue->bytes.data;
	reading->bytes.len = queue->bytes.len;
	reading->bytes.cap = queue->bytes.cap;
	reading->tick = queue->tick;
	reading->ended = queue->ended;
	reading->dropped = queue->dropped;
	reading->error = queue->error;
	queue->bytes = empty;
	queue->tick = 0;
	queue->dropped = 0;
	pthread_mutex_unlock(&queue->lock);
}

static int feed_all(struct top *top, const struct reading *reading)
{
	int ret = reading->error;

	for (size_t at = 0; at < reading->bytes.len && !ret;) {
		const void *record = reading->bytes.data + at;

		ret = top_feed_record(top, record);
		at += tally_record_header(record).size;
	}
	return ret;
}

/* Run one iteration. Return false after the last iteration. */
static bool reader_pass(struct top *top, struct reading *reading)
{
	enum { KEEP = 1 << 20 };
	int ret;

	queue_drain(&top->queue, reading);
	pthread_mutex_lock(&top->lock);
	top->now.dropped += reading->dropped;
	ret = top->error ? top->error : feed_all(top, reading);
	if (!ret && reading->tick)
		ret = refresh(top, reading->tick);
	top->error = ret;
	top->is_over = ret || reading->ended;
	pthread_mutex_unlock(&top->lock);
	if (reading->tick || top->is_over)
		wake_by(top->wake_main);
	/* Free a buffer that grew large during a stall. */
	if (reading->bytes.cap > KEEP)
		tally_vec_free(&reading->bytes);
	return !ret && !reading->ended;
}

static void *reader_main(void *arg)
{
	struct reading reading = {0};

	while (reader_pass(arg, &reading))
		;
	tally_vec_free(&reading.bytes);
	return NULL;
}

int top_reader_start(struct top *top)
{
	int ret;

	top->wake_main = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	top->wake_drainer = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (top->wake_main < 0 || top->wake_drainer < 0)
		return -errno;
	ret = tally_thread_start(&top->drainer, top_drain_main, top);
	top->has_drainer = !ret;
	if (!ret)
		ret = tally_thread_start(&top->reader, reader_main, top);
	top->has_reader = top->has_drainer && !ret;
	return ret;
}

void top_reader_stop(struct top *top)
{
	pthread_mutex_lock(&top->lock);
	top->halt = true;
	pthread_mutex_unlock(&top->lock);
	if (top->has_drainer) {
		wake_by(top->wake_drainer);
		pthread_join(top->drainer, NULL);
	}
	if (top->has_reader)
		pthread_join(top->reader, NULL);
	top->has_drainer = top->has_reader = false;
	tally_vec_free(&top->queue.bytes);
	close(top->wake_main);
	close(top->wake_drainer);
}

void top_reader_refresh(struct top *top)
{
	pthread_mutex_lock(&top->lock);
	top->refresh_now = true;
	pthread_mutex_unlock(&top->lock);
	wake_by(top->wake_drainer);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/unwinding.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/clock.h"
#include "base/thread.h"
#include "symbols/rules_loader.h"
#include "cli/record/record_spool.h"
#include "cli/record/record_state.h"
#include "cli/record/ring_scan.h"
#include "live/live_merge.h"
#include "cli/record/pinning.h"
#include "live/live_machine.h"

enum {
	SETTLE_NS = 1000000,      /* time after which no older records can appear in a ring */
	BACKLOG_BYTES = 16 << 20, /* above this backlog, keep dumps without unwinding them */
	WAIT_BYTES = 128 << 20,   /* above this backlog, wait before draining the rings */
	KEEP_BYTES = 4 << 20,     /* larger buffers are freed after use */
	BATCH_SECONDS = 3,        /* time limit for one batch; remaining dumps are kept */
	COLLECT_THREADS = 1024,   /* free exited threads after this many new threads */
	RECORD_MAX = 65528,
};

struct record_unwinding {
	struct tally_live live;
	struct tally_loader *loader;
	pthread_t thread;
	bool is_started;
	/* Used only by the unwinding thread. */
	struct tally_merge merge;
	TALLY_VEC(uint8_t) made; /* records ready to be published to `out` */
	bool was_rewritten;      /* the current record's sample is in `made` */
	uint64_t whole, unwound, kept;
	uint64_t deadline; /* time limit for the current batch; ns, see tally_clock_now() */
	size_t nr_threads; /* number of threads after the last threads_collect() */

	atomic_size_t waiting; /* size of `in` in bytes */
	atomic_bool is_ended;
	pthread_mutex_t lock;
	pthread_cond_t more, less; /* `more`: new input or flush request; `less`: progress made */
	/* Protected by `lock`. */
	TALLY_VEC(struct tally_merge_ring) in;
	TALLY_VEC(uint8_t) out;
	bool flush;
	int error;
};

/* ---- samples ---------------------------------------------------------------------- */

static int finished_append(struct record_unwinding *unwinding, const void *bytes, size_t len)
{
	if (tally_vec_reserve(&unwinding->made, unwinding->made.len + len))
		return -ENOMEM;
	memcpy(unwinding->made.data + unwinding->made.len, bytes, len);
	unwinding->made.len += len;
	return 0;
}

/* Append the sample, with its registers and stack dump replaced by a callchain. */
static int sample_rewrite(struct record_unwinding *unwinding, struct tally_feed_sample *from,
			  enum tally_unwind_end end)
{
	const struct tally_unwinder *unwinder = &unwinding->live.chains.unwinder;
	struct tally_sample *sample = &from->sample;
	uint8_t note[TALLY_UNWIND_NOTE_SIZE];
	size_t len;
	int ret;

	tally_unwind_note_write(end, note);
	sample->callchain =
		(struct tally_words){(const uint8_t *)unwinder->chain.data, unwinder->chain.len};
	sample->regs_user.abi = PERF_SAMPLE_REGS_ABI_NONE;
	sample->regs_user.values.nr = 0;
	sample->stack_user = (struct tally_bytes){note, sizeof(note)};
	sample->stack_user_size = sizeof(note);
	if (tally_vec_reserve(&unwinding->made, unwinding->made.len + RECORD_MAX))
		return -ENOMEM;
	ret = tally_sample_encode(&unwinding->live.layouts.data[from->event], sample,
				  tally_record_header(from->record).misc,
				  unwinding->made.data + unwinding->made.len, RECORD_MAX, &len);
	if (!ret)
		unwinding->made.len += len;
	return ret;
}

static bool has_backlog(const struct record_unwinding *unwinding)
{
	return atomic_load_explicit(&unwinding->waiting, memory_order_relaxed) +
			       unwinding->merge.left >
		       BACKLOG_BYTES ||
	       tally_clock_now() > unwinding->deadline;
}

/* Return 1 if the sample was unwound and appended, 0 if it is unchanged, or -ENOMEM. */
static int sample_unwind(struct record_unwinding *unwinding, struct tally_feed_sample *sample)
{
	enum tally_unwind_end end;
	int ret;

	if (!sample->sample.stack_user.len)
		return 0;
	unwinding->kept++;
	do {
		if (has_backlog(unwinding))
			return 0;
		ret = tally_unwinder_run(&unwinding->live.chains.unwinder, sample->thread,
					 &sample->sample, &end);
		if (ret == -EAGAIN)
			tally_loader_wait(unwinding->loader);
	} while (ret == -EAGAIN && !unwinding->is_ended);
	if (ret <= 0)
		return ret == -EAGAIN ? 0 : ret;
	/* Keep the dump, because the missing file may exist on the machine on which the recording
	 * is read. */
	if (end == TALLY_UNWIND_NO_FILE)
		return 0;
	ret = sample_rewrite(unwinding, sample, end);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	unwinding->kept--;
	unwinding->unwound++;
	unwinding->whole += end == TALLY_UNWIND_BOTTOM;
	return 1;
}

/* Load a file as soon as it is mapped, because it may be removed later. */
static void mapped_load(struct record_unwinding *unwinding, const struct perf_event_header *record)
{
	struct tally_mmap mmap;
	struct tally_thread *thread;
	struct tally_dso *dso;

	if (tally_record_mmap(record, record->size, &mmap) || mmap.is_data ||
	    (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return;
	thread = tally_machine_thread(unwinding->live.machine, mmap.pid, mmap.tid);
	dso = thread ? tally_machine_find_dso(unwinding->live.machine, thread,
					      PERF_RECORD_MISC_USER, mmap.start)
		     : NULL;
	if (dso)
		(void)tally_loader_is_ready(unwinding->loader, dso);
}

/* `arg` is a struct record_unwinding. */
static int on_sample(void *arg, struct tally_feed_sample *sample)
{
	struct record_unwinding *unwinding = arg;
	int ret = sample_unwind(unwinding, sample);

	unwinding->was_rewritten = ret > 0;
	return TALLY_MIN(ret, 0);
}

static int record_take(struct record_unwinding *unwinding, const struct perf_event_header *record)
{
	int ret;

	unwinding->was_rewritten = false;
	ret = tally_live_record(&unwinding->live, record);
	if (ret)
		return ret;
	if (record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2)
		mapped_load(unwinding, record);
	return unwinding->was_rewritten ? 0 : finished_append(unwinding, record, record->size);
}

/* ---- the thread --------------------------------------------------------------------- */

/* Wait for input and add it to the merger. unwinding->lock must be held, and is also held on
 * return. */
static int input_take(struct record_unwinding *unwinding, bool *ret_flush)
{
	int ret = 0;

	while (!atomic_load(&unwinding->waiting) && !unwinding->flush && !unwinding->is_ended)
		pthread_cond_wait(&unwinding->more, &unwinding->lock);
	for (size_t i = 0; i < unwinding->in.len && !ret; i++)
		ret = tally_merge_add(&unwinding->merge, i, &unwinding->in.data[i]);
	atomic_store(&unwinding->waiting, 0);
	*ret_flush = unwinding->flush;
	return ret;
}

static int records_take(struct record_unwinding *unwinding, bool is_all)
{
	uint64_t newest = unwinding->merge.newest;
	uint64_t limit = is_all ? UINT64_MAX - 1 : newest - TALLY_MIN(newest, SETTLE_NS);
	const struct perf_event_header *record;
	int ret = 0;

	unwinding->deadline = tally_clock_now() + BATCH_SECONDS * (uint64_t)1000000000;
	while (!ret && (record = tally_merge_next(&unwinding->merge, limit)))
		ret = record_take(unwinding, record);
	return ret;
}

/* Free exited threads once there are many. Files are kept, because unwind rules refer to them. */
static int threads_collect(struct record_unwinding *unwinding)
{
	struct tally_machine *machine = unwinding->live.machine;
	int ret = 0;

	/* Allow some growth, because each collection keeps threads that exited recently. */
	if (tally_machine_nr_threads(machine) <
	    unwinding->nr_threads + unwinding->nr_threads / 4 + COLLECT_THREADS)
		return 0;
	ret = tally_machine_sweep_threads(machine);
	unwinding->nr_threads = tally_machine_nr_threads(machine);
	return ret;
}

static int finished_publish(struct record_unwinding *unwinding)
{
	size_t len = unwinding->out.len;

	if (!unwinding->made.len)
		return 0;
	if (tally_vec_reserve(&unwinding->out, len + unwinding->made.len))
		return -ENOMEM;
	memcpy(unwinding->out.data + len, unwinding->made.data, unwinding->made.len);
	unwinding->out.len += unwinding->made.len;
	unwinding->made.len = 0;
	if (unwinding->made.cap > KEEP_BYTES)
		tally_vec_free(&unwinding->made);
	return 0;
}

static void *unwinding_main(void *arg)
{
	struct record_unwinding *unwinding = arg;
	bool flush;
	int ret = 0;

	pthread_mutex_lock(&unwinding->lock);
	while (!ret && !unwinding->is_ended) {
		ret = input_take(unwinding, &flush);
		pthread_mutex_unlock(&unwinding->lock);
		if (!ret)
			ret = records_take(unwinding, flush);
		if (!ret)
			ret = threads_collect(unwinding);
		pthread_mutex_lock(&unwinding->lock);
		if (!ret)
			ret = finished_publish(unwinding);
		if (flush)
			unwinding->flush = false;
		unwinding->error = ret;
		pthread_cond_broadcast(&unwinding->less);
	}
	pthread_mutex_unlock(&unwinding->lock);
	return NULL;
}

/* ---- rings -------------------------------------------------------------------------- */

/* Take the older contents of the rings that were copied while a file was finished. Called with
 * unwinding->lock held. */
static int copies_take(struct record *record)
{
	struct record_unwinding *unwinding = record->unwinding;
	struct tally_ring_data data;
	int ret = 0;

	for (size_t i = 0; !ret && i < tally_rings_nr(record->sampler.rings); i++) {
		if (!record_spool_data(record, i, &data))
			continue;
		ret = tally_merge_ring_take(&unwinding->in.data[i], &data);
		atomic_fetch_add(&unwinding->waiting, data.first_len);
	}
	record_spool_free(record);
	return ret;
}

/* Copy the contents of the rings. Called with unwinding->lock held. */
static int rings_take(struct record *record)
{
	struct record_unwinding *unwinding = record->unwinding;
	struct tally_ring_data data;
	size_t taken = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < tally_rings_nr(record->sampler.rings); i++) {
		if (!tally_ring_data(tally_rings_at(record->sampler.rings, i), &data))
			continue;
		ret = record_scan_ring(record, i, &data);
		if (!ret)
			ret = tally_merge_ring_take(&unwinding->in.data[i], &data);
		taken += data.first_len + data.second_len;
	}
	record_state_round(record);
	if (ret)
		return ret;
	tally_rings_consume(record->sampler.rings, false);
	atomic_fetch_add(&unwinding->waiting, taken);
	return 0;
}

/* Write the finished records as one round. */
static int output_write(struct record *record, void *bytes, size_t len)
{
	struct perf_event_header round = {TALLY_PERFDATA_FINISHED_ROUND, 0, sizeof(round)};
	const struct iovec pieces[] = {{bytes, len}, {&round, sizeof(round)}};

	if (!len)
		return 0;
	return tally_perfdata_writer_writev(record->output.writer, pieces,
					    TALLY_ARRAY_SIZE(pieces));
}

int record_unwinding_drain(struct record *record, bool flush)
{
	struct record_unwinding *unwinding = record->unwinding;
	__typeof__(unwinding->out) ready = {0};
	int ret;

	pthread_mutex_lock(&unwinding->lock);
	while (atomic_load(&unwinding->waiting) > WAIT_BYTES && !unwinding->error)
		pthread_cond_wait(&unwinding->less, &unwinding->lock);
	ret = record_spool_has_data(record) ? copies_take(record) : 0;
	if (!ret)
		ret = rings_take(record);
	unwinding->flush |= flush;
	pthread_cond_signal(&unwinding->more);
	while (!ret && unwinding->flush && !unwinding->error)
		pthread_cond_wait(&unwinding->less, &unwinding->lock);
	ret = ret ? ret : unwinding->error;
	ready.data = unwinding->out.data;
	ready.len = unwinding->out.len;
	unwinding->out = (__typeof__(unwinding->out)){0};
	pthread_mutex_unlock(&unwinding->lock);
	if (!ret)
		ret = output_write(record, ready.data, ready.len);
	free(ready.data);
	record->drained = tally_clock_now();
	return ret;
}

int record_unwinding_feed(struct record *record, const char *records, size_t len)
{
	int ret;

	pthread_mutex_lock(&record->unwinding->lock);
	ret = tally_live_feed(&record->unwinding->live, records, len);
	pthread_mutex_unlock(&record->unwinding->lock);
	return ret;
}

/* ---- start and stop ------------------------------------------------------------------- */

bool record_unwinding_is_wanted(const struct record *record)
{
	bool has_dumps = false;
	struct utsname name;

	tally_vec_for_each (spec, &record->sampler.specs) {
		has_dumps |= (spec->attr.sample_type & PERF_SAMPLE_STACK_USER) != 0;
		/* Events with overwrite rings cannot be unwound during the recording, because these
		 * rings are read only once, and backwards. */
		if (spec->attr.write_backward)
			return false;
	}
	return has_dumps && !record->config->keep_stacks && !uname(&name) &&
	       tally_unwind_arch_named(name.machine);
}

static int rings_init(struct record *record)
{
	struct record_unwinding *unwinding = record->unwinding;
	int ret = 0;

	for (size_t i = 0; !ret && i < tally_rings_nr(record->sampler.rings); i++)
		ret = tally_vec_push(&unwinding->in, (struct tally_merge_ring){.at = 0});
	return ret;
}

static int thread_start(struct record_unwinding *unwinding)
{
	int ret = tally_thread_start(&unwinding->thread, unwinding_main, unwinding);

	unwinding->is_started = !ret;
	return ret;
}

int record_unwinding_start(struct record *record)
{
	struct record_unwinding *unwinding = calloc(1, sizeof(*unwinding));
	int ret;

	if (!unwinding)
		return -ENOMEM;
	record->unwinding = unwinding;
	pthread_mutex_init(&unwinding->lock, NULL);
	pthread_cond_init(&unwinding->more, NULL);
	pthread_cond_init(&unwinding->less, NULL);
	unwinding->merge.live = &unwinding->live;
	ret = tally_live_init(&unwinding->live, &record->sampler, record_pins_options(record),
			      on_sample, unwinding);
	if (!ret) {
		tally_machine_follow(unwinding->live.machine);
		ret = rings_init(record);
	}
	if (!ret)
		ret = tally_loader_new(record_pins_options(record), &unwinding->loader);
	unwinding->live.chains.unwinder.is_ready = tally_loader_is_ready;
	unwinding->live.chains.unwinder.arg = unwinding->loader;
	return ret ? ret : thread_start(unwinding);
}

void record_unwinding_counts(const struct record *record, uint64_t *ret_unwound,
			     uint64_t *ret_whole, uint64_t *ret_kept)
{
	*ret_unwound = record->unwinding->unwound;
	*ret_whole = record->unwinding->whole;
	*ret_kept = record->unwinding->kept;
}

void record_unwinding_stop(struct record *record)
{
	struct record_unwinding *unwinding = record->unwinding;

	if (!unwinding)
		return;
	pthread_mutex_lock(&unwinding->lock);
	unwinding->is_ended = true;
	pthread_cond_signal(&unwinding->more);
	pthread_mutex_unlock(&unwinding->lock);
	if (unwinding->is_started)
		pthread_join(unwinding->thread, NULL);
	if (!tally_loader_end(unwinding->loader))
		record_pins_abandon(record);
	tally_live_free(&unwinding->live);
	tally_merge_free(&unwinding->merge);
	tally_vec_for_each (ring, &unwinding->in)
		tally_vec_free(&ring->bytes);
	tally_vec_free(&unwinding->in);
	tally_vec_free(&unwinding->made);
	tally_vec_free(&unwinding->out);
	pthread_mutex_destroy(&unwinding->lock);
	pthread_cond_destroy(&unwinding->more);
	pthread_cond_destroy(&unwinding->less);
	free(unwinding);
	record->unwinding = NULL;
}

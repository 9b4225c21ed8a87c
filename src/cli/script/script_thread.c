/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_thread.h"

#include <errno.h>
#include <stdlib.h>

#include "base/relay.h"
#include "base/thread.h"
#include "cli/script/script_sample.h"
#include "symbols/lines/symbols_lines.h"

/* The batches must stay in the processor's cache: they take up to 0.9 MB. */
enum { BATCHES = 16, ENOUGH = 4, SAMPLES = 256, WORDS = 4096 };

struct script_batch {
	size_t nr;
	struct script_sample samples[SAMPLES];
	struct script_found found; /* locations of all samples */
};

struct script_thread {
	struct tally_script_printer *printer;
	pthread_t thread;
	bool runs;
	struct script_batch batches[BATCHES];
	struct script_batch *taking; /* the batch to which samples are added */
	struct tally_relay relay;
	atomic_int error;
};

static int batch_print(struct tally_script_printer *printer, const struct script_batch *batch)
{
	const struct script_sample *end = batch->samples + batch->nr;
	struct script_found_at at = script_found_start(&batch->found), ahead = at;
	int ret = 0;

	script_places_grow(&printer->places);
	for (const struct script_sample *sample = batch->samples; sample < end && !ret; sample++) {
		if (sample == batch->samples)
			ahead = script_sample_prefetch(printer, sample, ahead);
		if (sample + 1 < end)
			ahead = script_sample_prefetch(printer, sample + 1, ahead);
		script_sample_add_start(printer, sample);
		script_sample_add_places(printer, sample, &at);
		tally_str_add_char(&printer->out, '\n');
		ret = tally_script_flush(printer, false);
	}
	return ret;
}

static void *thread_run(void *arg)
{
	struct script_thread *thread = arg;
	size_t slot;

	while (tally_relay_take(&thread->relay, &slot)) {
		int ret = 0;

		if (!atomic_load(&thread->error))
			ret = batch_print(thread->printer, &thread->batches[slot]);
		if (ret)
			atomic_store(&thread->error, ret);
		tally_relay_return(&thread->relay);
	}
	tally_lines_stop_workers(thread->printer->session->symbols);
	return NULL;
}

static void hand_over(struct script_thread *thread)
{
	size_t slot;

	if (!thread->taking->nr)
		return;
	tally_relay_give(&thread->relay);
	(void)tally_relay_room(&thread->relay, &slot);
	thread->taking = &thread->batches[slot];
	thread->taking->nr = 0;
	thread->taking->found.words.len = thread->taking->found.returns.len = 0;
}

/* Called before the machine changes what the text depends on. JIT code is read by both threads, so
 * that one thread must do everything. */
static void guard(void *arg, bool is_jit)
{
	struct script_thread *thread = arg;

	if (is_jit) {
		script_thread_stop(thread);
		return;
	}
	hand_over(thread);
	tally_relay_wait(&thread->relay);
	if (tally_relay_is_futile(&thread->relay))
		script_thread_stop(thread);
}

struct script_thread *script_thread_start(struct tally_script_printer *printer)
{
	struct script_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->printer = printer;
	thread->taking = &thread->batches[0];
	tally_relay_init(&thread->relay, BATCHES, ENOUGH);
	if (tally_thread_start(&thread->thread, thread_run, thread)) {
		tally_relay_free(&thread->relay);
		free(thread);
		return NULL;
	}
	thread->runs = true;
	tally_machine_set_guard(printer->session->machine, guard, thread);
	return thread;
}

int script_thread_print(struct script_thread *thread, const struct tally_feed_sample *sample,
			uint64_t fields)
{
	struct script_batch *batch = thread->taking;

	if (!thread->runs) {
		tally_script_print(thread->printer, sample, fields);
		return tally_script_flush(thread->printer, false);
	}
	if (script_sample_take(thread->printer, sample, fields, &batch->found,
			       &batch->samples[batch->nr]))
		return -ENOMEM;
	batch->nr++;
	if (batch->nr == SAMPLES || batch->found.words.len >= WORDS)
		hand_over(thread);
	return atomic_load(&thread->error);
}

void script_thread_stop(struct script_thread *thread)
{
	if (!thread || !thread->runs)
		return;
	tally_machine_set_guard(thread->printer->session->machine, NULL, NULL);
	hand_over(thread);
	tally_relay_end(&thread->relay);
	pthread_join(thread->thread, NULL);
	thread->runs = false;
}

void script_thread_free(struct script_thread *thread)
{
	if (!thread)
		return;
	script_thread_stop(thread);
	for (size_t i = 0; i < BATCHES; i++)
		script_found_free(&thread->batches[i].found);
	tally_relay_free(&thread->relay);
	free(thread);
}

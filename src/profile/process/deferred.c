/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/deferred.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* Callers shared by the samples that waited for them. */
struct deferred_callers {
	unsigned refs;
	uint64_t nr;
	uint64_t words[];
};

struct deferred_sample {
	struct deferred_sample *next;
	struct tally_deferred_sample sample;
	struct deferred_callers *callers; /* NULL if no callers arrived */
	uint64_t bytes[];                 /* the record, followed by the tag at a word boundary */
};

/* A thread that is in the kernel. Its samples wait for the user-space callers to arrive; callers
 * that have arrived are kept for later samples. */
struct deferred_task {
	struct deferred_task *prev, *next;
	int32_t tid;
	uint64_t cookie;
	struct deferred_callers *callers;       /* NULL if they have not arrived yet */
	struct deferred_sample *samples, **end; /* in order of arrival */
};

/* ---- memory ------------------------------------------------------------------ */

static size_t sample_size(const struct tally_deferred_sample *sample)
{
	return sizeof(struct deferred_sample) + tally_round_up(sample->size, 8) + sample->tag_size;
}

static size_t callers_size(const struct deferred_callers *callers)
{
	return callers ? sizeof(*callers) + 8 * callers->nr : 0;
}

static struct deferred_callers *callers_new(struct tally_words words)
{
	struct deferred_callers *callers = malloc(sizeof(*callers) + 8 * words.nr);

	if (!callers)
		return NULL;
	*callers = (struct deferred_callers){.refs = 1, .nr = words.nr};
	if (words.nr)
		memcpy(callers->words, words.data, 8 * words.nr);
	return callers;
}

static struct deferred_callers *callers_get(struct deferred_callers *callers)
{
	if (callers)
		callers->refs++;
	return callers;
}

static void callers_put(struct deferred_callers *callers)
{
	if (callers && !--callers->refs)
		free(callers);
}

static struct deferred_sample *sample_new(const struct tally_deferred_sample *from)
{
	struct deferred_sample *sample = malloc(sample_size(from));
	uint8_t *bytes;

	if (!sample)
		return NULL;
	*sample = (struct deferred_sample){.sample = *from};
	bytes = (uint8_t *)sample->bytes;
	sample->sample.record = memcpy(bytes, from->record, from->size);
	bytes += tally_round_up(from->size, 8);
	sample->sample.tag = from->tag_size ? memcpy(bytes, from->tag, from->tag_size) : NULL;
	return sample;
}

static void sample_free(struct deferred_sample *sample)
{
	if (!sample)
		return;
	callers_put(sample->callers);
	free(sample);
}

/* ---- threads ------------------------------------------------------------------- */

static struct deferred_task *task_find(const struct tally_deferred *deferred, int32_t tid)
{
	uint64_t found = tally_map_get(&deferred->tasks, (uint32_t)tid);

	return found == TALLY_MAP_NONE ? NULL : (struct deferred_task *)(uintptr_t)found;
}

/* Link the task after `prev`, or at the head of the list if `prev` is NULL. */
static void task_link(struct tally_deferred *deferred, struct deferred_task *task,
		      struct deferred_task *prev)
{
	struct deferred_task **link = prev ? &prev->next : &deferred->first;

	task->prev = prev;
	task->next = *link;
	*(task->next ? &task->next->prev : &deferred->last) = task;
	*link = task;
}

static void task_unlink(struct tally_deferred *deferred, struct deferred_task *task)
{
	*(task->prev ? &task->prev->next : &deferred->first) = task->next;
	*(task->next ? &task->next->prev : &deferred->last) = task->prev;
}

static void ready_push(struct tally_deferred *deferred, struct deferred_sample *sample)
{
	if (!deferred->ready)
		deferred->ready_end = &deferred->ready;
	sample->next = NULL;
	*deferred->ready_end = sample;
	deferred->ready_end = &sample->next;
}

/* Mark a thread's samples as ready, with its callers if they have arrived. */
static void task_release_samples(struct tally_deferred *deferred, struct deferred_task *task)
{
	struct deferred_sample *sample;

	while ((sample = task->samples)) {
		task->samples = sample->next;
		deferred->used -= sample_size(&sample->sample);
		sample->callers = callers_get(task->callers);
		ready_push(deferred, sample);
	}
	task->end = &task->samples;
}

static void task_drop_callers(struct tally_deferred *deferred, struct deferred_task *task)
{
	deferred->used -= callers_size(task->callers);
	callers_put(task->callers);
	task->callers = NULL;
}

static void task_free(struct tally_deferred *deferred, struct deferred_task *task)
{
	task_release_samples(deferred, task);
	task_drop_callers(deferred, task);
	task_unlink(deferred, task);
	tally_map_remove(&deferred->tasks, (uint32_t)task->tid);
	deferred->used -= sizeof(*task);
	free(task);
}

/* Make space for `size` more bytes. */
static void make_room(struct tally_deferred *deferred, size_t size)
{
	uint64_t limit = deferred->limit ? deferred->limit : TALLY_DEFERRED_LIMIT;

	while (deferred->first && deferred->used + size > limit)
		task_free(deferred, deferred->first);
}

static struct deferred_task *task_new(struct tally_deferred *deferred, int32_t tid, uint64_t cookie)
{
	struct deferred_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	if (tally_map_set(&deferred->tasks, (uint32_t)tid, (uintptr_t)task)) {
		free(task);
		return NULL;
	}
	task->tid = tid;
	task->cookie = cookie;
	task->end = &task->samples;
	task_link(deferred, task, deferred->last);
	deferred->used += sizeof(*task);
	return task;
}

/* Return the state of a thread for the kernel entry that the cookie identifies. Samples from an
 * earlier entry are released without callers. Return NULL when out of memory. */
static struct deferred_task *task_get(struct tally_deferred *deferred, int32_t tid, uint64_t cookie)
{
	struct deferred_task *task = task_find(deferred, tid);

	if (task && task->cookie != cookie) {
		task_free(deferred, task);
		task = NULL;
	}
	return task ? task : task_new(deferred, tid, cookie);
}

/* ---- functions for feeds ------------------------------------------------------- */

bool tally_deferred_cookie(struct tally_words callchain, uint64_t *ret_cookie)
{
	if (callchain.nr < 2 ||
	    tally_words_get(callchain, callchain.nr - 2) != (uint64_t)PERF_CONTEXT_USER_DEFERRED)
		return false;
	*ret_cookie = tally_words_get(callchain, callchain.nr - 1);
	return true;
}

int tally_deferred_add(struct tally_deferred *deferred, int32_t tid, uint64_t cookie,
		       const struct tally_deferred_sample *from)
{
	size_t size = sample_size(from);
	struct deferred_sample *sample;
	struct deferred_task *task;

	make_room(deferred, size + sizeof(*task));
	task = task_get(deferred, tid, cookie);
	sample = task ? sample_new(from) : NULL;
	if (!sample)
		return -ENOMEM;
	*task->end = sample;
	task->end = &sample->next;
	deferred->used += size;
	if (task->callers)
		task_release_samples(deferred, task);
	return 0;
}

int tally_deferred_join(struct tally_deferred *deferred, int32_t tid, uint64_t cookie,
			struct tally_words callers)
{
	struct deferred_task *task = task_find(deferred, tid);

	/* If several events request callers, the callers arrive more than once. */
	if (!task || task->cookie != cookie || task->callers)
		return 0;
	task->callers = callers_new(callers);
	if (!task->callers)
		return -ENOMEM;
	deferred->used += callers_size(task->callers);
	task_release_samples(deferred, task);
	/* None of this thread's samples are waiting any longer, so its state is the first to be
	 * freed when space is needed. */
	task_unlink(deferred, task);
	task_link(deferred, task, NULL);
	make_room(deferred, 0);
	return 0;
}

void tally_deferred_release(struct tally_deferred *deferred, int32_t tid)
{
	struct deferred_task *task = task_find(deferred, tid);

	if (task)
		task_free(deferred, task);
}

void tally_deferred_release_all(struct tally_deferred *deferred)
{
	while (deferred->first)
		task_free(deferred, deferred->first);
}

bool tally_deferred_next(struct tally_deferred *deferred, struct tally_deferred_sample *ret_sample)
{
	struct deferred_sample *sample = deferred->ready;

	sample_free(deferred->current);
	deferred->current = sample;
	if (!sample)
		return false;
	deferred->ready = sample->next;
	*ret_sample = sample->sample;
	ret_sample->is_joined = sample->callers;
	if (sample->callers)
		ret_sample->callers = (struct tally_words){(const uint8_t *)sample->callers->words,
							   sample->callers->nr};
	return true;
}

void tally_deferred_free(struct tally_deferred *deferred)
{
	struct tally_deferred_sample sample;

	tally_deferred_release_all(deferred);
	while (tally_deferred_next(deferred, &sample))
		;
	tally_map_free(&deferred->tasks);
	*deferred = (struct tally_deferred){.limit = deferred->limit};
}

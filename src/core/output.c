/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/output.h"

#include "core/overflow.h"
#include "core/scratch.h"

/* Space for padding and the longest trailer. */
enum { RESERVE = 8 + 8 * TALLY_TRAILER_MAX_FIELDS };

static void count_lost(struct tally_output *output)
{
	tally_count_up(&output->buffer->lost, 1);
	tally_count_up(&output->root->lost, 1);
}

void tally_output_count_lost(struct tally_core_event *event, uint64_t nr)
{
	struct tally_core_event *root = tally_event_root(event);
	struct tally_core_buffer *buffer = tally_load_acquire(&root->buffer);

	if (!buffer || !buffer->size)
		return;
	tally_count_up(&buffer->lost, nr);
	tally_count_up(&root->lost, nr);
}

/* Return the task that a record is about. For a task's event, this is always the event's task,
 * because the event may overflow during a switch, while cpu->task is another task. */
static const struct tally_core_task *task_of(const struct tally_core_event *event,
					     const struct tally_core_cpu *cpu)
{
	const struct tally_core_task *task = tally_load_relaxed(&event->context->task);

	return task ? task : cpu->task;
}

bool tally_output_begin(struct tally_output *output, struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	struct tally_core_cpu *cpu = tally_this_cpu(core);
	struct tally_core_scratch *scratch = tally_load_acquire(&cpu->scratch);
	uint32_t level;

	/* Do not write on an offline CPU: its scratch memory is replaced without waiting for
	 * writers. */
	if (!cpu->online)
		return false;
	output->event = event;
	output->root = tally_event_root(event);
	output->buffer = tally_load_acquire(&output->root->buffer);
	output->cpu = cpu;
	output->task = task_of(event, cpu);
	output->wake = false;
	/* A buffer with only a metadata page holds no records, so none are lost. */
	if (!output->buffer || !output->buffer->size)
		return false;
	level = cpu->nesting;
	if (level == TALLY_CORE_NESTING || !scratch) {
		count_lost(output);
		return false;
	}
	tally_store_relaxed(&cpu->nesting, level + 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	output->max = scratch->each;
	output->scratch = scratch->bytes + (size_t)2 * level * output->max;
	output->spare = output->scratch + output->max;
	output->spare_end = output->spare + output->max;
	return true;
}

bool tally_output_end(struct tally_output *output)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tally_store_relaxed(&output->cpu->nesting, output->cpu->nesting - 1);
	return output->wake;
}

static bool reserve(struct tally_output *output, uint64_t len)
{
	return len <= output->max &&
	       tally_buffer_reserve(output->buffer, output->root->attr.write_backward,
				    (uint32_t)len, output->scratch, &output->wake, &output->slot);
}

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* Write a LOST record right before the next record, in the same reservation. */
static void emit_lost(const struct tally_output *output, uint64_t lost, uint64_t len)
{
	struct lost_record record = {
		.header = {PERF_RECORD_LOST, 0, (uint16_t)len},
		.id = output->root->id,
		.lost = lost,
	};
	struct tally_sample sample;

	__builtin_memcpy(output->slot.to, &record, sizeof(record));
	tally_output_identify(output, &sample);
	tally_trailer_encode(&output->event->layout, &sample, output->slot.to + sizeof(record));
}

uint8_t *tally_output_reserve(struct tally_output *output, uint64_t len)
{
	struct tally_core_buffer *buffer = output->buffer;
	uint64_t ahead = sizeof(struct lost_record) + tally_trailer_size(&output->event->layout);
	uint64_t lost = 0;

	/* If there is not enough space for both records, write the LOST record with a later
	 * record. */
	if (tally_load_relaxed(&buffer->lost) && ahead + len <= output->max)
		lost = tally_exchange(&buffer->lost, 0);
	ahead = lost ? ahead : 0;
	if (!reserve(output, ahead + len)) {
		tally_count_up(&buffer->lost, lost);
		count_lost(output);
		return NULL;
	}
	if (lost)
		emit_lost(output, lost, ahead);
	return output->slot.to + ahead;
}

void tally_output_commit(struct tally_output *output)
{
	output->wake |= tally_buffer_commit(&output->slot);
}

uint8_t *tally_output_spare(struct tally_output *output, uint64_t len, uint64_t *ret_len)
{
	uint8_t *at = output->spare;

	*ret_len = TALLY_MIN(len, (uint64_t)(output->spare_end - at) & ~UINT64_C(7));
	output->spare += tally_round_up(*ret_len, 8);
	return at;
}

static uint64_t event_clock(const struct tally_core_event *event)
{
	const struct tally_core *core = event->core;
	uint64_t ns;

	if (TALLY_CORE_SAMPLE_PARTS && event->attr.use_clockid && core->ops->clock_of &&
	    core->ops->clock_of(core->host, event->attr.clockid, &ns))
		return ns;
	return tally_clock(core);
}

#if TALLY_CORE_USERS

/* Return the saved IDs of a reaped task, which the host no longer knows. */
static void ids_of_left(const struct tally_core_context *context, const void *viewer, bool parent,
			int32_t *ret_pid, int32_t *ret_tid)
{
	const struct tally_core_task_ids *seen = NULL;

	for (int i = 0; !seen && i < TALLY_CORE_VIEWERS; i++)
		seen = context->seen[i].nr && context->seen[i].viewer == viewer ? &context->seen[i]
										: NULL;
	*ret_pid = !seen ? 0 : parent ? seen->ppid : seen->pid;
	*ret_tid = !seen ? 0 : parent ? seen->ptid : seen->tid;
}

static void ids_of_host(const struct tally_core *core, void *viewer,
			const struct tally_core_task *task, bool parent, int32_t *ret_pid,
			int32_t *ret_tid)
{
	if (!core->ops->ids)
		return;
	if (task->left_by)
		ids_of_left(task->left_by, viewer, parent, ret_pid, ret_tid);
	else
		core->ops->ids(core->host, viewer, task, parent, ret_pid, ret_tid);
}

#else

static void ids_of_host(const struct tally_core *core, void *viewer,
			const struct tally_core_task *task, bool parent, int32_t *ret_pid,
			int32_t *ret_tid)
{
}

#endif

void tally_output_ids(const struct tally_core_event *event, const struct tally_core_task *task,
		      bool parent, int32_t *ret_pid, int32_t *ret_tid)
{
	*ret_pid = *ret_tid = 0;
	if (!task)
		return;
	*ret_pid = parent ? task->ppid : task->pid;
	*ret_tid = parent ? task->ptid : task->tid;
	ids_of_host(event->core, event->viewer, task, parent, ret_pid, ret_tid);
}

void tally_output_identify(const struct tally_output *output, struct tally_sample *sample)
{
	const struct tally_core_task *task = output->task;
	uint64_t wanted = output->event->layout.sample_type;

	tally_output_ids(output->event, task, false, &sample->pid, &sample->tid);
	if (wanted & PERF_SAMPLE_TIME)
		sample->time = event_clock(output->event);
	sample->id = sample->identifier = output->root->id;
	sample->stream_id = output->event->id;
	sample->cpu = output->cpu->number;
	sample->cpu_reserved = 0;
}

static void write_record(struct tally_output *output, uint8_t *body, uint32_t len)
{
	const struct tally_sample_layout *layout = &output->event->layout;
	uint32_t whole = (uint32_t)tally_round_up(len, 8);
	uint16_t size = (uint16_t)(whole + tally_trailer_size(layout));
	struct tally_sample sample;
	uint8_t *to;

	__builtin_memset(body + len, 0, whole - len);
	__builtin_memcpy(body + offsetof(struct perf_event_header, size), &size, sizeof(size));
	to = tally_output_reserve(output, size);
	if (!to)
		return;
	__builtin_memcpy(to, body, whole);
	tally_output_identify(output, &sample);
	tally_trailer_encode(layout, &sample, to + whole);
	tally_output_commit(output);
}

static void emit(struct tally_core_event *event, const struct tally_core_task *task,
		 tally_body_fn body, const void *what)
{
	struct tally_output output;
	uint64_t room;
	uint32_t len;
	uint8_t *at;

	if (!tally_output_begin(&output, event))
		return;
	if (task)
		output.task = task;
	at = tally_output_spare(&output, output.max - RESERVE, &room);
	len = body(event, what, at, room);
	if (len)
		write_record(&output, at, len);
	if (tally_output_end(&output))
		tally_overflow_defer(output.root, TALLY_PENDING_WAKE);
}

void tally_output_record(struct tally_core_event *event, tally_body_fn body, const void *what)
{
	emit(event, NULL, body, what);
}

void tally_output_record_of(struct tally_core_event *event, const struct tally_core_task *task,
			    tally_body_fn body, const void *what)
{
	emit(event, task, body, what);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Write records to an event's ring buffer: LOST records, trailers, scratch memory and wakeups. */
#ifndef TALLY_CORE_OUTPUT_H
#define TALLY_CORE_OUTPUT_H

#include "core/buffer.h"
#include "core/core_private.h"

/* A record being written. It is on the writer's stack, with interrupts off. */
struct tally_output {
	struct tally_core_cpu *cpu;
	const struct tally_core_task
		*task; /* task that the record is about: the event's or the running task */
	struct tally_core_event *event; /* event that the record is for */
	struct tally_core_event *root;  /* the opened event, which has the buffer */
	struct tally_core_buffer *buffer;
	uint32_t max;               /* maximum size of a record in bytes */
	uint8_t *scratch;           /* `max` bytes, used if a record wraps around */
	uint8_t *spare, *spare_end; /* `max` bytes for parts of the record */
	struct tally_slot slot;
	bool wake;
};

/* Count `nr` records of the event as lost. The next record written reports them. */
void tally_output_count_lost(struct tally_core_event *event, uint64_t nr);

/* Begin writing a record for `event`. Return false if the CPU is offline, the event has no buffer
 * for records, or interrupts are nested too deeply (the record is counted as lost). Otherwise,
 * tally_output_end() must follow. */
bool tally_output_begin(struct tally_output *output, struct tally_core_event *event);

/* Reserve space for a record of `len` bytes, preceded by a LOST record if records were lost. Return
 * NULL if there is no space; the record is then counted as lost. */
uint8_t *tally_output_reserve(struct tally_output *output, uint64_t len);
void tally_output_commit(struct tally_output *output);

/* Finish the record. Return true if readers have to be woken. */
bool tally_output_end(struct tally_output *output);

/* Allocate `len` bytes for a part of the record, aligned to 8, or the remaining space if that is
 * less. Return the size in *ret_len. */
uint8_t *tally_output_spare(struct tally_output *output, uint64_t len, uint64_t *ret_len);

/* Return the IDs of a task (0 if `task` is NULL), or of the task's parent, as the event's opener
 * sees them. */
void tally_output_ids(const struct tally_core_event *event, const struct tally_core_task *task,
		      bool parent, int32_t *ret_pid, int32_t *ret_tid);

/* Fill in the trailer fields that the event requests: task, time, CPU, event. */
void tally_output_identify(const struct tally_output *output, struct tally_sample *sample);

/* Write the body of a record, beginning with the header, into `cap` bytes. Return the body's size,
 * or 0 if the event does not request records of this type. `what` points to the record's data. */
typedef uint32_t (*tally_body_fn)(const struct tally_core_event *event, const void *what,
				  uint8_t *to, uint64_t cap);

/* Write a record other than a sample: its body, padding and trailer. This function sets the size in
 * the record's header. Readers are woken if necessary. */
void tally_output_record(struct tally_core_event *event, tally_body_fn body, const void *what);

/* Do the same as tally_output_record() for a record about a task that need not be running. */
void tally_output_record_of(struct tally_core_event *event, const struct tally_core_task *task,
			    tally_body_fn body, const void *what);

#endif

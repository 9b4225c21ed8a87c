/* SPDX-License-Identifier: BSD-2-Clause */
/* From an event to its ring buffer: LOST records, trailers, scratch memory, wakeups. */
#ifndef TALLY_CORE_OUTPUT_H
#define TALLY_CORE_OUTPUT_H

#include "core/buffer.h"
#include "core/private.h"

/* One record on its way. Made on the stack of the writer; with interrupts off. */
struct tally_output {
	struct tally_core_cpu *cpu;
	const struct tally_core_task
		*task; /* who it says it was: whose event it is, or who runs here */
	struct tally_core_event *event; /* whose record it is */
	struct tally_core_event *root;  /* whose buffer it goes to */
	struct tally_core_buffer *buffer;
	uint32_t max;               /* bytes of the longest record */
	uint8_t *scratch;           /* so many for a record in two pieces */
	uint8_t *spare, *spare_end; /* so many for parts of it */
	struct tally_slot slot;
	bool wake;
};

/* So many records of the event were due and are not written: the next that is says so. */
void tally_output_lose(struct tally_core_event *event, uint64_t nr);

/* Begin to write for `event`: false when it has no buffer for records, or interrupts are nested too
 * deeply (the record is counted as lost). tally_output_end() must follow. */
bool tally_output_begin(struct tally_output *output, struct tally_core_event *event);

/* Room for a record of `len` bytes, preceded by a LOST record if there is something to
 * tell: NULL, and it is counted as lost, when there is none. */
uint8_t *tally_output_reserve(struct tally_output *output, uint64_t len);
void tally_output_commit(struct tally_output *output);

/* True when somebody has to be woken. */
bool tally_output_end(struct tally_output *output);

/* `len` bytes for a part of the record, aligned to 8, as many as there are left at most; how many
 * there are in *ret_len. */
uint8_t *tally_output_spare(struct tally_output *output, uint64_t len, uint64_t *ret_len);

/* The numbers of a task (NULL: 0), or of who made it, as who opened the event sees them. */
void tally_output_ids(const struct tally_core_event *event, const struct tally_core_task *task,
		      bool parent, int32_t *ret_pid, int32_t *ret_tid);

/* Fill in the fields of a trailer that the event asks for: who, when, where, which event. */
void tally_output_identify(const struct tally_output *output, struct tally_sample *sample);

/* Writes the body of a record, header first, into `cap` bytes: how many there are; 0: this event
 * does not want it. `what` is what happened. */
typedef uint32_t (*tally_body_fn)(const struct tally_core_event *event, const void *what,
				  uint8_t *to, uint64_t cap);

/* Write a record that is no sample: its body, padded, and the trailer; the size in its header is
 * set here. Has those woken that wait. */
void tally_output_record(struct tally_core_event *event, tally_body_fn body, const void *what);

/* The same, of a task that may not be the one that runs here. */
void tally_output_record_of(struct tally_core_event *event, const struct tally_core_task *task,
			    tally_body_fn body, const void *what);

#endif

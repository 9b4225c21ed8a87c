/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind stack dumps, using the unwind rules of the files mapped in the machine. Not thread-safe.
 */
#ifndef TALLY_PROFILE_PROCESS_UNWIND_H
#define TALLY_PROFILE_PROCESS_UNWIND_H

#include "abi/abi_sample.h"
#include "base/map.h"
#include "profile/process/machine.h"
#include "unwind/walk.h"

/* Number of stacks for each reason why unwinding ended. */
struct tally_unwind_counts {
	uint64_t ends[TALLY_UNWIND_NR_ENDS];
	uint64_t foreign; /* not unwound because the architecture is unknown or 32-bit */
};

/* Cached result for an address in an address space (maps.h). An address space gets a new ID when it
 * changes. */
struct tally_unwind_memo {
	uint64_t space, ip; /* space is 0 if the entry is empty */
	struct tally_unwind_code code;
};

/* Only the machine and the architecture must be set; everything else starts as zero. */
struct tally_unwinder {
	struct tally_machine *machine;
	const struct tally_unwind_arch *arch;
	bool is_again;     /* the stacks were already counted before the restart */
	size_t max_frames; /* limit per stack; 0 for TALLY_UNWIND_MAX_FRAMES */
	struct tally_unwind_counts counts;
	/* Number of stacks that ended early, by tally_unwinder_key(). */
	struct tally_map by_dso;
	TALLY_VEC(struct tally_unwind_step) steps; /* frames of the last stack */
	TALLY_VEC(uint64_t) chain;
	struct tally_unwind_memo *memos; /* direct-mapped; NULL if not allocated */
	/* Returns true if the rules of a DSO may be used now, or false while another thread is
	 * loading them. NULL if rules may always be used. */
	bool (*is_ready)(void *arg, struct tally_dso *dso);
	void *arg;
	bool is_waiting; /* a DSO was not ready */
};

enum { TALLY_UNWIND_MAX_FRAMES = 1024 };

/* Unwind the stack dump in a sample of `thread`. Returns 1 with the complete callchain in
 * `unwinder->chain`, valid until the next call; 0 if the sample cannot be unwound; -EAGAIN while
 * rules it needs are being loaded; or -ENOMEM. The chain consists of the recorded entries before
 * the user-space part, PERF_CONTEXT_USER, and an address for each frame, innermost first. The
 * address of a calling frame is inside the call instruction. `*ret_end` is set to the reason why
 * the stack ends. */
int tally_unwinder_run(struct tally_unwinder *unwinder, const struct tally_thread *thread,
		       const struct tally_sample *sample, enum tally_unwind_end *ret_end);

/*
 * A recorder that unwinds stacks itself does not write stack dumps. Instead, it writes the complete
 * callchain, no registers, and, in place of the stack, an 8-byte note with the reason why unwinding
 * ended. Readers that do not know the note use the callchain, because they have no registers to
 * unwind with.
 */
enum { TALLY_UNWIND_NOTE_SIZE = 8 };

void tally_unwind_note_write(enum tally_unwind_end end, uint8_t ret_note[TALLY_UNWIND_NOTE_SIZE]);

/* Return true if a sample contains a note from tally_unwind_note_write(). */
bool tally_unwind_note_read(const struct tally_sample *sample, enum tally_unwind_end *ret_end);

/* Count a stack that was unwound by the recorder. Returns 0 or -ENOMEM. */
int tally_unwinder_count(struct tally_unwinder *unwinder, const struct tally_thread *thread,
			 struct tally_words chain, enum tally_unwind_end end);

/* Return the key for stacks that ended in code of `dso` (may be NULL) for the reason `end`. */
uint64_t tally_unwinder_key(const struct tally_dso *dso, enum tally_unwind_end end);

/* Split a key from tally_unwinder_key() into the DSO, which is returned, and the reason. */
const struct tally_dso *tally_unwinder_key_parse(uint64_t key, enum tally_unwind_end *ret_end);

/* Clear the cache after the machine has been restarted. The stacks have already been counted and
 * are not counted again. */
void tally_unwinder_restart(struct tally_unwinder *unwinder);

void tally_unwinder_free(struct tally_unwinder *unwinder);

#endif

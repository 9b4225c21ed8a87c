/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinds dumped stacks with the unwind rules of the files mapped in the machine. Not thread-safe.
 */
#ifndef TALLY_PROFILE_UNWIND_H
#define TALLY_PROFILE_UNWIND_H

#include "abi/abi_sample.h"
#include "base/map.h"
#include "profile/machine.h"
#include "unwind/walk.h"

/* Numbers of stacks by the reason why they end. */
struct tally_unwind_counts {
	uint64_t ends[TALLY_UNWIND_NR_ENDS];
	uint64_t foreign; /* not unwound: unknown architecture, or 32-bit */
};

/* Cached result for an address of a space (maps.h). A space does not change under its number. */
struct tally_unwind_memo {
	uint64_t space, ip; /* space 0: empty */
	struct tally_unwind_code code;
};

/* All zero, except the machine and the architecture. */
struct tally_unwinder {
	struct tally_machine *machine;
	const struct tally_unwind_arch *arch;
	bool is_again;     /* the stacks were already counted */
	size_t max_frames; /* of one stack; 0: TALLY_UNWIND_MAX_FRAMES */
	struct tally_unwind_counts counts;
	/* Number of stacks that ended before their bottom, by tally_unwinder_key(). */
	struct tally_map by_dso;
	TALLY_VEC(struct tally_unwind_step) steps; /* of the last stack */
	TALLY_VEC(uint64_t) chain;
	struct tally_unwind_memo *memos; /* direct-mapped; NULL: not allocated */
	/* Returns true if the rules of a DSO may be used now; another thread may be loading them.
	 * NULL: always. */
	bool (*is_ready)(void *arg, struct tally_dso *dso);
	void *arg;
	bool is_waiting; /* a DSO was not ready */
};

enum { TALLY_UNWIND_MAX_FRAMES = 1024 };

/* Unwind the stack dump of a sample of `thread`. Returns 1 with the complete callchain in
 * `unwinder->chain`, valid until the next call; 0 if the sample cannot be unwound; -EAGAIN while
 * rules it needs are being loaded; or -ENOMEM. The chain consists of the recorded entries before
 * the user's, PERF_CONTEXT_USER, and an address for each frame, innermost first; in calling frames
 * it is inside the call. `ret_end` is the reason why the stack ends there. */
int tally_unwinder_run(struct tally_unwinder *unwinder, const struct tally_thread *thread,
		       const struct tally_sample *sample, enum tally_unwind_end *ret_end);

/*
 * A recorder that unwinds does not keep dumps. The callchain is complete, no registers are
 * recorded, and an 8-byte note with the reason why the stack ends replaces the stack. Readers that
 * do not know the note have no registers to unwind with, and use the callchain.
 */
enum { TALLY_UNWIND_NOTE_SIZE = 8 };

void tally_unwind_note_write(enum tally_unwind_end end, uint8_t ret_note[TALLY_UNWIND_NOTE_SIZE]);

/* Return true if a sample has such a note. */
bool tally_unwind_note_read(const struct tally_sample *sample, enum tally_unwind_end *ret_end);

/* Count a stack that was unwound elsewhere. Returns 0 or -ENOMEM. */
int tally_unwinder_count(struct tally_unwinder *unwinder, const struct tally_thread *thread,
			 struct tally_words chain, enum tally_unwind_end end);

/* Return the key of stacks that ended in code of `dso` (may be NULL) for a reason. */
uint64_t tally_unwinder_key(const struct tally_dso *dso, enum tally_unwind_end end);

/* Split such a key into its DSO, which is returned, and its reason. */
const struct tally_dso *tally_unwinder_key_parse(uint64_t key, enum tally_unwind_end *ret_end);

/* Clear the cache, because the machine was restarted. Nothing is counted again from now on. */
void tally_unwinder_restart(struct tally_unwinder *unwinder);

void tally_unwinder_free(struct tally_unwinder *unwinder);

#endif

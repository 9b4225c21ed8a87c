/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks that were dumped, unwound with the rules of the files that the machine has mapped. Not
 * thread-safe.
 */
#ifndef TALLY_PROFILE_UNWIND_H
#define TALLY_PROFILE_UNWIND_H

#include "abi/sample.h"
#include "base/map.h"
#include "profile/machine.h"
#include "unwind/walk.h"

/* Stacks by how they ended. */
struct tally_unwind_counts {
	uint64_t ends[TALLY_UNWIND_NR_ENDS];
	uint64_t foreign; /* not unwound: of no architecture that is known, or of 32 bits */
};

/* What was found at an address of a space (maps.h), which stays as it is. */
struct tally_unwind_memo {
	uint64_t space, ip; /* space 0: nothing */
	struct tally_unwind_code code;
};

/* All zero, but for the machine and the architecture. */
struct tally_unwinder {
	struct tally_machine *machine;
	const struct tally_unwind_arch *arch;
	bool is_again;     /* stacks have been counted */
	size_t max_frames; /* of one stack; 0: TALLY_UNWIND_MAX_FRAMES */
	struct tally_unwind_counts counts;
	/* Stacks that ended before their bottom, by tally_unwinder_key(). */
	struct tally_map by_dso;
	TALLY_VEC(struct tally_unwind_step) steps; /* of the last stack */
	TALLY_VEC(uint64_t) chain;
	struct tally_unwind_memo *memos; /* direct-mapped; NULL: none yet */
	/* Whether the rules of a DSO may be asked for now: somebody else may be loading them. NULL:
	 * they always may. */
	bool (*is_ready)(void *arg, struct tally_dso *dso);
	void *arg;
	bool is_waiting; /* one was not ready */
};

enum { TALLY_UNWIND_MAX_FRAMES = 1024 };

/* Unwind the dump of a sample of `thread`. 1 with the whole callchain in `unwinder->chain`, until
 * the next call: the recorded one as far as it is not the user's, PERF_CONTEXT_USER, and where the
 * program was in each frame, innermost first; of frames that called, inside the call. `ret_end`
 * tells why it ended there. 0 for a sample that cannot be unwound; -EAGAIN while rules that it
 * needs are being loaded; -ENOMEM. */
int tally_unwinder_run(struct tally_unwinder *unwinder, const struct tally_thread *thread,
		       const struct tally_sample *sample, enum tally_unwind_end *ret_end);

/*
 * A recorder that unwinds keeps no dump: the callchain is whole, the registers are none, and in
 * place of the stack there is a note of 8 bytes which says why it ended there. Readers that do not
 * know it have no registers to unwind with, and take the callchain.
 */
enum { TALLY_UNWIND_NOTE_SIZE = 8 };

void tally_unwind_note_write(enum tally_unwind_end end, uint8_t ret_note[TALLY_UNWIND_NOTE_SIZE]);

/* Whether a sample has such a note. */
bool tally_unwind_note_read(const struct tally_sample *sample, enum tally_unwind_end *ret_end);

/* Count a stack that somebody else unwound. 0 or -ENOMEM. */
int tally_unwinder_count(struct tally_unwinder *unwinder, const struct tally_thread *thread,
			 struct tally_words chain, enum tally_unwind_end end);

/* The key of stacks that ended in code of `dso`, which may be NULL, for a reason. */
uint64_t tally_unwinder_key(const struct tally_dso *dso, enum tally_unwind_end end);

/* What such a key stands for. */
const struct tally_dso *tally_unwinder_key_parse(uint64_t key, enum tally_unwind_end *ret_end);

/* Forget what was found, as the machine is begun anew; nothing is counted again from now on. */
void tally_unwinder_restart(struct tally_unwinder *unwinder);

void tally_unwinder_free(struct tally_unwinder *unwinder);

#endif

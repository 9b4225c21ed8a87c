/* SPDX-License-Identifier: BSD-2-Clause */
/* An interrupt in front of any one instruction, where the processor can step. */
#ifndef TALLY_TESTS_CORE_LEAST_STEP_H
#define TALLY_TESTS_CORE_LEAST_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this processor and kernel can. */
bool least_can_step(void);

/* From here on, interrupt(arg) in front of the instruction after `at` more; 0: never. End with
 * least_step_end(): how many instructions it took, counted up to the interrupt: less than `at` when
 * that never came, 0 where stepping is not possible. */
void least_step_begin(void (*interrupt)(void *arg), void *arg, uint64_t at);
uint64_t least_step_end(void);

/* From one place for an interrupt to the next: all of them, but where a sanitizer makes many
 * instructions of one. LEAST_WIDER is how many times further apart the same places are there. */
#ifdef __SANITIZE_ADDRESS__
enum { LEAST_STRIDE = 13, LEAST_WIDER = 3 };
#else
enum { LEAST_STRIDE = 1, LEAST_WIDER = 1 };
#endif

#endif

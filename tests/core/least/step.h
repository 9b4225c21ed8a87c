/* SPDX-License-Identifier: BSD-2-Clause */
/* An interrupt in front of any one instruction, where the processor can step. */
#ifndef TALLY_TESTS_CORE_LEAST_STEP_H
#define TALLY_TESTS_CORE_LEAST_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this processor and kernel can. */
bool least_can_step(void);

/* Run fn(arg), and interrupt(arg) after `at` instructions of it, 0: never. How many instructions it
 * took, those of interrupt() apart; 0 where stepping is not possible: fn was run nevertheless. */
uint64_t least_step(void (*fn)(void *arg), void (*interrupt)(void *arg), void *arg, uint64_t at);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupt the core before any instruction, on processors that can single-step. */
#ifndef TALLY_TESTS_CORE_MINIMAL_STEP_H
#define TALLY_TESTS_CORE_MINIMAL_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* Return true if this processor and kernel can single-step. */
bool mini_can_step(void);

/* Start stepping, and call interrupt(arg) after `at` more instructions, or never if `at` is 0.
 * mini_step_end() stops stepping and returns the number of instructions up to the interrupt. The
 * number is less than `at` if the interrupt did not occur, and 0 if stepping is not possible. */
void mini_step_begin(void (*interrupt)(void *arg), void *arg, uint64_t at);
uint64_t mini_step_end(void);

/* Distance between the instructions to interrupt. Code built with a sanitizer has many additional
 * instructions, so only some of its instructions are interrupted, and corresponding instructions
 * are MINI_WIDER times further apart. */
#ifdef __SANITIZE_ADDRESS__
enum { MINI_STRIDE = 13, MINI_WIDER = 3 };
#else
enum { MINI_STRIDE = 1, MINI_WIDER = 1 };
#endif

#endif

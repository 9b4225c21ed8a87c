/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SAMPLER_COUNTING_H
#define TALLY_SAMPLER_COUNTING_H

#include <stdbool.h>

#include "base/str.h"

/* Append the events that are counted where none are named, for CPUs (`system_wide`) or tasks: those
 * of perf stat on this machine. */
void tally_counting_events(bool system_wide, struct tally_str *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of this machine that sample memory accesses. */
#ifndef TALLY_CLI_MAIN_MEM_EVENTS_H
#define TALLY_CLI_MAIN_MEM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Append the events, separated by commas. `type` is "load", "store" or both; NULL for both. `ldlat`
 * is the least latency of loads, or 0 for 30. Returns false, after printing an error, if there are
 * none or the type is unknown. */
bool mem_add_events(const char *type, uint64_t ldlat, struct tally_str *out);

#endif

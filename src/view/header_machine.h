/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a recording's header that describes the machine. Each function appends the lines of
 * one feature. */
#ifndef TALLY_VIEW_HEADER_MACHINE_H
#define TALLY_VIEW_HEADER_MACHINE_H

#include "base/str.h"
#include "session/session.h"

typedef void tally_header_fn(struct tally_session *session, const struct tally_perfdata_env *env,
			     struct tally_str *out);

tally_header_fn tally_header_topology, tally_header_nodes, tally_header_pmus, tally_header_caches,
	tally_header_memory, tally_header_cpu_caps, tally_header_pmu_caps, tally_header_hybrid,
	tally_header_elf, tally_header_domains, tally_header_ranges;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording features that describe the machine. */
#ifndef TALLY_CLI_MAIN_ENV_COLLECT_H
#define TALLY_CLI_MAIN_ENV_COLLECT_H

#include "tally/perfdata.h"

/* Set HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS, CPUDESC, CPUID, TOTAL_MEM, CMDLINE, CPU_TOPOLOGY,
 * NUMA_TOPOLOGY, PMU_MAPPINGS, CACHE and MEM_TOPOLOGY. Features that the system does not provide
 * are omitted. Returns 0 or -ENOMEM. */
int tally_env_collect(struct tally_perfdata_writer *writer, int argc, char **argv);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording tells of the machine it was made on: the features of its file. */
#ifndef TALLY_CLI_RECORD_ENV_COLLECT_H
#define TALLY_CLI_RECORD_ENV_COLLECT_H

#include "tally/perfdata.h"

/* Set HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS, CPUDESC, CPUID, TOTAL_MEM, CMDLINE,
 * CPU_TOPOLOGY, NUMA_TOPOLOGY, PMU_MAPPINGS, CACHE and MEM_TOPOLOGY. What the machine does not
 * tell is left out. 0 or -ENOMEM. */
int tally_env_collect(struct tally_perfdata_writer *writer, int argc, char **argv);

#endif

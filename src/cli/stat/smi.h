/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel setting that stops the counters of cores during system management interrupts. */
#ifndef TALLY_CLI_STAT_SMI_H
#define TALLY_CLI_STAT_SMI_H

#include "cli/stat/stat.h"

/* With --smi-cost, switch the setting on. Return 0, or -ENOTSUP after printing the reason. */
int stat_smi_freeze(struct stat_session *session);

/* Switch the setting off again if stat_smi_freeze() switched it on. */
void stat_smi_restore(struct stat_session *session);

#endif

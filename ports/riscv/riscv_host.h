/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the kernel that hosts the core: operations in riscv_host.c, counters in
 * sscofpmf.c. */
#ifndef TALLY_PORTS_RISCV_HOST_H
#define TALLY_PORTS_RISCV_HOST_H

#include "ports/riscv/riscv_kernel.h"

void host_start(void);  /* create the core, on the first hart */
void host_online(void); /* called on each hart */
void host_call_interrupt(void);
void sscofpmf_interrupt(const struct tally_core_sample_data *sample_data);

#endif

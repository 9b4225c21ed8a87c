/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's side of the kernel: riscv_host.c has the operations, sscofpmf.c the counters. */
#ifndef TALLY_HOSTS_RISCV_HOST_H
#define TALLY_HOSTS_RISCV_HOST_H

#include "hosts/riscv/riscv_kernel.h"

void host_start(void);  /* creates the core, on the first hart */
void host_online(void); /* runs on each hart */
void host_call_interrupt(void);
void sscofpmf_interrupt(const struct tally_core_sample_data *sample_data);

#endif

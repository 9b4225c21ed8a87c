/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's side of the kernel: host.c has its operations, sscofpmf.c its counters. */
#ifndef TALLY_HOSTS_RISCV_HOST_H
#define TALLY_HOSTS_RISCV_HOST_H

#include "hosts/riscv/kernel.h"

void host_start(void);  /* the core, on the first hart */
void host_online(void); /* on each */
void host_call_interrupt(void);
void sscofpmf_interrupt(const struct tally_core_sample_data *sample_data);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the kernel that hosts the core: operations in cortexm_host.c, the counter in
 * dualtimer.c. */
#ifndef CORTEXM_HOST_H
#define CORTEXM_HOST_H

#include "ports/cortexm/cortexm_kernel.h"

void host_start(void); /* create the core, with its only CPU */
int dualtimer_register(struct tally_core *core, void *host);
void dualtimer_interrupt(const struct tally_core_sample_data *sample_data);
struct tally_core_event *call_event_of_fd(struct thread *thread, int fd);
void call_notify(void *file);

#endif

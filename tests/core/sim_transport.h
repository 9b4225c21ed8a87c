/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls of a task of a simulated machine, as the client library calls them. */
#ifndef TALLY_TESTS_CORE_SIM_TRANSPORT_H
#define TALLY_TESTS_CORE_SIM_TRANSPORT_H

#include "machines/sim/files.h"
#include "machines/sim/loop.h"
#include "machines/sim/script.h"
#include "machines/sim/task.h"
#include "machines/sim/text.h"
#include "machines/sim/truth.h"
#include "tally/client.h"

struct sim_transport {
	struct tally_transport transport; /* give this to the client */
	struct tally_sim *sim;
	struct tally_sim_task *task; /* who calls */
};

void sim_transport_init(struct sim_transport *transport, struct tally_sim *sim,
			struct tally_sim_task *task);

#endif

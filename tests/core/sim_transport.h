/* SPDX-License-Identifier: BSD-2-Clause */
/* Transport for the client library that makes system calls as a task on a simulated machine. */
#ifndef TALLY_TESTS_CORE_SIM_TRANSPORT_H
#define TALLY_TESTS_CORE_SIM_TRANSPORT_H

#include "hosts/sim/sim_files.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_script.h"
#include "hosts/sim/sim_task.h"
#include "hosts/sim/sim_text.h"
#include "hosts/sim/truth.h"
#include "tally/client.h"

struct sim_transport {
	struct tally_transport transport; /* pass this to the client library */
	struct tally_sim *sim;
	struct tally_sim_task *task; /* calling task */
};

void sim_transport_init(struct sim_transport *transport, struct tally_sim *sim,
			struct tally_sim_task *task);

#endif

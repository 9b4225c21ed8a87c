/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers for tests of the simulated machine. */
#ifndef TALLY_TESTS_SIM_MACHINE_H
#define TALLY_TESTS_SIM_MACHINE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_core.h"
#include "hosts/sim/sim_files.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_script.h"
#include "hosts/sim/sim_task.h"
#include "hosts/sim/sim_text.h"
#include "hosts/sim/truth.h"

enum { MS = 1000000 };

static inline struct tally_sim *machine(const struct tally_sim_config *config)
{
	struct tally_sim *sim;

	assert_int_equal(tally_sim_create(config, &sim), 0);
	return sim;
}

/* Destroy a machine. Fails if the contract was violated. */
static inline void machine_end(struct tally_sim *sim)
{
	const char *violation = tally_sim_violation(sim);

	if (violation)
		fail_msg("%s", violation);
	assert_int_equal(tally_sim_destroy(sim), 0);
}

static inline struct tally_sim_task *spawn(struct tally_sim *sim,
					   const struct tally_sim_step *script, uint32_t cpu)
{
	struct tally_sim_task *task =
		tally_sim_task_new(sim, &(struct tally_sim_spawn){.script = script, .cpu = cpu});

	assert_non_null(task);
	return task;
}

static inline uint64_t truth_of(struct tally_sim *sim, const struct tally_sim_task *task,
				unsigned signal)
{
	return tally_sim_truth(sim, (struct tally_sim_filter){.task = task}, signal);
}

#endif

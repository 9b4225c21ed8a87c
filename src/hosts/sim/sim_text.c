/* SPDX-License-Identifier: BSD-2-Clause */
/* Format steps as text. */
#include <inttypes.h>
#include <stdio.h>

#include "hosts/sim/sim_private.h"
#include "hosts/sim/sim_text.h"

static const char *const mode_names[SIM_NR_MODES] = {
	[SIM_USER] = "SIM_USER",
	[SIM_KERNEL] = "SIM_KERNEL",
	[SIM_HYPERVISOR] = "SIM_HYPERVISOR",
	[SIM_GUEST_KERNEL] = "SIM_GUEST_KERNEL",
	[SIM_GUEST_USER] = "SIM_GUEST_USER",
	[SIM_IDLE] = "SIM_IDLE",
};

/* Steps that are formatted without parameters. */
static const char *const plain[] = {
	[SIM_OP_EXIT] = "SIM_EXIT()",      [SIM_OP_END_LOOP] = "SIM_END_LOOP()",
	[SIM_OP_YIELD] = "SIM_YIELD()",    [SIM_OP_MAP] = "SIM_MAP(...)",
	[SIM_OP_UNMAP] = "SIM_UNMAP(...)", [SIM_OP_NAMESPACES] = "SIM_NAMESPACES(...)",
	[SIM_OP_HIT] = "SIM_HIT(...)",     [SIM_OP_CALL] = "SIM_CALL(...)",
};

size_t tally_sim_step_text(const struct tally_sim_step *step, char *to, size_t size)
{
	int len;

	switch (step->op) {
	case SIM_OP_RUN:
		len = snprintf(to, size, "SIM_RUN(%s, %" PRIu64 ", ...)",
			       mode_names[step->run.mode], step->run.ns);
		break;
	case SIM_OP_LOOP: len = snprintf(to, size, "SIM_LOOP(%" PRIu64 ")", step->times); break;
	case SIM_OP_SLEEP: len = snprintf(to, size, "SIM_SLEEP(%" PRIu64 ")", step->ns); break;
	case SIM_OP_FORK:
		len = snprintf(to, size, "SIM_%s_TO(..., %d)",
			       step->fork.process ? "FORK" : "CLONE", step->fork.cpu);
		break;
	case SIM_OP_EXEC:
		len = snprintf(to, size, "SIM_EXEC%s(\"%s\")",
			       step->exec.privileged ? "_PRIVILEGED" : "",
			       step->exec.comm ? step->exec.comm : "");
		break;
	case SIM_OP_COMM: len = snprintf(to, size, "SIM_COMM(\"%s\")", step->comm); break;
	case SIM_OP_SOFTWARE:
		len = snprintf(to, size, "SIM_SOFTWARE(%u, %" PRIu64 ")", step->software.id,
			       step->software.nr);
		break;
	case SIM_OP_MIGRATE: len = snprintf(to, size, "SIM_MIGRATE(%u)", step->cpu); break;
	case SIM_OP_PRIORITY: len = snprintf(to, size, "SIM_PRIORITY(%d)", step->priority); break;
	default: len = snprintf(to, size, "%s", plain[step->op]);
	}
	return (size_t)len;
}

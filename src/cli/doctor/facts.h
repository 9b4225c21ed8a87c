/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of facts, with rows {id, section, title, function}. The function writes the fact's
 * finding. */
#ifndef TALLY_CLI_DOCTOR_FACTS_H
#define TALLY_CLI_DOCTOR_FACTS_H

#include "cli/doctor/doctor.h"
#include "cli/doctor/finding.h"

enum doctor_section {
	DOCTOR_KERNEL,
	DOCTOR_RIGHTS,
	DOCTOR_COUNTERS,
	DOCTOR_LIMITS,
	DOCTOR_SYMBOLS,
	DOCTOR_TRACING,
	DOCTOR_PROGRAM,
	DOCTOR_VERDICT,
	DOCTOR_NR_SECTIONS,
};

struct doctor_fact {
	const char *id; /* stable, such as "rights.paranoid" */
	enum doctor_section section;
	const char *title;
	void (*find)(const struct doctor *doctor, struct doctor_finding *finding);
};

struct doctor_facts {
	const struct doctor_fact *facts;
	size_t nr;
};

/* One table for each source file that defines facts. */
extern const struct doctor_facts doctor_kernel_facts, doctor_rights_facts, doctor_counters_facts,
	doctor_limits_facts, doctor_symbols_facts, doctor_tracing_facts, doctor_file_facts,
	doctor_program_facts, doctor_verdict_facts;

struct doctor_line {
	const struct doctor_fact *fact;
	struct doctor_finding finding;
};

#endif

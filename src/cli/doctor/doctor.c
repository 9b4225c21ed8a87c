/* SPDX-License-Identifier: BSD-2-Clause */
/* tally doctor: check which profiling features work on this system, and how to enable the
 * others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/vec.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/finding.h"
#include "cli/doctor/doctor_host.h"
#include "cli/doctor/doctor_print.h"
#include "cli/doctor/doctor_symbols.h"
#include "cli/doctor/trial.h"
#include "cli/doctor/verdict.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "sampler/privileges.h"

static const struct tally_option doctor_options[] = {
	{'j', "json", TALLY_OPTION_FLAG, offsetof(struct doctor_config, json), NULL,
	 "print JSON in tally's schema"},
	TALLY_OPTION_END,
};

/* ---- probing ----------------------------------------------------------------------- */

/* Fail with -EPERM instead of making a system call that would kill the caller. */
static int closed_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		       int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	return -EPERM;
}

static const struct tally_transport closed_transport = {.name = "closed", .open = closed_open};

static int probe_machine(struct doctor *doctor)
{
	doctor->features = calloc(tally_probe_nr_features, sizeof(*doctor->features));
	if (!doctor->features)
		return -ENOMEM;
	tally_access_read(NULL, &doctor->access);
	doctor->access.kills = tally_probe_kills(doctor->transport);
	if (doctor->access.kills)
		doctor->transport = &closed_transport;
	tally_access_probe(doctor->transport, &doctor->access);
	doctor->call = tally_probe_call(doctor->transport,
					doctor->access.paranoid != TALLY_ACCESS_UNKNOWN);
	for (size_t i = 0; i < tally_probe_nr_features; i++)
		doctor->features[i] = tally_probe_feature(doctor->transport, &doctor->call,
							  &tally_probe_features[i]);
	doctor->pmu = tally_probe_pmu(doctor->transport, tally_probe_work_spin());
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(doctor->fires); i++) {
		const struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
						     .bp_type =
							     i ? HW_BREAKPOINT_X : HW_BREAKPOINT_W};

		doctor->fires[i] =
			tally_probe_fires(doctor->transport, &attr, tally_probe_work_spin());
	}
	doctor_host_find(doctor->root, &doctor->host);
	doctor_tracefs_find(&doctor->tracefs);
	doctor_trials(doctor);
	return 0;
}

/* ---- reporting ---------------------------------------------------------------------- */

typedef TALLY_VEC(struct doctor_line) line_vec;

static int find_facts(const struct doctor *doctor, const struct doctor_facts *facts,
		      line_vec *lines)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < facts->nr; i++) {
		struct doctor_line line = {.fact = &facts->facts[i]};

		facts->facts[i].find(doctor, &line.finding);
		ret = tally_vec_push(lines, line);
		if (ret)
			doctor_finding_free(&line.finding);
	}
	return ret;
}

/* With privileges, find the facts about the machine. Without privileges, find the facts about the
 * command. */
static int find_all(struct doctor *doctor, line_vec *lines)
{
	static const struct doctor_facts *const machine[] = {
		&doctor_kernel_facts, &doctor_rights_facts,  &doctor_counters_facts,
		&doctor_limits_facts, &doctor_symbols_facts, &doctor_tracing_facts,
	};
	int ret, dropped;

	tally_privileges_raise();
	ret = probe_machine(doctor);
	for (size_t i = 0; !ret && i < TALLY_ARRAY_SIZE(machine); i++)
		ret = find_facts(doctor, machine[i], lines);
	dropped = tally_privileges_drop(&tally_print_messages);
	if (!ret)
		ret = dropped;
	if (!ret && doctor->command) {
		doctor_program_find(doctor->command, &doctor->program);
		ret = find_facts(doctor, &doctor_file_facts, lines);
		/* There are no facts about a file that is not a program. */
		if (!ret && !doctor->program.code)
			ret = find_facts(doctor, &doctor_program_facts, lines);
	}
	return ret ? ret : find_facts(doctor, &doctor_verdict_facts, lines);
}

static int doctor_run(int argc, char **argv)
{
	struct doctor_config config = {0};
	struct doctor doctor = {.transport = tally_transport_linux(), .root = ""};
	line_vec lines = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_doctor, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret)
		return ret - 1;
	doctor.command = first < argc ? argv[first] : NULL;
	ret = find_all(&doctor, &lines);
	if (!ret)
		ret = config.json ? doctor_print_json(&doctor, lines.data, lines.len)
				  : doctor_print_text(&doctor, lines.data, lines.len);
	else
		tally_print_error("cannot examine the system: %s", strerror(-ret));
	tally_vec_for_each (line, &lines)
		doctor_finding_free(&line->finding);
	tally_vec_free(&lines);
	doctor_program_free(&doctor.program);
	free(doctor.features);
	return ret || !doctor_works(&doctor) ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_doctor = {
	.name = "doctor",
	.summary = "Check which profiling features work on this system, and show how to enable the "
		   "rest",
	.usage = "[OPTIONS] [-- COMMAND [ARGS]]",
	.about = " The command is examined, not run. The exit status is 0 if commands can be "
		 "counted or\n sampled at all, otherwise 1.\n",
	.options = doctor_options,
	.privileged = true,
	.run = doctor_run,
};

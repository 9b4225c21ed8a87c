/* SPDX-License-Identifier: BSD-2-Clause */
/* Build a finding piece by piece. */
#include <stdarg.h>

#include "base/arith.h"
#include "cli/doctor/finding.h"

void doctor_finding_set(struct doctor_finding *finding, enum doctor_state state, const char *format,
			...)
{
	va_list args;

	finding->state = state;
	va_start(args, format);
	tally_str_addv(&finding->text, format, args);
	va_end(args);
}

void doctor_cause(struct doctor_finding *finding, const char *format, ...)
{
	va_list args;

	if (finding->cause.len)
		tally_str_add(&finding->cause, "; ");
	va_start(args, format);
	tally_str_addv(&finding->cause, format, args);
	va_end(args);
}

void doctor_fix(struct doctor_finding *finding, const char *format, ...)
{
	va_list args;

	if (finding->nr_fixes == DOCTOR_FIXES)
		return;
	va_start(args, format);
	tally_str_addv(&finding->fix[finding->nr_fixes++], format, args);
	va_end(args);
}

void doctor_number(struct doctor_finding *finding, int64_t number)
{
	finding->has_number = true;
	finding->number = number;
}

static void add_refusal_facts(struct doctor_finding *finding, const struct tally_refusal *why,
			      bool begins_with_less)
{
	if (*why->rule)
		doctor_cause(finding, "%s", why->rule);
	if (*why->found)
		doctor_cause(finding, "%s", why->found);
	for (size_t i = begins_with_less; i < TALLY_ARRAY_SIZE(why->fix) && *why->fix[i]; i++)
		doctor_fix(finding, "%s", why->fix[i]);
}

void doctor_refusal(struct doctor_finding *finding, const struct tally_refusal *why)
{
	add_refusal_facts(finding, why,
			  why->broken == TALLY_RULE_KERNEL || why->broken == TALLY_RULE_CPU_WIDE);
}

void doctor_refusal_of_rings(struct doctor_finding *finding, const struct tally_refusal *why)
{
	add_refusal_facts(finding, why, true);
}

void doctor_finding_free(struct doctor_finding *finding)
{
	tally_str_free(&finding->text);
	tally_str_free(&finding->cause);
	for (size_t i = 0; i < DOCTOR_FIXES; i++)
		tally_str_free(&finding->fix[i]);
}

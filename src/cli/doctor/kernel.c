/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about the kernel: its version, access to perf_event_open, and its perf features. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/arith.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/finding.h"

static void find_version(const struct doctor *doctor, struct doctor_finding *finding)
{
	struct utsname name;

	if (uname(&name)) {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "unknown: %s", strerror(errno));
		return;
	}
	doctor_finding_set(finding, DOCTOR_OK, "%s %s on %s", name.sysname, name.release,
			   name.machine);
}

static void find_perf(const struct doctor *doctor, struct doctor_finding *finding)
{
	static const char *const words[] = {
		[TALLY_SYSCALL_ACCEPTS] = "open",
		[TALLY_SYSCALL_REJECTS] = "refuses",
		[TALLY_SYSCALL_FILTERED] = "filtered",
		[TALLY_SYSCALL_MISSING] = "none",
	};
	const char *error = strerror(-doctor->call.code);

	finding->word = words[doctor->call.door];
	switch (doctor->call.door) {
	case TALLY_SYSCALL_ACCEPTS:
		doctor_finding_set(finding, DOCTOR_OK, "the kernel supports perf_event_open");
		break;
	case TALLY_SYSCALL_REJECTS:
		doctor_finding_set(
			finding, DOCTOR_BAD,
			"the kernel rejects even a clock event for tally's own process: %s", error);
		break;
	case TALLY_SYSCALL_FILTERED:
		if (doctor->access.kills)
			doctor_finding_set(finding, DOCTOR_BAD,
					   "a seccomp filter kills callers of perf_event_open");
		else
			doctor_finding_set(finding, DOCTOR_BAD,
					   "a seccomp filter intercepts perf_event_open before "
					   "the kernel: %s",
					   error);
		break;
	case TALLY_SYSCALL_MISSING:
		doctor_finding_set(finding, DOCTOR_BAD, "this kernel has no perf_event_open");
		doctor_fix(finding, "use a kernel with CONFIG_PERF_EVENTS");
		break;
	}
}

static void find_attr(const struct doctor *doctor, struct doctor_finding *finding)
{
	uint32_t size = doctor->call.attr_size;

	if (!size) {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "unknown");
		return;
	}
	doctor_number(finding, size);
	doctor_finding_set(finding, DOCTOR_OK,
			   "the kernel's perf_event_attr has %u bytes, tally's has %zu", size,
			   sizeof(struct perf_event_attr));
}

/* Describe the features in one line: the number of features that are present, and the names of the
 * missing ones. */
static void find_features(const struct doctor *doctor, struct doctor_finding *finding)
{
	size_t known = 0, lacking = 0;
	struct tally_str lacks = {0};

	for (size_t i = 0; i < tally_probe_nr_features; i++) {
		const struct tally_probe_feature *feature = &tally_probe_features[i];

		known += doctor->features[i] == TALLY_PROBE_YES;
		if (doctor->features[i] != TALLY_PROBE_NO)
			continue;
		tally_str_addf(&lacks, "%s%s (%s)", lacking++ ? ", " : "", feature->id,
			       feature->since);
	}
	doctor_number(finding, (int64_t)known);
	if (!known && !lacking)
		doctor_finding_set(finding, DOCTOR_UNKNOWN,
				   "unknown: the kernel cannot be queried");
	else
		doctor_finding_set(finding, DOCTOR_OK, "%zu of %zu tested features found%s%s",
				   known, tally_probe_nr_features, lacking ? "; missing: " : "",
				   tally_str_text(&lacks));
	tally_str_free(&lacks);
}

static const struct doctor_fact facts[] = {
	{"kernel.version", DOCTOR_KERNEL, "version", find_version},
	{"kernel.perf", DOCTOR_KERNEL, "perf_event_open", find_perf},
	{"kernel.attr", DOCTOR_KERNEL, "attr size", find_attr},
	{"kernel.features", DOCTOR_KERNEL, "features", find_features},
};
const struct doctor_facts doctor_kernel_facts = {facts, TALLY_ARRAY_SIZE(facts)};

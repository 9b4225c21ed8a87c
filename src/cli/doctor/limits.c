/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about limits on memory, descriptors and rates. */
#include "base/arith.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/finding.h"
#include "cli/doctor/doctor_host.h"
#include "sampler/sampling.h"

enum {
	EVENTS_OF_A_RECORD = 2, /* number of events that tally record opens on each CPU */
	KERNEL_DEFAULT_HZ = 100000,
};

static void find_memory(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct tally_access *access = &doctor->access;
	size_t wanted = TALLY_SAMPLING_RING / access->page_size, pages;
	struct tally_refusal why = {0};

	pages = tally_access_rings(access, wanted, access->cpus, &why);
	doctor_number(finding, (int64_t)(pages * access->page_size));
	if (pages == wanted) {
		doctor_finding_set(finding, DOCTOR_OK, "a ring buffer of %u KiB fits on each CPU",
				   TALLY_SAMPLING_RING >> 10);
		return;
	}
	if (pages)
		doctor_finding_set(finding, DOCTOR_NOTE,
				   "ring buffers of %zu KiB instead of %u KiB on each CPU",
				   (size_t)(pages * access->page_size >> 10),
				   TALLY_SAMPLING_RING >> 10);
	else
		doctor_finding_set(finding, DOCTOR_WARN,
				   "not enough even for ring buffers of one page");
	doctor_refusal_of_rings(finding, &why);
}

static void find_files(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct tally_access *access = &doctor->access;
	uint64_t needed = (uint64_t)EVENTS_OF_A_RECORD * access->cpus;

	doctor_number(finding, (int64_t)TALLY_MIN(access->files_hard, (uint64_t)INT64_MAX));
	doctor_finding_set(finding, access->files_hard > 2 * needed + 64 ? DOCTOR_OK : DOCTOR_WARN,
			   "%llu, raised to at most %llu if needed; an event needs one per CPU and "
			   "thread (record -a: %llu)",
			   (unsigned long long)access->files,
			   (unsigned long long)access->files_hard, (unsigned long long)needed);
	if (finding->state == DOCTOR_WARN)
		doctor_fix(finding,
			   "raise the hard limit: ulimit -Hn, or LimitNOFILE= in the systemd unit");
}

static void find_rate(const struct doctor *doctor, struct doctor_finding *finding)
{
	int64_t rate = doctor->access.max_sample_rate;

	if (rate == TALLY_ACCESS_UNKNOWN) {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "cannot be read");
		return;
	}
	doctor_number(finding, rate);
	doctor_finding_set(finding, rate < TALLY_SAMPLING_FREQ ? DOCTOR_WARN : DOCTOR_OK,
			   "%lld Hz on each CPU%s", (long long)rate,
			   rate < TALLY_SAMPLING_FREQ ? ", less than the default of 'tally record'"
						      : "");
	if (rate >= KERNEL_DEFAULT_HZ)
		return;
	doctor_cause(finding,
		     "below the kernel's default of %d: it was changed, or the kernel lowered it "
		     "because samples took too long",
		     KERNEL_DEFAULT_HZ);
	if (rate < TALLY_SAMPLING_FREQ)
		doctor_fix(finding, "sudo sysctl kernel.perf_event_max_sample_rate=%d",
			   KERNEL_DEFAULT_HZ);
}

static void find_cpu_time(const struct doctor *doctor, struct doctor_finding *finding)
{
	int64_t percent;

	if (!doctor_read_number(doctor->root, "/proc/sys/kernel/perf_cpu_time_max_percent",
				&percent)) {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "cannot be read");
		return;
	}
	doctor_number(finding, percent);
	if (percent > 0 && percent < 100)
		doctor_finding_set(finding, DOCTOR_OK,
				   "the kernel lowers the sample rate permanently if sampling "
				   "takes more than %lld%% of a CPU",
				   (long long)percent);
	else
		doctor_finding_set(finding, DOCTOR_OK, "the kernel never lowers the sample rate");
}

static void find_stack(const struct doctor *doctor, struct doctor_finding *finding)
{
	if (doctor->access.max_stack == TALLY_ACCESS_UNKNOWN) {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "cannot be read");
		return;
	}
	doctor_number(finding, doctor->access.max_stack);
	doctor_finding_set(finding, DOCTOR_OK, "up to %d frames per callchain",
			   doctor->access.max_stack);
}

static const struct doctor_fact facts[] = {
	{"limits.memory", DOCTOR_LIMITS, "locked memory", find_memory},
	{"limits.files", DOCTOR_LIMITS, "descriptors", find_files},
	{"limits.rate", DOCTOR_LIMITS, "sample rate", find_rate},
	{"limits.cpu-time", DOCTOR_LIMITS, "sampling time", find_cpu_time},
	{"limits.stack", DOCTOR_LIMITS, "stack depth", find_stack},
};
const struct doctor_facts doctor_limits_facts = {facts, TALLY_ARRAY_SIZE(facts)};

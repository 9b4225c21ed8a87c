/* SPDX-License-Identifier: BSD-2-Clause */
/* Metric literals that describe the machine, such as "#num_cpus". */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/arith.h"
#include "base/file.h"
#include "events/metric.h"

/* Read a number from a file in sysfs. Returns `otherwise` if that fails. */
static double number_read(struct tally_events *events, const char *file, double otherwise)
{
	char path[PATH_MAX], *text, *end;
	double value;
	size_t len;

	snprintf(path, sizeof(path), "%s/%.250s", events->sysfs, file);
	if (tally_file_read(path, 4096, &text, &len))
		return otherwise;
	value = (double)strtoull(text, &end, 0);
	if (end == text)
		value = otherwise;
	free(text);
	return value;
}

enum { MAX_CPUS = 4096 };

/* Count the distinct CPU sets, such as "0-3" and "4-7", in all CPUs' topology files named
 * `file`. */
static double places_count(struct tally_events *events, const char *file)
{
	tally_name_vec texts = {0};
	struct tally_arena arena = {0};
	double nr;

	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		char path[PATH_MAX], *text;
		bool known = false;
		size_t len;

		snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%d/topology/%s",
			 events->sysfs, cpu, file);
		if (tally_file_read(path, 4096, &text, &len))
			break;
		tally_vec_for_each (other, &texts)
			known |= !strcmp(*other, text);
		if (!known && tally_vec_push(&texts, tally_arena_strndup(&arena, text, len)))
			known = true;
		free(text);
	}
	nr = texts.len ? (double)texts.len : 1;
	tally_vec_free(&texts);
	tally_arena_free(&arena);
	return nr;
}

/* Return the number of CPUs in a file with a list such as "0-3,5". */
static double cpus_count(struct tally_events *events, const char *file)
{
	char path[PATH_MAX], *text;
	double nr = 0;
	size_t len;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/%s", events->sysfs, file);
	if (tally_file_read(path, 65536, &text, &len))
		return 1;
	for (char *at = text; at && *at >= '0' && *at <= '9';) {
		unsigned long first = strtoul(at, &at, 10), last = first;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		nr += (double)(last - first) + 1;
		at += *at == ',';
	}
	free(text);
	return TALLY_MAX(nr, 1);
}

static double online(struct tally_events *events)
{
	return cpus_count(events, "online");
}

static double present(struct tally_events *events)
{
	return cpus_count(events, "present");
}

/* The firmware describes persistent memory in a table of that name. */
static double has_pmem(struct tally_events *events)
{
	return isnan(number_read(events, "firmware/acpi/tables/NFIT", NAN)) ? 0 : 1;
}

static double smt_on(struct tally_events *events)
{
	/* The SMT state of another machine is unknown: assume that SMT is off. */
	return events->tables.whose == TALLY_CPU_OTHER
		       ? 0
		       : number_read(events, "devices/system/cpu/smt/active", 0);
}

static double slots(struct tally_events *events)
{
	char file[PATH_MAX];

	if (tally_pmu_cores(events) || !events->cores.len)
		return NAN;
	snprintf(file, sizeof(file), "bus/event_source/devices/%s/caps/slots",
		 events->cores.data[0]->name);
	return number_read(events, file, NAN);
}

static double cores(struct tally_events *events)
{
	return places_count(events, "core_cpus_list");
}

static double dies(struct tally_events *events)
{
	return places_count(events, "die_cpus_list");
}

static double packages(struct tally_events *events)
{
	return places_count(events, "package_cpus_list");
}

/* Return the time stamp counter frequency in Hz. If the kernel does not provide the frequency,
 * query the CPU. */
static double tsc_frequency(struct tally_events *events)
{
	double khz = number_read(events, "devices/system/cpu/cpu0/tsc_freq_khz", NAN);
#if defined(__x86_64__) || defined(__i386__)
	enum { CRYSTAL = 0x15, NOMINAL = 0x16 };
	unsigned denominator, numerator, crystal, rest, mhz;

	if (!isnan(khz) || events->tables.whose == TALLY_CPU_OTHER)
		return khz * 1e3;
	if (__get_cpuid(CRYSTAL, &denominator, &numerator, &crystal, &rest) && denominator &&
	    numerator && crystal)
		return (double)crystal * numerator / denominator;
	if (__get_cpuid(NOMINAL, &mhz, &numerator, &crystal, &rest) && mhz)
		return mhz * 1e6;
#endif
	return khz * 1e3;
}

static double always_zero(struct tally_events *events)
{
	return 0;
}

double tally_literal_value(struct tally_events *events, const char *text, size_t len)
{
	static const struct {
		const char *name;
		double (*value)(struct tally_events *events);
	} literals[] = {
		{"#smt_on", smt_on},
		{"#num_cpus", present},
		{"#num_cpus_online", online},
		{"#num_cores", cores},
		{"#num_dies", dies},
		{"#num_packages", packages},
		{"#core_wide", always_zero},
		{"#ebs_mode", always_zero},
		{"#slots", slots},
		{"#system_tsc_freq", tsc_frequency},
		{"#has_pmem", has_pmem},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(literals); i++)
		if (strlen(literals[i].name) == len && !strncasecmp(literals[i].name, text, len))
			return literals[i].value(events);
	return NAN;
}

int tally_tool_value(struct tally_events *events, enum tally_event_tool tool, uint64_t *ret_value)
{
	static const char *const names[] = {
		[TALLY_TOOL_NUM_CPUS] = "#num_cpus",
		[TALLY_TOOL_NUM_CPUS_ONLINE] = "#num_cpus_online",
		[TALLY_TOOL_NUM_CORES] = "#num_cores",
		[TALLY_TOOL_NUM_DIES] = "#num_dies",
		[TALLY_TOOL_NUM_PACKAGES] = "#num_packages",
		[TALLY_TOOL_SMT_ON] = "#smt_on",
		[TALLY_TOOL_SYSTEM_TSC_FREQ] = "#system_tsc_freq",
		[TALLY_TOOL_HAS_PMEM] = "#has_pmem",
	};
	double value = NAN;

	if ((size_t)tool < TALLY_ARRAY_SIZE(names) && names[tool])
		value = tally_literal_value(events, names[tool], strlen(names[tool]));
	if (isnan(value))
		return -ENODATA;
	*ret_value = (uint64_t)value;
	return 0;
}

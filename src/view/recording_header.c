/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's header in perf's words: the features in the order of their numbers. */
#include "view/recording_header.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arith.h"
#include "base/escape.h"
#include "view/attr_text.h"
#include "view/header_machine.h"

static void add_captured(const struct tally_session *session, struct tally_str *out)
{
	const struct tally_perfdata_info *info = tally_perfdata_info(session->data);
	/* perf does not know these of a stream. */
	uint64_t offset = info->is_pipe ? 0 : info->data_offset;
	uint64_t size = info->is_pipe ? 0 : info->data_size;
	struct stat st;
	char when[32];

	if (stat(session->path, &st) || !ctime_r(&st.st_mtime, when))
		return;
	tally_str_addf(out, "# captured on    : %s", when);
	/* perf counts from 0. */
	tally_str_add_line(out, "# header version : %u", info->version - 1);
	tally_str_addf(out, "# data offset    : %" PRIu64 "\n", offset);
	tally_str_addf(out, "# data size      : %" PRIu64 "\n", size);
	tally_str_addf(out, "# feat offset    : %" PRIu64 "\n", offset + size);
}

/* ---- features of the recording ---------------------------------------------- */

static void add_cmdline(struct tally_session *session, const struct tally_perfdata_env *env,
			struct tally_str *out)
{
	size_t start = out->len;

	tally_str_add(out, "# cmdline : ");
	for (uint32_t i = 0; i < env->cmdline.nr; i++)
		tally_str_addf(out, "%s ", env->cmdline.items[i]);
	tally_str_escape(out, start);
	tally_str_add_char(out, '\n');
}

static void add_events(struct tally_session *session, const struct tally_perfdata_env *env,
		       struct tally_str *out)
{
	const struct tally_perfdata_event *event;

	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++) {
		size_t start = out->len;

		tally_str_addf(out, "# event : name = %s, ", event->name);
		for (size_t id = 0; id < event->nr_ids; id++)
			tally_str_addf(out, "%s %" PRIu64, id ? "," : ", id = {", event->ids[id]);
		tally_str_add(out, event->nr_ids ? " }, " : ", ");
		tally_attr_header(&event->attr, out);
		tally_str_escape(out, start);
		tally_str_add_char(out, '\n');
	}
}

static void add_groups(struct tally_session *session, const struct tally_perfdata_env *env,
		       struct tally_str *out)
{
	for (uint32_t i = 0; i < env->nr_groups; i++) {
		const struct tally_perfdata_group *group = &env->groups[i];
		size_t start = out->len;

		tally_str_addf(out, "# group: %s{",
			       strcmp(group->name, "{anon_group}") ? group->name : "");
		for (uint32_t member = 0; member < group->nr_members; member++) {
			const struct tally_perfdata_event *event =
				tally_perfdata_event(session->data, group->leader + member);

			if (!event)
				break;
			tally_str_addf(out, "%s%s", member ? "," : "", event->name);
		}
		tally_str_add_char(out, '}');
		tally_str_escape(out, start);
		tally_str_add_char(out, '\n');
	}
}

static void add_times(struct tally_session *session, const struct tally_perfdata_env *env,
		      struct tally_str *out)
{
	uint64_t first = env->sample_time_first, last = env->sample_time_last;

	tally_str_addf(out, "# time of first sample : %" PRIu64 ".%06" PRIu64 "\n",
		       first / 1000000000, first / 1000 % 1000000);
	tally_str_addf(out, "# time of last sample : %" PRIu64 ".%06" PRIu64 "\n",
		       last / 1000000000, last / 1000 % 1000000);
	tally_str_add_line(out, "# sample duration : %10.3f ms", (double)(last - first) / 1e6);
}

static void add_compressed(struct tally_session *session, const struct tally_perfdata_env *env,
			   struct tally_str *out)
{
	tally_str_addf(out, "# compressed : %s, level = %u, ratio = %u\n",
		       env->compress_type == 1 ? "Zstd" : "Unknown", env->compress_level,
		       env->compress_ratio);
}

static const char *clock_name(uint32_t clock)
{
	static const char *const names[] = {[CLOCK_REALTIME] = "realtime",
					    [CLOCK_MONOTONIC] = "monotonic",
					    [CLOCK_MONOTONIC_RAW] = "monotonic_raw",
					    [CLOCK_BOOTTIME] = "boottime",
					    [CLOCK_TAI] = "tai"};

	return clock < TALLY_ARRAY_SIZE(names) && names[clock] ? names[clock] : "unknown";
}

static void add_clock_resolution(struct tally_session *session,
				 const struct tally_perfdata_env *env, struct tally_str *out)
{
	tally_str_addf(out, "# clockid frequency: %" PRIu64 " MHz\n",
		       env->clockid_res_ns ? 1000 / env->clockid_res_ns : 0);
}

/* Append the moment that CLOCK_DATA gives on both clocks. */
static void add_clock(struct tally_session *session, const struct tally_perfdata_env *env,
		      struct tally_str *out)
{
	const char *name = clock_name(env->clock_data_clockid);
	uint64_t wall = env->clock_data_wall_ns, clock = env->clock_data_clock_ns;
	time_t seconds = (time_t)(wall / 1000000000);
	char date[64] = "?";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%F %T", &tm);
	tally_str_addf(out, "# clockid: %s (%u)\n", name, env->clock_data_clockid);
	tally_str_addf(out,
		       "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64
		       " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n",
		       date, wall / 1000 % 1000000, wall / 1000000000, wall / 1000 % 1000000,
		       clock / 1000000000, clock % 1000000000, name);
}

/* ---- features that are one value --------------------------------------------- */

enum value_kind {
	VALUE_TEXT, /* const char * */
	VALUE_U32,
	VALUE_U64,
	VALUE_NONE, /* the feature's presence is the information */
};

static void add_value(const struct tally_perfdata_env *env, enum value_kind kind, size_t offset,
		      struct tally_str *out)
{
	const char *at = (const char *)env + offset;

	switch (kind) {
	case VALUE_TEXT: tally_str_add(out, *(const char *const *)(const void *)at); break;
	case VALUE_U32: tally_str_add_u64(out, *(const uint32_t *)(const void *)at); break;
	case VALUE_U64: tally_str_add_u64(out, *(const uint64_t *)(const void *)at); break;
	case VALUE_NONE: break;
	}
}

#define ENV(member) offsetof(struct tally_perfdata_env, member)

/* One line of a feature: text around a value. A feature can have several rows. */
static const struct header_line {
	uint32_t feature;
	enum value_kind kind;
	size_t offset;
	const char *before, *after;
} lines[] = {
	{TALLY_FEATURE_HOSTNAME, VALUE_TEXT, ENV(hostname), "hostname : ", ""},
	{TALLY_FEATURE_OSRELEASE, VALUE_TEXT, ENV(osrelease), "os release : ", ""},
	{TALLY_FEATURE_VERSION, VALUE_TEXT, ENV(version), "perf version : ", ""},
	{TALLY_FEATURE_ARCH, VALUE_TEXT, ENV(arch), "arch : ", ""},
	{TALLY_FEATURE_NRCPUS, VALUE_U32, ENV(nr_cpus_online), "nrcpus online : ", ""},
	{TALLY_FEATURE_NRCPUS, VALUE_U32, ENV(nr_cpus_avail), "nrcpus avail : ", ""},
	{TALLY_FEATURE_CPUDESC, VALUE_TEXT, ENV(cpudesc), "cpudesc : ", ""},
	{TALLY_FEATURE_CPUID, VALUE_TEXT, ENV(cpuid), "cpuid : ", ""},
	{TALLY_FEATURE_TOTAL_MEM, VALUE_U64, ENV(total_mem_kb), "total memory : ", " kB"},
	{TALLY_FEATURE_BRANCH_STACK, VALUE_NONE, 0, "contains samples with branch stack", ""},
	{TALLY_FEATURE_AUXTRACE, VALUE_NONE, 0, "contains AUX area data (e.g. instruction trace)",
	 ""},
	{TALLY_FEATURE_STAT, VALUE_NONE, 0, "contains stat data", ""},
	{TALLY_FEATURE_DIR_FORMAT, VALUE_U64, ENV(dir_version), "directory data version : ", ""},
	{TALLY_FEATURE_CLN_SIZE, VALUE_U32, ENV(cache_line_size), "cache line size : ", ""},
};

/* Features with more than one value. */
static const struct header_section {
	uint32_t feature;
	bool is_long; /* printed only on request */
	void (*add)(struct tally_session *session, const struct tally_perfdata_env *env,
		    struct tally_str *out);
} sections[] = {
	{TALLY_FEATURE_CMDLINE, false, add_cmdline},
	{TALLY_FEATURE_EVENT_DESC, false, add_events},
	{TALLY_FEATURE_CPU_TOPOLOGY, true, tally_header_topology},
	{TALLY_FEATURE_NUMA_TOPOLOGY, true, tally_header_nodes},
	{TALLY_FEATURE_PMU_MAPPINGS, false, tally_header_pmus},
	{TALLY_FEATURE_GROUP_DESC, false, add_groups},
	{TALLY_FEATURE_CACHE, true, tally_header_caches},
	{TALLY_FEATURE_SAMPLE_TIME, false, add_times},
	{TALLY_FEATURE_MEM_TOPOLOGY, true, tally_header_memory},
	{TALLY_FEATURE_CLOCKID, false, add_clock_resolution},
	{TALLY_FEATURE_COMPRESSED, false, add_compressed},
	{TALLY_FEATURE_CPU_PMU_CAPS, false, tally_header_cpu_caps},
	{TALLY_FEATURE_CLOCK_DATA, false, add_clock},
	{TALLY_FEATURE_HYBRID_TOPOLOGY, true, tally_header_hybrid},
	{TALLY_FEATURE_PMU_CAPS, false, tally_header_pmu_caps},
	{TALLY_FEATURE_E_MACHINE, false, tally_header_elf},
	{TALLY_FEATURE_CPU_DOMAIN_INFO, false, tally_header_domains},
	{TALLY_FEATURE_MEMORY_RANGES, false, tally_header_ranges},
};

static void add_lines(const struct tally_perfdata_env *env, uint32_t feature, struct tally_str *out)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(lines); i++) {
		size_t start = out->len;

		if (lines[i].feature != feature)
			continue;
		tally_str_addf(out, "# %s", lines[i].before);
		add_value(env, lines[i].kind, lines[i].offset, out);
		tally_str_add(out, lines[i].after);
		tally_str_escape(out, start);
		tally_str_add_char(out, '\n');
	}
}

static void add_feature(struct tally_session *session, const struct tally_perfdata_env *env,
			uint32_t feature, bool full, struct tally_str *out)
{
	add_lines(env, feature, out);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(sections); i++) {
		if (sections[i].feature != feature)
			continue;
		if (sections[i].is_long && !full)
			tally_str_addf(out, "# %s info available, use -I to display\n",
				       tally_perfdata_feature_name(feature));
		else
			sections[i].add(session, env, out);
	}
}

/* Name the features that perf 6.1 knows and the recording lacks. */
static void add_missing(struct tally_session *session, const struct tally_perfdata_env *env,
			struct tally_str *out)
{
	struct tally_perfdata_feature feature;
	uint64_t present = 0;

	for (size_t i = 0; tally_perfdata_feature(session->data, i, &feature); i++)
		present |= feature.id < 64 ? UINT64_C(1) << feature.id : 0;
	tally_str_add(out, "# missing features: ");
	for (uint32_t i = 1; i <= TALLY_FEATURE_PMU_CAPS; i++)
		if (!(present >> i & 1))
			tally_str_addf(out, "%s ", tally_perfdata_feature_name(i));
	tally_str_add_char(out, '\n');
}

int tally_header_read_stream(struct tally_session *session)
{
	struct tally_perfdata_record record;
	struct tally_error err = {0};
	int ret = tally_perfdata_info(session->data)->is_pipe;

	while (ret > 0)
		ret = tally_perfdata_next(session->data, &record, &err);
	return ret == -ENOMEM ? ret : 0;
}

int tally_header_text(struct tally_session *session, bool full, struct tally_str *out)
{
	const struct tally_perfdata_env *env;
	int ret = tally_perfdata_env(session->data, &env);

	if (ret)
		return ret;
	tally_str_add(out, "# ========\n");
	add_captured(session, out);
	for (uint32_t feature = 1; feature < 64; feature++)
		if (tally_perfdata_env_has(env, feature))
			add_feature(session, env, feature, full, out);
	if (!tally_perfdata_info(session->data)->is_pipe)
		add_missing(session, env, out);
	tally_str_add(out, "# ========\n#\n");
	return tally_str_error(out);
}

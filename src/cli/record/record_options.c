/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally record and the parsers for their arguments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/size.h"
#include "cli/main/print.h"
#include "cli/main/target_options.h"
#include "cli/main/via.h"
#include "cli/record/record_options.h"

static int option_filter(void *config_, const char *arg)
{
	struct record_config *config = config_;

	return tally_vec_push(&config->filters, (struct record_filter){config->events.nr, arg});
}

static int option_exclude_perf(void *config_, const char *arg)
{
	struct record_config *config = config_;

	(void)arg;
	return tally_vec_push(&config->filters, (struct record_filter){config->events.nr, NULL});
}

/* ---- sizes and times ------------------------------------------------------- */

static int option_max_size(void *config_, const char *arg)
{
	struct record_config *config = config_;

	if (arg && tally_size_parse(arg, 1, &config->max_size) && config->max_size)
		return 0;
	tally_print_error("--max-size %s: must be a size such as 64M or 2G", arg);
	return -EINVAL;
}

static bool parse_time(const char *text, uint64_t *ret_ns)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	uint64_t value;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	value = strtoull(text, &end, 10);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(units); i++) {
		if (*end == units[i].unit && !end[1] && value && value < 1u << 31) {
			*ret_ns = value * units[i].seconds * 1000000000;
			return true;
		}
	}
	return false;
}

static int option_duration(void *config, const char *arg)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !(seconds >= 0.001 && seconds <= 1e9)) {
		tally_print_error("--duration %s: must be a number of seconds", arg);
		return -EINVAL;
	}
	((struct record_config *)config)->duration_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int option_switch(void *config_, const char *arg)
{
	struct record_config *config = config_;

	if (!strcmp(arg, "signal")) {
		config->switch_signal = true;
		return 0;
	}
	if (parse_time(arg, &config->switch_ns))
		return 0;
	/* Require a unit, as a plain number would be ambiguous. */
	if (arg[strlen(arg) - 1] > '9' && tally_size_parse(arg, 1, &config->switch_bytes) &&
	    config->switch_bytes)
		return 0;
	tally_print_error("--switch-output %s: must be 'signal', a size (10M) or a time (5s)", arg);
	return -EINVAL;
}

static int option_compress(void *config_, const char *arg)
{
	enum { MOST = 22 };
	struct record_config *config = config_;
	char *end;
	long level = strtol(arg, &end, 10);

	if (end == arg || *end || level < 0) {
		tally_print_error("-z %s: must be a level from 1 to %d", arg, MOST);
		return -EINVAL;
	}
	if (level > MOST)
		tally_print_warning("-z %s: using the highest level, %d", arg, MOST);
	config->compress_level = (int)TALLY_MIN(level, (long)MOST);
	return 0;
}

static int option_synth(void *config, const char *arg)
{
	return tally_sampling_parse_synth(&((struct record_config *)config)->sampling, arg);
}

static int option_chain(void *config, const char *arg)
{
	return tally_sampling_parse_chain(&((struct record_config *)config)->sampling, arg);
}

static int option_branch(void *config, const char *arg)
{
	return tally_sampling_parse_branches(&((struct record_config *)config)->sampling, arg);
}

static int option_any_branch(void *config, const char *arg)
{
	return option_branch(config, NULL);
}

static int option_cgroup(void *config, const char *arg)
{
	return tally_sampling_parse_cgroup(&((struct record_config *)config)->sampling, arg);
}

static int option_clock(void *config, const char *arg)
{
	return tally_sampling_parse_clock(&((struct record_config *)config)->sampling, arg);
}

static int option_regs_intr(void *config, const char *arg)
{
	struct tally_sampling *sampling = &((struct record_config *)config)->sampling;

	return tally_sampling_parse_registers(sampling, arg, &sampling->regs_intr);
}

static int option_regs_user(void *config, const char *arg)
{
	struct tally_sampling *sampling = &((struct record_config *)config)->sampling;

	return tally_sampling_parse_registers(sampling, arg, &sampling->regs_user);
}

/* ---- option table --------------------------------------------------------------- */

#define AT(member)    offsetof(struct record_config, member)
#define FLAG(member)  TALLY_OPTION_FLAG, AT(member), NULL
#define CALL(fn, arg) TALLY_OPTION_CALL, 0, arg

const struct tally_option record_options[] = {
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What to record:"},
	TALLY_OPTIONS_CPUS(AT(sampling.target)),
	TALLY_OPTIONS_TASKS(AT(sampling.target), 't'),
	TALLY_OPTION_USER(AT(sampling.target)),
	TALLY_OPTION_VIA(AT(via)),
	{'G', "cgroup", .kind = TALLY_OPTION_CALL, .arg = "name",
	 .help = "record only tasks in this cgroup, with -a or -C", .call = option_cgroup},
	{'i', "no-inherit", FLAG(sampling.no_inherit), "do not include child tasks"},
	{0, "per-thread", FLAG(sampling.target.per_thread),
	 "use one buffer per task instead of one per CPU"},
	{'D', "delay", TALLY_OPTION_TEXT, AT(delay), "ms|from-to,...",
	 "start recording after this delay, or record in these ranges of time; -1: wait for "
	 "'enable' from --control"},
	{0, "duration", .kind = TALLY_OPTION_CALL, .arg = "seconds",
	 .help = "stop recording, and the command, after this time", .call = option_duration},
	{0, "control", TALLY_OPTION_TEXT, AT(control), "fd:N[,N]|fifo:F[,F]",
	 "accept enable, disable, snapshot, evlist, ping and stop from this descriptor or FIFO"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Events:"},
	{'e', "event", TALLY_OPTION_LIST, AT(events), "event",
	 "sample this event (default: cycles); see tally list"},
	TALLY_OPTION_EVENTS_DIR(AT(sampling.source.dir)),
	{0, "filter", .kind = TALLY_OPTION_CALL, .arg = "filter",
	 .help = "filter the events of the preceding -e: tracepoints by their fields, others by "
		 "period, cpu, addr, ...",
	 .call = option_filter},
	{0, "exclude-perf", .kind = TALLY_OPTION_CALL,
	 .help = "leave out the recorder from the tracepoints of the preceding -e",
	 .call = option_exclude_perf},
	{0, "group", FLAG(group), "make all events one group"},
	{'F', "freq", TALLY_OPTION_TEXT, AT(sampling.freq), "freq",
	 "take this many samples per second (default: 4000), or 'max'"},
	{0, "strict-freq", FLAG(sampling.strict_freq),
	 "fail if the kernel does not permit this frequency"},
	{'c', "count", TALLY_OPTION_U64, AT(sampling.period), "n", "take a sample every n events",
	 .given = AT(sampling.has_period)},
	{'n', "no-samples", FLAG(sampling.no_samples),
	 "record no samples, only task and map events"},
	{0, "all-user", FLAG(sampling.all_user), "sample only in user space"},
	{0, "all-kernel", FLAG(sampling.all_kernel), "sample only in the kernel"},
	{'k', "clockid", .kind = TALLY_OPTION_CALL, .arg = "clock",
	 .help = "select the clock for timestamps: monotonic, raw, boottime, realtime, tai or a "
		 "number",
	 .call = option_clock},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Sample contents:"},
	{'g', NULL, .kind = TALLY_OPTION_CALL, .help = "record callchains with frame pointers",
	 .call = option_chain, .takes_no = true},
	{0, "call-graph", .kind = TALLY_OPTION_CALL,
	 .arg = "fp[,defer]|dwarf[,size]|auto[,size]|lbr",
	 .help = "record callchains; select the method; defer: unwind on return to user space",
	 .call = option_chain, .takes_no = true},
	{0, "call-graph-default", TALLY_OPTION_TEXT, AT(sampling.default_chain), "method",
	 "set the method of -g (default: fp)"},
	{0, "keep-stacks", FLAG(keep_stacks),
	 "with --call-graph dwarf or auto, keep the stack dumps instead of unwinding"},
	{0, "max-stack", TALLY_OPTION_U64, AT(sampling.max_stack), "n",
	 "limit the length of callchains"},
	{0, "kernel-callchains", FLAG(sampling.kernel_chains),
	 "record only the kernel part of callchains"},
	{0, "user-callchains", FLAG(sampling.user_chains),
	 "record only the user-space part of callchains"},
	{'d', "data", FLAG(sampling.with_addr), "record data addresses"},
	{0, "data-mmap", FLAG(sampling.with_data_maps),
	 "record mappings of data, too (implied by -d)"},
	{0, "sample-mem-info", FLAG(sampling.with_data_src),
	 "record the data source (implied by -d)"},
	{0, "phys-data", FLAG(sampling.with_phys), "record physical data addresses"},
	{0, "data-page-size", FLAG(sampling.with_data_page),
	 "record the page size of data addresses"},
	{0, "code-page-size", FLAG(sampling.with_code_page),
	 "record the page size of code addresses"},
	{'T', "timestamp", FLAG(sampling.with_time), "record timestamps (default)"},
	{'P', "period", FLAG(sampling.with_period),
	 "record periods (default for frequencies and tracepoints)",
	 .given = AT(sampling.period_chosen)},
	{'W', "weight", FLAG(sampling.with_weight), "record weights"},
	{'R', "raw-samples", FLAG(sampling.raw), "record the raw data of all events"},
	{0, "sample-cpu", FLAG(sampling.with_cpu), "record the CPU"},
	{0, "sample-identifier", FLAG(sampling.with_identifier),
	 "record the event id at a fixed offset"},
	{0, "transaction", FLAG(sampling.with_transaction), "record memory transaction flags"},
	{'b', "branch-any", .kind = TALLY_OPTION_CALL, .help = "record taken branches of any type",
	 .call = option_any_branch},
	{'j', "branch-filter", .kind = TALLY_OPTION_CALL, .arg = "kinds",
	 .help = "record taken branches of these types (e.g. any_call,u)", .call = option_branch},
	{'I', "intr-regs", .kind = TALLY_OPTION_CALL, .arg = "registers",
	 .help = "record register values at each sampling interrupt (-I? lists the registers)",
	 .optional = "", .call = option_regs_intr},
	{0, "user-regs", .kind = TALLY_OPTION_CALL, .arg = "registers",
	 .help = "record the user-space registers", .optional = "", .call = option_regs_user},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Other records:"},
	{'s', "stat", FLAG(sampling.inherit_stat),
	 "record the counts of each thread when it exits"},
	{0, "running-time", FLAG(sampling.running_times),
	 "read how long events were counted; recorded with counts in samples (-e {...}:S)"},
	{0, "switch-events", FLAG(sampling.switch_events), "record context switches"},
	{0, "latency", FLAG(sampling.switch_events),
	 "record context switches, for 'tally report --latency'"},
	{0, "namespaces", FLAG(sampling.namespaces), "record the tasks' namespaces"},
	{0, "all-cgroups", FLAG(sampling.all_cgroups), "record cgroups, also in samples"},
	{0, "buildid-mmap", FLAG(sampling.buildid_mmap), "record build IDs in mmap records"},
	{0, "no-bpf-event", FLAG(sampling.no_bpf),
	 "do not record the loading and unloading of BPF programs"},
	{0, "synth", .kind = TALLY_OPTION_CALL, .arg = "no|task|mmap|cgroup|all",
	 .help = "record existing threads and mappings (default: all)", .call = option_synth,
	 .takes_no = true},
	{0, "tail-synthesize", FLAG(sampling.tail_synth),
	 "record existing threads and mappings at the end instead of the beginning"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Output:"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file",
	 "write to this file (default: perf.data, or stdout if that is a pipe; -: stdout)"},
	{'z', "compression-level", .kind = TALLY_OPTION_CALL, .arg = "level",
	 .help = "compress at this level, 1 to 22 (default: 1)", .optional = "1",
	 .call = option_compress},
	{0, "max-size", .kind = TALLY_OPTION_CALL, .arg = "size",
	 .help = "stop recording at this size (e.g. 64M or 2G)", .call = option_max_size},
	{0, "switch-output", .kind = TALLY_OPTION_CALL, .arg = "signal|size|time",
	 .help = "switch to a new file on SIGUSR2, or after this much data or time (e.g. 10M or "
		 "5s)",
	 .optional = "signal", .call = option_switch},
	{0, "switch-max-files", TALLY_OPTION_U64, AT(switch_files), "n",
	 "keep only the last n of these files"},
	{0, "overwrite", FLAG(sampling.overwrite),
	 "overwrite old data in the ring buffers; write the buffers out on demand"},
	{0, "timestamp-filename", FLAG(timestamp_name),
	 "append a timestamp to the output file name"},
	{0, "timestamp-boundary", FLAG(timestamp_boundary),
	 "write the times of the first and last sample to the header (default without -B)"},
	{'B', "no-buildid", FLAG(no_buildid),
	 "do not record the build IDs of files hit by samples"},
	{'N', "no-buildid-cache", FLAG(no_buildid_cache),
	 "ignored; accepted for perf compatibility"},
	{0, "buildid-all", FLAG(buildid_all), "record the build IDs of all mapped files"},
	{0, "regions", FLAG(regions),
	 "also store the counts of code regions that the command measures with tally/region.h"},
	{0, "no-symbols", FLAG(no_symbols),
	 "do not embed symbols; reports then need the files hit by samples"},
	{0, "redact", FLAG(redact),
	 "replace paths, thread names, host name and command line with placeholders; see tally "
	 "archive"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "How:"},
	{'m', "mmap-pages", TALLY_OPTION_TEXT, AT(mmap_size), "pages|size[,aux]",
	 "set the size of each ring buffer in pages, or as a size such as 4M (default: 512K; more "
	 "for stack dumps); aux is ignored"},
	{0, "flush-ms", TALLY_OPTION_U64, AT(flush_ms), "ms",
	 "write the buffers out at least this often (default: 1000); 0: only when half full"},
	{0, "no-buffering", FLAG(sampling.no_buffering), "wake up for every sample"},
	{'r', "realtime", TALLY_OPTION_INT, AT(realtime), "priority",
	 "run with SCHED_FIFO at this priority"},
	{0, "progress", FLAG(progress),
	 "show progress on one line of stderr; print a one-line summary at the end"},
	{'q', "quiet", FLAG(sampling.quiet), "print only errors"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL, "print the opened events"},
	{0, "dry-run", FLAG(dry_run), "only check the options"},
	TALLY_OPTION_END,
};

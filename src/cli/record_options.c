/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally record, and those of them that take more than a number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arith.h"
#include "cli/record.h"
#include "cli/say.h"
#include "base/size.h"

#define AT(member)    offsetof(struct record_config, member)
#define FLAG(member)  TALLY_OPTION_FLAG, AT(member), NULL
#define CALL(fn, arg) TALLY_OPTION_CALL, 0, arg

const struct tally_option record_options[] = {
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What to record:"},
	{'a', "all-cpus", FLAG(target.all_cpus), "every task on all CPUs"},
	{'C', "cpu", TALLY_OPTION_TEXT, AT(target.cpus), "list", "every task on these CPUs: 0-3,5"},
	{'p', "pid", TALLY_OPTION_TEXT, AT(target.pids), "pids",
	 "these processes, all their threads"},
	{'t', "tid", TALLY_OPTION_TEXT, AT(target.tids), "tids", "these threads"},
	{'u', "uid", TALLY_OPTION_TEXT, AT(target.user), "user", "the processes of a user"},
	{'i', "no-inherit", FLAG(no_inherit), "not the children that tasks make"},
	{0, "per-thread", FLAG(target.per_thread), "a buffer for each task instead of each CPU"},
	{'D', "delay", TALLY_OPTION_TEXT, AT(delay), "ms",
	 "start so many milliseconds later; -1: when --control says enable"},
	{0, "control", TALLY_OPTION_TEXT, AT(control), "fd:N[,N]|fifo:F[,F]",
	 "obey enable, disable, snapshot, evlist, ping and stop from there"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Events:"},
	{'e', "event", TALLY_OPTION_LIST, AT(events), "event",
	 "events to sample (cycles); see tally list"},
	TALLY_OPTION_EVENTS_DIR(AT(source.dir)),
	{0, "filter", .kind = TALLY_OPTION_CALL, .arg = "filter",
	 .help = "only tracepoints whose fields are so, of the -e before",
	 .call = record_option_filter},
	{'F', "freq", TALLY_OPTION_TEXT, AT(freq), "freq", "samples a second (4000), or 'max'"},
	{0, "strict-freq", FLAG(strict_freq), "fail if the kernel does not permit that many"},
	{'c', "count", TALLY_OPTION_U64, AT(period), "n", "a sample every n events",
	 .given = AT(has_period)},
	{'n', "no-samples", FLAG(no_samples), "no samples, only what tasks do"},
	{0, "all-user", FLAG(all_user), "all events in user space only"},
	{0, "all-kernel", FLAG(all_kernel), "all events in the kernel only"},
	{'k', "clockid", .kind = TALLY_OPTION_CALL, .arg = "clock",
	 .help = "the clock of the times: monotonic, raw, boottime, realtime, tai or a number",
	 .call = record_option_clock},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What a sample holds:"},
	{'g', NULL, .kind = TALLY_OPTION_CALL, .help = "callchains, by frame pointers",
	 .call = record_option_chain},
	{0, "call-graph", .kind = TALLY_OPTION_CALL, .arg = "fp|dwarf[,size]|lbr",
	 .help = "callchains, by these means", .call = record_option_chain},
	{0, "max-stack", TALLY_OPTION_U64, AT(max_stack), "n", "entries of a callchain"},
	{0, "kernel-callchains", FLAG(kernel_chains), "of callchains the kernel's part"},
	{0, "user-callchains", FLAG(user_chains), "of callchains the part of user space"},
	{'d', "data", FLAG(with_addr), "addresses of data"},
	{0, "phys-data", FLAG(with_phys), "physical addresses of data"},
	{0, "data-page-size", FLAG(with_data_page), "size of the page of the data"},
	{0, "code-page-size", FLAG(with_code_page), "size of the page of the code"},
	{'T', "timestamp", FLAG(with_time), "times (the default)"},
	{'P', "period", FLAG(with_period), "periods"},
	{'W', "weight", FLAG(with_weight), "weights"},
	{'R', "raw-samples", FLAG(raw), "raw data of all events"},
	{0, "sample-cpu", FLAG(with_cpu), "the CPU"},
	{0, "sample-identifier", FLAG(with_identifier), "the event's id at a fixed place"},
	{0, "transaction", FLAG(with_transaction), "flags of memory transactions"},
	{'b', "branch-any", .kind = TALLY_OPTION_CALL, .help = "branches taken before, any kind",
	 .call = record_option_any_branch},
	{'j', "branch-filter", .kind = TALLY_OPTION_CALL, .arg = "kinds",
	 .help = "branches of these kinds: any_call,u ...", .call = record_option_branch},
	{'I', "intr-regs", .kind = TALLY_OPTION_CALL, .arg = "registers",
	 .help = "registers as they were interrupted (-I? lists them)", .optional = "",
	 .call = record_option_regs_intr},
	{0, "user-regs", .kind = TALLY_OPTION_CALL, .arg = "registers",
	 .help = "registers of user space", .optional = "", .call = record_option_regs_user},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Records besides samples:"},
	{'s', "stat", FLAG(inherit_stat), "counts of each thread as it ends"},
	{0, "switch-events", FLAG(switch_events), "context switches"},
	{0, "namespaces", FLAG(namespaces), "namespaces of tasks"},
	{0, "all-cgroups", FLAG(all_cgroups), "cgroups, also in samples"},
	{0, "buildid-mmap", FLAG(buildid_mmap), "build ids in the maps"},
	{0, "no-bpf-event", FLAG(no_bpf), "not the BPF programs that come and go"},
	{0, "synth", .kind = TALLY_OPTION_CALL, .arg = "no|task|mmap|cgroup|all",
	 .help = "of what was there before (all)", .call = record_option_synth},
	{0, "tail-synthesize", FLAG(tail_synth), "that at the end instead of the beginning"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Output:"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file",
	 "where to (perf.data; - for standard output, the default if that is a pipe)"},
	{'z', "compression-level", .kind = TALLY_OPTION_CALL, .arg = "level",
	 .help = "compress, 1 to 22 (1)", .optional = "1", .call = record_option_compress},
	{0, "max-size", .kind = TALLY_OPTION_CALL, .arg = "size",
	 .help = "end when this is reached: 64M, 2G", .call = record_option_max_size},
	{0, "switch-output", .kind = TALLY_OPTION_CALL, .arg = "signal|size|time",
	 .help = "go on in a new file by SIGUSR2, after 10M or 5s", .optional = "signal",
	 .call = record_option_switch},
	{0, "switch-max-files", TALLY_OPTION_U64, AT(switch_files), "n",
	 "keep only the last n of them"},
	{0, "overwrite", FLAG(overwrite), "rings that keep the newest, written out on demand"},
	{0, "timestamp-filename", FLAG(timestamp_name), "the time behind the name of the file"},
	{0, "timestamp-boundary", FLAG(timestamp_boundary),
	 "times of the first and last sample in the header (the default without -B)"},
	{'B', "no-buildid", FLAG(no_buildid), "no build ids of the files that samples fell in"},
	{'N', "no-buildid-cache", FLAG(no_buildid_cache),
	 "accepted for perf's sake: there is no cache"},
	{0, "buildid-all", FLAG(buildid_all), "build ids of all files, samples or not"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "How:"},
	{'m', "mmap-pages", TALLY_OPTION_TEXT, AT(mmap_size), "pages|size",
	 "size of each ring buffer: pages, or 512K, 4M (512K)"},
	{0, "flush-ms", TALLY_OPTION_U64, AT(flush_ms), "ms",
	 "write the buffers out at least so often (1000); 0: only when one is half full"},
	{0, "no-buffering", FLAG(no_buffering), "wake up for every sample"},
	{'r', "realtime", TALLY_OPTION_INT, AT(realtime), "priority", "run with SCHED_FIFO"},
	{'q', "quiet", FLAG(quiet), "say nothing but errors"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL, "tell what is opened"},
	{0, "dry-run", FLAG(dry_run), "only look at the options"},
	TALLY_OPTION_END,
};

int record_option_filter(void *config_, const char *arg)
{
	struct record_config *config = config_;

	return tally_vec_push(&config->filters, (struct record_filter){config->events.nr, arg});
}

/* ---- sizes and times ------------------------------------------------------- */

int record_option_max_size(void *config_, const char *arg)
{
	struct record_config *config = config_;

	if (arg && tally_size_parse(arg, 1, &config->max_size) && config->max_size)
		return 0;
	tally_say_error("--max-size %s: not a size (64M, 2G)", arg);
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

int record_option_switch(void *config_, const char *arg)
{
	struct record_config *config = config_;

	if (!strcmp(arg, "signal")) {
		config->switch_signal = true;
		return 0;
	}
	if (parse_time(arg, &config->switch_ns))
		return 0;
	/* A bare number says neither. */
	if (arg[strlen(arg) - 1] > '9' && tally_size_parse(arg, 1, &config->switch_bytes) &&
	    config->switch_bytes)
		return 0;
	tally_say_error("--switch-output %s: not 'signal', a size (10M) or a time (5s)", arg);
	return -EINVAL;
}

int record_option_compress(void *config_, const char *arg)
{
	struct record_config *config = config_;
	char *end;
	long level = strtol(arg, &end, 10);

	if (end == arg || *end || level < 0 || level > 22) {
		tally_say_error("-z %s: not a level from 1 to 22", arg);
		return -EINVAL;
	}
	config->compress_level = (int)level;
	return 0;
}

int record_option_synth(void *config_, const char *arg)
{
	static const struct {
		const char *word;
		unsigned bits;
	} words[] = {{"no", 0},
		     {"task", RECORD_SYNTH_TASK},
		     {"mmap", RECORD_SYNTH_MMAP},
		     {"cgroup", RECORD_SYNTH_CGROUP},
		     {"all", RECORD_SYNTH_TASK | RECORD_SYNTH_MMAP | RECORD_SYNTH_CGROUP}};
	struct record_config *config = config_;

	config->synth = 0;
	for (const char *at = arg; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t len = strcspn(at, ","), i;

		for (i = 0; i < TALLY_ARRAY_SIZE(words); i++) {
			if (strlen(words[i].word) == len && !strncmp(words[i].word, at, len))
				break;
		}
		if (i == TALLY_ARRAY_SIZE(words)) {
			tally_say_error("--synth %s: not no, task, mmap, cgroup or all", arg);
			return -EINVAL;
		}
		config->synth |= words[i].bits;
	}
	return 0;
}

/* ---- callchains, branches, clocks, registers ------------------------------- */

int record_option_chain(void *config_, const char *arg)
{
	struct record_config *config = config_;
	uint64_t size = 8192;

	if (!arg || !strcmp(arg, "fp")) {
		config->chain = RECORD_CHAIN_FP;
	} else if (!strcmp(arg, "no")) {
		config->chain = RECORD_CHAIN_NONE;
	} else if (!strcmp(arg, "lbr")) {
		config->chain = RECORD_CHAIN_LBR;
	} else if (!strncmp(arg, "dwarf", 5) && (!arg[5] || arg[5] == ',')) {
		config->chain = RECORD_CHAIN_DWARF;
		/* The kernel takes what is a multiple of 8 and leaves room for the rest. */
		if (arg[5] && (!tally_size_parse(arg + 6, 1, &size) || !size || size > 65528)) {
			tally_say_error("--call-graph %s: the size is from 8 to 65528 bytes", arg);
			return -EINVAL;
		}
		config->stack_size = (uint32_t)TALLY_MIN(tally_round_up(size, 8), (uint64_t)65528);
	} else {
		tally_say_error("--call-graph %s: not fp, dwarf[,size] or lbr", arg);
		return -EINVAL;
	}
	return 0;
}

static const struct {
	const char *word;
	uint64_t bit;
} branch_words[] = {
	{"u", PERF_SAMPLE_BRANCH_USER},
	{"k", PERF_SAMPLE_BRANCH_KERNEL},
	{"hv", PERF_SAMPLE_BRANCH_HV},
	{"any", PERF_SAMPLE_BRANCH_ANY},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
	{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
	{"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
	{"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
	{"cond", PERF_SAMPLE_BRANCH_COND},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
	{"call", PERF_SAMPLE_BRANCH_CALL},
	{"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS},
	{"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES},
	{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
	{"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
	{"hw_index", PERF_SAMPLE_BRANCH_HW_INDEX},
	{"priv", PERF_SAMPLE_BRANCH_PRIV_SAVE},
};

int record_option_branch(void *config_, const char *arg)
{
	enum {
		LEVELS = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV
	};
	struct record_config *config = config_;

	for (const char *at = arg; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t len = strcspn(at, ","), i;

		for (i = 0; i < TALLY_ARRAY_SIZE(branch_words); i++) {
			if (strlen(branch_words[i].word) == len &&
			    !strncmp(branch_words[i].word, at, len))
				break;
		}
		if (i == TALLY_ARRAY_SIZE(branch_words)) {
			tally_say_error("-j %s: '%.*s' is no kind of branch", arg, (int)len, at);
			return -EINVAL;
		}
		config->branch_type |= branch_words[i].bit;
	}
	/* Levels alone mean any branch there. */
	if (!(config->branch_type & ~(uint64_t)LEVELS))
		config->branch_type |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

int record_option_any_branch(void *config, const char *arg)
{
	return record_option_branch(config, "any");
}

int record_option_clock(void *config_, const char *arg)
{
	static const struct {
		const char *word;
		int clock;
	} clocks[] = {
		{"monotonic", CLOCK_MONOTONIC},
		{"mono", CLOCK_MONOTONIC},
		{"monotonic_raw", CLOCK_MONOTONIC_RAW},
		{"raw", CLOCK_MONOTONIC_RAW},
		{"boottime", CLOCK_BOOTTIME},
		{"boot", CLOCK_BOOTTIME},
		{"realtime", CLOCK_REALTIME},
		{"real", CLOCK_REALTIME},
		{"tai", CLOCK_TAI},
		{"clock_tai", CLOCK_TAI},
	};
	struct record_config *config = config_;
	char *end;
	long number = strtol(arg, &end, 10);

	if (!strncasecmp(arg, "CLOCK_", 6))
		arg += 6;
	config->use_clockid = true;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(clocks); i++) {
		if (!strcasecmp(clocks[i].word, arg)) {
			config->clockid = clocks[i].clock;
			return 0;
		}
	}
	if (end != arg && !*end && number >= 0 && number < 16) {
		config->clockid = (int)number;
		return 0;
	}
	tally_say_error("-k %s: not a clock", arg);
	return -EINVAL;
}

int record_option_regs_intr(void *config, const char *arg)
{
	return record_regs_parse(arg, &((struct record_config *)config)->regs_intr) ? 0 : -EINVAL;
}

int record_option_regs_user(void *config, const char *arg)
{
	return record_regs_parse(arg, &((struct record_config *)config)->regs_user) ? 0 : -EINVAL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/perf_options.h"

#include <string.h>

#include "base/arith.h"

#define NONE     TALLY_PERF_ARG_NONE
#define NEEDED   TALLY_PERF_ARG_NEEDED
#define OPTIONAL TALLY_PERF_ARG_OPTIONAL
#define ACCEPTED true
#define REFUSED  false

#define NO_PT           "tally does not decode AUX data such as Intel PT; use perf to decode it"
#define NO_BUILD        "tally does not compile BPF programs; use bpftrace or perf"
#define NO_BPF          "tally does not share counters between processes through BPF; use perf"
#define NO_GUEST        "guest addresses are not resolved; use 'perf kvm'"
#define NO_GROUPING     "events are shown one after another, not side by side"
#define OWN_CODE        "tally disassembles code itself, without objdump"
#define NO_SOURCE       "the report does not show source code; use 'tally annotate'"
#define ONE_READER      "existing processes are read by one thread, without a time limit"
#define NO_LBR          "call stacks of different samples are not combined"
#define OWN_LINES       "tally reads source lines itself, without addr2line"
#define NO_TPEBS        "tally uses the mean latencies that Intel publishes; use perf"
#define NO_TYPES        "--data-type shows types without code; use perf"
#define EMBEDDED        "the recording contains its symbols: copy only the recording, and read it there"
#define NO_KERNEL_NAMES "kernel symbols are C names, which need no demangling"

static const struct tally_perf_option stat_rows[] = {
	{'b', "bpf-prog", NEEDED, REFUSED, "events of BPF programs are not counted; use perf"},
	{0, "bpf-counters", NONE, REFUSED, NO_BPF},
	{0, "bpf-attr-map", NEEDED, REFUSED, NO_BPF},
	{0, "cputype", NEEDED, REFUSED, "specify the PMU of that core type: -e cpu_core/cycles/"},
	{0, "hybrid-merge", NONE, ACCEPTED,
	 "events from different core types are always summed, followed by the count of each type"},
	{0, "iostat", OPTIONAL, REFUSED, "count the events of the uncore_iio PMUs, or use perf"},
	{0, "percore-show-thread", NONE, REFUSED, "-A shows each hardware thread"},
	{0, "metric-no-threshold", NONE, ACCEPTED, "thresholds need no additional events"},
	{0, "affinity", NONE, ACCEPTED, "counters are read from any CPU"},
	{0, "record-tpebs", NONE, REFUSED, NO_TPEBS},
	{0, "tpebs-mode", NEEDED, REFUSED, NO_TPEBS},
	{0}};

static const struct tally_perf_option record_rows[] = {
	{'S', "snapshot", OPTIONAL, REFUSED, NO_PT},
	{0, "affinity", NEEDED, ACCEPTED, "one thread drains the rings, on any CPU"},
	{0, "aio", OPTIONAL, ACCEPTED, "data is always written while the ring buffers fill"},
	{0, "aux-sample", OPTIONAL, REFUSED, NO_PT},
	{0, "clang-opt", NEEDED, REFUSED, NO_BUILD},
	{0, "clang-path", NEEDED, REFUSED, NO_BUILD},
	{0, "debuginfod", OPTIONAL, ACCEPTED,
	 "debug information is fetched when symbols are needed: use 'tally report --debuginfod'"},
	{0, "kcore", NONE, REFUSED,
	 "kernel symbols are embedded in the recording; use 'perf record --kcore' to record kernel "
	 "code"},
	{0, "mmap-flush", NEEDED, ACCEPTED,
	 "rings are written when half full, and at least every --flush-ms"},
	{0, "num-thread-synthesize", NEEDED, ACCEPTED, ONE_READER},
	{0, "off-cpu", NONE, REFUSED, "record sched:sched_switch with -g, or use bcc's offcputime"},
	{0, "proc-map-timeout", NEEDED, ACCEPTED, ONE_READER},
	{0, "switch-output-event", NEEDED, REFUSED,
	 "use --switch-output, which starts a new file by signal, size or time"},
	{0, "threads", OPTIONAL, ACCEPTED, "one thread drains all rings into one file"},
	{0, "vmlinux", NEEDED, ACCEPTED,
	 "kernel symbols are read when reporting: 'tally report -k FILE'"},
	{0, "off-cpu-thresh", NEEDED, REFUSED,
	 "record sched:sched_switch with -g, or use bcc's offcputime"},
	{0, "setup-filter", NEEDED, REFUSED,
	 "filters need no preparation: tally applies them when it writes the samples"},
	{0}};

static const struct tally_perf_option report_rows[] = {
	{'M', "disassembler-style", NEEDED, ACCEPTED, "the report does not show instructions"},
	{'m', "modules", NONE, ACCEPTED,
	 "module symbols are always used if the module files exist"},
	{'v', "verbose", NONE, ACCEPTED, "--health shows what could not be read, and why"},
	{0, "exclude-other", NONE, REFUSED,
	 "use --sort parent -p NAME; -x sets the separator here"},
	{0, "asm-raw", NONE, ACCEPTED, NO_SOURCE},
	{0, "demangle-kernel", NONE, ACCEPTED, NO_KERNEL_NAMES},
	{0, "disable-order", NONE, ACCEPTED, "samples are always sorted by time"},
	{0, "ignore-vmlinux", NONE, ACCEPTED,
	 "a kernel image is used only if it is the recorded one; specify symbols with --kallsyms"},
	{0, "itrace", OPTIONAL, ACCEPTED, NO_PT},
	{0, "objdump", NEEDED, ACCEPTED, OWN_CODE},
	{0, "percent-type", NEEDED, ACCEPTED, NO_SOURCE},
	{0, "prefix", NEEDED, ACCEPTED, NO_SOURCE},
	{0, "prefix-strip", NEEDED, ACCEPTED, NO_SOURCE},
	{0, "pretty", NEEDED, ACCEPTED, "the table of -T has one line for each thread"},
	{0, "samples", NEEDED, ACCEPTED, "the browser reads the samples from the recording"},
	{0, "show-ref-call-graph", NONE, ACCEPTED,
	 "events without callchains have no call graphs; record all events with -g"},
	{0, "skip-empty", NONE, ACCEPTED, "events without samples have no rows"},
	{0, "source", NONE, ACCEPTED, NO_SOURCE},
	{0, "stitch-lbr", NONE, ACCEPTED, NO_LBR},
	{0, "addr2line", NEEDED, ACCEPTED, OWN_LINES},
	{0}};

static const struct tally_perf_option script_rows[] = {
	{'a', "all-cpus", NONE, ACCEPTED, "all recorded CPUs are shown"},
	{'d', "debug-mode", NONE, ACCEPTED,
	 "warnings about out-of-order and lost records are always printed"},
	{'g', "gen-script", NEEDED, REFUSED,
	 "tally has no built-in interpreters; feed the output of --dump-json to a script"},
	{'L', "Latency", NONE, ACCEPTED, "latency flags are only shown by perf's scripts"},
	{'s', "script", NEEDED, REFUSED,
	 "tally has no built-in interpreters; feed the output of --dump-json to a script"},
	{'v', "verbose", NONE, ACCEPTED, "warnings about unreadable data are always printed"},
	{0, "call-ret-trace", OPTIONAL, ACCEPTED, NO_PT},
	{0, "call-trace", OPTIONAL, ACCEPTED, NO_PT},
	{0, "demangle-kernel", NONE, ACCEPTED, NO_KERNEL_NAMES},
	{0, "dlarg", NEEDED, REFUSED,
	 "tally does not load plugins; process the output of --dump-json instead"},
	{0, "dlfilter", NEEDED, REFUSED,
	 "tally does not load plugins; process the output of --dump-json instead"},
	{0, "graph-function", NEEDED, ACCEPTED, NO_PT},
	{0, "guest-code", NONE, ACCEPTED, NO_GUEST},
	{0, "guestkallsyms", NEEDED, ACCEPTED, NO_GUEST},
	{0, "guestmodules", NEEDED, ACCEPTED, NO_GUEST},
	{0, "guestmount", NEEDED, ACCEPTED, NO_GUEST},
	{0, "guestvmlinux", NEEDED, ACCEPTED, NO_GUEST},
	{0, "insn-trace", OPTIONAL, ACCEPTED, NO_PT},
	{0, "itrace", OPTIONAL, ACCEPTED, NO_PT},
	{0, "list-dlfilters", NONE, REFUSED, "tally does not load plugins"},
	{0, "show-kernel-path", NONE, ACCEPTED,
	 "kernel code is shown as [kernel.kallsyms]; 'tally buildid-list' shows the kernel"},
	{0, "stitch-lbr", NONE, ACCEPTED, NO_LBR},
	{0, "xed", OPTIONAL, ACCEPTED, NO_PT},
	{0, "addr2line", NEEDED, ACCEPTED, OWN_LINES},
	{0, "merge-callchains", NONE, ACCEPTED,
	 "deferred callchains are always joined; -D shows the records"},
	{0}};

static const struct tally_perf_option top_rows[] = {
	{'D', "dump-symtab", NONE, ACCEPTED,
	 "nothing is printed, as in perf 6.1; nm and /proc/kallsyms show symbols"},
	{'M', "disassembler-style", NEEDED, ACCEPTED, OWN_CODE},
	{0, "asm-raw", NONE, ACCEPTED, OWN_CODE},
	{0, "demangle-kernel", NONE, ACCEPTED, NO_KERNEL_NAMES},
	{0, "force", NONE, ACCEPTED,
	 "tally top does not read files that require an ownership check"},
	{0, "group-sort-idx", NEEDED, ACCEPTED, NO_GROUPING},
	{0, "ignore-vmlinux", NONE, REFUSED, "specify kernel symbols with --kallsyms"},
	{0, "namespaces", NONE, ACCEPTED, "rows do not show namespaces"},
	{0, "no-bpf-event", NONE, ACCEPTED,
	 "BPF programs are known only from the kernel's symbols"},
	{0, "num-thread-synthesize", NEEDED, ACCEPTED, ONE_READER},
	{0, "objdump", NEEDED, ACCEPTED, OWN_CODE},
	{0, "overwrite", NONE, ACCEPTED, "rings are drained continuously, in order"},
	{0, "prefix", NEEDED, REFUSED, "use 'tally record' and 'tally annotate --prefix'"},
	{0, "prefix-strip", NEEDED, REFUSED, "use 'tally record' and 'tally annotate --prefix'"},
	{0, "proc-map-timeout", NEEDED, ACCEPTED, ONE_READER},
	{0, "raw-trace", NONE, ACCEPTED, "rows do not show tracepoint output"},
	{0, "source", NONE, ACCEPTED, "source code is shown between instructions if it is found"},
	{0, "stitch-lbr", NONE, ACCEPTED, NO_LBR},
	{0, "sym-annotate", NEEDED, REFUSED, "use 'tally record' and 'tally annotate SYMBOL'"},
	{0, "addr2line", NEEDED, ACCEPTED, OWN_LINES},
	{0, "branch-history", NONE, REFUSED,
	 "use -b, or 'tally record -b' and 'tally report --branch-history'"},
	{0}};

static const struct tally_perf_option list_rows[] = {
	{'d', "desc", NONE, ACCEPTED, "descriptions are shown by default; --no-desc hides them"},
	{0, "debug", NONE, ACCEPTED,
	 "warnings about events that cannot be listed are always printed"},
	{0}};

static const struct tally_perf_option buildids_rows[] = {
	{'v', "verbose", NONE, ACCEPTED, "warnings about unreadable data are always printed"}, {0}};

static const struct tally_perf_option annotate_rows[] = {
	{'v', "verbose", NONE, ACCEPTED, "warnings about unreadable data are always printed"},
	{0, "demangle-kernel", NONE, ACCEPTED, NO_KERNEL_NAMES},
	{0, "itrace", OPTIONAL, ACCEPTED, NO_PT},
	{0, "addr2line", NEEDED, ACCEPTED, OWN_LINES},
	{0, "code-with-type", NONE, REFUSED, NO_TYPES},
	{0, "skip-empty", NONE, ACCEPTED, "events without samples have no column"},
	{0}};

static const struct tally_perf_option diff_rows[] = {
	{'m', "modules", NONE, ACCEPTED,
	 "module symbols are always used if the module files exist"},
	{0, "cycles-hist", NONE, REFUSED, "basic blocks are not compared; use perf"},
	{0, "stream", NONE, REFUSED, "callchain streams are not compared; use perf"},
	{0}};

static const struct tally_perf_option data_rows[] = {
	{'v', "verbose", NONE, ACCEPTED, "warnings about unreadable data are always printed"},
	{0, "all", NONE, REFUSED, "JSON contains only samples; use 'tally script --dump-json'"},
	{0, "to-ctf", NEEDED, REFUSED, "use --to-json, or 'perf data convert --to-ctf'"},
	{0, "tod", NONE, REFUSED,
	 "JSON has the recorded times; 'tally script -F +tod' prints wall-clock times"},
	{0}};

static const struct tally_perf_option buildid_cache_rows[] = {
	{'k', "kcore", NEEDED, REFUSED,
	 "kernel symbols are embedded in recordings; use 'perf buildid-cache -k' to cache kernel "
	 "code"},
	{0, "debuginfod", OPTIONAL, REFUSED,
	 "'tally report --debuginfod' fetches what a report needs"},
	{0, "target-ns", NEEDED, REFUSED, "give the path as /proc/PID/root/PATH"},
	{0}};

static const struct tally_perf_option inject_rows[] = {
	{'k', "vmlinux", NEEDED, REFUSED, "specify it when reporting: 'tally report -k FILE'"},
	{'s', "sched-stat", NONE, REFUSED, "use 'perf inject -s'"},
	{0, "guest-data", OPTIONAL, REFUSED, "use 'perf inject --guest-data'"},
	{0, "guestmount", NEEDED, ACCEPTED, NO_GUEST},
	{0, "ignore-vmlinux", NONE, ACCEPTED, "build IDs are added without reading symbols"},
	{0, "itrace", OPTIONAL, REFUSED, NO_PT},
	{0, "kallsyms", NEEDED, REFUSED,
	 "specify it when reporting: 'tally report --kallsyms FILE'"},
	{0, "known-build-ids", NEEDED, REFUSED, "use 'perf inject --known-build-ids'"},
	{0, "strip", NONE, REFUSED, "it requires --itrace; " NO_PT},
	{0, "vm-time-correlation", OPTIONAL, REFUSED, "use 'perf inject --vm-time-correlation'"},
	{0}};

static const struct tally_perf_option archive_rows[] = {
	{0, "all", OPTIONAL, REFUSED, EMBEDDED},
	{0, "unpack", OPTIONAL, REFUSED, EMBEDDED},
	{0, "exclude-buildids", NEEDED, REFUSED, EMBEDDED},
	{0}};

static const struct tally_perf_option c2c_rows[] = {
	{'v', "verbose", NONE, ACCEPTED, "warnings about unreadable data are always printed"},
	{'g', "call-graph", OPTIONAL, REFUSED, "use 'tally report --mem-mode -g'"},
	{0, "stitch-lbr", NONE, ACCEPTED, NO_LBR},
	{0}};

static const struct {
	const char *command;
	const struct tally_perf_option *rows;
} tables[] = {
	{"stat", stat_rows},         {"record", record_rows},
	{"report", report_rows},     {"script", script_rows},
	{"top", top_rows},           {"list", list_rows},
	{"annotate", annotate_rows}, {"buildid-list", buildids_rows},
	{"archive", archive_rows},   {"c2c", c2c_rows},
	{"diff", diff_rows},         {"data", data_rows},
	{"inject", inject_rows},     {"buildid-cache", buildid_cache_rows},
};

#define READS_OURS "; perf reads tally's recordings"

static const struct {
	const char *name, *instead;
} commands[] = {
	{"daemon", "not planned: run 'tally record --switch-output' as a service"},
	{"iostat", "not planned: count events of uncore PMUs with 'tally stat'"},
	{"kallsyms", "not planned: use 'grep NAME /proc/kallsyms'"},
	{"kmem", "not planned: record kmem:* and use 'perf kmem stat'" READS_OURS},
	{"kvm", "not planned: record kvm:* and use 'perf kvm stat report'" READS_OURS},
	{"kwork",
	 "not planned: record irq:* and workqueue:*, then use 'perf kwork report'" READS_OURS},
	{"lock", "not planned: record lock:* and use 'perf lock report'" READS_OURS},
	{"probe",
	 "not planned: define probes in /sys/kernel/tracing/kprobe_events; tally can count them"},
	{"sched", "not planned: record sched:* and use 'perf sched timehist'" READS_OURS},
	{"timechart",
	 "not planned: record sched:* and power:*, then use 'perf timechart'" READS_OURS},
	{"trace", "not planned: record raw_syscalls:* and use 'tally script', or use strace"},
};

bool tally_perf_option_ends(const struct tally_perf_option *option)
{
	return !option->letter && !option->name;
}

/* Options with abbreviations that meant another option before these were added. */
static const struct {
	const char *command, *names;
} newer[] = {
	{"stat", "events-dir force json per-cluster per-cache prometheus regions"},
	{"record",
	 "events-dir call-graph-default keep-stacks max-stack data-mmap no-symbols redact regions"},
	{"report", "format output parallelism query raw-chains"},
	{"top", "events-dir no-index symbol-filter"},
	{"list", "cpuid"},
	{"ftrace", "bucket-range"},
};

const struct tally_perf_option *tally_perf_options(const char *command)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].command, command))
			return tables[i].rows;
	return NULL;
}

const struct tally_perf_option *tally_perf_option_letter(const char *command, char letter)
{
	const struct tally_perf_option *row = tally_perf_options(command);

	for (; row && !tally_perf_option_ends(row); row++)
		if (row->letter == letter)
			return row;
	return NULL;
}

static bool name_is(const struct tally_perf_option *row, const char *name, size_t len)
{
	return row->name && strlen(row->name) == len && !strncmp(row->name, name, len);
}

const struct tally_perf_option *tally_perf_option_find(const char *command, const char *name,
						       size_t len)
{
	const struct tally_perf_option *row = tally_perf_options(command);
	bool negated = len > 3 && !strncmp(name, "no-", 3);

	for (; row && !tally_perf_option_ends(row); row++)
		if (name_is(row, name, len) || (negated && name_is(row, name + 3, len - 3)))
			return row;
	return NULL;
}

const struct tally_perf_option *tally_perf_option_begins(const char *command, const char *name,
							 size_t len)
{
	const struct tally_perf_option *row = tally_perf_options(command), *found = NULL;

	for (; row && !tally_perf_option_ends(row); row++) {
		if (!row->name || strncmp(row->name, name, len))
			continue;
		/* "--off" is --off-cpu, and not --off-cpu-thresh */
		if (found && strncmp(row->name, found->name, strlen(found->name)))
			return NULL;
		found = found ? found : row;
	}
	return found;
}

bool tally_perf_option_is_newer(const char *command, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(newer); i++) {
		const char *at = newer[i].names;

		if (strcmp(newer[i].command, command))
			continue;
		for (; *at; at += strcspn(at, " "), at += strspn(at, " "))
			if (strcspn(at, " ") == len && !strncmp(at, name, len))
				return true;
	}
	return false;
}

const char *tally_perf_command(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].instead;
	return NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/perf_options.h"

#include <string.h>

#include "base/arith.h"

#define NONE     TALLY_PERF_ARG_NONE
#define NEEDED   TALLY_PERF_ARG_NEEDED
#define OPTIONAL TALLY_PERF_ARG_OPTIONAL
#define TAKEN    true
#define REFUSED  false

#define NO_PT       "tally decodes no AUX data such as Intel PT; use perf to decode it"
#define NO_BUILD    "no code is compiled for BPF; use bpftrace or perf"
#define NO_GUEST    "addresses of guests are not resolved; use 'perf kvm'"
#define NO_SWITCH   "samples are not chosen by other events; --time chooses by time"
#define NO_GROUPING "events are shown one after the other, never side by side"
#define OWN_CODE    "code is decoded by tally itself, not by objdump"
#define NO_SOURCE   "the report shows no source; 'tally annotate' does"
#define ONE_READER  "what runs already is read by one thread, which has no time limit"
#define NO_LBR      "stacks of one sample are not put together with those of another"
#define NO_KERNEL_NAMES \
	"names of the kernel are C names, which are the same before and after demangling"

static const struct tally_perf_option stat_rows[] = {
	{'g', "group", NONE, REFUSED, "write the group as -e '{a,b}'"},
	{'T', "transaction", NONE, REFUSED,
	 "name the events: -e '{instructions,cycles,cycles-t,tx-start,cycles-ct}'"},
	{0, "cputype", NEEDED, REFUSED, "name the PMU of the cores: -e cpu_core/cycles/"},
	{0, "hybrid-merge", NONE, TAKEN,
	 "events of several kinds of cores are always summed, with the parts below"},
	{0, "no-merge", NONE, REFUSED,
	 "events of the same name are summed; name one unit of the PMU to see it alone"},
	{0, "interval-clear", NONE, REFUSED, "use 'watch' or 'tally top' for a screen of its own"},
	{0, "iostat", OPTIONAL, REFUSED, "count the events of the uncore_iio PMUs, or use perf"},
	{0, "percore-show-thread", NONE, REFUSED, "-A shows each hardware thread"},
	{0, "smi-cost", NONE, REFUSED, "count msr/smi/ and msr/aperf/ with -e"},
	{0}};

static const struct tally_perf_option record_rows[] = {
	{'G', "cgroup", NEEDED, REFUSED,
	 "use -a --all-cgroups, which names the cgroup of each sample"},
	{'S', "snapshot", OPTIONAL, REFUSED, NO_PT},
	{0, "affinity", NEEDED, TAKEN, "one thread drains the rings, and runs where there is time"},
	{0, "aio", OPTIONAL, TAKEN, "the file is written while rings fill, whatever the way"},
	{0, "aux-sample", OPTIONAL, REFUSED, NO_PT},
	{0, "clang-opt", NEEDED, REFUSED, NO_BUILD},
	{0, "clang-path", NEEDED, REFUSED, NO_BUILD},
	{0, "debuginfod", OPTIONAL, TAKEN,
	 "debug information is fetched where names are shown: report --debuginfod"},
	{0, "exclude-perf", NONE, REFUSED,
	 "leave its rows out: 'tally report --query -comm:tally'"},
	{0, "group", NONE, REFUSED, "write the group as -e '{a,b}'"},
	{0, "kcore", NONE, REFUSED,
	 "the kernel's names are kept in the recording; use 'perf record --kcore' for its code"},
	{0, "mmap-flush", NEEDED, TAKEN,
	 "rings are written when half full, and every --flush-ms in any case"},
	{0, "num-thread-synthesize", NEEDED, TAKEN, ONE_READER},
	{0, "off-cpu", NONE, REFUSED,
	 "record sched:sched_switch with -g, or use offcputime of bcc"},
	{0, "proc-map-timeout", NEEDED, TAKEN, ONE_READER},
	{0, "running-time", NONE, REFUSED, "'tally stat' tells how long each event was counted"},
	{0, "switch-output-event", NEEDED, REFUSED,
	 "use --switch-output, which ends a file by signal, size or time"},
	{0, "threads", OPTIONAL, TAKEN, "one thread drains all rings into one file"},
	{0, "vmlinux", NEEDED, REFUSED, "give it where names are shown: 'tally report -k FILE'"},
	{0}};

static const struct tally_perf_option report_rows[] = {
	{'b', "branch-stack", NONE, REFUSED,
	 "rows are samples, not branches; 'tally script -F brstacksym' lists branches"},
	{'D', "dump-raw-trace", NONE, REFUSED, "use 'tally script -D'"},
	{'I', "show-info", NONE, REFUSED, "use --header, which prints CPUs and caches as well"},
	{'M', "disassembler-style", NEEDED, TAKEN, "the report shows no instructions"},
	{'m', "modules", NONE, TAKEN, "modules have names whenever their files are there"},
	{'T', "threads", NONE, REFUSED,
	 "use 'tally record -s' and 'tally script -D' for its counts"},
	{'U', "hide-unresolved", NONE, REFUSED, "use --query -self-sym:[unknown]"},
	{'v', "verbose", NONE, TAKEN, "--health tells what could not be read, and why"},
	{0, "exclude-other", NONE, REFUSED, "use --sort parent -p NAME; -x is the separator here"},
	{0, "asm-raw", NONE, TAKEN, NO_SOURCE},
	{0, "branch-history", NONE, REFUSED, "use 'tally script -F +brstacksym'"},
	{0, "demangle-kernel", NONE, TAKEN, NO_KERNEL_NAMES},
	{0, "disable-order", NONE, TAKEN, "samples are always put in order of time"},
	{0, "group-sort-idx", NEEDED, TAKEN, NO_GROUPING},
	{0, "hierarchy", NONE, REFUSED, "use --sort comm, then the browser (--tui) or --html"},
	{0, "ignore-callees", NEEDED, REFUSED, "use --sort parent -p NAME"},
	{0, "ignore-vmlinux", NONE, REFUSED, "name the kernel's symbols with --kallsyms"},
	{0, "itrace", OPTIONAL, REFUSED, NO_PT},
	{0, "mem-mode", NONE, REFUSED, "use 'tally script -F addr,data_src,weight,sym'"},
	{0, "mmaps", NONE, REFUSED, "use 'tally script -D', which lists every map"},
	{0, "ns", NONE, TAKEN, "no column of the report is a time"},
	{0, "objdump", NEEDED, TAKEN, OWN_CODE},
	{0, "percent-type", NEEDED, TAKEN, NO_SOURCE},
	{0, "percentage", NEEDED, REFUSED, "shares are of the whole; --json has the sums of both"},
	{0, "prefix", NEEDED, TAKEN, NO_SOURCE},
	{0, "prefix-strip", NEEDED, TAKEN, NO_SOURCE},
	{0, "pretty", NEEDED, TAKEN, "it is of -T, which is not there"},
	{0, "raw-trace", NONE, REFUSED, "--sort trace shows the text of the tracepoint's format"},
	{0, "samples", NEEDED, TAKEN, "the browser finds samples again in the recording"},
	{0, "show-cpu-utilization", NONE, REFUSED,
	 "count modes apart: record -e cycles:u,cycles:k"},
	{0, "show-on-off-events", NONE, REFUSED, NO_SWITCH},
	{0, "show-ref-call-graph", NONE, REFUSED, "record all events with -g"},
	{0, "skip-empty", NONE, TAKEN, "events without samples have no rows"},
	{0, "socket-filter", NEEDED, REFUSED, "list the CPUs of the socket: --cpu 0-7"},
	{0, "source", NONE, TAKEN, NO_SOURCE},
	{0, "stats", NONE, REFUSED, "use 'tally script -D | grep -c RECORD' or --health"},
	{0, "stitch-lbr", NONE, REFUSED, NO_LBR},
	{0, "switch-off", NEEDED, REFUSED, NO_SWITCH},
	{0, "switch-on", NEEDED, REFUSED, NO_SWITCH},
	{0, "tasks", NONE, REFUSED, "use --sort pid,tid,comm"},
	{0, "time-quantum", NEEDED, REFUSED,
	 "use --time, or the page (--html), which has a time line"},
	{0, "total-cycles", NONE, REFUSED, "blocks between branches are not summed; use perf"},
	{0}};

static const struct tally_perf_option script_rows[] = {
	{'a', "all-cpus", NONE, TAKEN, "a recording has the CPUs that were recorded"},
	{'d', "debug-mode", NONE, TAKEN, "disorder and losses are always warned of"},
	{'g', "gen-script", NEEDED, REFUSED, "no interpreters are built in; --dump-json feeds any"},
	{'I', "show-info", NONE, REFUSED, "use 'tally report --header-only'"},
	{'L', "Latency", NONE, REFUSED, "use -R of 'tally record' and --dump-json"},
	{'l', "list", NONE, REFUSED, "perf's scripts are not part of tally"},
	{'s', "script", NEEDED, REFUSED, "no interpreters are built in; --dump-json feeds any"},
	{'v', "verbose", NONE, TAKEN, "what cannot be read is always warned of"},
	{0, "addr-range", NEEDED, REFUSED, "choose by -F ip and a filter of your own"},
	{0, "call-ret-trace", OPTIONAL, REFUSED, NO_PT},
	{0, "call-trace", OPTIONAL, REFUSED, NO_PT},
	{0, "demangle-kernel", NONE, TAKEN, NO_KERNEL_NAMES},
	{0, "dlarg", NEEDED, REFUSED, "no code is loaded; --dump-json feeds a program of your own"},
	{0, "dlfilter", NEEDED, REFUSED,
	 "no code is loaded; --dump-json feeds a program of your own"},
	{0, "dump-unsorted-raw-trace", NONE, REFUSED, "use -D, which is in the order of the file"},
	{0, "graph-function", NEEDED, REFUSED, NO_PT},
	{0, "guest-code", NONE, REFUSED, NO_GUEST},
	{0, "guestkallsyms", NEEDED, REFUSED, NO_GUEST},
	{0, "guestmodules", NEEDED, REFUSED, NO_GUEST},
	{0, "guestmount", NEEDED, REFUSED, NO_GUEST},
	{0, "guestvmlinux", NEEDED, REFUSED, NO_GUEST},
	{0, "insn-trace", OPTIONAL, REFUSED, NO_PT},
	{0, "itrace", OPTIONAL, REFUSED, NO_PT},
	{0, "list-dlfilters", NONE, REFUSED, "no code is loaded, so there are none"},
	{0, "max-blocks", NEEDED, REFUSED,
	 "instructions between branches are not printed; use perf"},
	{0, "per-event-dump", NONE, REFUSED, "use -F event first and split the output by it"},
	{0, "show-bpf-events", NONE, REFUSED, "use -D or --dump-json"},
	{0, "show-kernel-path", NONE, REFUSED, "'tally buildid-list' tells which kernel it is"},
	{0, "show-lost-events", NONE, REFUSED, "use -D or --dump-json"},
	{0, "show-namespace-events", NONE, REFUSED, "use -D or --dump-json"},
	{0, "show-on-off-events", NONE, REFUSED, NO_SWITCH},
	{0, "show-round-events", NONE, REFUSED, "use -D or --dump-json"},
	{0, "show-text-poke-events", NONE, REFUSED, "use -D or --dump-json"},
	{0, "stitch-lbr", NONE, REFUSED, NO_LBR},
	{0, "stop-bt", NEEDED, REFUSED, "--max-stack cuts callchains by their length"},
	{0, "switch-off", NEEDED, REFUSED, NO_SWITCH},
	{0, "switch-on", NEEDED, REFUSED, NO_SWITCH},
	{0, "xed", OPTIONAL, REFUSED, OWN_CODE},
	{0}};

static const struct tally_perf_option top_rows[] = {
	{'b', "branch-any", NONE, REFUSED, "rows are samples, not branches; use 'tally record -b'"},
	{'D', "dump-symtab", NONE, REFUSED, "use nm, or /proc/kallsyms"},
	{'G', "cgroup", NEEDED, REFUSED,
	 "use 'tally stat -G', or 'tally top -p' with its processes"},
	{'j', "branch-filter", NEEDED, REFUSED,
	 "rows are samples, not branches; use 'tally record -j'"},
	{'M', "disassembler-style", NEEDED, TAKEN, OWN_CODE},
	{0, "all-cgroups", NONE, TAKEN, "no row is of a cgroup"},
	{0, "asm-raw", NONE, TAKEN, OWN_CODE},
	{0, "demangle-kernel", NONE, TAKEN, NO_KERNEL_NAMES},
	{0, "force", NONE, TAKEN, "no file is read whose owner could be wrong"},
	{0, "group-sort-idx", NEEDED, TAKEN, NO_GROUPING},
	{0, "hierarchy", NONE, REFUSED, "use --sort comm, and the keys of the screen"},
	{0, "ignore-callees", NEEDED, REFUSED,
	 "use 'tally record -g' and report --sort parent -p NAME"},
	{0, "ignore-vmlinux", NONE, REFUSED, "name the kernel's symbols with --kallsyms"},
	{0, "namespaces", NONE, TAKEN, "no row is of a namespace"},
	{0, "no-bpf-event", NONE, TAKEN, "BPF programs are read from the kernel's symbols alone"},
	{0, "num-thread-synthesize", NEEDED, TAKEN, ONE_READER},
	{0, "objdump", NEEDED, TAKEN, OWN_CODE},
	{0, "overwrite", NONE, TAKEN, "rings are drained while they fill, and keep their order"},
	{0, "percentage", NEEDED, REFUSED, "shares are of the whole of an event"},
	{0, "prefix", NEEDED, REFUSED, "use 'tally record' and 'tally annotate --prefix'"},
	{0, "prefix-strip", NEEDED, REFUSED, "use 'tally record' and 'tally annotate --prefix'"},
	{0, "proc-map-timeout", NEEDED, TAKEN, ONE_READER},
	{0, "raw-trace", NONE, TAKEN, "no row is of a tracepoint's text"},
	{0, "show-on-off-events", NONE, REFUSED, NO_SWITCH},
	{0, "source", NONE, TAKEN, "source stands between instructions wherever it is found"},
	{0, "stitch-lbr", NONE, REFUSED, NO_LBR},
	{0, "switch-off", NEEDED, REFUSED, NO_SWITCH},
	{0, "switch-on", NEEDED, REFUSED, NO_SWITCH},
	{0, "sym-annotate", NEEDED, REFUSED, "use 'tally record' and 'tally annotate SYMBOL'"},
	{0}};

static const struct tally_perf_option list_rows[] = {
	{'d', "desc", NONE, TAKEN, "descriptions are shown; --no-desc leaves them out"},
	{0, "long-desc", NONE, REFUSED, "use --details; -v is another option here"},
	{0, "cputype", NEEDED, REFUSED, "give the PMU's name as the word: 'tally list cpu_core'"},
	{0, "debug", NONE, TAKEN, "what cannot be listed is always warned of"},
	{0}};

static const struct tally_perf_option buildids_rows[] = {
	{'m', "kernel-maps", NONE, REFUSED,
	 "-k is the kernel's; modules' are in /sys/module/NAME/notes"},
	{'v', "verbose", NONE, TAKEN, "what cannot be read is always warned of"},
	{0}};

static const struct tally_perf_option annotate_rows[] = {
	{'D', "dump-raw-trace", NONE, REFUSED, "use 'tally script -D'"},
	{'v', "verbose", NONE, TAKEN, "what cannot be read is always warned of"},
	{0, "demangle-kernel", NONE, TAKEN, NO_KERNEL_NAMES},
	{0, "itrace", OPTIONAL, REFUSED, NO_PT},
	{0, "stdio2", NONE, REFUSED, "use --stdio"},
	{0}};

static const struct tally_perf_option diff_rows[] = {
	{'D', "dump-raw-trace", NONE, REFUSED, "use 'tally script -D'"},
	{'m', "modules", NONE, TAKEN, "modules have names whenever their files are there"},
	{0, "cycles-hist", NONE, REFUSED, "blocks between branches are not compared; use perf"},
	{0, "stream", NONE, REFUSED, "callchains are not compared as wholes; use perf"},
	{0}};

static const struct {
	const char *command;
	const struct tally_perf_option *rows;
} tables[] = {
	{"stat", stat_rows},         {"record", record_rows},
	{"report", report_rows},     {"script", script_rows},
	{"top", top_rows},           {"list", list_rows},
	{"annotate", annotate_rows}, {"buildid-list", buildids_rows},
	{"diff", diff_rows},
};

#define READS_OURS "; perf reads tally's recordings"

static const struct {
	const char *name, *instead;
} commands[] = {
	{"bench", "not there yet: 'perf bench' runs without a recording"},
	{"buildid-cache",
	 "not coming, as there is no cache: 'tally archive' puts the names into the recording"},
	{"c2c", "not there yet: 'perf c2c report' shows shared cache lines" READS_OURS},
	{"config", "not there yet: tally reads no configuration file"},
	{"daemon", "not coming: run 'tally record --switch-output' as a service"},
	{"data", "not there yet: 'tally script --dump-json' and 'tally report --format' convert"},
	{"inject",
	 "not there yet: build ids are recorded at once, JIT code is read by 'tally report'"},
	{"iostat", "not coming: 'tally stat' counts events of uncore PMUs"},
	{"kallsyms", "not coming: use 'grep NAME /proc/kallsyms'"},
	{"kmem", "not coming: record kmem:* and use 'perf kmem stat'" READS_OURS},
	{"kvm", "not coming: record kvm:* and use 'perf kvm stat report'" READS_OURS},
	{"kwork", "not coming: record irq:* and workqueue:*, then 'perf kwork report'" READS_OURS},
	{"lock", "not coming: record lock:* and use 'perf lock report'" READS_OURS},
	{"mem", "not there yet: 'tally record -d -W' records, 'perf mem report' shows" READS_OURS},
	{"probe",
	 "not coming: define probes in /sys/kernel/tracing/kprobe_events; tally counts them"},
	{"sched", "not coming: record sched:* and use 'perf sched timehist'" READS_OURS},
	{"test", "not there yet: 'tally doctor' tells what works on this machine"},
	{"timechart", "not coming: record sched:* and power:*, then 'perf timechart'" READS_OURS},
	{"trace", "not coming: record raw_syscalls:* and use 'tally script', or use strace"},
};

bool tally_perf_option_ends(const struct tally_perf_option *option)
{
	return !option->letter && !option->name;
}

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
		if (found)
			return NULL;
		found = row;
	}
	return found;
}

const char *tally_perf_command(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].instead;
	return NULL;
}

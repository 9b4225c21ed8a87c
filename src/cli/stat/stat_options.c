/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally stat, one per row, and the rules for combining them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/main/target_options.h"
#include "cli/main/via.h"
#include "cli/stat/stat_options.h"
#include "cli/stat/stat_prometheus.h"

#define AT(member) offsetof(struct stat_config, member)

static int attach(struct stat_attached_list *list, size_t nr_events, const char *text,
		  const char *option)
{
	if (!nr_events) {
		tally_print_error("option '%s' must follow the -e it applies to", option);
		return -EINVAL;
	}
	return tally_vec_push(&list->items, (struct stat_attached){nr_events, text});
}

static int option_cgroup(void *config, const char *arg)
{
	struct stat_config *c = config;

	return attach(&c->cgroups, c->events.nr, arg, "-G");
}

static int option_filter(void *config, const char *arg)
{
	struct stat_config *c = config;

	return attach(&c->filters, c->events.nr, arg, "--filter");
}

const struct tally_option stat_options[] = {
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What to count:"},
	{'e', "event", TALLY_OPTION_LIST, AT(events), "events",
	 "count these events instead of the default set; see 'tally list'"},
	{'M', "metrics", TALLY_OPTION_LIST, AT(metrics), "metrics",
	 "compute these metrics, or all metrics in a group; see 'tally list metrics'"},
	{0, "topdown", TALLY_OPTION_FLAG, AT(topdown), NULL,
	 "compute top-down metrics, which show how pipeline slots are used"},
	{0, "td-level", TALLY_OPTION_U64, AT(topdown_level), "n",
	 "use level n of top-down analysis instead of level 1"},
	{0, "metric-no-group", TALLY_OPTION_FLAG, AT(metric_no_group), NULL,
	 "count the events of a metric independently, not as a group"},
	{0, "metric-no-merge", TALLY_OPTION_FLAG, AT(metric_no_merge), NULL,
	 "do not share events between metrics"},
	{0, "pmu-filter", TALLY_OPTION_TEXT, AT(metric_pmu), "pmu",
	 "count the events of metrics only on this one of several similar PMUs"},
	TALLY_OPTION_EVENTS_DIR(AT(source.dir)),
	{'d', "detailed", TALLY_OPTION_COUNT, AT(detail), NULL,
	 "count cache events too; -dd: also TLBs; -ddd: also prefetches"},
	{'T', "transaction", TALLY_OPTION_FLAG, AT(transaction), NULL,
	 "count Intel TSX transactions, and the cycles in committed and aborted ones"},
	{0, "smi-cost", TALLY_OPTION_FLAG, AT(smi_cost), NULL,
	 "show the share of cycles that system management interrupts take"},
	{0, "filter", TALLY_OPTION_CALL, 0, "filter", "filter the tracepoints of the preceding -e",
	 NULL, option_filter},
	{'g', "group", TALLY_OPTION_FLAG, AT(group), NULL, "make all events one group"},
	{0, "all-user", TALLY_OPTION_FLAG, AT(all_user), NULL, "count only in user space"},
	{0, "all-kernel", TALLY_OPTION_FLAG, AT(all_kernel), NULL, "count only in the kernel"},
	{'n', "null", TALLY_OPTION_FLAG, AT(null_run), NULL,
	 "count only the events of -e and -M; without them, only measure the time"},
	{'i', "no-inherit", TALLY_OPTION_FLAG, AT(no_inherit), NULL,
	 "do not count new threads and processes"},
	{0, "regions", TALLY_OPTION_FLAG, AT(regions), NULL,
	 "also show the counts of code regions that the command measures with tally/region.h"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Where:"},
	TALLY_OPTIONS_CPUS(AT(target)),
	TALLY_OPTIONS_TASKS(AT(target), 't'),
	TALLY_OPTION_VIA(AT(via)),
	{'G', "cgroup", TALLY_OPTION_CALL, 0, "names",
	 "count in these cgroups: one per preceding event, or one for all", NULL, option_cgroup},
	{0, "for-each-cgroup", TALLY_OPTION_TEXT, AT(each_cgroup), "names",
	 "count all events in each of these cgroups, which may be regular expressions"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "When:"},
	{'r', "repeat", TALLY_OPTION_TEXT, AT(repeat), "n",
	 "run the command n times, and show mean and deviation (0: until Ctrl-C)"},
	{'I', "interval-print", TALLY_OPTION_U64, AT(interval_ms), "ms",
	 "print the counts every ms milliseconds"},
	{0, "interval-clear", TALLY_OPTION_FLAG, AT(interval_clear), NULL,
	 "with -I, clear the terminal before each interval"},
	{0, "interval-count", TALLY_OPTION_U64, AT(interval_count), "n",
	 "stop after n intervals (0: no limit)"},
	{'D', "delay", TALLY_OPTION_TEXT, AT(delay), "ms",
	 "start counting this long after the command starts (-1: wait for --control)"},
	{0, "timeout", TALLY_OPTION_U64, AT(timeout_ms), "ms",
	 "stop counting, and the command, after this time", NULL, NULL, AT(timeout_given)},
	{0, "control", TALLY_OPTION_TEXT, AT(control), "fd:C[,A]|fifo:C[,A]",
	 "accept enable, disable, ping and stop from C, and send acknowledgements to A"},
	{0, "pre", TALLY_OPTION_TEXT, AT(pre), "command", "run this shell command before each run"},
	{0, "post", TALLY_OPTION_TEXT, AT(post), "command",
	 "run this shell command after each run"},
	{'S', "sync", TALLY_OPTION_FLAG, AT(sync), NULL, "call sync(2) before each run"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Aggregation (with -a or -C):"},
	{'A', "no-aggr", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_CPU]), NULL,
	 "do not aggregate: one line per CPU"},
	{0, "per-core", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_CORE]), NULL, "aggregate per core"},
	{0, "per-die", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_DIE]), NULL, "aggregate per die"},
	{0, "per-cluster", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_CLUSTER]), NULL,
	 "aggregate per cluster of cores"},
	{0, "per-cache", TALLY_OPTION_TEXT, AT(cache), "L1|L2|L3",
	 "aggregate per cache of this level (default: the highest level)", "", NULL,
	 AT(aggr[STAT_AGGR_CACHE])},
	{0, "per-socket", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_SOCKET]), NULL,
	 "aggregate per socket"},
	{0, "per-node", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_NODE]), NULL,
	 "aggregate per NUMA node"},
	{0, "per-thread", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_THREAD]), NULL,
	 "count each thread separately (with -p, -t or -a)"},
	{0, "no-merge", TALLY_OPTION_FLAG, AT(no_merge), NULL,
	 "count an event that several PMUs have separately for each PMU"},
	{0, "no-scale", TALLY_OPTION_FLAG, AT(no_scale), NULL,
	 "do not scale the counts of multiplexed events"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Output:"},
	{0, "metric-only", TALLY_OPTION_FLAG, AT(metric_only), NULL,
	 "print only metrics, side by side", NULL, NULL, AT(metric_only_given)},
	{'x', "field-separator", TALLY_OPTION_TEXT, AT(separator), "text",
	 "separate fields with this string"},
	{'j', "json-output", TALLY_OPTION_FLAG, AT(perf_json), NULL, "print JSON with perf's keys"},
	{0, "json", TALLY_OPTION_FLAG, AT(json), NULL,
	 "print JSON in tally's schema, with the quality of each count"},
	{'B', "big-num", TALLY_OPTION_FLAG, AT(big_num), NULL, "print thousands separators"},
	{0, "no-big-num", TALLY_OPTION_FLAG, AT(no_big_num), NULL,
	 "do not print thousands separators, regardless of the locale"},
	{0, "summary", TALLY_OPTION_FLAG, AT(summary), NULL,
	 "with -I, print the total after the intervals"},
	{0, "prometheus", TALLY_OPTION_TEXT, AT(prometheus), "address|file.prom",
	 "provide the counts to Prometheus, over HTTP (default: 127.0.0.1:18255) or in a file", "",
	 NULL},
	{0, "no-csv-summary", TALLY_OPTION_FLAG, AT(no_csv_summary), NULL,
	 "with -x, omit the word 'summary' before the total"},
	{0, "table", TALLY_OPTION_FLAG, AT(table), NULL, "with -r, print the time of each run"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file",
	 "write to this file instead of stderr"},
	{0, "append", TALLY_OPTION_FLAG, AT(append), NULL, "with -o, append to the file"},
	{0, "force", TALLY_OPTION_FLAG, AT(force), NULL, "overwrite any existing file"},
	{0, "log-fd", TALLY_OPTION_INT, AT(log_fd), "n",
	 "write to this descriptor instead of stderr", NULL, NULL, AT(log_fd_given)},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL,
	 "print why events are not supported, and the counts before they are scaled and "
	 "printed; -vv also prints the attributes"},
	{0, "quiet", TALLY_OPTION_FLAG, AT(quiet), NULL, "print nothing"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Instead of counting:"},
	{0, "cpuid", TALLY_OPTION_TEXT, AT(source.cpuid), "cpuid",
	 "use the events of another CPU, such as GenuineIntel-6-37 or silvermont"},
	{0, "dry-run", TALLY_OPTION_FLAG, AT(dry_run), NULL,
	 "print the events that would be opened; with -v, all fields"},
	{0, "plan", TALLY_OPTION_FLAG, AT(plan), NULL,
	 "print which groups fit on the counters, and what share of the time each would be "
	 "counted"},
	TALLY_OPTION_END,
};

static int parse_number(const char *option, const char *text, long least, long *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtol(text, &end, 10);
	if (end != text && !*end && !errno && *ret_value >= least)
		return 0;
	tally_print_error("option '%s' requires a number of at least %ld, not '%s'", option, least,
			  text);
	return -EINVAL;
}

static int check_numbers(struct stat_config *config)
{
	long value = 1;
	int ret = config->repeat ? parse_number("repeat", config->repeat, 0, &value) : 0;

	config->runs = (uint64_t)value;
	value = 0;
	if (!ret && config->delay)
		ret = parse_number("delay", config->delay, -1, &value);
	config->delay_ms = value;
	return ret;
}

/* CPUs are specified by number. A value that contains letters is probably the name of a kind of
 * core. */
static int check_cpus(const struct stat_config *config)
{
	const char *text = config->target.cpus;

	if (config->source.cpuid && !config->dry_run && !config->plan) {
		tally_print_error("--cpuid requires --plan or --dry-run");
		return -EINVAL;
	}
	if (!text || !text[strcspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return 0;
	tally_print_error("--cpu %s: must be a list of CPU numbers", text);
	tally_print_hint(
		"to use the events of another CPU, use --cpuid %s with --plan or --dry-run", text);
	return -EINVAL;
}

static int choose_mode(struct stat_config *config)
{
	int chosen = 0;

	for (enum stat_aggr i = STAT_AGGR_ALL; i < STAT_NR_AGGR; i++) {
		if (!config->aggr[i])
			continue;
		config->mode = i;
		chosen++;
	}
	return chosen > 1;
}

/* Parse the level of --per-cache, such as "L3" or "l3". */
static int parse_cache_level(struct stat_config *config)
{
	const char *text = config->cache;

	if (!text || !*text)
		return 0;
	if ((*text == 'L' || *text == 'l') && text[1] >= '1' && text[1] <= '9' && !text[2]) {
		config->cache_level = text[1] - '0';
		return 0;
	}
	tally_print_error("--per-cache=%s: must be a cache level such as L2 or L3", text);
	return -EINVAL;
}

int stat_aggr_check(struct stat_config *config)
{
	if (!choose_mode(config))
		return parse_cache_level(config);
	tally_print_error("only one aggregation option can be used");
	return -EINVAL;
}

/* A combination of options that is not allowed. */
struct stat_rule {
	bool wrong;
	const char *why;
};

static int rules_apply(const struct stat_rule *rules, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!rules[i].wrong)
			continue;
		tally_print_error("%s", rules[i].why);
		return -EINVAL;
	}
	return 0;
}

/* Check the options that select CPUs, tasks and cgroups. */
static int check_where(const struct stat_config *config, char **argv)
{
	bool tasks = tally_target_has_tasks(&config->target);
	bool cpus = tally_target_has_cpus(&config->target) || (!argv && !tasks);
	const struct stat_rule rules[] = {
		{config->mode != STAT_AGGR_ALL && config->mode != STAT_AGGR_THREAD &&
			 (!cpus || tasks),
		 "-A and --per-... require CPUs: -a or -C"},
		{config->mode == STAT_AGGR_THREAD && !tasks && !cpus,
		 "--per-thread requires existing threads: -p, -t or -a"},
		{config->mode == STAT_AGGR_THREAD && config->target.cpus,
		 "--per-thread counts on all CPUs and cannot be combined with -C"},
		{(config->cgroups.items.len || config->each_cgroup) && (!cpus || tasks),
		 "counting cgroups requires CPUs: -a or -C"},
		{config->cgroups.items.len && config->each_cgroup,
		 "-G and --for-each-cgroup cannot be used together"},
	};

	return rules_apply(rules, TALLY_ARRAY_SIZE(rules));
}

/* Check the other option combinations. */
static int check_rules(const struct stat_config *config, char **argv)
{
	const struct stat_rule rules[] = {
		{config->output && config->log_fd_given,
		 "--output and --log-fd cannot be used together"},
		{!!config->separator + config->perf_json + config->json > 1,
		 "-x, -j and --json cannot be used together"},
		{config->interval_ms && config->timeout_given,
		 "--timeout cannot be combined with -I: use --interval-count"},
		{config->interval_ms && config->repeat, "-r cannot be combined with -I"},
		{config->interval_count && !config->interval_ms, "--interval-count requires -I"},
		{config->interval_clear && !config->interval_ms, "--interval-clear requires -I"},
		{config->summary && !config->interval_ms, "--summary requires -I"},
		{config->regions && !argv, "--regions requires a command"},
		{config->regions && (config->separator || config->perf_json),
		 "--regions cannot be combined with -x and -j: use --json"},
		{config->regions && (config->interval_ms || config->quiet),
		 "--regions cannot be combined with -I and --quiet"},
		{config->record && config->repeat, "-r cannot be combined with 'stat record'"},
		{config->record && (config->plan || config->dry_run),
		 "'stat record' cannot be combined with --plan or --dry-run"},
		{config->repeat && !argv, "-r requires a command"},
		{config->table && !config->repeat, "--table requires -r"},
		{config->timeout_given && config->timeout_ms < 10,
		 "--timeout must be at least 10 ms"},
		{config->plan && config->dry_run, "--dry-run and --plan cannot be used together"},
		{config->topdown_level && !config->topdown, "--td-level requires --topdown"},
		{config->metric_pmu && !config->metrics.nr && !config->topdown,
		 "--pmu-filter requires -M or --topdown"},
	};

	return rules_apply(rules, TALLY_ARRAY_SIZE(rules));
}

/* Check the options that --prometheus cannot be combined with. */
static int check_prometheus(const struct stat_config *config)
{
	const struct stat_rule rules[] = {
		{config->mode == STAT_AGGR_THREAD,
		 "--per-thread cannot be combined with --prometheus: each new thread would add "
		 "series, which Prometheus keeps"},
		{config->separator || config->perf_json || config->json,
		 "-x, -j and --json cannot be combined with --prometheus, which has its own "
		 "format"},
		{config->repeat,
		 "-r cannot be combined with --prometheus: counters must not restart"},
		{config->record, "'stat record' cannot be combined with --prometheus"},
		{config->plan || config->dry_run,
		 "--plan and --dry-run cannot be combined with --prometheus"},
		{config->interval_count,
		 "--interval-count cannot be combined with --prometheus: use --timeout"},
		{config->interval_clear || config->summary,
		 "--interval-clear and --summary cannot be combined with --prometheus, with which "
		 "-I "
		 "does not print"},
	};

	return config->prometheus ? rules_apply(rules, TALLY_ARRAY_SIZE(rules)) : 0;
}

int stat_config_check(struct stat_config *config, char **argv)
{
	int ret = check_cpus(config);

	if (config->smi_cost && !config->metric_only_given)
		config->metric_only = true;

	if (!ret)
		ret = check_numbers(config);
	if (config->separator && !strcmp(config->separator, "\\t"))
		config->separator = "\t";
	if (!ret)
		ret = stat_aggr_check(config);
	if (!ret)
		ret = check_where(config, argv);
	if (!ret)
		ret = check_prometheus(config);
	if (!ret)
		ret = stat_prometheus_check(config);
	if (!ret)
		ret = check_rules(config, argv);
	if (!ret)
		tally_target_normalize(&config->target, argv,
				       config->quiet ? NULL : &tally_print_messages);
	return ret;
}

void stat_config_free(struct stat_config *config)
{
	tally_vec_free(&config->cgroups.items);
	tally_vec_free(&config->filters.items);
}

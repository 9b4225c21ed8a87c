/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally stat, one row each, and the rules for combining them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/main/print.h"
#include "cli/main/target_options.h"
#include "cli/main/via.h"
#include "cli/stat/options.h"

#define AT(member) offsetof(struct stat_config, member)

static int attach(struct stat_attached_list *list, size_t nr_events, const char *text,
		  const char *option)
{
	if (!nr_events) {
		tally_print_error("option '%s' belongs behind the -e that it is for", option);
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
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What is counted:"},
	{'e', "event", TALLY_OPTION_LIST, AT(events), "events",
	 "these events instead of the default set; 'tally list' shows them"},
	{'M', "metrics", TALLY_OPTION_LIST, AT(metrics), "metrics",
	 "these metrics, or all of a group; 'tally list metrics' shows them"},
	{0, "topdown", TALLY_OPTION_FLAG, AT(topdown), NULL,
	 "the metrics of top-down analysis: where the pipeline's slots go"},
	{0, "td-level", TALLY_OPTION_U64, AT(topdown_level), "n", "of its level n, instead of 1"},
	{0, "metric-no-group", TALLY_OPTION_FLAG, AT(metric_no_group), NULL,
	 "a metric's events one by one, not at the same time"},
	{0, "metric-no-merge", TALLY_OPTION_FLAG, AT(metric_no_merge), NULL,
	 "no events shared between metrics"},
	TALLY_OPTION_EVENTS_DIR(AT(source.dir)),
	{'d', "detailed", TALLY_OPTION_COUNT, AT(detail), NULL,
	 "more events: caches; -dd: TLBs too; -ddd: prefetches too"},
	{0, "filter", TALLY_OPTION_CALL, 0, "filter",
	 "condition for the tracepoints of the -e before", NULL, option_filter},
	{0, "all-user", TALLY_OPTION_FLAG, AT(all_user), NULL, "only in user space"},
	{0, "all-kernel", TALLY_OPTION_FLAG, AT(all_kernel), NULL, "only in the kernel"},
	{'n', "null", TALLY_OPTION_FLAG, AT(null_run), NULL, "no events, only the time"},
	{'i', "no-inherit", TALLY_OPTION_FLAG, AT(no_inherit), NULL,
	 "not in threads and processes that come later"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Where:"},
	TALLY_OPTIONS_CPUS(AT(target)),
	TALLY_OPTIONS_TASKS(AT(target), 't'),
	TALLY_OPTION_VIA(AT(via)),
	{'G', "cgroup", TALLY_OPTION_CALL, 0, "names",
	 "in these cgroups: one for each event before, or one for all", NULL, option_cgroup},
	{0, "for-each-cgroup", TALLY_OPTION_TEXT, AT(each_cgroup), "names",
	 "every event in each of these cgroups"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "When:"},
	{'r', "repeat", TALLY_OPTION_TEXT, AT(repeat), "n",
	 "run the command n times, show mean and deviation (0: until Ctrl-C)"},
	{'I', "interval-print", TALLY_OPTION_U64, AT(interval_ms), "ms",
	 "show what was counted every so many milliseconds"},
	{0, "interval-count", TALLY_OPTION_U64, AT(interval_count), "n", "end after n intervals",
	 NULL, NULL, AT(interval_count_given)},
	{'D', "delay", TALLY_OPTION_TEXT, AT(delay), "ms",
	 "start counting so long after the command (-1: when --control says so)"},
	{0, "timeout", TALLY_OPTION_U64, AT(timeout_ms), "ms",
	 "end the command and the counting after this time", NULL, NULL, AT(timeout_given)},
	{0, "control", TALLY_OPTION_TEXT, AT(control), "fd:C[,A]|fifo:C[,A]",
	 "take enable, disable, ping and stop from C, answer ack on A"},
	{0, "pre", TALLY_OPTION_TEXT, AT(pre), "command", "shell command before each run"},
	{0, "post", TALLY_OPTION_TEXT, AT(post), "command", "shell command after each run"},
	{'S', "sync", TALLY_OPTION_FLAG, AT(sync), NULL, "sync(2) before each run"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "How it is added up (with -a or -C):"},
	{'A', "no-aggr", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_CPU]), NULL, "not: for each CPU"},
	{0, "per-core", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_CORE]), NULL, "for each core"},
	{0, "per-die", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_DIE]), NULL, "for each die"},
	{0, "per-socket", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_SOCKET]), NULL, "for each socket"},
	{0, "per-node", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_NODE]), NULL, "for each NUMA node"},
	{0, "per-thread", TALLY_OPTION_FLAG, AT(aggr[STAT_AGGR_THREAD]), NULL,
	 "for each thread (with -p, -t or -a)"},
	{0, "no-scale", TALLY_OPTION_FLAG, AT(no_scale), NULL,
	 "counts as they are, also of events that had to share a counter"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "How it is shown:"},
	{0, "metric-only", TALLY_OPTION_FLAG, AT(metric_only), NULL,
	 "metrics side by side, without the counts"},
	{'x', "field-separator", TALLY_OPTION_TEXT, AT(separator), "text",
	 "fields with this between them"},
	{'j', "json-output", TALLY_OPTION_FLAG, AT(perf_json), NULL, "JSON with perf's keys"},
	{0, "json", TALLY_OPTION_FLAG, AT(json), NULL,
	 "JSON of tally's schema: every count with its quality"},
	{'B', "big-num", TALLY_OPTION_FLAG, AT(big_num), NULL, "a separator between thousands"},
	{0, "no-big-num", TALLY_OPTION_FLAG, AT(no_big_num), NULL,
	 "none, whatever the locale says"},
	{0, "summary", TALLY_OPTION_FLAG, AT(summary), NULL, "after -I, the whole as well"},
	{0, "no-csv-summary", TALLY_OPTION_FLAG, AT(no_csv_summary), NULL,
	 "no word 'summary' in front of that with -x"},
	{0, "table", TALLY_OPTION_FLAG, AT(table), NULL, "with -r, the time of each run"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file", "into a file, not on stderr"},
	{0, "append", TALLY_OPTION_FLAG, AT(append), NULL, "at its end"},
	{0, "force", TALLY_OPTION_FLAG, AT(force), NULL, "replace a file of any kind"},
	{0, "log-fd", TALLY_OPTION_INT, AT(log_fd), "n", "to this descriptor, not on stderr", NULL,
	 NULL, AT(log_fd_given)},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL,
	 "also say why events are not supported"},
	{0, "quiet", TALLY_OPTION_FLAG, AT(quiet), NULL, "nothing at all"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Instead of counting:"},
	{0, "cpuid", TALLY_OPTION_TEXT, AT(source.cpuid), "cpuid",
	 "for another machine's CPU: GenuineIntel-6-37, or silvermont"},
	{0, "dry-run", TALLY_OPTION_FLAG, AT(dry_run), NULL,
	 "print what would be opened; with -v every field"},
	{0, "plan", TALLY_OPTION_FLAG, AT(plan), NULL,
	 "say which groups fit the counters, and how much of the time each would have them"},
	TALLY_OPTION_END,
};

static int parse_number(const char *option, const char *text, long least, long *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtol(text, &end, 10);
	if (end != text && !*end && !errno && *ret_value >= least)
		return 0;
	tally_print_error("option '%s' takes a number of at least %ld, not '%s'", option, least,
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

/* CPUs are numbers. A name with letters is probably a kind of CPU. */
static int check_cpus(const struct stat_config *config)
{
	const char *text = config->target.cpus;

	if (config->source.cpuid && !config->dry_run && !config->plan) {
		tally_print_error("--cpuid is for another machine's CPU: with --plan or --dry-run");
		return -EINVAL;
	}
	if (!text || !text[strcspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return 0;
	tally_print_error("--cpu %s: not a list of CPUs", text);
	tally_print_hint("--cpuid %s, with --plan or --dry-run, names another machine's CPU", text);
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

/* Check the combinations of options. Called after the strings have been parsed. */
static int rules_check(struct stat_config *config, char **argv)
{
	bool tasks = tally_target_has_tasks(&config->target);
	bool cpus = tally_target_has_cpus(&config->target) || (!argv && !tasks);
	const struct {
		bool wrong;
		const char *why;
	} rules[] = {
		{choose_mode(config), "counts can be added up in one way only"},
		{config->mode != STAT_AGGR_ALL && config->mode != STAT_AGGR_THREAD &&
			 (!cpus || tasks),
		 "counts of CPUs apart (-A, --per-...) need CPUs to count on: -a or -C"},
		{config->mode == STAT_AGGR_THREAD && !tasks && !cpus,
		 "--per-thread is for threads that exist: -p, -t or -a"},
		{config->mode == STAT_AGGR_THREAD && config->target.cpus,
		 "--per-thread counts on all CPUs: it does not go with -C"},
		{(config->cgroups.items.len || config->each_cgroup) && (!cpus || tasks),
		 "cgroups are counted on CPUs: -a or -C"},
		{config->cgroups.items.len && config->each_cgroup,
		 "either -G or --for-each-cgroup"},
		{config->output && config->log_fd_given, "either --output or --log-fd"},
		{!!config->separator + config->perf_json + config->json > 1,
		 "one of -x, -j and --json"},
		{config->interval_ms && config->timeout_given,
		 "--timeout does not go with -I: use --interval-count"},
		{config->interval_ms && config->repeat, "-r does not go with -I"},
		{config->interval_count_given && !config->interval_ms,
		 "--interval-count counts the intervals of -I"},
		{config->summary && !config->interval_ms, "--summary sums up the intervals of -I"},
		{config->repeat && !argv, "-r repeats a command: there is none"},
		{config->table && !config->repeat, "--table lists the runs of -r"},
		{config->timeout_given && config->timeout_ms < 10, "--timeout is at least 10 ms"},
		{config->plan && config->dry_run, "either --dry-run or --plan"},
		{config->topdown_level && !config->topdown, "--td-level is of --topdown"},
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]) && !ret; i++) {
		if (!rules[i].wrong)
			continue;
		tally_print_error("%s", rules[i].why);
		ret = -EINVAL;
	}
	return ret;
}

int stat_config_check(struct stat_config *config, char **argv)
{
	int ret = check_cpus(config);

	if (!ret)
		ret = check_numbers(config);
	if (config->separator && !strcmp(config->separator, "\\t"))
		config->separator = "\t";
	if (!ret)
		ret = rules_check(config, argv);
	if (!ret)
		tally_target_settle(&config->target, argv,
				    config->quiet ? NULL : &tally_print_messages);
	return ret;
}

void stat_config_free(struct stat_config *config)
{
	tally_vec_free(&config->cgroups.items);
	tally_vec_free(&config->filters.items);
}

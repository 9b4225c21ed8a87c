/* SPDX-License-Identifier: BSD-2-Clause */
/* tally record: sample a command, tasks or CPUs into a perf.data file. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/commands.h"
#include "cli/privileges.h"
#include "cli/record.h"
#include "cli/refuse.h"
#include "cli/ring_pages.h"
#include "cli/say.h"
#include "cli/signals.h"

/* ---- checks ------------------------------------------------------------------ */

static int parse_delay(struct record *record)
{
	const char *text = record->config->delay;
	char *end;
	long ms;

	if (!text)
		return 0;
	ms = strtol(text, &end, 10);
	if (end == text || *end || ms < -1 || ms > INT32_MAX) {
		tally_say_error("-D %s: not a number of milliseconds, nor -1", text);
		return -EINVAL;
	}
	record->delay_ns = ms < 0 ? -1 : (int64_t)ms * 1000000;
	record->disabled = record->delay_ns != 0;
	return 0;
}

/* What does not go together. */
static int check_config(struct record_config *config, bool has_command)
{
	bool to_stdout = config->output && !strcmp(config->output, "-");

	if (record_is_command(config) && !has_command)
		config->all_cpus = true; /* as perf: everything */
	if (config->all_user && config->all_kernel) {
		tally_say_error("--all-user and --all-kernel exclude each other");
		return -EINVAL;
	}
	if (config->per_thread && record_has_cpus(config)) {
		tally_say_error("--per-thread is for tasks, not for CPUs (-a, -C)");
		return -EINVAL;
	}
	if (to_stdout && (config->switch_signal || config->switch_bytes || config->switch_ns ||
			  config->timestamp_name)) {
		tally_say_error("a pipe cannot be switched to another file or renamed");
		return -EINVAL;
	}
	if (record_has_cpus(config) && (config->pids || config->tids || config->user))
		tally_say_warning("-p, -t and -u are not looked at with -a or -C");
	if (config->overwrite)
		config->tail_synth = true;
	return 0;
}

/* ---- signals ----------------------------------------------------------------- */

static int signals_open(struct record *record)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2};

	record->signals = tally_signals_open(wanted, TALLY_ARRAY_SIZE(wanted));
	return TALLY_MIN(record->signals, 0);
}

static void raise_priority(const struct record_config *config)
{
	struct sched_param param = {.sched_priority = config->realtime};

	if (config->realtime && sched_setscheduler(0, SCHED_FIFO, &param))
		tally_say_warning("cannot run with priority %d: %s", config->realtime,
				  strerror(errno));
}

/* ---- one recording ----------------------------------------------------------- */

static int start_child(struct record *record, char **argv)
{
	int ret = argv ? tally_child_start(&record->child, argv) : 0;

	if (ret)
		tally_refuse_start(argv[0], ret);
	/* Ours, not the command's: a reader of our pipe that goes away is an error like others. */
	signal(SIGPIPE, SIG_IGN);
	return ret;
}

/* Let events and command go. */
static int let_go(struct record *record, const char *command)
{
	int ret = 0;

	record->started = record_now();
	if (!record_is_command(record->config) && !record->disabled)
		ret = tally_counters_enable(record->counters);
	if (ret || !record->child.pid)
		return ret;
	ret = tally_child_go(&record->child);
	record->is_going = !ret;
	if (!ret)
		record->exec_error = tally_child_exec_error(&record->child);
	if (!record->exec_error)
		return ret;
	tally_say_error("cannot run '%s': %s", command, strerror(-record->exec_error));
	record_output_discard(record);
	return record->exec_error;
}

/* The end: no more events, everything out, the command not left behind. */
static int wind_up(struct record *record, int ret)
{
	int drained;

	tally_counters_disable(record->counters);
	if (!ret) {
		drained = record_drain(record, true);
		ret = ret ? ret : drained;
	}
	/* One that is still held ends when its pipe is closed. */
	if (record->is_going && !record->child.gone) {
		kill(record->child.pid, SIGTERM);
		tally_child_wait(&record->child, true);
	}
	return ret;
}

static void say_write_error(const struct record *record, int ret)
{
	const char *name = record->output.path ? record->output.path : "standard output";

	if (ret == -EPIPE)
		return;
	tally_say_error("cannot write %s: %s", name, strerror(-ret));
	if (ret == -ENOSPC || ret == -EFBIG || ret == -EDQUOT)
		tally_say_hint("what was written up to there can be read");
}

static int record_file(struct record *record, const char *command)
{
	int ret = record_output_open(record), finished;

	if (!ret) {
		ret = record_synthesize(record, false);
		if (!ret)
			ret = let_go(record, command);
		if (record->exec_error)
			return ret;
		if (!ret)
			ret = record_run(record);
		ret = wind_up(record, ret);
		if (ret)
			say_write_error(record, ret);
		finished = record_output_finish(record, true);
		ret = ret ? ret : finished;
		if (record->config->all_cpus && !record->config->cpus && !record->config->quiet)
			tally_refuse_new_cpus(record->cpus);
	}
	return ret;
}

/* All that takes privileges. No file of a user is opened before they are gone: the output is
 * created, and every file hit is read, with the rights of who called us. */
static int open_privileged(struct record *record)
{
	int ret, dropped;

	tally_privileges_raise();
	ret = record_open(record);
	if (!ret)
		ret = record_synth_prepare(record);
	dropped = tally_privileges_drop();
	return ret ? ret : dropped;
}

/* --call-graph dwarf, or an event's own. */
static void warn_dumps(const struct record *record)
{
	for (size_t i = 0; i < record->specs.len; i++) {
		if (!(record->specs.data[i].attr.sample_type & PERF_SAMPLE_STACK_USER))
			continue;
		tally_say_warning(
			"stacks are recorded as dumps, which tally does not unwind yet: its "
			"reports show the sampled function without its callers");
		tally_say_hint("perf report and perf script unwind them; --call-graph fp needs no "
			       "unwinding");
		return;
	}
}

static int record_all(struct record *record, char **command)
{
	const struct record_config *config = record->config;
	int ret = parse_delay(record);

	if (!ret)
		ret = tally_ring_pages_parse(config->mmap_size, config->quiet, &record->ring_pages);
	if (!ret)
		ret = signals_open(record);
	if (!ret)
		ret = record_control_open(record);
	if (!ret)
		ret = record_events_parse(record);
	if (!ret)
		ret = record_attrs(record);
	if (!ret)
		warn_dumps(record);
	if (ret || config->dry_run)
		return ret;
	ret = start_child(record, command);
	if (!ret)
		ret = record_targets(record);
	if (!ret)
		ret = open_privileged(record);
	if (!ret)
		ret = record_file(record, command ? command[0] : "");
	return ret;
}

static void record_free(struct record *record)
{
	tally_child_free(&record->child);
	record_output_free(record);
	tally_control_close(&record->control);
	record_close(record);
	if (record->signals >= 0)
		close(record->signals);
}

/* The command's status is ours, unless something of ours failed. */
static int exit_status(const struct record *record, int ret)
{
	if (record->exec_error)
		return record->exec_error == -ENOENT ? TALLY_EXIT_NOT_FOUND
						     : TALLY_EXIT_NOT_EXECUTABLE;
	if (ret)
		return TALLY_EXIT_ERROR;
	return record->child.gone ? tally_child_exit_status(&record->child) : TALLY_EXIT_OK;
}

static int record_command(int argc, char **argv)
{
	struct record_config config = {.synth = RECORD_SYNTH_TASK | RECORD_SYNTH_MMAP |
						RECORD_SYNTH_CGROUP};
	struct record record = {.config = &config,
				.argc = argc,
				.signals = -1,
				.output.fd = -1,
				.control = {.fd = -1, .ack = -1}};
	int first, ret;

	record.argv = argv;
	ret = tally_options_parse(&tally_command_record, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret)
		return ret - 1;
	ret = check_config(&config, first < argc);
	if (!ret) {
		raise_priority(&config);
		ret = record_all(&record, first < argc ? argv + first : NULL);
	}
	ret = exit_status(&record, ret);
	record_free(&record);
	tally_vec_free(&config.filters);
	tally_options_free(&tally_command_record, &config);
	return ret;
}

const struct tally_command tally_command_record = {
	.name = "record",
	.summary = "Sample a command, tasks or CPUs into a file",
	.usage =
		"[OPTIONS] [--] COMMAND [ARGS]\n[OPTIONS] -p PID | -t TID | -u USER | -a | -C LIST "
		"[[--] COMMAND [ARGS]]",
	.about = " Without a command or a target, all CPUs are recorded until Ctrl-C. With a "
		 "target\n"
		 " the command only says how long. The exit status is the command's.\n",
	.options = record_options,
	.privileged = true,
	.run = record_command,
};

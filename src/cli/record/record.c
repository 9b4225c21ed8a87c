/* SPDX-License-Identifier: BSD-2-Clause */
/* tally record: sample a command, tasks or CPUs and write the samples to a perf.data file. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "cli/main/cgroup_words.h"
#include "cli/main/commands.h"
#include "cli/main/print_events.h"
#include "cli/main/print.h"
#include "cli/record/record_control.h"
#include "cli/record/record_drain.h"
#include "cli/record/ring_filter.h"
#include "cli/record/ring_scan.h"
#include "cli/record/record_loop.h"
#include "cli/record/record_options.h"
#include "cli/record/record_output.h"
#include "cli/record/pinning.h"
#include "cli/record/record_signals.h"
#include "cli/record/record_spool.h"
#include "cli/record/record_state.h"
#include "cli/record/record_synth.h"
#include "cli/record/unwinding.h"
#include "sampler/privileges.h"
#include "sampler/sampler_program.h"
#include "sampler/sampler_refuse.h"
#include "sampler/ring_pages.h"

/* ---- checks ------------------------------------------------------------------ */

static int parse_delay(struct record *record, struct record_config *config)
{
	int ret = config->delay ? record_schedule_parse(&record->schedule, config->delay) : 0;

	record->disabled = config->delay && !record_schedule_starts_enabled(&record->schedule);
	config->sampling.is_delayed = record->disabled;
	return ret;
}

/* Check for mutually exclusive options, and set dependent settings. */
static int check_config(struct record_config *config, bool has_command)
{
	struct tally_sampling *sampling = &config->sampling;

	tally_target_normalize(&sampling->target, has_command,
			       sampling->quiet ? NULL : sampling->messages);
	if (sampling->all_user && sampling->all_kernel) {
		tally_print_error("--all-user and --all-kernel cannot be used together");
		return -EINVAL;
	}
	if (sampling->target.per_thread && tally_target_has_cpus(&sampling->target)) {
		tally_print_error("--per-thread cannot be combined with CPUs (-a, -C)");
		return -EINVAL;
	}
	if (config->redact && config->keep_stacks) {
		tally_print_error("--redact and --keep-stacks cannot be used together, because "
				  "stack dumps may contain any data");
		return -EINVAL;
	}
	if (config->regions && (!has_command || config->redact || record_switches_output(config))) {
		tally_print_error("--regions requires a command, and cannot be combined with "
				  "--redact and --switch-output");
		return -EINVAL;
	}
	if (config->flush_ms > INT32_MAX) {
		tally_print_error("--flush-ms %llu: value too large",
				  (unsigned long long)config->flush_ms);
		return -EINVAL;
	}
	if (sampling->overwrite)
		sampling->tail_synth = true;
	sampling->is_synthesized_again = sampling->tail_synth || record_switches_output(config);
	return tally_ring_pages_parse(config->mmap_size, sampling->quiet, sampling->messages,
				      &sampling->ring_pages);
}

/* ---- events ------------------------------------------------------------------ */

/* Append the filter for the events of option number `option`: the last --filter, and
 * --exclude-perf, which leaves out the recorder. */
static void add_filter(const struct record_config *config, size_t option, struct tally_str *out)
{
	const char *text = NULL;
	bool excludes = false;

	tally_vec_for_each (filter, &config->filters) {
		if (filter->event_option != option + 1)
			continue;
		text = filter->text ? filter->text : text;
		excludes |= !filter->text;
	}
	if (text && excludes)
		tally_str_addf(out, "(%s) && ", text);
	else if (text)
		tally_str_add(out, text);
	if (excludes)
		tally_str_addf(out, "common_pid != %d", (int)getpid());
}

static int add_event(struct record *record, size_t option)
{
	struct tally_str *filter = &record->filters[option];

	add_filter(record->config, option, filter);
	if (tally_str_error(filter))
		return -ENOMEM;
	return tally_sampler_add(&record->sampler, record->config->events.items[option],
				 filter->len ? tally_str_text(filter) : NULL);
}

/* If the output is switched, each file begins with the state at its start, unless the records of
 * changes are overwritten. */
static void choose_synthesis(struct record *record)
{
	const struct tally_sampler *sampler = &record->sampler;

	if (record_switches_output(record->config) &&
	    !sampler->specs.data[sampler->tracking].attr.write_backward)
		record->config->sampling.tail_synth = false;
}

static int prepare_events(struct record *record)
{
	const struct record_config *config = record->config;
	int ret = 0;

	tally_vec_for_each (filter, &config->filters) {
		if (!filter->event_option) {
			tally_print_error("%s must follow the -e it applies to",
					  filter->text ? "--filter" : "--exclude-perf");
			return -EINVAL;
		}
	}
	record->filters = calloc(config->events.nr + 1, sizeof(*record->filters));
	if (!record->filters)
		ret = -ENOMEM;
	for (size_t i = 0; !ret && i < config->events.nr; i++)
		ret = add_event(record, i);
	if (!ret && config->group && record->sampler.specs.len)
		tally_event_specs_group(record->sampler.specs.data, record->sampler.specs.len,
					sizeof(*record->sampler.specs.data));
	if (!ret)
		ret = tally_sampler_prepare(&record->sampler);
	if (!ret)
		choose_synthesis(record);
	return ret;
}

/* ---- start of a recording ---------------------------------------------------- */

static int start_child(struct record *record)
{
	char *const *argv = record->command;
	int output = record_output_of_command(&record->output);
	int ret =
		tally_via_check_command(&record->via, argv ? argv[0] : NULL, &tally_print_messages);

	if (ret)
		return ret;
	ret = argv ? tally_child_start(&record->child, argv, output) : 0;
	if (ret)
		tally_refuse_start(argv[0], ret, &tally_print_messages);
	tally_via_adopt(&record->via, &record->child);
	/* Ignore these signals only after the fork, so that the command is not affected. A closed
	 * pipe and an oversized file are handled as write errors. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return ret;
}

static int explain_exec(struct record *record)
{
	tally_print_error("cannot run '%s': %s", record->command[0], strerror(-record->exec_error));
	return record->exec_error;
}

/* Enable the events and start the command. */
static int start_workload(struct record *record)
{
	int ret = 0;

	record->started = tally_clock_now();
	if (record->disabled && record->config->delay && !record->config->sampling.quiet)
		fputs("Events disabled\n", stderr);
	if (!tally_target_is_command(&record->config->sampling.target) && !record->disabled)
		ret = tally_counters_enable(record->sampler.counters);
	if (ret || !record->child.pid)
		return ret;
	ret = tally_child_exec(&record->child);
	record->is_going = !ret;
	if (!ret)
		record->exec_error = tally_child_exec_error(&record->child);
	if (!record->exec_error)
		return ret;
	explain_exec(record);
	record_output_discard(record);
	return record->exec_error;
}

/* ---- end of a recording ---------------------------------------------------------- */

static bool command_runs(const struct record *record)
{
	return record->is_going && !record->child.gone;
}

static void end_command(struct record *record)
{
	if (!command_runs(record) || record->is_ending_command)
		return;
	record->is_ending_command = true;
	kill(record->child.pid, SIGTERM);
}

/* Return true if the command may keep running after a write error. An error on a file does not
 * terminate the command. An error on a pipe does, as in a shell pipeline, and so does an
 * interrupt. */
static bool command_is_spared(const struct record *record)
{
	int failed = record->output.failed;

	return failed && !record->output.file.is_pipe && !record->interrupts;
}

/* Wait for the command to exit. On an interrupt, send SIGTERM to the command unless that has
 * already been done. On the next interrupt, leave the command running and return -EINTR, because
 * its exit status remains unknown. */
static int wait_for_command(struct record *record)
{
	struct pollfd signals = {record->signals, POLLIN, 0};

	while (command_runs(record)) {
		unsigned before = record->interrupts;

		if (poll(&signals, 1, -1) < 0 && errno != EINTR)
			break;
		record_signals_read(record);
		if (record->interrupts == before || !command_runs(record))
			continue;
		if (!record->is_ending_command) {
			end_command(record);
			continue;
		}
		tally_print_warning(
			"the command (process %d) has not exited after SIGTERM: leaving it running",
			(int)record->child.pid);
		tally_child_detach(&record->child);
		return -EINTR;
	}
	return 0;
}

/* Disable the events and write out all data. Terminate the command, unless it may keep running. */
static int stop_recording(struct record *record, int ret)
{
	tally_counters_disable(record->sampler.counters);
	if (!ret)
		ret = record_drain(record, true);
	if (!command_is_spared(record))
		end_command(record);
	return ret;
}

static void print_aborted(const struct record *record, int ret)
{
	if (record->output.failed)
		record_output_explain(record, record->output.failed);
	else if (record->output.writer)
		tally_print_error("recording aborted: %s", strerror(-ret));
	if (command_runs(record) && !record->is_ending_command)
		tally_print_detail("recording has stopped; the command (process %d) is still "
				   "running, press Ctrl-C to end it",
				   (int)record->child.pid);
}

/* Record to the output opened by the caller. */
static int record_into(struct record *record)
{
	int ret = record_synthesize(record, false), finished, left;

	if (!ret)
		ret = start_workload(record);
	if (record->exec_error)
		return ret;
	if (ret && !record->is_going) {
		print_aborted(record, ret);
		tally_print_detail("nothing has been recorded%s",
				   record->child.pid ? ", and the command has not been started"
						     : "");
		record_output_discard(record);
		return ret;
	}
	if (!ret)
		ret = record_run(record);
	ret = stop_recording(record, ret);
	if (ret)
		print_aborted(record, ret);
	finished = record_output_finish(record, true);
	left = wait_for_command(record);
	ret = ret ? ret : finished;
	return ret ? ret : left;
}

/* Start unwinding stacks during the recording if requested. If no thread can be started, keep the
 * stack dumps, which reports can unwind. Return 0 or -ENOMEM. */
static int unwinding_try(struct record *record)
{
	int ret = record_unwinding_is_wanted(record) ? record_unwinding_start(record) : 0;

	if (!ret || ret == -ENOMEM)
		return ret;
	tally_print_warning(
		"cannot start a thread: %s; keeping stack dumps, which reports can unwind",
		strerror(-ret));
	record_unwinding_stop(record);
	return 0;
}

static int record_file(struct record *record)
{
	const struct tally_sampling *sampling = &record->config->sampling;
	int ret = record_output_open(record);

	if (!ret)
		ret = record_pins_start(record);
	if (!ret)
		ret = record_state_start(record);
	if (!ret)
		ret = unwinding_try(record);
	if (ret) {
		print_aborted(record, ret);
		record_output_discard(record);
		return ret;
	}
	ret = record_into(record);
	if (!record->exec_error && !sampling->quiet)
		tally_refuse_new_cpus(&sampling->target, record->sampler.cpus,
				      &tally_print_messages);
	return ret;
}

/* Do all work that needs privileges. Privileges are dropped before opening any user file, so that
 * creating the output and reading profiled files uses the calling user's permissions. */
static int open_privileged(struct record *record)
{
	int ret, dropped;

	tally_privileges_raise();
	ret = tally_sampler_resolve(&record->sampler, record->child.pid);
	if (!ret)
		ret = tally_sampler_open(&record->sampler);
	if (!ret)
		ret = record_filter_start(record);
	if (!ret && record->config->verbose)
		tally_events_print_verbose(&record->sampler);
	if (!ret)
		ret = tally_sampler_gather(&record->sampler, &record->child);
	if (!ret && !record->config->no_symbols)
		record->kallsyms = tally_privileges_kallsyms();
	dropped = tally_privileges_drop(&tally_print_messages);
	return ret ? ret : dropped;
}

/* Check that the command exists before writing anything, in particular to a pipe. */
static int find_command(struct record *record)
{
	if (!record->command || record->config->dry_run)
		return 0;
	record->exec_error = tally_program_check(record->command[0]);
	return record->exec_error ? explain_exec(record) : 0;
}

static int choose_via(struct record *record)
{
	return record->config->dry_run ? 0
				       : tally_via_open_sampling(&record->via, record->config->via,
								 &record->config->sampling);
}

/* Run the steps until one fails. */
static int run_steps(struct record *record, int (*const *step)(struct record *))
{
	int ret = 0;

	while (!ret && *step)
		ret = (*step++)(record);
	return ret;
}

static int regions_begin(struct record *record)
{
	if (!record->config->regions)
		return 0;
	if (record->output.file.is_pipe) {
		tally_print_error("--regions cannot be used if the recording is written to a pipe");
		return -EINVAL;
	}
	return region_files_begin(&record->regions);
}

static int record_all(struct record *record)
{
	static int (*const looking[])(struct record *) = {
		find_command, record_signals_open, record_control_open,
		choose_via,   prepare_events,      record_output_choose,
		NULL};
	static int (*const doing[])(struct record *) = {regions_begin, start_child, open_privileged,
							record_file, NULL};
	int ret = run_steps(record, looking);

	return ret || record->config->dry_run ? ret : run_steps(record, doing);
}

static void record_free(struct record *record)
{
	tally_child_free(&record->child);
	record_unwinding_stop(record);
	record_pins_stop(record);
	record_output_free(record);
	region_files_end(&record->regions);
	tally_control_close(&record->control);
	tally_vec_free(&record->pieces);
	record_filter_free(record);
	record_scan_free(record);
	record_state_free(record);
	record_spool_free(record);
	tally_sampler_close(&record->sampler);
	for (size_t i = 0; record->filters && i < record->config->events.nr; i++)
		tally_str_free(&record->filters[i]);
	free(record->filters);
	record_schedule_free(&record->schedule);
	tally_via_close(&record->via);
	if (record->signals >= 0)
		close(record->signals);
	if (record->kallsyms)
		close(record->kallsyms);
}

/* Return the command's exit status, unless tally itself failed. A command terminated by --duration
 * is not a failure. */
static int exit_status(const struct record *record, int ret)
{
	int status;

	if (record->exec_error)
		return record->exec_error == -ENOENT ? TALLY_EXIT_NOT_FOUND
						     : TALLY_EXIT_NOT_EXECUTABLE;
	/* If the command exited on its own, its failure takes precedence over tally's own error. */
	status = record->child.gone ? tally_child_exit_status(&record->child) : TALLY_EXIT_OK;
	if (!ret && record->is_over && record->is_ending_command && status == 128 + SIGTERM)
		return TALLY_EXIT_OK;
	if (ret)
		return status && !record->is_ending_command ? status : TALLY_EXIT_ERROR;
	return status;
}

static int record_command(int argc, char **argv)
{
	struct record_config config = {
		.sampling = {.synth = TALLY_SYNTH_TASK | TALLY_SYNTH_MMAP | TALLY_SYNTH_CGROUP,
			     .messages = &tally_print_messages},
		.flush_ms = RECORD_FLUSH_MS};
	struct record record = {.config = &config,
				.sampler.sampling = &config.sampling,
				.argc = argc,
				.signals = -1,
				.output.file.fd = -1,
				.control = {.fd = -1, .ack = -1}};
	int first, ret;

	record.argv = argv;
	ret = tally_options_parse(&tally_command_record, &config, argc, argv, TALLY_PARSE_STOP,
				  &first);
	if (ret) {
		tally_vec_free(&config.filters);
		return ret - 1;
	}
	record.command = first < argc ? argv + first : NULL;
	ret = check_config(&config, record.command);
	if (!ret)
		ret = parse_delay(&record, &config);
	if (!ret) {
		tally_sampler_raise_priority(config.realtime, &tally_print_messages);
		ret = record_all(&record);
	}
	ret = exit_status(&record, ret);
	record_free(&record);
	tally_vec_free(&config.filters);
	tally_options_free(&tally_command_record, &config);
	return ret;
}

static const struct tally_command_words record_words[] = {
	{"cgroup", tally_print_cgroups},
	{NULL, NULL},
};

const struct tally_command tally_command_record = {
	.name = "record",
	.summary = "Sample a command, tasks or CPUs, and write a recording",
	.usage =
		"[OPTIONS] [--] COMMAND [ARGS]\n[OPTIONS] -p PID | -t TID | -u USER | -a | -C LIST "
		"[[--] COMMAND [ARGS]]",
	.about = " Without a command or a target, all CPUs are recorded until Ctrl-C is pressed. "
		 "With a\n target, the command only sets the duration. The exit status is that of "
		 "the command.\n",
	.options = record_options,
	.words = record_words,
	.privileged = true,
	.run = record_command,
};

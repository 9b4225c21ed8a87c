/* SPDX-License-Identifier: BSD-2-Clause */
/* tally bench sched pipe: two tasks that wake each other through two pipes. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_text.h"

struct pipe_config {
	uint64_t loops;
	bool is_threaded;
};

static const struct pipe_config pipe_defaults = {.loops = 1000000};

static const struct tally_option pipe_options[] = {
	{'l', "loop", TALLY_OPTION_U64, offsetof(struct pipe_config, loops), "n",
	 "pass a message to and fro this many times (default: 1000000)"},
	{'T', "threaded", TALLY_OPTION_FLAG, offsetof(struct pipe_config, is_threaded), NULL,
	 "use two threads instead of two processes"},
	TALLY_OPTION_END,
};

/* The descriptors of one of the two tasks. */
struct pipe_task {
	int in, out;
	bool is_first; /* writes before it reads */
	uint64_t loops;
	int error; /* -errno if a read or write failed */
};

static int pass(int fd, bool is_write)
{
	int message = 0;
	ssize_t done;

	do
		done = is_write ? write(fd, &message, sizeof(message))
				: read(fd, &message, sizeof(message));
	while (done < 0 && errno == EINTR);
	if (done == (ssize_t)sizeof(message))
		return 0;
	return done < 0 ? -errno : -EPIPE;
}

static void *task_run(void *of)
{
	struct pipe_task *task = of;

	for (uint64_t i = 0; i < task->loops && !task->error; i++) {
		task->error = pass(task->is_first ? task->out : task->in, task->is_first);
		if (!task->error)
			task->error = pass(task->is_first ? task->in : task->out, !task->is_first);
	}
	return NULL;
}

static int run_threads(struct pipe_task tasks[2])
{
	pthread_t other;
	int ret = tally_thread_start(&other, task_run, &tasks[1]);

	if (ret)
		return bench_print_failure("start a thread", ret);
	task_run(&tasks[0]);
	pthread_join(other, NULL);
	return tasks[0].error ? tasks[0].error : tasks[1].error;
}

/* The child closes its copy of the first task's ends, so that each task notices if the other
 * ends. */
static int run_processes(struct pipe_task tasks[2])
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return bench_print_failure("start a process", -errno);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(tasks[0].in);
		close(tasks[0].out);
		task_run(&tasks[1]);
		_exit(tasks[1].error != 0);
	}
	close(tasks[1].in);
	close(tasks[1].out);
	tasks[1].in = tasks[1].out = -1;
	task_run(&tasks[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return tasks[0].error;
}

static void close_all(struct pipe_task *task)
{
	if (task->in >= 0)
		close(task->in);
	if (task->out >= 0)
		close(task->out);
}

static int open_pipes(struct pipe_task tasks[2])
{
	int there[2], back[2];

	if (pipe(there))
		return bench_print_failure("open a pipe", -errno);
	tasks[0].out = there[1];
	tasks[1].in = there[0];
	if (pipe(back))
		return bench_print_failure("open a pipe", -errno);
	tasks[1].out = back[1];
	tasks[0].in = back[0];
	return 0;
}

static void print_result(const struct pipe_config *config, uint64_t ns, bool is_simple)
{
	if (!is_simple)
		printf("# Executed %" PRIu64 " pipe operations between two %s\n\n", config->loops,
		       config->is_threaded ? "threads" : "processes");
	bench_print_time(ns, is_simple);
	if (!is_simple)
		bench_print_rate(ns, config->loops);
}

static int pipe_run(const void *of, bool is_simple)
{
	const struct pipe_config *config = of;
	struct pipe_task tasks[2] = {{-1, -1, true, config->loops, 0},
				     {-1, -1, false, config->loops, 0}};
	uint64_t start;
	int ret;

	if (!config->loops)
		return bench_print_zero("loop");
	ret = open_pipes(tasks);
	if (!ret) {
		start = tally_clock_now();
		ret = config->is_threaded ? run_threads(tasks) : run_processes(tasks);
	}
	if (!ret)
		print_result(config, tally_clock_now() - start, is_simple);
	close_all(&tasks[0]);
	close_all(&tasks[1]);
	return ret;
}

static const struct tally_command command = {
	.name = "bench sched pipe",
	.summary = "Measure how fast two tasks wake each other through pipes",
	.usage = "[OPTIONS]",
	.options = pipe_options,
};

const struct benchmark bench_pipe = {
	.name = "pipe",
	.summary = "Benchmark for pipe() between two processes",
	.command = &command,
	.defaults = &pipe_defaults,
	.size = sizeof(pipe_defaults),
	.run = pipe_run,
};

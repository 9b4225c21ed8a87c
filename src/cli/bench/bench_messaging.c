/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tally bench sched messaging: groups of 20 senders and 20 receivers. Each sender sends messages to
 * each receiver of its group. A task starts when it can read from the pipe `start`, which has no
 * writer left once all tasks exist.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/vec.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_text.h"

enum { PEERS = 20, MESSAGE = 100, MAX_GROUPS = 100000 };

struct messaging_config {
	uint64_t groups, loops;
	bool is_pipe, is_threaded;
};

static const struct messaging_config messaging_defaults = {.groups = 10, .loops = 100};

#define AT(member) offsetof(struct messaging_config, member)

static const struct tally_option messaging_options[] = {
	{'g', "group", TALLY_OPTION_U64, AT(groups), "n",
	 "run this many groups of 40 tasks (default: 10)"},
	{'l', "nr_loops", TALLY_OPTION_U64, AT(loops), "n",
	 "send this many messages from each sender to each receiver (default: 100)"},
	{'p', "pipe", TALLY_OPTION_FLAG, AT(is_pipe), NULL, "use pipes instead of socket pairs"},
	{'t', "thread", TALLY_OPTION_FLAG, AT(is_threaded), NULL,
	 "use threads instead of processes"},
	TALLY_OPTION_END,
};

struct messaging_channel {
	int in, out;
};

/* The channels of a group. Each receiver has one. */
struct messaging_group {
	struct messaging_channel channels[PEERS];
};

struct messaging_task {
	const struct messaging_group *group;
	int receiver; /* index of the channel, or -1 for a sender */
	uint64_t loops;
	int start; /* read end of the pipe; end of file starts the task */
};

struct messaging {
	const struct messaging_config *config;
	int start[2];
	struct messaging_group *groups;
	struct messaging_task *tasks;
	TALLY_VEC(pid_t) pids;
	TALLY_VEC(pthread_t) threads;
};

/* Transfer a whole message. Return false on an error or at the end of file. */
static bool transfer(int fd, bool is_write)
{
	char message[MESSAGE] = {0};
	size_t len = 0;

	while (len < sizeof(message)) {
		ssize_t done = is_write ? write(fd, message + len, sizeof(message) - len)
					: read(fd, message + len, sizeof(message) - len);

		if (done <= 0 && !(done < 0 && errno == EINTR))
			return false;
		len += done > 0 ? (size_t)done : 0;
	}
	return true;
}

static void *task_run(void *of)
{
	const struct messaging_task *task = of;
	bool ok = true;
	char byte;

	while (read(task->start, &byte, 1) < 0 && errno == EINTR)
		;
	if (task->receiver >= 0)
		for (uint64_t i = 0; i < task->loops * PEERS && ok; i++)
			ok = transfer(task->group->channels[task->receiver].in, false);
	else
		for (uint64_t i = 0; i < task->loops && ok; i++)
			for (int peer = 0; peer < PEERS && ok; peer++)
				ok = transfer(task->group->channels[peer].out, true);
	return ok ? NULL : of;
}

static int start_process(struct messaging *all, struct messaging_task *task)
{
	pid_t pid = fork();

	if (pid < 0)
		return bench_print_failure("start a process", -errno);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(all->start[1]);
		_exit(task_run(task) ? TALLY_EXIT_ERROR : TALLY_EXIT_OK);
	}
	return tally_vec_push(&all->pids, pid);
}

static int start_thread(struct messaging *all, struct messaging_task *task)
{
	pthread_t thread;
	int ret = tally_thread_start(&thread, task_run, task);

	return ret ? bench_print_failure("start a thread", ret)
		   : tally_vec_push(&all->threads, thread);
}

static int open_channel(const struct messaging_config *config, struct messaging_channel *channel)
{
	int ends[2];

	if (config->is_pipe ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return bench_print_failure("open a channel between tasks", -errno);
	channel->in = ends[0];
	channel->out = ends[1];
	return 0;
}

static void close_channels(struct messaging_group *group)
{
	for (int i = 0; i < PEERS; i++) {
		if (group->channels[i].in >= 0)
			close(group->channels[i].in);
		if (group->channels[i].out >= 0)
			close(group->channels[i].out);
		group->channels[i] = (struct messaging_channel){-1, -1};
	}
}

/* Start the tasks of a group. Processes have copies of the descriptors, so ours are closed. */
static int start_group(struct messaging *all, uint64_t nr)
{
	struct messaging_group *group = &all->groups[nr];
	int ret = 0;

	for (int i = 0; i < PEERS && !ret; i++)
		ret = open_channel(all->config, &group->channels[i]);
	for (int i = 0; i < 2 * PEERS && !ret; i++) {
		struct messaging_task *task = &all->tasks[nr * 2 * PEERS + (uint64_t)i];

		*task = (struct messaging_task){group, i < PEERS ? i : -1, all->config->loops,
						all->start[0]};
		ret = all->config->is_threaded ? start_thread(all, task) : start_process(all, task);
	}
	if (!all->config->is_threaded)
		close_channels(group);
	return ret;
}

/* Stop the tasks, which have not started to exchange messages. Threads find their channels
 * closed. */
static void cancel_tasks(struct messaging *all)
{
	for (size_t i = 0; i < all->pids.len; i++)
		kill(all->pids.data[i], SIGKILL);
	for (uint64_t i = 0; i < all->config->groups; i++)
		close_channels(&all->groups[i]);
}

/* Wait for all tasks. Return true if all of them succeeded. */
static bool join_tasks(struct messaging *all)
{
	bool failed = false;

	for (size_t i = 0; i < all->pids.len; i++) {
		int status = 0;

		while (waitpid(all->pids.data[i], &status, 0) < 0 && errno == EINTR)
			;
		failed |= status != 0;
	}
	for (size_t i = 0; i < all->threads.len; i++) {
		void *result = NULL;

		pthread_join(all->threads.data[i], &result);
		failed |= result != NULL;
	}
	return !failed;
}

static int messaging_measure(struct messaging *all, uint64_t *ret_ns)
{
	uint64_t start;
	int ret = 0;

	for (uint64_t i = 0; i < all->config->groups && !ret; i++)
		ret = start_group(all, i);
	if (ret)
		cancel_tasks(all);
	start = tally_clock_now();
	close(all->start[1]);
	if (!join_tasks(all) && !ret)
		ret = bench_print_failure("pass messages", -EIO);
	*ret_ns = tally_clock_now() - start;
	for (uint64_t i = 0; i < all->config->groups; i++)
		close_channels(&all->groups[i]);
	close(all->start[0]);
	return ret;
}

static void print_result(const struct messaging_config *config, uint64_t ns, bool is_simple)
{
	const char *tasks = config->is_threaded ? "threads" : "processes";

	if (!is_simple)
		printf("# %d sender and receiver %s per group\n# %" PRIu64 " groups == %" PRIu64
		       " %s run\n\n",
		       PEERS, tasks, config->groups, config->groups * 2 * PEERS, tasks);
	bench_print_time(ns, is_simple);
}

static int messaging_run_with(struct messaging *all, bool is_simple)
{
	uint64_t ns;
	int ret;

	if (!all->groups || !all->tasks)
		return bench_print_failure("store the tasks", -ENOMEM);
	for (uint64_t i = 0; i < all->config->groups; i++)
		for (int j = 0; j < PEERS; j++)
			all->groups[i].channels[j] = (struct messaging_channel){-1, -1};
	if (pipe(all->start))
		return bench_print_failure("open a pipe", -errno);
	ret = messaging_measure(all, &ns);
	if (!ret)
		print_result(all->config, ns, is_simple);
	return ret;
}

static int messaging_run(const void *of, bool is_simple)
{
	const struct messaging_config *config = of;
	struct messaging all = {.config = config};
	int ret;

	if (!config->groups || !config->loops)
		return bench_print_zero(config->groups ? "nr_loops" : "group");
	if (config->groups > MAX_GROUPS || config->loops > UINT64_MAX / PEERS)
		return bench_print_failure("run so many tasks", -EINVAL);
	all.groups = calloc(config->groups, sizeof(*all.groups));
	all.tasks = calloc(config->groups * 2 * PEERS, sizeof(*all.tasks));
	ret = messaging_run_with(&all, is_simple);
	tally_vec_free(&all.pids);
	tally_vec_free(&all.threads);
	free(all.tasks);
	free(all.groups);
	return ret;
}

static const struct tally_command command = {
	.name = "bench sched messaging",
	.summary = "Measure how fast groups of tasks exchange messages",
	.usage = "[OPTIONS]",
	.options = messaging_options,
};

const struct benchmark bench_messaging = {
	.name = "messaging",
	.summary = "Benchmark for scheduling and IPC",
	.command = &command,
	.defaults = &messaging_defaults,
	.size = sizeof(messaging_defaults),
	.run = messaging_run,
};

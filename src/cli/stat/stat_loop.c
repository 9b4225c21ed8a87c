/* SPDX-License-Identifier: BSD-2-Clause */
/* Perform a single run: start the command, count, and wait for the command or the tasks to exit. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "cli/main/print.h"
#include "cli/stat/stat_loop.h"
#include "cli/stat/stat_prometheus.h"
#include "cli/stat/stat_show.h"
#include "sampler/sampler_refuse.h"

enum {
	NS_PER_MS = 1000000,
	ALIVE_CHECK_MS = 100, /* check interval for tasks without a pidfd */
	POLL_SIGNALS = 0,
	POLL_CONTROL = 1,
	POLL_REQUESTS = 2,
	POLL_TASKS = 3,
};

#define NEVER UINT64_MAX

/* State of the wait loop. Times are in ns, CLOCK_MONOTONIC. */
struct waiting {
	TALLY_VEC(struct pollfd) polls; /* signals, control, requests, then tasks */
	uint64_t enable_at, timeout_at, interval_at, check_at, publish_at;
	size_t tasks; /* number of tasks still running */
	bool watches_tasks, done;
};

/* ---- switching ------------------------------------------------------------ */

static void each_set(struct stat_session *session, int (*verb)(struct tally_counters *counters))
{
	tally_vec_for_each (set, &session->sets)
		verb(set->counters);
}

static void print_switched(const struct stat_session *session, const char *what)
{
	if (!session->config->quiet)
		fprintf(stderr, "Events %s\n", what);
}

static void counting_start(struct stat_session *session)
{
	if (!session->counting)
		each_set(session, tally_counters_enable);
	session->counting = true;
}

static void counting_stop(struct stat_session *session)
{
	if (session->counting)
		each_set(session, tally_counters_disable);
	session->counting = false;
}

/* ---- existing tasks ------------------------------------------------------- */

/* Return a descriptor that becomes readable when the task exits, or -1 if the kernel does not
 * support this. */
static int task_fd(int32_t tid, bool is_thread)
{
	enum { PIDFD_THREAD_FLAG = O_EXCL };

	return (int)syscall(SYS_pidfd_open, tid, is_thread ? PIDFD_THREAD_FLAG : 0);
}

static int watch_task(struct waiting *waiting, int32_t tid, bool is_thread)
{
	int fd = task_fd(tid, is_thread);

	waiting->tasks++;
	/* Check a task periodically if it cannot be polled. */
	if (fd < 0)
		waiting->check_at = tally_clock_now() + ALIVE_CHECK_MS * (uint64_t)NS_PER_MS;
	return tally_vec_push(&waiting->polls, (struct pollfd){.fd = fd, .events = POLLIN});
}

static int watch_tasks(struct stat_session *session, struct waiting *waiting)
{
	const struct tally_threads *threads = session->threads;
	bool is_thread = session->config->target.tids;
	int32_t last = -1;
	int ret = 0;

	if (session->argv || session->system_wide ||
	    !(session->config->target.pids || session->config->target.tids))
		return 0;
	waiting->watches_tasks = true;
	for (size_t i = 0; i < threads->nr && !ret; i++) {
		int32_t id = is_thread ? threads->thread[i].tid : threads->thread[i].pid;

		/* A process's threads are adjacent. */
		if (id != last)
			ret = watch_task(waiting, id, is_thread);
		last = id;
	}
	return ret;
}

static void tasks_polled(struct waiting *waiting)
{
	for (size_t i = POLL_TASKS; i < waiting->polls.len; i++) {
		struct pollfd *poll = &waiting->polls.data[i];

		if (poll->fd < 0 || !poll->revents)
			continue;
		close(poll->fd);
		poll->fd = -1;
		waiting->tasks--;
	}
	waiting->done |= waiting->watches_tasks && !waiting->tasks;
}

/* Check whether any task is still running. Called periodically, for kernels without pidfds. */
static void tasks_check(struct stat_session *session, struct waiting *waiting, uint64_t now)
{
	bool alive = false;

	waiting->check_at = now + ALIVE_CHECK_MS * (uint64_t)NS_PER_MS;
	for (size_t i = 0; i < session->threads->nr && !alive; i++) {
		const struct tally_thread_id *id = &session->threads->thread[i];

		alive = !syscall(SYS_tgkill, id->pid, id->tid, 0) || errno != ESRCH;
	}
	waiting->done |= !alive;
}

/* ---- events --------------------------------------------------------------- */

/* Terminate the command, or stop counting if there is no command. */
static void stop(struct stat_session *session, struct waiting *waiting)
{
	waiting->timeout_at = waiting->interval_at = NEVER;
	if (!session->child.pid) {
		waiting->done = true;
		return;
	}
	session->ended_child = true;
	kill(session->child.pid, SIGTERM);
}

/* Handle a termination request. Ctrl-C on a terminal also reaches the command, which may need to
 * clean up. A signal sent only to tally is forwarded. A second signal kills the command. */
static void stop_signal(struct stat_session *session, struct waiting *waiting,
			const struct signalfd_siginfo *info)
{
	bool first = !session->stop_signal;

	session->stop_signal = (int)info->ssi_signo;
	if (!session->child.pid)
		waiting->done = true;
	else if (!first)
		kill(session->child.pid, SIGKILL);
	else if (info->ssi_code <= 0)
		kill(session->child.pid, session->stop_signal);
}

static void drain_signals(struct stat_session *session, struct waiting *waiting)
{
	struct signalfd_siginfo info;

	while (read(session->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			stop_signal(session, waiting, &info);
	}
	tally_child_wait(&session->child, false);
	waiting->done |= session->child.gone;
}

static int interval(struct stat_session *session, uint64_t now)
{
	int ret = stat_show_interval(session, now - session->started);

	session->intervals++;
	return ret;
}

static int drain_commands(struct stat_session *session, struct waiting *waiting)
{
	enum tally_control_command word;
	int ret = 0;

	while (!ret && (word = tally_control_next(&session->control)) != TALLY_CONTROL_NONE) {
		if (word == TALLY_CONTROL_ENABLE) {
			counting_start(session);
			print_switched(session, "enabled");
			waiting->enable_at = NEVER;
		} else if (word == TALLY_CONTROL_DISABLE) {
			counting_stop(session);
			print_switched(session, "disabled");
		} else if (word == TALLY_CONTROL_STOP) {
			stop(session, waiting);
		} else if (word == TALLY_CONTROL_SNAPSHOT && session->config->interval_ms) {
			ret = interval(session, tally_clock_now());
		} else if (word != TALLY_CONTROL_PING) {
			continue;
		}
		tally_control_acknowledge(&session->control);
	}
	waiting->polls.data[POLL_CONTROL].fd = session->control.fd;
	return ret;
}

/* Return the end of the interval after the one that ended at `at`. That interval also covers any
 * missed intervals. */
static uint64_t next_time(uint64_t at, uint64_t step, uint64_t now)
{
	return at + step * ((now - at) / step + 1);
}

static uint64_t publish_step(const struct stat_session *session)
{
	return session->config->publish_ms * NS_PER_MS;
}

static int on_time(struct stat_session *session, struct waiting *waiting, uint64_t now)
{
	const struct stat_config *config = session->config;
	uint64_t step = config->interval_ms * NS_PER_MS;
	int ret = 0;

	if (now >= waiting->enable_at) {
		waiting->enable_at = NEVER;
		counting_start(session);
		print_switched(session, "enabled");
		session->started = tally_clock_now();
		if (step)
			waiting->interval_at = session->started + step;
	}
	if (now >= waiting->timeout_at)
		stop(session, waiting);
	if (now >= waiting->check_at)
		tasks_check(session, waiting, now);
	if (now >= waiting->publish_at) {
		ret = stat_prometheus_publish(session);
		waiting->publish_at = next_time(waiting->publish_at, publish_step(session), now);
	}
	if (ret || now < waiting->interval_at || waiting->interval_at == NEVER)
		return 0;
	ret = interval(session, now);
	waiting->interval_at = next_time(waiting->interval_at, step, now);
	if (config->interval_count && session->intervals >= config->interval_count)
		stop(session, waiting);
	return ret;
}

static int wait_once(struct waiting *waiting)
{
	uint64_t first = TALLY_MIN(TALLY_MIN(waiting->enable_at, waiting->timeout_at),
				   TALLY_MIN(waiting->interval_at, waiting->check_at));
	uint64_t next = TALLY_MIN(first, waiting->publish_at);
	uint64_t now = next == NEVER ? 0 : tally_clock_now();
	uint64_t left = next > now ? next - now : 0;
	struct timespec time = {(time_t)(left / 1000000000), (long)(left % 1000000000)};

	if (ppoll(waiting->polls.data, waiting->polls.len, next == NEVER ? NULL : &time, NULL) >= 0)
		return 0;
	return errno == EINTR ? 0 : -errno;
}

static int wait_init(struct stat_session *session, struct waiting *waiting)
{
	const struct stat_config *config = session->config;
	int ret;

	*waiting = (struct waiting){{0}, NEVER, NEVER, NEVER, NEVER, NEVER};
	ret = tally_vec_push(&waiting->polls,
			     (struct pollfd){.fd = session->signals, .events = POLLIN});
	if (!ret)
		ret = tally_vec_push(&waiting->polls,
				     (struct pollfd){.fd = session->control.fd, .events = POLLIN});
	if (!ret)
		ret = tally_vec_push(
			&waiting->polls,
			(struct pollfd){.fd = stat_prometheus_fd(session), .events = POLLIN});
	if (!ret)
		ret = watch_tasks(session, waiting);
	if (config->publish_ms)
		waiting->publish_at = session->started + publish_step(session);
	if (config->delay_ms > 0)
		waiting->enable_at = session->started + (uint64_t)config->delay_ms * NS_PER_MS;
	if (config->timeout_given)
		waiting->timeout_at = session->started + config->timeout_ms * NS_PER_MS;
	if (config->interval_ms && config->delay_ms <= 0)
		waiting->interval_at = session->started + config->interval_ms * NS_PER_MS;
	return ret;
}

static int wait_for_end(struct stat_session *session)
{
	struct waiting waiting;
	int ret = wait_init(session, &waiting);

	while (!ret && !waiting.done) {
		ret = wait_once(&waiting);
		if (!ret && waiting.polls.data[POLL_SIGNALS].revents)
			drain_signals(session, &waiting);
		if (!ret && waiting.polls.data[POLL_CONTROL].revents)
			ret = drain_commands(session, &waiting);
		if (!ret && waiting.polls.data[POLL_REQUESTS].revents)
			stat_prometheus_serve(session);
		tasks_polled(&waiting);
		if (!ret && !waiting.done)
			ret = on_time(session, &waiting, tally_clock_now());
	}
	for (size_t i = POLL_TASKS; i < waiting.polls.len; i++) {
		if (waiting.polls.data[i].fd >= 0)
			close(waiting.polls.data[i].fd);
	}
	tally_vec_free(&waiting.polls);
	return ret;
}

/* ---- run ------------------------------------------------------------------ */

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

static int start(struct stat_session *session)
{
	int64_t delay = session->config->delay_ms;
	int ret = 0;

	/* If only the command is counted, its exec(2) enables the counters. */
	session->counting = session->by_command && !delay;
	if (delay)
		print_switched(session, "disabled");
	else
		counting_start(session);
	session->started = tally_clock_now();
	if (session->argv)
		ret = tally_child_exec(&session->child);
	return ret ? ret : stat_prometheus_start(session);
}

static int finish(struct stat_session *session)
{
	struct tally_target target = session->config->target;
	struct stat_times *times = &session->times;
	int ret = 0;

	times->wall = tally_clock_now() - session->started;
	times->user = ns_of(session->child.usage.ru_utime);
	times->system = ns_of(session->child.usage.ru_stime);
	/* If only the command is counted, its counters stopped when it exited. */
	if (!session->by_command)
		counting_stop(session);
	target.all_cpus = session->system_wide;
	if (!session->config->quiet)
		tally_refuse_new_cpus(&target, session->cpus, &tally_print_messages);
	if (session->argv) {
		ret = tally_child_exec_error(&session->child);
		if (ret)
			tally_print_error("cannot run '%s': %s", session->argv[0], strerror(-ret));
	}
	return ret;
}

int stat_run_once(struct stat_session *session)
{
	int ret = start(session);

	if (!ret)
		ret = wait_for_end(session);
	return ret ? ret : finish(session);
}

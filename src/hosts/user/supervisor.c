/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracer thread, which makes all ptrace(2) calls. It sleeps in waitid(2) until a tracee changes
 * state. When a check is due or a request is made, a signal that has no other effect wakes the
 * tracer thread. A signal that arrives just before the thread sleeps would be lost, so the timer
 * repeats every millisecond, and requests are repeated.
 *
 * The supervisor waits only for its own tracees (__WNOTHREAD). It examines exited threads before it
 * reaps them (WNOWAIT), because their values can be read only until then. The supervisor terminates
 * by returning. The kernel then lets all tracees continue, without waking those that are asleep.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "hosts/user/thread_checks.h"
#include "hosts/user/stops.h"
#include "hosts/user/supervisor.h"
#include "hosts/user/user_private.h"

enum { RETRY_NS = 1000000, LATEST_NS = 20000000, SLICE_NS = 100000 };

static int wake_signal(void)
{
	return SIGRTMAX - 1;
}

static void wake_handler(int signal)
{
}

/* ---- the lock ---------------------------------------------------------------------------- */

void user_lock(struct tally_user *user)
{
	__atomic_add_fetch(&user->callers, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&user->lock);
	__atomic_sub_fetch(&user->callers, 1, __ATOMIC_RELAXED);
}

void user_unlock(struct tally_user *user)
{
	pthread_mutex_unlock(&user->lock);
}

/* Let callers take the lock first. If the supervisor retook the lock immediately, callers would
 * never get it. */
static void lock_after_callers(struct tally_user *user)
{
	while (__atomic_load_n(&user->callers, __ATOMIC_RELAXED))
		sched_yield();
	pthread_mutex_lock(&user->lock);
}

/* ---- requests ------------------------------------------------------------------------------ */

void user_supervisor_wake(struct tally_user *user)
{
	pthread_cond_broadcast(&user->changed);
	pthread_kill(user->thread, wake_signal());
}

static void wait_for_change(struct tally_user *user)
{
	uint64_t at = tally_clock_now() + RETRY_NS;
	struct timespec until = {(time_t)(at / 1000000000), (long)(at % 1000000000)};

	pthread_cond_clockwait(&user->changed, &user->lock, CLOCK_MONOTONIC, &until);
}

int user_attach(struct tally_user *user, int32_t tid)
{
	if (tid == user->self.perf.tid || user_task_find(user, tid))
		return 0;
	while (user->requested)
		wait_for_change(user);
	user->attach_tid = tid;
	user->requested = true;
	while (user->requested) {
		user_supervisor_wake(user);
		wait_for_change(user);
	}
	return user->attach_ret;
}

static void serve_request(struct tally_user *user)
{
	if (!user->requested)
		return;
	user->attach_ret = user_seize(user, user->attach_tid);
	user->requested = false;
	pthread_cond_broadcast(&user->changed);
}

/* ---- waiting --------------------------------------------------------------------------- */

/* Handle one tracee that has changed state. Return false if no tracee has changed state. */
static bool handle_one(struct tally_user *user)
{
	siginfo_t info = {0};
	int status;

	if (waitid(P_ALL, 0, &info,
		   WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) ||
	    !info.si_pid)
		return false;
	if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED ||
	    info.si_code == CLD_DUMPED) {
		user_exit_handle(user, info.si_pid);
		pthread_cond_broadcast(&user->changed);
		return true;
	}
	if (waitpid(info.si_pid, &status, __WALL | __WNOTHREAD | WNOHANG) == info.si_pid &&
	    WIFSTOPPED(status))
		user_stop_handle(user, info.si_pid, status);
	return true;
}

/* Arm the timer even if no check is due, because a request may have arrived just before the
 * sleep. */
static void timer_arm(struct tally_user *user)
{
	uint64_t latest = tally_clock_now() + LATEST_NS;
	uint64_t at = TALLY_MIN(user_checks_next(user), latest);
	const struct itimerspec times = {
		.it_interval = {0, RETRY_NS},
		.it_value = {(time_t)(at / 1000000000), (long)TALLY_MAX(at % 1000000000, 1u)},
	};

	timer_settime(user->timer, TIMER_ABSTIME, &times, NULL);
}

static void sleep_until_change(struct tally_user *user)
{
	siginfo_t info;

	if (user->settings.samples)
		timer_arm(user);
	pthread_mutex_unlock(&user->lock);
	waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD);
	lock_after_callers(user);
}

/* Ask the scheduler for a short time slice, so that the supervisor runs soon after it is woken.
 * Otherwise, threads that run for less than the usual slice would be asleep again before the
 * supervisor runs. Kernels before 6.12 ignore the request. */
static void ask_for_short_slice(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = {.size = sizeof(attr), .policy = SCHED_OTHER, .runtime = SLICE_NS};

	attr.nice = getpriority(PRIO_PROCESS, 0);
	syscall(SYS_sched_setattr, 0, &attr, 0);
}

static int timer_make(struct tally_user *user)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = wake_signal()};

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	return timer_create(CLOCK_MONOTONIC, &event, &user->timer) ? -errno : 0;
}

static void *supervisor_main(void *arg)
{
	struct tally_user *user = arg;

	pthread_mutex_lock(&user->lock);
	user->start_ret = timer_make(user);
	user->requested = false;
	pthread_cond_broadcast(&user->changed);
	if (user->settings.samples)
		ask_for_short_slice();
	while (!user->start_ret) {
		serve_request(user);
		while (handle_one(user))
			;
		if (user->stopping)
			break;
		if (user->settings.samples)
			user_checks_run(user);
		if (user->tasks.len)
			sleep_until_change(user);
		else
			pthread_cond_wait(&user->changed, &user->lock);
	}
	if (!user->start_ret)
		timer_delete(user->timer);
	pthread_mutex_unlock(&user->lock);
	return NULL;
}

/* ---- start and stop -------------------------------------------------------------------- */

static void signals_prepare(void)
{
	struct sigaction wake = {.sa_handler = wake_handler}, child;

	sigaction(wake_signal(), &wake, NULL);
	if (sigaction(SIGCHLD, NULL, &child))
		return;
	child.sa_flags |= SA_NOCLDSTOP;
	sigaction(SIGCHLD, &child, NULL);
}

int user_supervisor_start(struct tally_user *user)
{
	sigset_t all, before;
	int ret;

	signals_prepare();
	sigfillset(&all);
	sigdelset(&all, wake_signal());
	user->requested = true;
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = -pthread_create(&user->thread, NULL, supervisor_main, user);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return ret;
	user->started = true;
	pthread_mutex_lock(&user->lock);
	while (user->requested)
		wait_for_change(user);
	ret = user->start_ret;
	pthread_mutex_unlock(&user->lock);
	return ret;
}

void user_supervisor_stop(struct tally_user *user)
{
	if (!user->started)
		return;
	user_lock(user);
	user->stopping = true;
	user_unlock(user);
	while (pthread_tryjoin_np(user->thread, NULL)) {
		user_supervisor_wake(user);
		usleep(RETRY_NS / 10000);
	}
	user->started = false;
}

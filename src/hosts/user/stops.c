/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles ptrace(2) stops. A sample that is due can be taken at any stop, so no additional stop has
 * to be requested.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosts/user/user_files.h"
#include "hosts/user/thread_checks.h"
#include "hosts/user/user_maps.h"
#include "hosts/user/user_signals.h"
#include "hosts/user/stops.h"
#include "hosts/user/user_private.h"
#include "hosts/user/stack.h"

enum { NAME_MAX_BYTES = 64 };

int user_seize(struct tally_user *user, int32_t tid)
{
	const long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			     PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT;
	int32_t pid = user_proc_process_of(tid);
	struct user_task *task;
	int ret;

	if (!pid)
		return -ESRCH;
	if (user->settings.executed && user_proc_parent_of(pid) != getpid() &&
	    !user->settings.executed(user->settings.arg, pid))
		return -EPERM;
	if (ptrace(PTRACE_SEIZE, tid, NULL, options))
		return -errno;
	ret = user_task_new(user, pid, tid, false, &task);
	if (ret)
		return ret;
	task->traced = true;
	task->is_child = user_proc_parent_of(pid) == getpid();
	return 0;
}

/* ---- samples --------------------------------------------------------------------------- */

static void emit_maps(struct tally_user *user, struct user_task *task, void *arg)
{
	user_maps_emit(user, task, false);
}

/* Replay a stopped thread up to this stop: all its values if `all` is set or an event samples a
 * count, otherwise only its CPU time. */
static void replay_stopped(struct tally_user *user, struct user_task *task, user_hook hook,
			   bool all)
{
	struct user_stop stop = {.tid = task->perf.tid};
	struct tally_core_sample_data sample_data = {.mode = PERF_RECORD_MISC_USER, .regs = &stop};
	const struct user_replay maps = {.whole = true, .hook = emit_maps};
	struct user_reading now = task->seen;
	struct user_replay how = {.whole = true, .hook = hook};
	int ret = all || user->nr_sampled_counts ? user_proc_read_all(&task->proc, &now)
						 : user_proc_read_time(&task->proc, &now);

	if (ret)
		now = task->seen;
	if (user->settings.samples && !user_regs_read(stop.tid, &stop.regs)) {
		sample_data.ip = user_regs_ip(&stop.regs);
		how.sample_data = &sample_data;
		user_proc_read_state(&task->proc, &now);
		if (task->left != USER_NEVER &&
		    user_maps_need_reading(user, task, sample_data.ip, now.space))
			user_replay(user, task, &task->seen, &maps);
	}
	user_replay(user, task, &now, &how);
	user_checks_schedule(user, task);
}

static void sample_stopped(struct tally_user *user, struct user_task *task)
{
	if (user->settings.samples)
		replay_stopped(user, task, NULL, false);
}

/* ---- forks ------------------------------------------------------------------------------ */

struct fork {
	struct user_task *child;
	bool process;
};

static void fork_hook(struct tally_user *user, struct user_task *task, void *arg)
{
	const struct fork *fork = arg;

	tally_core_fork(user->core, &task->perf, &fork->child->perf, fork->process);
}

/* Remove a thread from the list of threads that stopped before their parent's stop was handled.
 * Return false if the thread was not in the list. */
static bool early_remove(struct tally_user *user, int32_t tid)
{
	tally_vec_for_each (early, &user->early) {
		if (*early != tid)
			continue;
		*early = user->early.data[--user->early.len];
		return true;
	}
	return false;
}

static void resume(struct user_task *task, int signal)
{
	task->interrupted = false;
	ptrace(PTRACE_CONT, task->perf.tid, NULL, (void *)(intptr_t)signal);
}

/* Let a new thread run untraced because the host cannot handle it. */
static void detach_new_thread(struct tally_user *user, int32_t tid)
{
	int status;

	if (!early_remove(user, tid))
		waitpid(tid, &status, __WALL | __WNOTHREAD);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

static void fork_handle(struct tally_user *user, struct user_task *parent, int event)
{
	unsigned long message = 0;
	struct fork fork = {0};
	const struct user_replay how = {.whole = true, .hook = fork_hook, .arg = &fork};
	int32_t tid;

	if (ptrace(PTRACE_GETEVENTMSG, parent->perf.tid, NULL, &message))
		return;
	tid = (int32_t)message;
	fork.process =
		event != PTRACE_EVENT_CLONE || !user_proc_is_thread_of(tid, parent->perf.pid);
	if (user_task_new(user, fork.process ? tid : parent->perf.pid, tid, true, &fork.child)) {
		detach_new_thread(user, tid);
		return;
	}
	fork.child->traced = true;
	user_replay(user, parent, &parent->seen, &how);
	if (fork.process)
		user_maps_copy(user, parent->perf.pid, tid);
	if (!early_remove(user, tid))
		return;
	sample_stopped(user, fork.child);
	resume(fork.child, 0);
}

/* ---- execs ------------------------------------------------------------------------------- */

/*
 * Corrections for an exec. A kernel event that is enabled by an exec starts while the program is
 * being loaded, a little before the stop that reports the exec. The event therefore counts three
 * page faults, the context switch at the stop, and a third of the exec's time. For an event that
 * was already counting, procfs includes one fault that the event does not see: the kernel causes
 * that fault when it writes the arguments to the new memory.
 */
enum { FAULTS_OF_EXEC = 3, SWITCHES_OF_EXEC = 1, SHARE_OF_EXEC = 3, FAULTS_OF_LATER_EXEC = 1 };

static void exec_hook(struct tally_user *user, struct user_task *task, void *arg)
{
	char name[NAME_MAX_BYTES];

	user_proc_name(task->perf.pid, task->perf.tid, name, sizeof(name));
	tally_core_exec(user->core, &task->perf, false);
	tally_core_comm(user->core, &task->perf, name, true);
	user_maps_emit(user, task, true);
	if (!task->on_exec) {
		task->seen.minor += FAULTS_OF_LATER_EXEC;
		return;
	}
	task->on_exec = false;
	task->seen.ns -= task->used / SHARE_OF_EXEC;
	task->seen.minor -= FAULTS_OF_EXEC;
	task->seen.switches -= SWITCHES_OF_EXEC;
}

/* If an event is waiting for the exec, replay the usage so far before reporting the exec, because
 * that event must not count this usage. Otherwise, first report the exec and the thread's current
 * mappings, and then replay the usage. */
static void exec_handle(struct tally_user *user, struct user_task *task)
{
	const struct user_replay exec = {.hook = exec_hook};

	if (task->on_exec) {
		replay_stopped(user, task, exec_hook, true);
		return;
	}
	user_replay(user, task, &task->seen, &exec);
	replay_stopped(user, task, NULL, true);
}

/* Return the task of a process that has executed a program, or NULL. A thread that executes a
 * program takes over the TID of the first thread, which no longer exists. */
static struct user_task *exec_take_over(struct tally_user *user, struct user_task *leader)
{
	struct user_task *former;
	unsigned long message = 0;

	if (ptrace(PTRACE_GETEVENTMSG, leader->perf.tid, NULL, &message) ||
	    (int32_t)message == leader->perf.tid)
		return leader;
	former = user_task_find(user, (int32_t)message);
	if (!former)
		return leader;
	former->is_child = leader->is_child;
	user_call_begin(user);
	tally_core_exit(user->core, &leader->perf);
	user_call_end(user);
	user_task_end(user, leader);
	return user_task_rename(user, former, former->perf.pid) ? NULL : former;
}

/* ---- ends --------------------------------------------------------------------------------- */

/* A thread's own events do not see the last switch from the thread to another one. */
enum { SWITCHES_OF_EXIT = 1 };

/* Replay a thread that was killed before it could stop on exit. */
static void replay_dead(struct tally_user *user, struct user_task *task)
{
	const struct user_replay how = {.whole = true};
	struct user_reading now = task->seen;

	if (!user_proc_read_all(&task->proc, &now) &&
	    now.switches >= task->seen.switches + SWITCHES_OF_EXIT)
		now.switches -= SWITCHES_OF_EXIT;
	user_replay(user, task, &now, &how);
}

void user_exit_handle(struct tally_user *user, int32_t tid)
{
	struct user_task *task = user_task_find(user, tid);
	struct user_reaped reaped = {.pid = tid};

	if (task && !task->is_done)
		replay_dead(user, task);
	if (task)
		tally_core_exit(user->core, &task->perf);
	if (wait4(tid, &reaped.status, __WALL | __WNOTHREAD | WNOHANG, &reaped.usage) != tid)
		return;
	if (!task) {
		early_remove(user, tid);
		return;
	}
	if (task->perf.pid == tid)
		user_maps_remove(user, tid);
	if (task->is_child && task->perf.pid == tid) {
		tally_vec_push(&user->reaped, reaped);
		kill(getpid(), SIGCHLD);
	}
	user_task_end(user, task);
	if (!user->tasks.len)
		user_files_wake(user);
}

/* Stop tracing a task, so that its later activity is not counted. */
static void release(struct tally_user *user, struct user_task *task)
{
	int32_t tid = task->perf.tid;

	user_call_begin(user);
	tally_core_exit(user->core, &task->perf);
	user_call_end(user);
	user_maps_remove(user, task->perf.pid);
	user_task_end(user, task);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	pthread_cond_broadcast(&user->changed);
	if (!user->tasks.len)
		user_files_wake(user);
}

/* ---- dispatch ----------------------------------------------------------------------------- */

static bool is_group_stop(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void event_handle(struct tally_user *user, struct user_task *task, int event)
{
	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		sample_stopped(user, task);
		fork_handle(user, task, event);
		break;
	case PTRACE_EVENT_EXEC: exec_handle(user, task); break;
	case PTRACE_EVENT_EXIT:
		replay_stopped(user, task, NULL, true);
		/* No event counts the remainder of the exit, which tears down the address space. */
		task->is_done = true;
		break;
	default: sample_stopped(user, task);
	}
}

void user_stop_handle(struct tally_user *user, int32_t tid, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);
	struct user_task *task = user_task_find(user, tid);

	if (!task) {
		tally_vec_push(&user->early, tid);
		return;
	}
	if (event == PTRACE_EVENT_EXEC)
		task = exec_take_over(user, task);
	if (!task) {
		ptrace(PTRACE_CONT, tid, NULL, NULL);
		return;
	}
	event_handle(user, task, event);
	if (event == PTRACE_EVENT_EXEC && user->settings.executed &&
	    !user->settings.executed(user->settings.arg, task->perf.pid)) {
		release(user, task);
		return;
	}
	if (event == PTRACE_EVENT_STOP && is_group_stop(signal)) {
		task->interrupted = false;
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
		return;
	}
	if (event == PTRACE_EVENT_STOP && task->interrupted)
		user_regs_restart_wait(tid);
	if (!event)
		user_signals_amend(user, task);
	resume(task, event ? 0 : signal);
}

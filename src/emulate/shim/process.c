/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notify the server when programs start, fork and exit. Ensure that every environment passed to
 * exec, even one built by the program, contains the variables that children need.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulate/shim/raw.h"
#include "emulate/shim/shim.h"

static struct {
	void *next[SHIM_NR_NAMES];
	bool resolved;
	bool tells_waits;  /* the server has requested WAIT messages */
	char kept[2][512]; /* initial values of "LD_PRELOAD=..." and "TALLY_EMULATE=..." */
} process;

static const char *const names[SHIM_NR_NAMES] = {
	"read",       "readv",       "poll", "ppoll",       "select",       "pselect",
	"epoll_wait", "epoll_pwait", "fork", "posix_spawn", "posix_spawnp", "execvpe",
};

void *shim_next(enum shim_name name, const char *text)
{
	return __atomic_load_n(&process.resolved, __ATOMIC_ACQUIRE) ? process.next[name] : NULL;
}

static int64_t notify_server(enum tally_emulate_operation operation, uint64_t argument)
{
	struct tally_emulate_request request = {.operation = (uint16_t)operation,
						.argument = {argument}};
	struct shim_answer answer;

	return shim_call(&request, NULL, NULL, 0, false, &answer);
}

static void forked(void)
{
	shim_call_forked();
	shim_map_forked();
	notify_server(TALLY_EMULATE_FORK_CHILD, (uint64_t)shim_raw3(SYS_getppid, 0, 0, 0));
}

static void save_variable(char *to, size_t room, const char *name)
{
	const char *value = getenv(name);

	if (value && strlen(name) + 1 + strlen(value) < room)
		stpcpy(stpcpy(stpcpy(to, name), "="), value);
}

static __attribute__((constructor)) void shim_begin(void)
{
	struct tally_emulate_request request = {.operation = TALLY_EMULATE_START};
	struct shim_answer answer;

	save_variable(process.kept[0], sizeof(process.kept[0]), "LD_PRELOAD");
	save_variable(process.kept[1], sizeof(process.kept[1]), TALLY_EMULATE_VARIABLE);
	for (size_t i = 0; i < SHIM_NR_NAMES; i++)
		process.next[i] = dlsym(RTLD_NEXT, names[i]);
	__atomic_store_n(&process.resolved, true, __ATOMIC_RELEASE);
	pthread_atfork(NULL, NULL, forked);
	shim_call_begin();
	shim_call(&request, NULL, NULL, 0, false, &answer);
	process.tells_waits = answer.reply.value[0];
}

void shim_before_wait(void)
{
	if (process.tells_waits && shim_events_seen())
		notify_server(TALLY_EMULATE_WAIT, 0);
}

static __attribute__((destructor)) void shim_end(void)
{
	notify_server(TALLY_EMULATE_END, 0);
}

SHIM_EXPORT __attribute__((noreturn)) void _exit(int status)
{
	shim_end();
	for (;;)
		shim_raw3(SYS_exit_group, status, 0, 0);
}

SHIM_EXPORT __attribute__((noreturn)) void _Exit(int status)
{
	_exit(status);
}

/* Register the child with the server before fork() returns in the parent. */
SHIM_EXPORT pid_t fork(void)
{
	pid_t (*next)(void) = SHIM_REAL(fork);
	pid_t pid;

	if (!next)
		return (pid_t)shim_result(-ENOSYS);
	pid = next();
	if (pid > 0)
		notify_server(TALLY_EMULATE_FORK_PARENT, (uint64_t)pid);
	return pid;
}

/* ---- environments --------------------------------------------------------- */

/* Return true if an environment contains the entry `kept` unchanged. */
static bool environment_has(char *const *environment, const char *kept)
{
	for (; environment && *environment; environment++)
		if (!strcmp(*environment, kept))
			return true;
	return !*kept;
}

static bool environment_is_complete(char *const *environment)
{
	return environment_has(environment, process.kept[0]) &&
	       environment_has(environment, process.kept[1]);
}

static size_t environment_len(char *const *environment)
{
	size_t nr = 0;

	while (environment && environment[nr])
		nr++;
	return nr;
}

/* Copy an environment, with our own entries first, because the first entry for a variable takes
 * precedence. `to` must have space for three additional entries. */
static void environment_fill(char *const *environment, char **to)
{
	for (int i = 0; i < 2; i++)
		if (!environment_has(environment, process.kept[i]))
			*to++ = process.kept[i];
	for (; environment && *environment; environment++)
		*to++ = *environment;
	*to = NULL;
}

/* Return the environment if it is complete, or a completed copy on the caller's stack. The copy
 * fits on the stack, because the kernel limits the size of an environment. */
#define COMPLETE_ENVIRONMENT(environment)                                                       \
	(environment_is_complete(environment) ? (environment) : ({                              \
		char **whole_ =                                                                 \
			__builtin_alloca((environment_len(environment) + 3) * sizeof(*whole_)); \
		environment_fill((environment), whole_);                                        \
		whole_;                                                                         \
	}))

SHIM_EXPORT int execve(const char *path, char *const *words, char *const *environment)
{
	return (int)shim_result(shim_raw3(SYS_execve, (long)path, (long)words,
					  (long)COMPLETE_ENVIRONMENT(environment)));
}

SHIM_EXPORT int execv(const char *path, char *const *words)
{
	return execve(path, words, environ);
}

SHIM_EXPORT int execvpe(const char *file, char *const *words, char *const *environment)
{
	int (*next)(const char *, char *const *, char *const *) = SHIM_REAL(execvpe);

	return next ? next(file, words, COMPLETE_ENVIRONMENT(environment))
		    : (int)shim_result(-ENOSYS);
}

SHIM_EXPORT int execvp(const char *file, char *const *words)
{
	return execvpe(file, words, environ);
}

SHIM_EXPORT int posix_spawn(pid_t *ret_pid, const char *path,
			    const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attr, char *const *words,
			    char *const *environment)
{
	__typeof__(posix_spawn) *next = SHIM_REAL(posix_spawn);

	return next ? next(ret_pid, path, actions, attr, words, COMPLETE_ENVIRONMENT(environment))
		    : ENOSYS;
}

SHIM_EXPORT int posix_spawnp(pid_t *ret_pid, const char *file,
			     const posix_spawn_file_actions_t *actions,
			     const posix_spawnattr_t *attr, char *const *words,
			     char *const *environment)
{
	__typeof__(posix_spawnp) *next = SHIM_REAL(posix_spawnp);

	return next ? next(ret_pid, file, actions, attr, words, COMPLETE_ENVIRONMENT(environment))
		    : ENOSYS;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Start other programs in every way that shares or copies this program's stack. */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile unsigned sink;

__attribute__((noinline)) static void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 60;
	char *const nothing[] = {"true", NULL};

	for (int i = 0; i < rounds; i++) {
		pid_t pid;

		if (!posix_spawn(&pid, "/bin/true", NULL, NULL, nothing, environ))
			waitpid(pid, NULL, 0);
		pid = vfork();
		if (!pid) {
			execv("/bin/true", nothing);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		pid = fork();
		if (!pid) {
			leaf(300000);
			_exit(0);
		}
		leaf(300000);
		waitpid(pid, NULL, 0);
		if (system("true"))
			return 1;
	}
	return 0;
}

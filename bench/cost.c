/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	cost OUTPUT COMMAND...
 *
 * Run a command with its standard output redirected to OUTPUT, discard its standard error, and
 * print "CPU_USEC WALL_USEC MAX_RSS_KB STATUS". This is a separate small program, because a child's
 * peak memory includes the memory it used before exec.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ll + now.tv_nsec / 1000;
}

static long long usec(struct timeval t)
{
	return t.tv_sec * 1000000ll + t.tv_usec;
}

static void run(char **argv)
{
	int out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int err = open("/dev/null", O_WRONLY);

	if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	close(out);
	close(err);
	execvp(argv[2], argv + 2);
	_exit(127);
}

int main(int argc, char **argv)
{
	long long start = now_usec();
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 3)
		return 2;
	pid = fork();
	if (!pid)
		run(argv);
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 1;
	printf("%lld %lld %ld %d\n", usec(usage.ru_utime) + usec(usage.ru_stime),
	       now_usec() - start, usage.ru_maxrss,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

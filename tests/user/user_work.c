/* SPDX-License-Identifier: BSD-2-Clause */
/* Workloads for the programs to count. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

static void spin(int us)
{
	struct timespec start, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 < us);
}

static int work_spin(int us)
{
	spin(us);
	return 0;
}

static void *thread_main(void *arg)
{
	spin(20000);
	return NULL;
}

static int work_threads(int nr)
{
	pthread_t threads[64];

	for (int i = 0; i < nr && i < 64; i++)
		if (pthread_create(&threads[i], NULL, thread_main, NULL))
			return 1;
	for (int i = 0; i < nr && i < 64; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int work_forks(int nr)
{
	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (!pid) {
			spin(5000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

/* Execute this program repeatedly. None of the children may be killed by a signal. */
static int work_execs(int nr)
{
	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();
		int status = 1;

		if (!pid) {
			execl("/proc/self/exe", "work", "spin", "0", NULL);
			_exit(1);
		}
		waitpid(pid, &status, 0);
		if (status)
			return 1;
	}
	return 0;
}

static int work_faults(int nr)
{
	volatile char *pages = mmap(NULL, (size_t)nr * 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	madvise((void *)pages, (size_t)nr * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < nr; i++)
		pages[(size_t)i * 4096] = 1;
	return 0;
}

static int work_sleeps(int nr)
{
	for (int i = 0; i < nr; i++)
		usleep(1000);
	return 0;
}

static int work_pause(int nr)
{
	for (;;)
		spin(1000);
	return 0;
}

/* Call exec in a thread other than the main thread, which makes the main thread exit. */
static void *exec_main(void *arg)
{
	execl("/proc/self/exe", "work", "spin", "30000", NULL);
	return NULL;
}

static int work_thread_exec(int nr)
{
	pthread_t thread;

	spin(10000);
	if (!pthread_create(&thread, NULL, exec_main, NULL))
		pause();
	return 1;
}

int work_do(const char *work, int nr)
{
	static const struct {
		const char *name;
		int (*run)(int nr);
	} works[] = {
		{"spin", work_spin},     {"threads", work_threads},         {"forks", work_forks},
		{"execs", work_execs},   {"faults", work_faults},           {"sleeps", work_sleeps},
		{"forever", work_pause}, {"thread-exec", work_thread_exec},
	};

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(works[i].name, work))
			return works[i].run(nr);
	return -1;
}

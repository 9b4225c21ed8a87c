/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Program that runner.sh uses to check whether binaries built with certain flags run on this
 * machine. "probe threads" also tests threads interrupted by signals, because in qemu-i386 7.2 a
 * thread that returns from a signal handler continues with another thread's thread-local variables.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static _Thread_local volatile sig_atomic_t number;

static void on_signal(int signal)
{
	(void)signal;
}

static pthread_barrier_t both_run;

/* Set the thread-local variable, take a signal while both threads run, and check whether the
 * variable is unchanged. */
static void *thread(void *arg)
{
	int *value = arg;

	number = *value;
	pthread_barrier_wait(&both_run);
	pthread_kill(pthread_self(), SIGUSR1);
	pthread_barrier_wait(&both_run);
	*value = number;
	return NULL;
}

static int threads_work(void)
{
	int values[2] = {1, 2};
	pthread_t threads[2];

	signal(SIGUSR1, on_signal);
	pthread_barrier_init(&both_run, NULL, 2);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread, &values[i]))
			return 0;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return values[0] == 1 && values[1] == 2;
}

int main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "threads") != 0)
		return 0;
	if (threads_work())
		return 0;
	puts("a thread that a signal interrupted goes on with another one's variables");
	return 1;
}

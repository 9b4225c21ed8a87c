/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that start and exit, wait for each other and have thread-local variables. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sink;
static __thread unsigned own;

__attribute__((noinline)) static void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		own += i;
	sink += own;
}

static void *run(void *arg)
{
	for (int i = 0; i < 20; i++) {
		leaf(20000);
		pthread_mutex_lock(&lock);
		leaf(1000);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;

	for (int i = 0; i < rounds; i++) {
		pthread_t threads[4];

		for (int j = 0; j < 4; j++) {
			if (pthread_create(&threads[j], NULL, run, NULL))
				return 1;
		}
		for (int j = 0; j < 4; j++)
			pthread_join(threads[j], NULL);
	}
	return 0;
}

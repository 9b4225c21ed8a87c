/* SPDX-License-Identifier: BSD-2-Clause */
/* tally bench futex hash: the kernel's table of futexes. Each thread calls FUTEX_WAIT on its own
 * futexes, with a value that they do not have, so that the call only looks the futex up. */
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_text.h"

enum { MAX_THREADS = 1 << 16, OTHER_VALUE = 1234 };

struct futex_config {
	uint64_t futexes, threads, seconds;
	bool shared, silent, locked;
};

static const struct futex_config futex_defaults = {.futexes = 1024, .seconds = 10};

#define AT(member) offsetof(struct futex_config, member)

static const struct tally_option futex_options[] = {
	{'t', "threads", TALLY_OPTION_U64, AT(threads), "n",
	 "run this many threads (default: one for each CPU)"},
	{'f', "futexes", TALLY_OPTION_U64, AT(futexes), "n",
	 "use this many futexes for each thread (default: 1024)"},
	{'r', "runtime", TALLY_OPTION_U64, AT(seconds), "n",
	 "run for this many seconds (default: 10)"},
	{'s', "silent", TALLY_OPTION_FLAG, AT(silent), NULL, "print only the summary"},
	{'S', "shared", TALLY_OPTION_FLAG, AT(shared), NULL,
	 "use futexes that processes can share instead of private ones"},
	{'m', "mlockall", TALLY_OPTION_FLAG, AT(locked), NULL, "lock all memory"},
	TALLY_OPTION_END,
};

struct futex_bench {
	const struct futex_config *config;
	atomic_int state; /* FUTEX_WAITING, FUTEX_RUNNING or FUTEX_ENDED */
	struct futex_thread *threads;
	uint64_t nr;
};

enum { FUTEX_WAITING, FUTEX_RUNNING, FUTEX_ENDED };

struct futex_thread {
	struct futex_bench *bench;
	uint32_t *futexes;
	pthread_t thread;
	uint64_t operations;
};

static void *thread_run(void *of)
{
	struct futex_thread *self = of;
	const struct futex_config *config = self->bench->config;
	int operation = FUTEX_WAIT | (config->shared ? 0 : FUTEX_PRIVATE_FLAG);
	uint64_t operations = 0;

	while (atomic_load(&self->bench->state) == FUTEX_WAITING)
		sched_yield();
	do
		for (uint64_t i = 0; i < config->futexes; i++, operations++)
			syscall(SYS_futex, &self->futexes[i], operation, OTHER_VALUE, NULL, NULL,
				0);
	while (atomic_load_explicit(&self->bench->state, memory_order_relaxed) == FUTEX_RUNNING);
	self->operations = operations;
	return NULL;
}

/* Pin the thread to one of the CPUs in `allowed`, each in turn. */
static void pin(const struct futex_thread *self, uint64_t nr, const cpu_set_t *allowed)
{
	uint64_t turn = nr % (uint64_t)CPU_COUNT(allowed);

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, allowed) || turn--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		/* A CPU that went offline leaves the thread unpinned. */
		(void)pthread_setaffinity_np(self->thread, sizeof(one), &one);
		return;
	}
}

static int start_threads(struct futex_bench *bench, uint64_t nr, const cpu_set_t *allowed)
{
	int ret = 0;

	for (; bench->nr < nr && !ret; bench->nr += !ret) {
		struct futex_thread *self = &bench->threads[bench->nr];

		self->bench = bench;
		self->futexes = calloc(bench->config->futexes, sizeof(*self->futexes));
		if (!self->futexes)
			return bench_print_failure("allocate the futexes", -ENOMEM);
		ret = tally_thread_start(&self->thread, thread_run, self);
		if (ret)
			bench_print_failure("start a thread", ret);
		else
			pin(self, bench->nr, allowed);
	}
	return ret;
}

static void sleep_for(uint64_t seconds)
{
	struct timespec left = {.tv_sec = (time_t)seconds};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* Print the mean of the threads' rates, and its standard error in percent of the mean. */
static void print_average(const struct futex_bench *bench, double seconds)
{
	double n = (double)bench->nr, sum = 0, squares = 0, mean, error = 0;

	for (uint64_t i = 0; i < bench->nr; i++)
		sum += (double)bench->threads[i].operations / seconds;
	mean = sum / n;
	for (uint64_t i = 0; i < bench->nr; i++) {
		double off = (double)bench->threads[i].operations / seconds - mean;

		squares += off * off;
	}
	if (bench->nr > 1 && mean > 0)
		error = 100 * sqrt(squares / (n - 1) / n) / mean;
	printf("%sAveraged %.0f operations/sec (+- %.2f%%), total secs = %.0f\n",
	       bench->config->silent ? "" : "\n", mean, error, seconds);
}

static void print_result(const struct futex_bench *bench, uint64_t ns)
{
	double seconds = (double)ns / 1e9;

	for (uint64_t i = 0; i < bench->nr && !bench->config->silent; i++) {
		const struct futex_thread *self = &bench->threads[i];
		const uint32_t *last = self->futexes + bench->config->futexes - 1;

		printf("[thread %2" PRIu64 "] futexes: %p ... %p [ %.0f ops/sec ]\n", i,
		       (void *)self->futexes, (const void *)last,
		       (double)self->operations / seconds);
	}
	print_average(bench, seconds);
}

static int futex_measure(struct futex_bench *bench, uint64_t nr, const cpu_set_t *allowed)
{
	const struct futex_config *config = bench->config;
	uint64_t start;
	int ret;

	printf("Run summary [PID %d]: %" PRIu64 " threads, each operating on %" PRIu64
	       " [%s] futexes for %" PRIu64 " secs.\n\n",
	       (int)getpid(), nr, config->futexes, config->shared ? "shared" : "private",
	       config->seconds);
	fflush(stdout);
	ret = start_threads(bench, nr, allowed);
	start = tally_clock_now();
	atomic_store(&bench->state, FUTEX_RUNNING);
	if (!ret)
		sleep_for(config->seconds);
	atomic_store(&bench->state, FUTEX_ENDED);
	for (uint64_t i = 0; i < bench->nr; i++)
		pthread_join(bench->threads[i].thread, NULL);
	if (!ret)
		print_result(bench, tally_clock_now() - start);
	return ret;
}

static int check_config(const struct futex_config *config)
{
	if (!config->futexes || !config->seconds)
		return bench_print_zero(config->futexes ? "runtime" : "futexes");
	if (config->threads > MAX_THREADS)
		return bench_print_failure("start so many threads", -EAGAIN);
	if (config->locked && mlockall(MCL_CURRENT | MCL_FUTURE))
		return bench_print_failure("lock all memory", -errno);
	return 0;
}

static int futex_run(const void *of, bool is_simple)
{
	const struct futex_config *config = of;
	struct futex_bench bench = {.config = config};
	cpu_set_t allowed;
	uint64_t nr;
	int ret = check_config(config);

	(void)is_simple; /* as in perf, there is only one format */
	if (ret)
		return ret;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return bench_print_failure("find the allowed CPUs", -errno);
	nr = config->threads ? config->threads : (uint64_t)CPU_COUNT(&allowed);
	bench.threads = calloc(nr, sizeof(*bench.threads));
	ret = bench.threads ? futex_measure(&bench, nr, &allowed)
			    : bench_print_failure("store the threads", -ENOMEM);
	for (uint64_t i = 0; bench.threads && i < nr; i++)
		free(bench.threads[i].futexes);
	free(bench.threads);
	return ret;
}

static const struct tally_command command = {
	.name = "bench futex hash",
	.summary = "Measure how fast the kernel looks up futexes",
	.usage = "[OPTIONS]",
	.options = futex_options,
};

const struct benchmark bench_futex_hash = {
	.name = "hash",
	.summary = "Benchmark for futex hash table",
	.command = &command,
	.defaults = &futex_defaults,
	.size = sizeof(futex_defaults),
	.run = futex_run,
};

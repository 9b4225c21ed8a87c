/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test the 64-bit words in core/atomic.h. The two halves of a word must be equal whenever the word
 * is read. Threads change and read the words, and so do their signal handlers. A signal that
 * arrives while interrupts are off is ignored, because a real interrupt would be delayed. argv:
 * number of threads.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "core/atomic.h"

enum { INTERRUPTS = 3000, INTERVAL_US = 50, MAX_THREADS = 4 };

#define BOTH UINT64_C(0x0000000100000001)

#if TALLY_CORE_ATOMIC64 >= TALLY_ATOMIC64_IRQ
#include "core/words/words_irq.h"
uint32_t words_sequences[WORDS_SEQUENCES];
_Thread_local volatile sig_atomic_t words_masked;
#else
static _Thread_local volatile sig_atomic_t words_masked;
#endif

static struct {
	uint64_t added, exchanged, compared, bits, stored;
	uint32_t interrupts, torn, changes;
} shared;

static void check_halves(const uint64_t *word)
{
	uint64_t value = tally_load_acquire(word);

	if ((uint32_t)value != (uint32_t)(value >> 32))
		tally_count_up_u32(&shared.torn);
}

static void change_all(uint32_t round)
{
	uint64_t seen = tally_load_relaxed(&shared.compared);

	tally_fetch_add(&shared.added, BOTH);
	tally_exchange(&shared.exchanged, round * BOTH);
	while (!tally_compare_exchange(&shared.compared, &seen, seen + BOTH))
		;
	tally_fetch_or(&shared.bits, BOTH << (round % 32));
	tally_store_release(&shared.stored, round * BOTH);
	tally_count_up_u32(&shared.changes);
}

static void check_all_halves(void)
{
	check_halves(&shared.added);
	check_halves(&shared.exchanged);
	check_halves(&shared.compared);
	check_halves(&shared.bits);
	check_halves(&shared.stored);
}

static void on_interrupt(int signal)
{
	if (words_masked)
		return;
	tally_count_up_u32(&shared.interrupts);
	change_all(7);
	check_all_halves();
}

static void *run(void *arg)
{
	for (uint32_t round = 0; tally_load_relaxed(&shared.interrupts) < INTERRUPTS; round++) {
		change_all(round);
		check_all_halves();
	}
	return arg;
}

/* Check that no change was lost or applied twice. */
static bool sums_are_right(void)
{
	uint64_t due = shared.changes * BOTH;

	return shared.added == due && shared.compared == due && shared.bits == UINT32_MAX * BOTH &&
	       !shared.torn;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
	const struct itimerval often = {{0, INTERVAL_US}, {0, INTERVAL_US}};
	uint32_t nr = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
	pthread_t threads[MAX_THREADS];
	sigset_t interrupts;

	if (nr < 1 || nr > MAX_THREADS)
		return 2;
	sigaction(SIGALRM, &action, NULL);
	for (uint32_t i = 0; i < nr; i++) {
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 2;
	}
	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &interrupts, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (uint32_t i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	printf("# %u threads, %u changes, %u of them in interrupts, %u torn\n", nr, shared.changes,
	       shared.interrupts, shared.torn);
	return sums_are_right() ? 0 : 1;
}

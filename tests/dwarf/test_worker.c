/* SPDX-License-Identifier: BSD-2-Clause */
/* Line lookups in a worker process. The results must equal those of lookups in this process, and
 * the worker's errors must not affect this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corpus.h"
#include "dwarf/worker.h"

static const struct tally_dwarf_limits limits = {.seconds = 60, .bytes = 1 << 30};

static int open_corpus(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	*file = ((struct corpus *)arg)->file;
	return 0;
}

static int open_nothing(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	return -EFBIG;
}

static int open_crashing(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	raise(SIGSEGV);
	return 0;
}

static int open_looping(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	for (volatile unsigned i = 1; i; i |= 1)
		;
	return -EINTR;
}

static int open_waiting(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	while (pause())
		;
	return -EINTR;
}

/* Try to allocate more memory than the limit allows. */
static int open_greedy(void *arg, struct tally_dwarf_file *file, struct tally_dwarf_file *alt)
{
	void *taken = mmap(NULL, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return taken == MAP_FAILED ? -ENOMEM : -EFBIG;
}

/* Return the address of outer(). */
static uint64_t outer_of(const struct corpus *corpus)
{
	struct tally_elf_section text;

	assert_true(tally_elf_section_by_name(&corpus->image.elf, ".text", &text));
	return text.addr;
}

static int ask(tally_dwarf_opener open, void *arg, struct tally_dwarf_limits most,
	       struct tally_lines *lines)
{
	const uint64_t addrs[] = {arg ? outer_of(arg) : 1, 0x100000};
	struct tally_dwarf_worker worker;
	int ret, again;

	assert_int_equal(tally_dwarf_worker_start(&worker, &most, open, arg), 0);
	ret = tally_dwarf_worker_resolve(&worker, addrs, 2, lines);
	again = tally_dwarf_worker_resolve(&worker, addrs, 2, lines);
	assert_int_equal(ret, again);
	tally_dwarf_worker_stop(&worker);
	assert_int_equal(worker.pid, 0);
	return ret;
}

static int collect(void *arg, const struct tally_line_span *span)
{
	const struct tally_line_span *found = tally_lines_find(arg, span->start);

	assert_non_null(found);
	assert_true(found->start == span->start && found->end == span->end &&
		    found->nr == span->nr);
	for (uint32_t i = 0; i < span->nr; i++) {
		assert_string_equal(found->lines[i].file, span->lines[i].file);
		assert_int_equal(found->lines[i].line, span->lines[i].line);
		assert_int_equal(!found->lines[i].function, !span->lines[i].function);
		if (span->lines[i].function)
			assert_string_equal(found->lines[i].function, span->lines[i].function);
	}
	return 0;
}

static void a_worker_replies_as_this_process_would(void **state)
{
	struct tally_lines lines = {0};
	struct tally_dwarf *dwarf;
	struct corpus corpus;

	(void)state;
	corpus_open(CORPUS "/gcc5", &corpus);
	assert_int_equal(ask(open_corpus, &corpus, limits, &lines), 0);
	assert_int_equal(tally_dwarf_open(&corpus.file, NULL, &dwarf), 0);
	assert_int_equal(tally_dwarf_find(dwarf, outer_of(&corpus), collect, &lines), 0);
	/* An address without lines is stored with an empty list. */
	assert_non_null(tally_lines_find(&lines, 0x100000));
	assert_int_equal(tally_lines_find(&lines, 0x100000)->nr, 0);
	tally_dwarf_close(dwarf);
	tally_lines_free(&lines);
	corpus_close(&corpus);
}

enum { TEXT = 512 }; /* covers the code of three units and some addresses around that code */

static void ask_for_all(struct corpus *corpus, unsigned threads, struct tally_lines *lines)
{
	struct tally_dwarf_limits most = limits;
	struct tally_dwarf_worker worker;
	uint64_t addrs[TEXT];

	for (uint64_t i = 0; i < TEXT; i++)
		addrs[i] = outer_of(corpus) + i - 64;
	most.threads = threads;
	assert_int_equal(tally_dwarf_worker_start(&worker, &most, open_corpus, corpus), 0);
	assert_int_equal(tally_dwarf_worker_resolve(&worker, addrs, TEXT, lines), 0);
	tally_dwarf_worker_stop(&worker);
}

static void threads_share_the_units(void **state)
{
	struct tally_lines one = {0};
	struct corpus corpus;

	(void)state;
	corpus_open(CORPUS "/units", &corpus);
	ask_for_all(&corpus, 1, &one);
	for (unsigned threads = 2; threads <= 5; threads++) {
		struct tally_lines several = {0};

		ask_for_all(&corpus, threads, &several);
		assert_int_equal(several.spans.len, one.spans.len);
		tally_vec_for_each (span, &one.spans)
			assert_int_equal(collect(&several, span), 0);
		tally_lines_free(&several);
	}
	tally_lines_free(&one);
	corpus_close(&corpus);
}

static void a_worker_reports_errors(void **state)
{
	struct tally_lines lines = {0};

	(void)state;
	assert_int_equal(ask(open_nothing, NULL, limits, &lines), -EFBIG);
	assert_int_equal(ask(open_crashing, NULL, limits, &lines), TALLY_DWARF_ERROR_CRASHED);
	tally_lines_free(&lines);
}

static void a_worker_is_limited(void **state)
{
	const struct tally_dwarf_limits a_second = {.seconds = 1, .bytes = 1 << 30};
	const struct tally_dwarf_limits little = {.seconds = 60, .bytes = 1 << 20};
	struct tally_dwarf_limits talkative = limits;
	struct tally_lines lines = {0};
	struct corpus corpus;

	(void)state;
	assert_int_equal(ask(open_looping, NULL, a_second, &lines), TALLY_DWARF_ERROR_TIME);
	assert_int_equal(ask(open_waiting, NULL, a_second, &lines), TALLY_DWARF_ERROR_TIME);
	assert_int_equal(ask(open_greedy, NULL, little, &lines), TALLY_DWARF_ERROR_MEMORY);
	assert_int_equal(ask(open_greedy, NULL, limits, &lines), -EFBIG);
	corpus_open(CORPUS "/gcc5", &corpus);
	talkative.answer = 200;
	assert_int_equal(ask(open_corpus, &corpus, talkative, &lines), TALLY_DWARF_ERROR_MEMORY);
	corpus_close(&corpus);
	tally_lines_free(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_replies_as_this_process_would),
		cmocka_unit_test(threads_share_the_units),
		cmocka_unit_test(a_worker_reports_errors),
		cmocka_unit_test(a_worker_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

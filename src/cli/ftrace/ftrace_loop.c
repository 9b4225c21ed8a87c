/* SPDX-License-Identifier: BSD-2-Clause */
/* The main loop: read the trace pipe until tracing ends. */
#include "cli/ftrace/ftrace_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"

enum { CHUNK = 1 << 16, ALIVE_CHECK_MS = 100, NS_PER_MS = 1000000 };

/* ---- lines ---------------------------------------------------------------- */

static void on_call(struct ftrace_session *session, const struct tally_ftrace_line *line)
{
	if (!line->has_ns || !line->name ||
	    (line->kind != TALLY_FTRACE_LEAF && line->kind != TALLY_FTRACE_RETURN))
		return;
	if (session->what == FTRACE_LATENCY)
		tally_ftrace_histogram_add(&session->histogram, line->ns);
	else if (tally_ftrace_stats_add(&session->stats, line->name, line->name_len, line->ns))
		session->failed = true;
}

/* Process a line. For plain traces, lines are parsed only to detect gaps. */
static void on_line(struct ftrace_session *session, const char *text, size_t len)
{
	struct tally_ftrace_line line = {0};
	uint64_t ns;

	session->lines++;
	if (session->what != FTRACE_TRACE || (len > 4 && !memcmp(text, "CPU:", 4)))
		tally_ftrace_line_parse(text, len, &line);
	if (line.kind == TALLY_FTRACE_LOST) {
		session->gaps++;
		session->lost += line.lost;
	}
	if (session->what == FTRACE_TRACE)
		return;
	if (!session->config->events.nr)
		on_call(session, &line);
	else if (tally_ftrace_pair_follow(&session->pair, &line, &ns))
		tally_ftrace_histogram_add(&session->histogram, ns);
}

/* Escape the chunk, because other users control task names. */
static void show_chunk(struct ftrace_session *session, const char *at, size_t len)
{
	tally_str_add_bytes(&session->shown, at, len);
	tally_str_escape_lines(&session->shown, 0);
	if (tally_output_flush(&session->shown))
		session->failed = true;
}

/* Process a chunk. Complete lines are used in place. A line that continues in the next chunk is
 * collected in `pending`. */
static void on_chunk(struct ftrace_session *session, const char *at, size_t len)
{
	struct tally_str *pending = &session->pending;
	const char *end = at + len, *newline;

	if (session->what == FTRACE_TRACE && !session->failed)
		show_chunk(session, at, len);
	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		if (pending->len) {
			tally_str_add_bytes(pending, at, (size_t)(newline - at));
			on_line(session, pending->data, pending->len);
			tally_str_clear(pending);
		} else {
			on_line(session, at, (size_t)(newline - at));
		}
		at = newline + 1;
	}
	tally_str_add_bytes(pending, at, (size_t)(end - at));
}

/* ---- end of tracing ------------------------------------------------------- */

/* Read pending signals, which request termination or report the command's exit. */
static void check_signals(struct ftrace_session *session)
{
	struct signalfd_siginfo info;

	while (read(session->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			session->asked_to_end = true;
	}
	tally_child_wait(&session->child, false);
}

static bool is_over(const struct ftrace_session *session)
{
	return session->failed || session->asked_to_end || session->child.gone;
}

static bool tasks_gone(const struct ftrace_session *session)
{
	for (size_t i = 0; i < session->threads->nr; i++) {
		const struct tally_thread_id *id = &session->threads->thread[i];

		if (!syscall(SYS_tgkill, id->pid, id->tid, 0) || errno != ESRCH)
			return false;
	}
	return true;
}

/* ---- loop ----------------------------------------------------------------- */

/* Read all available data. Data may arrive faster than it can be printed, so stop when the command
 * exits. If `rest` is set, tracing is already off, and all remaining data is read. */
static void drain(struct ftrace_session *session, bool rest)
{
	static char chunk[CHUNK];
	int fd = tally_tracer_fd(session->tracer);
	ssize_t n;

	while (!session->failed && !session->asked_to_end && (rest || !session->child.gone)) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		on_chunk(session, chunk, (size_t)n);
		check_signals(session);
	}
	if (fflush(stdout))
		session->failed = true;
}

static int timeout_of(const struct ftrace_session *session)
{
	return session->threads ? ALIVE_CHECK_MS : -1;
}

static void follow(struct ftrace_session *session)
{
	struct pollfd polls[] = {
		{.fd = session->signals, .events = POLLIN},
		{.fd = tally_tracer_fd(session->tracer), .events = POLLIN},
	};

	while (!is_over(session) && !(session->threads && tasks_gone(session))) {
		if (poll(polls, 2, timeout_of(session)) < 0 && errno != EINTR)
			return;
		check_signals(session);
		drain(session, false);
	}
}

static uint64_t now_ms(void)
{
	return tally_clock_now() / NS_PER_MS;
}

/* Wait for the delay given by -D. Return false if tracing ended before the delay was over. */
static bool delay(struct ftrace_session *session)
{
	struct pollfd signals = {.fd = session->signals, .events = POLLIN};
	uint64_t start = now_ms(), gone;

	while ((gone = now_ms() - start) < session->config->delay_ms) {
		uint64_t left = session->config->delay_ms - gone;

		poll(&signals, 1, left > 1000 ? 1000 : (int)left);
		check_signals(session);
		if (is_over(session))
			return false;
	}
	return true;
}

static void show_heading(const struct ftrace_session *session)
{
	char *text;

	if (session->what != FTRACE_TRACE || tally_tracer_heading(session->tracer, &text))
		return;
	fputs(text, stdout);
	fflush(stdout);
	free(text);
}

static void histogram_start(struct ftrace_session *session)
{
	const struct ftrace_config *config = session->config;
	struct tally_ftrace_histogram *histogram = &session->histogram;
	uint64_t rows = 0;

	histogram->unit_ns = config->nanoseconds ? 1 : 1000;
	histogram->range = config->bucket_range;
	histogram->least = config->min_latency;
	if (config->max_latency)
		rows = (config->max_latency - config->min_latency) / config->bucket_range + 1;
	/* As in perf, a limit that needs more rows has no effect. */
	if (rows && rows < TALLY_FTRACE_BUCKETS)
		histogram->last = (int)rows;
}

/* Run the session. Tracing is switched on before the command starts, unless there is a delay. A
 * second signal discards data that has not been printed. */
int ftrace_loop(struct ftrace_session *session)
{
	bool later = session->config->delay_ms;
	int ret = 0;

	histogram_start(session);
	show_heading(session);
	if (!later)
		ret = tally_tracer_switch(session->tracer, true);
	if (!ret && session->child.pid)
		ret = tally_child_exec(&session->child);
	if (!ret && later && delay(session))
		ret = tally_tracer_switch(session->tracer, true);
	if (ret)
		tally_print_error("cannot start tracing: %s", strerror(-ret));
	else
		follow(session);
	tally_tracer_switch(session->tracer, false);
	session->asked_to_end = false;
	drain(session, true);
	return ret;
}

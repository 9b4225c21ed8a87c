/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwarf/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/memory_file.h"
#include "dwarf/worker_private.h"

/* Exit status when libdw runs out of memory. */
enum { STATUS_NO_MEMORY = EXIT_FAILURE };

/* Default limit for the total size of all replies, in bytes. */
enum { ANSWER_MAX = 256 << 20 };

/* ---- the worker process ---------------------------------------------------- */

/* Return the size of this process's address space in bytes, as counted for RLIMIT_AS. */
static uint64_t space_taken(void)
{
	char *text;
	size_t len;
	uint64_t pages = 0;

	if (tally_file_read("/proc/self/statm", 4096, &text, &len))
		return 0;
	pages = strtoull(text, NULL, 10);
	free(text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(int what, uint64_t most)
{
	struct rlimit now;

	if (!getrlimit(what, &now) && most < now.rlim_cur) {
		now.rlim_cur = most;
		(void)setrlimit(what, &now);
	}
}

/* Restore the default signal actions, as the program's handlers must not run here. */
static void signals_reset(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL);
	/* The program that started this process handles Ctrl-C, and terminates this process when it
	 * exits. */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Discard all output: the messages that libdw prints before it exits are of no use to users. */
static void output_discard(void)
{
	int nowhere = tally_memory_file("tally");

	if (nowhere >= 0) {
		(void)dup2(nowhere, STDERR_FILENO);
		(void)dup2(nowhere, STDOUT_FILENO);
		close(nowhere);
	}
}

/* Use at most one thread per CPU, and only one for small files, which are read quickly. */
static uint32_t threads_choose(const struct tally_dwarf_limits *limits,
			       const struct tally_dwarf_file *file)
{
	enum { SMALL = 4 << 20 };
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (limits->threads)
		return TALLY_MIN(limits->threads, TALLY_DWARF_THREADS_MAX);
	if (file->sections[TALLY_DWARF_INFO].len < SMALL || processors < 1)
		return 1;
	return (uint32_t)TALLY_MIN(processors, (long)TALLY_DWARF_THREADS_MAX);
}

/* Open a handle for each thread, because a libdw handle can be used by only one thread. */
static int handles_open(const struct tally_dwarf_limits *limits, tally_dwarf_opener open_it,
			void *arg, struct tally_dwarf **dwarfs, uint32_t *ret_nr)
{
	static struct tally_dwarf_file file, alt;
	uint32_t nr, wanted;
	int ret = open_it(arg, &file, &alt);

	wanted = ret ? 0 : threads_choose(limits, &file);
	for (nr = 0; nr < wanted && !ret; nr++)
		ret = tally_dwarf_open(&file, alt.sections[TALLY_DWARF_INFO].data ? &alt : NULL,
				       &dwarfs[nr]);
	*ret_nr = nr;
	return ret;
}

static void worker_run(int fd, pid_t parent, const struct tally_dwarf_limits *limits,
		       tally_dwarf_opener open_it, void *arg)
{
	struct tally_dwarf *dwarfs[TALLY_DWARF_THREADS_MAX];
	uint32_t nr;
	int ret;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	signals_reset();
	output_discard();
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, limits->seconds);
	limit(RLIMIT_AS, space_taken() + limits->bytes);
	ret = handles_open(limits, open_it, arg, dwarfs, &nr);
	if (ret) {
		struct dwarf_question question;

		/* Read the request first, because the client expects the reply after its
		 * request. */
		(void)!read(fd, &question, sizeof(question));
		dwarf_send_error(fd, ret);
	} else {
		dwarf_serve(fd, dwarfs, nr);
	}
	_exit(0);
}

int tally_dwarf_worker_start(struct tally_dwarf_worker *worker,
			     const struct tally_dwarf_limits *limits, tally_dwarf_opener open,
			     void *arg)
{
	pid_t pid, parent = getpid();
	int pair[2], ret;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (pid < 0) {
		ret = -errno;
		close(pair[0]);
		close(pair[1]);
		return ret;
	}
	if (!pid) {
		close(pair[0]);
		worker_run(pair[1], parent, limits, open, arg);
	}
	close(pair[1]);
	*worker = (struct tally_dwarf_worker){
		.pid = pid,
		.fd = pair[0],
		.left = (int64_t)limits->seconds * 1000,
		.answer_most = limits->answer ? limits->answer : ANSWER_MAX,
	};
	return 0;
}

/* ---- the client side ------------------------------------------------------- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Kill the process if it is still running, and return an error that depends on its exit status. */
static int worker_reap(struct tally_dwarf_worker *worker)
{
	int status = 0;

	(void)kill(worker->pid, SIGKILL);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(worker->fd);
	worker->pid = 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return TALLY_DWARF_ERROR_TIME;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NO_MEMORY)
		return TALLY_DWARF_ERROR_MEMORY;
	return TALLY_DWARF_ERROR_CRASHED;
}

static int worker_abort(struct tally_dwarf_worker *worker, int error)
{
	int ended = worker_reap(worker);

	worker->error = error ? error : ended;
	return worker->error;
}

/* Wait until data can be read. Returns 0 or TALLY_DWARF_ERROR_TIME. */
static int worker_wait(struct tally_dwarf_worker *worker)
{
	struct pollfd at = {.fd = worker->fd, .events = POLLIN};
	int64_t before = now_ms();
	int ret;

	do {
		int64_t left = worker->left - (now_ms() - before);

		ret = poll(&at, 1, left > 0 ? (int)left : 0);
	} while (ret < 0 && errno == EINTR);
	worker->left -= now_ms() - before;
	worker->waited += now_ms() - before;
	return ret > 0 ? 0 : TALLY_DWARF_ERROR_TIME;
}

/* Receive more data. Returns 0, TALLY_DWARF_ERROR_TIME, -ENOMEM, or -EPIPE if the worker has closed
 * its end. */
static int worker_fill(struct tally_dwarf_worker *worker)
{
	enum { STEP = 64 << 10 };
	ssize_t got;
	int ret = 0;

	if (worker->at)
		memmove(worker->input.data, worker->input.data + worker->at,
			worker->input.len - worker->at);
	worker->input.len -= worker->at;
	worker->at = 0;
	if (tally_vec_reserve(&worker->input, worker->input.len + STEP))
		return -ENOMEM;
	do {
		got = recv(worker->fd, worker->input.data + worker->input.len, STEP, MSG_DONTWAIT);
		if (got < 0 && errno == EAGAIN)
			ret = worker_wait(worker);
	} while (got < 0 && (errno == EAGAIN || errno == EINTR) && !ret);
	if (!ret && got <= 0)
		ret = -EPIPE;
	worker->input.len += got > 0 ? (size_t)got : 0;
	return ret;
}

int worker_take(struct tally_dwarf_worker *worker, size_t len, const uint8_t **ret_data)
{
	int ret = 0;

	worker->answered += len;
	if (worker->answered > worker->answer_most)
		return TALLY_DWARF_ERROR_MEMORY;
	while (!ret && worker->input.len - worker->at < len)
		ret = worker_fill(worker);
	if (ret)
		return ret;
	*ret_data = worker->input.data + worker->at;
	worker->at += len;
	return 0;
}

static int take_text(struct tally_dwarf_worker *worker, struct tally_lines *lines,
		     const struct dwarf_message *message)
{
	uint32_t len = message->nr;
	const uint8_t *data = NULL;
	const char *text;
	int ret = len < DWARF_TEXT_MAX ? worker_take(worker, len, &data) : -EPROTO;

	if (!ret)
		ret = tally_lines_text(lines, (const char *)data, len, &text);
	return ret ? ret : tally_vec_push(&worker->threads[message->thread].texts, text);
}

bool worker_text(const struct tally_dwarf_worker *worker, uint32_t thread, uint32_t number,
		 const char **ret_text)
{
	if (number > worker->threads[thread].texts.len)
		return false;
	*ret_text = number ? worker->threads[thread].texts.data[number - 1] : NULL;
	return true;
}

static int take_span(struct tally_dwarf_worker *worker, struct tally_lines *lines,
		     const struct dwarf_message *message)
{
	struct tally_line made[TALLY_DWARF_LINES_MAX];
	struct tally_line_span span = {message->start, message->end, made, message->nr};
	struct dwarf_message_line line;
	const uint8_t *data;
	int ret = message->nr <= TALLY_DWARF_LINES_MAX
			  ? worker_take(worker, message->nr * sizeof(line), &data)
			  : -EPROTO;

	for (uint32_t i = 0; i < message->nr && !ret; i++) {
		memcpy(&line, data + i * sizeof(line), sizeof(line));
		made[i].line = line.line;
		if (!worker_text(worker, message->thread, line.function, &made[i].function) ||
		    !worker_text(worker, message->thread, line.file, &made[i].file))
			ret = -EPROTO;
	}
	return ret ? ret : tally_lines_add(lines, &span);
}

int worker_take_common(struct tally_dwarf_worker *worker, struct tally_lines *lines,
		       const struct dwarf_message *message, bool *ret_is_end)
{
	if (message->kind == DWARF_MESSAGE_END) {
		worker->nr_given_up += message->nr;
		worker->nr_missing += message->start;
		*ret_is_end = true;
		return message->error < 0 ? message->error : 0;
	}
	if (message->kind != DWARF_MESSAGE_TEXT ||
	    message->thread >= TALLY_ARRAY_SIZE(worker->threads))
		return -EPROTO;
	return take_text(worker, lines, message);
}

/* Process the reply to one request. */
static int take_answer(struct tally_dwarf_worker *worker, struct tally_lines *lines)
{
	struct dwarf_message message;
	const uint8_t *data;
	bool is_end = false;
	int ret = 0;

	while (!ret && !is_end) {
		ret = worker_take(worker, sizeof(message), &data);
		if (ret)
			break;
		memcpy(&message, data, sizeof(message));
		if (message.kind != DWARF_MESSAGE_SPAN)
			ret = worker_take_common(worker, lines, &message, &is_end);
		else if (message.thread >= TALLY_ARRAY_SIZE(worker->threads))
			ret = -EPROTO;
		else
			ret = take_span(worker, lines, &message);
	}
	return ret;
}

int worker_ask(const struct tally_dwarf_worker *worker, enum dwarf_question_kind kind, uint32_t nr,
	       const void *data, size_t len)
{
	struct dwarf_question question = {kind, nr};
	struct iovec parts[] = {{&question, sizeof(question)}, {(void *)(uintptr_t)data, len}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = TALLY_ARRAY_SIZE(parts)};

	len += sizeof(question);
	return sendmsg(worker->fd, &message, MSG_NOSIGNAL) == (ssize_t)len ? 0 : -EPIPE;
}

int worker_finish(struct tally_dwarf_worker *worker, int ret)
{
	if (!ret || worker->error)
		return ret;
	if (ret == -EPIPE || ret == -EPROTO)
		ret = 0; /* the exit status is more specific than this error */
	return worker_abort(worker, ret == -ENOMEM ? TALLY_DWARF_ERROR_MEMORY : ret);
}

int tally_dwarf_worker_resolve(struct tally_dwarf_worker *worker, const uint64_t *addrs, size_t nr,
			       struct tally_lines *lines)
{
	int ret = worker->error;

	while (nr && !ret) {
		uint32_t some = (uint32_t)TALLY_MIN(nr, (size_t)DWARF_QUESTION_MAX);

		ret = worker_ask(worker, DWARF_QUESTION_LINES, some, addrs, some * sizeof(*addrs));
		if (!ret)
			ret = take_answer(worker, lines);
		addrs += some;
		nr -= some;
	}
	return worker_finish(worker, ret);
}

void tally_dwarf_worker_stop(struct tally_dwarf_worker *worker)
{
	if (worker->pid)
		(void)worker_reap(worker);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(worker->threads); i++)
		tally_vec_free(&worker->threads[i].texts);
	tally_vec_free(&worker->types);
	tally_vec_free(&worker->input);
	*worker = (struct tally_dwarf_worker){0};
}

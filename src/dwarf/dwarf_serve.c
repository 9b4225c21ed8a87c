/* SPDX-License-Identifier: BSD-2-Clause */
/* Worker side of the protocol. Units are distributed among the threads, so each unit is read by
 * only one thread. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dwarf/message.h"
#include "dwarf/variables.h"
#include "dwarf/worker.h"

/* The current request, shared by all threads. */
struct question {
	int fd;
	uint32_t nr_threads, nr;
	pthread_mutex_t lock; /* protects the socket and the counters below */
	pthread_barrier_t asked, answered;
	int error;
	uint32_t nr_given_up; /* number of skipped addresses and dropped names */
	uint64_t nr_missing;  /* see tally_dwarf_missing() */
	enum dwarf_question_kind kind;
	union {
		uint64_t addrs[DWARF_QUESTION_MAX];
		struct tally_variable_question variables[DWARF_VARIABLES_MAX];
	};
};

/* One thread's reply. */
struct answer {
	struct question *question;
	struct tally_dwarf *dwarf;
	uint32_t thread;
	TALLY_VEC(uint8_t) bytes;
	struct tally_map texts; /* string address -> string number */
	uint32_t nr_texts;
	struct tally_map types; /* type's address -> type's number */
	uint32_t nr_types;
	uint32_t nr_given_up;
	uint64_t start, end; /* address range of the last contiguous spans sent */
};

static int send_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t sent = send(fd, data, len, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return -EPIPE;
		data += sent;
		len -= (size_t)sent;
	}
	return 0;
}

/* Send the buffered messages. The buffer contains only complete messages. */
static int answer_flush(struct answer *answer)
{
	int ret;

	pthread_mutex_lock(&answer->question->lock);
	ret = send_all(answer->question->fd, answer->bytes.data, answer->bytes.len);
	pthread_mutex_unlock(&answer->question->lock);
	answer->bytes.len = 0;
	return ret;
}

/* Append a message and the data that follows it. */
static int answer_add(struct answer *answer, const struct dwarf_message *message, const void *data,
		      size_t len)
{
	enum { FLUSH = 64 << 10 };
	size_t at = answer->bytes.len;

	if (tally_vec_reserve(&answer->bytes, at + sizeof(*message) + len))
		return -ENOMEM;
	memcpy(answer->bytes.data + at, message, sizeof(*message));
	if (len)
		memcpy(answer->bytes.data + at + sizeof(*message), data, len);
	answer->bytes.len += sizeof(*message) + len;
	return answer->bytes.len > FLUSH ? answer_flush(answer) : 0;
}

/* Get the number assigned to a string. A new string is sent first. */
static int answer_text(struct answer *answer, const char *text, uint32_t *ret_number)
{
	uint64_t known = text ? tally_map_get(&answer->texts, (uintptr_t)text) : 0;
	struct dwarf_message message = {.kind = DWARF_MESSAGE_TEXT, .thread = answer->thread};
	size_t len;
	int ret = 0;

	if (known == TALLY_MAP_NONE) {
		len = strnlen(text, DWARF_TEXT_MAX);
		message.nr = (uint32_t)len;
		known = len < DWARF_TEXT_MAX ? ++answer->nr_texts : 0;
		answer->nr_given_up += !known;
		ret = tally_map_set(&answer->texts, (uintptr_t)text, known);
		if (!ret && known)
			ret = answer_add(answer, &message, text, len);
	}
	*ret_number = (uint32_t)known;
	return ret;
}

static int answer_span(void *arg, const struct tally_line_span *span)
{
	struct answer *answer = arg;
	struct dwarf_message message = {.kind = DWARF_MESSAGE_SPAN,
					.nr = span->nr,
					.thread = answer->thread,
					.start = span->start,
					.end = span->end};
	struct dwarf_message_line lines[TALLY_DWARF_LINES_MAX];
	int ret = 0;

	for (uint32_t i = 0; i < span->nr && !ret; i++) {
		lines[i].line = span->lines[i].line;
		ret = answer_text(answer, span->lines[i].function, &lines[i].function);
		if (!ret)
			ret = answer_text(answer, span->lines[i].file, &lines[i].file);
	}
	if (answer->end != span->start)
		answer->start = span->start;
	answer->end = span->end;
	return ret ? ret : answer_add(answer, &message, lines, span->nr * sizeof(*lines));
}

/* Return true if this thread handles the address. The first thread handles addresses outside all
 * units. */
static bool is_mine(const struct answer *answer, uint64_t addr)
{
	uint32_t unit = 0;

	if (answer->question->nr_threads > 1 && tally_dwarf_unit(answer->dwarf, addr, &unit))
		unit = 0;
	return unit % answer->question->nr_threads == answer->thread;
}

/* Look up an address and send its spans. The reply is an empty span if the address has no lines, or
 * is in a function that exceeds a limit. */
static int answer_address(struct answer *answer, uint64_t addr)
{
	const struct tally_line_span none = {.start = addr, .end = addr + 1};
	int ret;

	if ((answer->start <= addr && addr < answer->end) || !is_mine(answer, addr))
		return 0;
	answer->start = answer->end = 0;
	errno = 0;
	ret = tally_dwarf_find(answer->dwarf, addr, answer_span, answer);
	/* libdw leaves out what it finds no memory for, without returning an error. */
	if (errno == ENOMEM)
		return -ENOMEM;
	answer->nr_given_up += ret == -E2BIG || ret == -EBADMSG;
	if (ret == -ENOENT || ret == -E2BIG || ret == -EBADMSG)
		ret = addr + 1 ? answer_span(answer, &none) : 0;
	return ret;
}

/* ---- variables ----------------------------------------------------------------- */

static int answer_member(struct answer *answer, const struct tally_type_member *member,
			 struct dwarf_message_member *ret_member)
{
	int ret;

	/* Also zero the padding. */
	memset(ret_member, 0, sizeof(*ret_member));
	ret_member->offset = member->offset;
	ret_member->size = member->size;
	ret_member->element = member->element;
	ret_member->depth = member->depth;
	ret = answer_text(answer, member->name, &ret_member->name);
	return ret ? ret : answer_text(answer, member->type, &ret_member->type);
}

/* Get the number assigned to a type. A new type is sent first. */
static int answer_type(struct answer *answer, const struct tally_type *type, uint64_t *ret_number)
{
	struct dwarf_message message = {.kind = DWARF_MESSAGE_TYPE, .thread = answer->thread};
	struct dwarf_message_member *members;
	uint32_t name;
	int ret;

	*ret_number = tally_map_get(&answer->types, (uintptr_t)type);
	if (*ret_number != TALLY_MAP_NONE)
		return 0;
	members = calloc(type->nr + 1u, sizeof(*members));
	ret = members ? answer_text(answer, type->name, &name) : -ENOMEM;
	for (uint32_t i = 0; i < type->nr && !ret; i++)
		ret = answer_member(answer, &type->members[i], &members[i]);
	if (!ret) {
		message.nr = type->nr;
		message.start = type->size;
		message.end = name;
		ret = answer_add(answer, &message, members, type->nr * sizeof(*members));
	}
	free(members);
	*ret_number = ++answer->nr_types;
	return ret ? ret : tally_map_set(&answer->types, (uintptr_t)type, *ret_number);
}

static int answer_variable(struct answer *answer, const struct tally_variable_question *question)
{
	struct dwarf_message message = {.kind = DWARF_MESSAGE_VARIABLE, .thread = answer->thread};
	struct tally_variable variable = {.result = TALLY_VARIABLE_NONE};
	int ret = 0;

	if (question->nr && question->nr <= TALLY_VARIABLE_OFFSETS_MAX)
		ret = tally_dwarf_variable(answer->dwarf, question, &variable);
	if (!ret && variable.result == TALLY_VARIABLE_FOUND)
		ret = answer_type(answer, variable.type, &message.start);
	message.nr = variable.result;
	message.end = variable.offset;
	return ret ? ret : answer_add(answer, &message, NULL, 0);
}

/* One thread answers all of these: there are much fewer of them than of lines. */
static void answer_variables(struct answer *answer)
{
	struct question *question = answer->question;
	int ret = 0;

	for (uint32_t i = 0; i < question->nr && !ret; i++)
		ret = answer_variable(answer, &question->variables[i]);
	if (!ret)
		ret = answer_flush(answer);
	question->error = ret;
}

/* ---- requests ------------------------------------------------------------------ */

static void answer_all(struct answer *answer)
{
	struct question *question = answer->question;
	uint64_t missing = tally_dwarf_missing(answer->dwarf);
	int ret = 0;

	for (uint32_t i = 0; i < question->nr && !ret; i++)
		ret = answer_address(answer, question->addrs[i]);
	if (!ret)
		ret = answer_flush(answer);
	pthread_mutex_lock(&question->lock);
	question->nr_given_up += answer->nr_given_up;
	answer->nr_given_up = 0;
	question->nr_missing += tally_dwarf_missing(answer->dwarf) - missing;
	question->error = ret ? ret : question->error;
	pthread_mutex_unlock(&question->lock);
}

static int send_end(int fd, uint32_t nr_given_up, uint64_t nr_missing, int error)
{
	const struct dwarf_message message = {
		.kind = DWARF_MESSAGE_END, .nr = nr_given_up, .start = nr_missing, .error = error};

	return send_all(fd, (const uint8_t *)&message, sizeof(message));
}

static bool read_all(int fd, void *data, size_t len)
{
	uint8_t *at = data;

	while (len) {
		ssize_t got = read(fd, at, len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		len -= (size_t)got;
	}
	return true;
}

static bool question_read(struct question *question)
{
	struct dwarf_question head;
	size_t size;

	if (!read_all(question->fd, &head, sizeof(head)))
		return false;
	question->kind = head.kind;
	question->nr = head.nr;
	if (head.kind == DWARF_QUESTION_LINES && head.nr <= DWARF_QUESTION_MAX)
		size = sizeof(*question->addrs);
	else if (head.kind == DWARF_QUESTION_VARIABLES && head.nr <= DWARF_VARIABLES_MAX)
		size = sizeof(*question->variables);
	else
		return false;
	return read_all(question->fd, question->addrs, head.nr * size);
}

/* Main loop of all threads except the first. The threads exit with the process. */
static void *other_thread(void *arg)
{
	struct answer *answer = arg;

	for (;;) {
		pthread_barrier_wait(&answer->question->asked);
		answer_all(answer);
		pthread_barrier_wait(&answer->question->answered);
	}
	return NULL;
}

/* Start the other threads. On failure, exit the process, as requests for some addresses would never
 * be answered. */
static void others_start(struct question *question, struct answer *answers, uint32_t nr)
{
	pthread_t thread;

	for (uint32_t i = 1; i < nr; i++) {
		if (pthread_create(&thread, NULL, other_thread, &answers[i]))
			_exit(1);
	}
	question->nr_threads = nr;
}

void dwarf_serve(int fd, struct tally_dwarf *const *dwarfs, uint32_t nr)
{
	static struct question question;
	static struct answer answers[TALLY_DWARF_THREADS_MAX];

	question.fd = fd;
	pthread_mutex_init(&question.lock, NULL);
	pthread_barrier_init(&question.asked, NULL, nr);
	pthread_barrier_init(&question.answered, NULL, nr);
	for (uint32_t i = 0; i < nr; i++)
		answers[i] =
			(struct answer){.question = &question, .dwarf = dwarfs[i], .thread = i};
	others_start(&question, answers, nr);
	while (!question.error && question_read(&question)) {
		if (question.kind == DWARF_QUESTION_VARIABLES) {
			answer_variables(&answers[0]);
		} else {
			pthread_barrier_wait(&question.asked);
			answer_all(&answers[0]);
			pthread_barrier_wait(&question.answered);
		}
		if (send_end(fd, question.nr_given_up, question.nr_missing, question.error))
			break;
		question.nr_given_up = 0;
		question.nr_missing = 0;
	}
}

void dwarf_send_error(int fd, int error)
{
	(void)send_end(fd, 0, 0, error);
}

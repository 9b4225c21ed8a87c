/* SPDX-License-Identifier: BSD-2-Clause */
/* The worker's side. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dwarf/message.h"

/* An answer under way. */
struct answer {
	int fd;
	TALLY_VEC(uint8_t) bytes;
	struct tally_map texts; /* by where they are: their number */
	uint32_t nr_texts;
	uint64_t start, end; /* of the spans told last that follow each other */
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

static int answer_flush(struct answer *answer)
{
	int ret = send_all(answer->fd, answer->bytes.data, answer->bytes.len);

	answer->bytes.len = 0;
	return ret;
}

static int answer_add(struct answer *answer, const void *data, size_t len)
{
	enum { FLUSH = 64 << 10 };
	int ret = tally_vec_reserve(&answer->bytes, answer->bytes.len + len);

	if (ret)
		return ret;
	memcpy(answer->bytes.data + answer->bytes.len, data, len);
	answer->bytes.len += len;
	return answer->bytes.len > FLUSH ? answer_flush(answer) : 0;
}

/* The number of a text, which is told when it is new. */
static int answer_text(struct answer *answer, const char *text, uint32_t *ret_number)
{
	uint64_t known = text ? tally_map_get(&answer->texts, (uintptr_t)text) : 0;
	struct dwarf_message message = {.kind = DWARF_MESSAGE_TEXT};
	size_t len;
	int ret = 0;

	if (known == TALLY_MAP_NONE) {
		enum { TEXT_MAX = 1 << 20 };

		len = strnlen(text, TEXT_MAX);
		message.nr = (uint32_t)len;
		known = ++answer->nr_texts;
		ret = tally_map_put(&answer->texts, (uintptr_t)text, known);
		if (!ret)
			ret = answer_add(answer, &message, sizeof(message));
		if (!ret)
			ret = answer_add(answer, text, len);
	}
	*ret_number = (uint32_t)known;
	return ret;
}

static int answer_span(void *arg, const struct tally_line_span *span)
{
	struct answer *answer = arg;
	struct dwarf_message message = {
		.kind = DWARF_MESSAGE_SPAN, .nr = span->nr, .start = span->start, .end = span->end};
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
	if (!ret)
		ret = answer_add(answer, &message, sizeof(message));
	return ret ? ret : answer_add(answer, lines, span->nr * sizeof(*lines));
}

/* An address without lines, or of a function that is too much, is answered by an empty span. */
static int answer_address(struct answer *answer, struct tally_dwarf *dwarf, uint64_t addr)
{
	const struct tally_line_span none = {.start = addr, .end = addr + 1};
	int ret;

	if (answer->start <= addr && addr < answer->end)
		return 0;
	answer->start = answer->end = 0;
	ret = tally_dwarf_find(dwarf, addr, answer_span, answer);
	if (ret == -ENOENT || ret == -E2BIG || ret == -EBADMSG)
		ret = addr + 1 ? answer_span(answer, &none) : 0;
	return ret;
}

static int answer_end(struct answer *answer, int error)
{
	struct dwarf_message message = {.kind = DWARF_MESSAGE_END, .error = error};
	int ret = answer_add(answer, &message, sizeof(message));

	return ret ? ret : answer_flush(answer);
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

void dwarf_serve(int fd, struct tally_dwarf *dwarf)
{
	static uint64_t addrs[DWARF_QUESTION_MAX];
	struct answer answer = {.fd = fd};
	uint32_t nr;
	int ret = 0;

	while (!ret && read_all(fd, &nr, sizeof(nr)) && nr <= DWARF_QUESTION_MAX &&
	       read_all(fd, addrs, nr * sizeof(*addrs))) {
		for (uint32_t i = 0; i < nr && !ret; i++)
			ret = answer_address(&answer, dwarf, addrs[i]);
		ret = answer_end(&answer, ret);
	}
}

void dwarf_refuse(int fd, int error)
{
	struct answer answer = {.fd = fd};

	(void)answer_end(&answer, error);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/sampler_control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/scan.h"

static const struct {
	const char *text;
	enum tally_control_command word;
} words[] = {
	{"enable", TALLY_CONTROL_ENABLE},
	{"disable", TALLY_CONTROL_DISABLE},
	{"snapshot", TALLY_CONTROL_SNAPSHOT},
	{"ping", TALLY_CONTROL_PING},
	{"stop", TALLY_CONTROL_STOP},
	{"evlist", TALLY_CONTROL_EVLIST},
	{"evlist -v", TALLY_CONTROL_EVLIST_VERBOSE},
};

static int parse_number(const char **text, int *ret_fd)
{
	struct tally_scan scan = tally_scan_of(*text, strlen(*text));
	uint64_t value;

	if (tally_scan_number(&scan, 10, &value) || value > INT_MAX)
		return -EINVAL;
	*text = scan.at;
	*ret_fd = (int)value;
	return 0;
}

static int open_fds(struct tally_control *control, const char *text)
{
	int fd, ack = -1, ret;

	ret = parse_number(&text, &fd);
	if (!ret && *text == ',') {
		text++;
		ret = parse_number(&text, &ack);
	}
	if (ret || *text)
		return -EINVAL;
	if (fcntl(fd, F_GETFD) < 0 || (ack >= 0 && fcntl(ack, F_GETFD) < 0))
		return -EBADF;
	control->fd = fd;
	control->ack = ack;
	return 0;
}

/* Open for reading and writing, so that open(2) does not wait for a writer and there is no end of
 * file when the last writer exits. */
static int open_fifo(const char *path, size_t len, int *ret_fd)
{
	char name[PATH_MAX];
	int fd;

	if (!len || len >= sizeof(name))
		return -EINVAL;
	memcpy(name, path, len);
	name[len] = '\0';
	fd = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

static int open_fifos(struct tally_control *control, const char *text)
{
	size_t len = strcspn(text, ",");
	int ret;

	ret = open_fifo(text, len, &control->fd);
	if (ret)
		return ret;
	control->is_open = true;
	return text[len] ? open_fifo(text + len + 1, strlen(text + len + 1), &control->ack) : 0;
}

int tally_control_open(struct tally_control *control, const char *text,
		       const struct tally_messages *messages)
{
	int ret = -EINVAL;

	*control = (struct tally_control){.fd = -1, .ack = -1};
	if (!text)
		return 0;
	if (!strncmp(text, "fd:", 3))
		ret = open_fds(control, text + 3);
	else if (!strncmp(text, "fifo:", 5))
		ret = open_fifos(control, text + 5);
	if (!ret)
		return 0;
	tally_message_error(messages, "--control %s: %s", text,
			    ret == -EINVAL ? "must be fd:N[,N] or fifo:PATH[,PATH]"
					   : strerror(-ret));
	tally_control_close(control);
	return ret;
}

/* Read available data without waiting, even though an inherited descriptor may be in blocking
 * mode. */
static void control_fill(struct tally_control *control)
{
	struct pollfd ready = {.fd = control->fd, .events = POLLIN};
	ssize_t n;

	if (control->len == sizeof(control->text))
		control->len = 0; /* no command is that long */
	if (poll(&ready, 1, 0) <= 0)
		return;
	n = read(control->fd, control->text + control->len, sizeof(control->text) - control->len);
	if (n > 0)
		control->len += (size_t)n;
	else if (!n || errno != EAGAIN)
		control->fd = control->is_open ? control->fd : -1; /* all writers are gone */
}

static enum tally_control_command word_of(const char *text, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(words); i++) {
		if (strlen(words[i].text) == len && !memcmp(words[i].text, text, len))
			return words[i].word;
	}
	return TALLY_CONTROL_UNKNOWN;
}

enum tally_control_command tally_control_next(struct tally_control *control)
{
	enum tally_control_command word;
	const char *end = memchr(control->text, '\n', control->len);
	size_t line;

	if (!end && control->fd >= 0) {
		control_fill(control);
		end = memchr(control->text, '\n', control->len);
	}
	if (!end)
		return TALLY_CONTROL_NONE;
	line = (size_t)(end - control->text);
	word = word_of(control->text, line);
	control->len -= line + 1;
	memmove(control->text, end + 1, control->len);
	return word;
}

void tally_control_acknowledge(struct tally_control *control)
{
	/* As in perf, the acknowledgement includes the string's terminating NUL. `read -r` in a
	 * shell ignores it. */
	if (control->ack >= 0)
		tally_file_write_all(control->ack, "ack\n", sizeof("ack\n"));
}

void tally_control_close(struct tally_control *control)
{
	if (control->is_open && control->fd >= 0)
		close(control->fd);
	if (control->is_open && control->ack >= 0)
		close(control->ack);
	control->fd = control->ack = -1;
	control->is_open = false;
}

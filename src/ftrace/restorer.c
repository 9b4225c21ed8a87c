/* SPDX-License-Identifier: BSD-2-Clause */
#include "ftrace/restorer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/vec.h"

enum { BUSY_WAIT_MS = 10, BUSY_TRIES = 500 };

/* Header of a journal entry. It is followed by the path and the value, each terminated by a NUL. */
struct entry {
	uint32_t is_directory;
	uint32_t path_size, value_size;
};

/* ---- restoring ------------------------------------------------------------ */

static int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (*text)
		ret = tally_file_write_all(fd, text, strlen(text));
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static int directory_remove(const char *path)
{
	return !rmdir(path) || errno == ENOENT ? 0 : -errno;
}

static int entry_undo(const char *at)
{
	const struct timespec pause = {.tv_nsec = BUSY_WAIT_MS * 1000000};
	struct entry entry;
	const char *path = at + sizeof(entry);
	int ret = -EBUSY;

	memcpy(&entry, at, sizeof(entry));
	for (int tries = 0; ret == -EBUSY && tries < BUSY_TRIES; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		ret = entry.is_directory ? directory_remove(path)
					 : file_write(path, path + entry.path_size);
	}
	return ret;
}

/* Undo all entries in reverse order. If the last entry is truncated, its file has not been
 * changed. */
static int journal_undo(const struct tally_str *journal)
{
	TALLY_VEC(size_t) places = {0};
	size_t at = 0;
	int ret = tally_str_error(journal), one;

	while (!ret && tally_range_ok(at, sizeof(struct entry), journal->len)) {
		struct entry entry;
		uint64_t size;

		memcpy(&entry, journal->data + at, sizeof(entry));
		size = sizeof(entry) + (uint64_t)entry.path_size + entry.value_size;
		if (!tally_range_ok(at, size, journal->len))
			break;
		ret = tally_vec_push(&places, at);
		at += size;
	}
	for (size_t i = places.len; i--;) {
		one = entry_undo(journal->data + places.data[i]);
		if (!ret)
			ret = one;
	}
	tally_vec_free(&places);
	return ret;
}

/* ---- the restorer's process ------------------------------------------------- */

static void ignore_signals(void)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

/* Main function of the restorer. Called with all signals blocked, because Ctrl-C may arrive before
 * signals are ignored. */
static _Noreturn void restorer_main(int fd, const sigset_t *mask)
{
	struct tally_str journal = {0};
	char *room;
	ssize_t n;
	int ret;

	ignore_signals();
	sigprocmask(SIG_SETMASK, mask, NULL);
	setsid();
	prctl(PR_SET_NAME, "tally-restorer");
	do {
		room = tally_str_reserve(&journal, 4096);
		n = room ? read(fd, room, 4096) : 0;
		if (n > 0)
			journal.len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	ret = journal_undo(&journal);
	tally_str_free(&journal);
	_exit(-ret);
}

int tally_restorer_start(struct tally_restorer *restorer)
{
	sigset_t all, mask;
	int ends[2], ret;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	pid = fork();
	ret = pid < 0 ? -errno : 0;
	if (!pid) {
		close(ends[0]);
		restorer_main(ends[1], &mask);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ends[1]);
	if (ret) {
		close(ends[0]);
		return ret;
	}
	*restorer = (struct tally_restorer){.pid = pid, .fd = ends[0]};
	return 0;
}

/* ---- the owner ------------------------------------------------------------ */

static int send_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int journal_add(struct tally_restorer *restorer, bool is_directory, const char *path,
		       const char *value)
{
	struct tally_str *journal = &restorer->journal;
	struct entry entry = {is_directory, (uint32_t)strlen(path) + 1,
			      (uint32_t)strlen(value) + 1};
	size_t start = journal->len;
	int ret;

	tally_str_add_bytes(journal, &entry, sizeof(entry));
	tally_str_add_bytes(journal, path, entry.path_size);
	tally_str_add_bytes(journal, value, entry.value_size);
	ret = tally_str_error(journal);
	return ret ? ret : send_all(restorer->fd, journal->data + start, journal->len - start);
}

int tally_restorer_add_file(struct tally_restorer *restorer, const char *path, const char *value)
{
	return journal_add(restorer, false, path, value);
}

int tally_restorer_add_directory(struct tally_restorer *restorer, const char *path)
{
	return journal_add(restorer, true, path, "");
}

int tally_restorer_finish(struct tally_restorer *restorer)
{
	int status = 0, ret;
	pid_t pid;

	if (!restorer->pid)
		return 0;
	/* shutdown(2) is needed because a child process may still have a copy of the descriptor. */
	shutdown(restorer->fd, SHUT_WR);
	close(restorer->fd);
	do {
		pid = waitpid(restorer->pid, &status, 0);
	} while (pid < 0 && errno == EINTR);
	if (pid == restorer->pid && WIFEXITED(status))
		ret = -WEXITSTATUS(status);
	else
		ret = journal_undo(&restorer->journal); /* the restorer was killed */
	tally_str_free(&restorer->journal);
	*restorer = (struct tally_restorer){0};
	return ret;
}

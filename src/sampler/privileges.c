/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tally/client.h"

static bool is_root(void)
{
	return !geteuid();
}

bool tally_privileges_held(void)
{
	return !is_root() && tally_caps_held();
}

/* Drop the user and group IDs of a set-uid or set-gid binary. Otherwise, files would be opened and
 * written as another user. */
static int give_up_ids(void)
{
	if (getegid() != getgid() && setresgid(getgid(), getgid(), getgid()))
		return -errno;
	if (geteuid() != getuid() && setresuid(getuid(), getuid(), getuid()))
		return -errno;
	return 0;
}

int tally_privileges_begin(bool wanted, const struct tally_messages *messages)
{
	int ret = give_up_ids();

	if (ret) {
		tally_message_error(messages, "cannot drop set-user-ID privileges: %s",
				    strerror(-ret));
		return ret;
	}
	if (!wanted)
		return tally_privileges_drop(messages);
	tally_privileges_lower();
	return 0;
}

/* Ignore failures: the code that needs the capability reports them. */
void tally_privileges_raise(void)
{
	if (!is_root())
		(void)tally_caps_raise();
}

void tally_privileges_lower(void)
{
	if (!is_root())
		(void)tally_caps_lower();
}

int tally_privileges_drop(const struct tally_messages *messages)
{
	int ret = is_root() ? 0 : tally_caps_drop();

	if (ret)
		tally_message_error(messages, "cannot drop capabilities: %s", strerror(-ret));
	return ret;
}

int tally_privileges_kallsyms(void)
{
	bool is_raised = tally_access_capability(TALLY_CAP_SYSLOG);
	int fd, safe = 0;

	if (!tally_privileges_held())
		return 0;
	tally_privileges_raise();
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (!is_raised)
		tally_privileges_lower();
	/* If stdin is closed, the new descriptor could be 0, so move it. */
	if (fd >= 0)
		safe = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd >= 0)
		close(fd);
	return safe > 0 ? safe : 0;
}

int tally_privileges_drop_before(const char *path, const struct tally_messages *messages)
{
	if (!tally_privileges_held())
		return 0;
	tally_message_warn(
		messages,
		"dropping capabilities before reading %s: events that need them will be rejected",
		path);
	return tally_privileges_drop(messages);
}

void tally_privileges_drop_in_child(void)
{
	if (!is_root())
		(void)tally_caps_drop_to_ambient();
}

bool tally_privileges_fork_begin(void)
{
	return !prctl(PR_GET_DUMPABLE) && !prctl(PR_SET_DUMPABLE, 1);
}

void tally_privileges_fork_end(bool changed)
{
	if (changed)
		prctl(PR_SET_DUMPABLE, 0);
}

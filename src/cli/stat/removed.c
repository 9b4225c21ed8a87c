/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/removed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "sampler/sampler_program.h"

/* Return how long the events existed, measured in task CPU time: the maximum enabled time of all
 * events. */
static uint64_t time_enabled(const struct stat_session *session)
{
	uint64_t most = 0;

	for (size_t row = 0; row < session->rows.len; row++) {
		uint64_t enabled = 0;

		if (session->rows.data[row].spec->tool || session->rows.data[row].spec->uncore)
			continue;
		for (size_t key = 0; key < session->keys.len; key++)
			enabled += session->parts[row * session->keys.len + key].count.enabled;
		most = TALLY_MAX(most, enabled);
	}
	return most;
}

/* Return true if executing this file makes the kernel remove a task's events, because the file
 * grants privileges or is not readable. */
static bool is_hidden(const char *path)
{
	struct stat st;

	return !stat(path, &st) &&
	       (((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
		((st.st_mode & S_ISGID) && st.st_gid != getegid()) || eaccess(path, R_OK) != 0);
}

/* Return the interpreter after "#!", stored in `line`, or NULL if the file is not a script. */
static const char *interpreter_of(const char *path, char line[256])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, line, 255);
	char *name = line + 2;

	if (fd >= 0)
		close(fd);
	line[len > 0 ? len : 0] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return NULL;
	name += strspn(name, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	return name;
}

/* Return true if is_hidden() is true for the command or, if the command is a script, for its
 * interpreter. */
static bool runs_hidden(const char *command)
{
	char *path = tally_program_find(command), line[256];
	const char *interpreter = path ? interpreter_of(path, line) : NULL;
	bool hidden = path && (is_hidden(path) || (interpreter && is_hidden(interpreter)));

	free(path);
	return hidden;
}

static void forget_counts(struct stat_session *session)
{
	for (size_t i = 0; i < session->rows.len * session->keys.len; i++) {
		struct stat_cell *const cells[] = {&session->cells[i], &session->parts[i]};

		if (session->rows.data[i / session->keys.len].spec->tool)
			continue;
		for (size_t each = 0; each < TALLY_ARRAY_SIZE(cells); each++) {
			cells[each]->count =
				(struct tally_count){.quality = TALLY_QUALITY_NEVER_RAN};
			cells[each]->value = 0;
			cells[each]->mean = 0;
		}
	}
}

void stat_removed_check(struct stat_session *session)
{
	uint64_t used = session->times.user + session->times.system;

	if (!session->by_command || !session->child.gone || !session->rows.len ||
	    tally_via_transport(&session->via) || !runs_hidden(session->argv[0]))
		return;
	/* If the file did not grant privileges after all (nosuid, no_new_privs), the events were
	 * not removed. */
	if (time_enabled(session) >= used / 2)
		return;
	forget_counts(session);
	if (session->told_removed)
		return;
	session->told_removed = true;
	tally_print_warning(
		"the kernel removed the command's events, because the command is a set-uid program "
		"or one that you cannot read. The command was not counted");
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/removed.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "sampler/program.h"

/* CPU time of the command that its counters may miss: it is forked and held before they are there,
 * and short ones of its processes end while they are opened. */
enum { NS_MISSED = 20000000, PERCENT_MISSED = 10, NEARLY_ALL = 10 };

/* Whether the counters were there from the command's start to its end. */
static bool is_whole(const struct stat_session *session)
{
	const struct stat_config *config = session->config;

	return session->by_command && session->child.gone && !config->delay_ms &&
	       !config->control && !config->no_inherit && !config->null_run &&
	       !tally_via_transport(&session->via);
}

/* How long the longest-lived event was there, of CPU time; 0: none is of tasks. */
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

/* Whether the file of the command itself is one of those. */
static bool is_hidden(const struct stat_session *session)
{
	char *path = tally_program_find(session->argv[0]);
	struct stat st;
	bool hidden =
		path && !stat(path, &st) &&
		(((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
		 ((st.st_mode & S_ISGID) && st.st_gid != getegid()) || eaccess(path, R_OK) != 0);

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
	uint64_t used = session->times.user + session->times.system, enabled;

	if (!is_whole(session))
		return;
	enabled = time_enabled(session);
	if (!enabled || used <= enabled)
		return;
	if ((used / 2 > enabled && is_hidden(session)) ||
	    (used / NEARLY_ALL > enabled && used - enabled > NS_MISSED)) {
		forget_counts(session);
		tally_print_warning("the kernel removed the events of the command: it runs a "
				    "set-uid program, or one whose file you cannot read. Nothing "
				    "is counted after that");
	} else if (used - enabled > TALLY_MAX(NS_MISSED, used / PERCENT_MISSED)) {
		tally_print_warning(
			"%.3f s of the command's %.3f s of CPU time are not counted: the kernel "
			"removes the events of set-uid programs, and of those whose files you "
			"cannot read",
			(double)(used - enabled) / 1e9, (double)used / 1e9);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/main/huge_heap.h"
#include "cli/main/print.h"
#include "cli/main/progress.h"
#include "cli/main/symbol_index.h"
#include "cli/main/truncation.h"
#include "sampler/privileges.h"

const char *tally_recording_input(const char *input)
{
	struct stat st;

	if (input)
		return input;
	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	return "perf.data";
}

int tally_recording_prepare(struct tally_recording_options *recording, struct tally_str *index_dir)
{
	struct tally_session_options *session = &recording->session;
	int ret;

	tally_heap_prepare();
	/* Ignore SIGXFSZ, so that a write beyond the file size limit fails and is reported. No
	 * child inherits this disposition, because no command is started. */
	signal(SIGXFSZ, SIG_IGN);
	session->input = tally_recording_input(session->input);
	session->messages = recording->is_silent ? NULL : &tally_print_messages;
	session->progress =
		recording->goes_elsewhere ? &tally_progress_line_elsewhere : &tally_progress_line;
	session->symbols.kallsyms_fd =
		recording->kallsyms_fd
			? fcntl(recording->kallsyms_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
			: tally_privileges_kallsyms();
	ret = tally_privileges_drop(&tally_print_messages);
	if (!ret && !session->symbols.index_dir)
		ret = tally_index_apply(recording->no_index, &session->symbols, index_dir);
	if (ret == -ENOMEM)
		tally_print_error("out of memory");
	return ret;
}

void tally_recording_finish(const struct tally_session_options *session)
{
	if (session->symbols.kallsyms_fd > 0)
		close(session->symbols.kallsyms_fd);
}

int tally_recording_open(const struct tally_recording_options *recording,
			 struct tally_session *session)
{
	struct tally_recording_options prepared = *recording;
	struct tally_str index_dir = {0};
	int ret = tally_recording_prepare(&prepared, &index_dir);

	if (!ret)
		ret = tally_session_open(&prepared.session, session);
	if (ret)
		tally_recording_finish(&prepared.session);
	tally_str_free(&index_dir);
	return ret;
}

void tally_recording_close(struct tally_session *session)
{
	if (session->is_cut)
		(void)tally_truncation_pop();
	tally_session_close(session);
	tally_recording_finish(&session->options);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Open rows that another program wrote as a recording. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/memory_file.h"
#include "import/import.h"
#include "session/session_private.h"

static void warn(const struct tally_session *session, const struct tally_import_notes *notes)
{
	const struct tally_messages *to = session->options.messages;

	if (notes->dropped)
		tally_message_warn(to, "%s: left out %" PRIu64 " row%s without a positive weight",
				   session->name, notes->dropped, tally_plural(notes->dropped));
	if (notes->missing)
		tally_message_warn(to,
				   "%s: the tables lack %" PRIu64
				   " stack%s or frame%s that other rows refer to",
				   session->name, notes->missing, tally_plural(notes->missing),
				   tally_plural(notes->missing));
	if (notes->cut)
		tally_message_warn(to, "%s: %" PRIu64 " stack%s of over 4000 frames were cut",
				   session->name, notes->cut, tally_plural(notes->cut));
}

int session_import(struct tally_session *session)
{
	const struct tally_session_options *options = &session->options;
	struct tally_import_notes notes;
	int fd, ret;

	if (options->fd || options->is_own ||
	    (!options->imports && (!strcmp(session->path, "-") || !tally_import_is(session->path))))
		return 0;
	fd = tally_memory_file("tally-imported");
	if (fd < 0) {
		tally_message_error(options->messages, "cannot create a file in memory: %s",
				    strerror(-fd));
		return fd;
	}
	ret = tally_import(session->path, fd, options->messages, &notes);
	if (ret) {
		close(fd);
		return ret;
	}
	session->imported = fd;
	warn(session, &notes);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of a recording's addresses, to be stored with it. */
#include <errno.h>
#include <string.h>

#include "cli/main/print.h"
#include "cli/recording/session.h"
#include "profile/archive.h"

static int store_sample(void *arg, struct tally_session *session,
			const struct tally_perfdata_record *record,
			const struct tally_session_sample *sample)
{
	if (!sample)
		return 0;
	return tally_archive_add(arg, sample->thread, sample->cpumode, &sample->sample);
}

int tally_session_store(struct tally_session *session, const struct tally_stored_renames *renames,
			struct tally_str *out)
{
	struct tally_archive archive;
	int ret = tally_archive_init(&archive, session->machine);

	if (ret)
		return ret;
	tally_stored_writer_rename(archive.writer, renames);
	ret = tally_session_run(session, store_sample, &archive);
	if (!ret)
		ret = tally_stored_writer_finish(archive.writer, out);
	tally_archive_free(&archive);
	return ret;
}

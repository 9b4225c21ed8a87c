/* SPDX-License-Identifier: BSD-2-Clause */
#include "archive/embed.h"

#include <errno.h>

#include "archive/collect.h"
#include "base/arith.h"
#include "symbols/lines/symbols_lines.h"

static int store_sample(void *arg, struct tally_session *session,
			const struct tally_perfdata_record *record,
			struct tally_feed_sample *sample)
{
	if (!sample)
		return 0;
	return tally_archive_add(arg, sample);
}

/* Warn about files without embedded source lines, because incomplete source lines would otherwise
 * appear to be complete. */
static void warn_left_out(const struct tally_session *session)
{
	enum { TOLD_MAX = 3 };
	const struct tally_messages *to = session->options.messages;
	struct tally_str reason = {0};
	struct tally_dso *dso;
	size_t pos = 0, nr = 0;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		enum tally_dso_state state = tally_dso_lines_state(dso);

		if (state == TALLY_DSO_LOADED || state == TALLY_DSO_NOT_LOADED ||
		    state == TALLY_DSO_NO_LINES || state == TALLY_DSO_UNSUPPORTED)
			continue;
		if (++nr > TOLD_MAX)
			continue;
		tally_str_clear(&reason);
		tally_dso_lines_reason(dso, &reason);
		tally_message_warn(to, "no source lines embedded for %s: %s", tally_dso_name(dso),
				   tally_str_text(&reason));
	}
	tally_str_free(&reason);
	if (nr > TOLD_MAX)
		tally_message_detail(to, "no source lines embedded for %zu more file%s",
				     nr - TOLD_MAX, tally_plural(nr - TOLD_MAX));
}

int tally_archive_embed(struct tally_session *session, struct tally_redactor *redactor,
			struct tally_str *out)
{
	const struct tally_stored_renames renames = {tally_redact_path, tally_redact_name,
						     redactor};
	struct tally_archive archive;
	int ret = tally_archive_init(&archive, session->machine);

	if (ret)
		return ret;
	tally_stored_writer_rename(archive.writer, redactor ? &renames : NULL);
	ret = tally_session_run(session, store_sample, &archive);
	if (!ret)
		ret = tally_stored_writer_finish(archive.writer, out);
	if (!ret)
		warn_left_out(session);
	tally_archive_free(&archive);
	return ret;
}

int tally_archive_copy(struct tally_session *session, struct tally_redactor *redactor,
		       const struct tally_str *names, int to, int (*between)(void *arg), void *arg,
		       struct tally_error *err)
{
	const struct tally_perfdata_feature feature = {
		.id = TALLY_FEATURE_EMBEDDED_SYMBOLS,
		.bytes = {(const uint8_t *)names->data, names->len},
	};
	int ret;

	if (redactor)
		ret = tally_redact_file(redactor, session->options.fd, to, names, between, arg,
					err);
	else
		ret = tally_perfdata_copy(session->data, session->options.fd, to, &feature, between,
					  arg, err);
	if (!ret && (ret = tally_perfdata_check(session->data, err)))
		err->text = "the recording was truncated while it was being read";
	return ret;
}

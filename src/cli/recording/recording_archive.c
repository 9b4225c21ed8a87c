/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/recording_archive.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/main/print.h"
#include "cli/recording/redact.h"
#include "cli/recording/replace.h"

static int output_explain(const char *path, int code, const struct tally_error *err)
{
	if (err->text)
		tally_print_error("cannot write %s: %s (at byte %llu of the recording)", path,
				  err->text, (unsigned long long)err->offset);
	else if (code != -EINTR)
		tally_print_error("cannot write %s: %s", path, strerror(-code));
	return code;
}

/* Write the recording and its embedded symbols to the new file. */
static int output_fill(const struct tally_session *session, struct tally_redactor *redactor,
		       const struct tally_str *names, struct tally_replacement *output,
		       struct tally_error *err)
{
	const struct tally_perfdata_feature feature = {
		.id = TALLY_FEATURE_EMBEDDED_SYMBOLS,
		.bytes = {(const uint8_t *)names->data, names->len},
	};
	int ret;

	if (redactor)
		ret = tally_redact_file(redactor, session->options.fd, output->fd, names,
					tally_replacement_check, output, err);
	else
		ret = tally_perfdata_copy(session->data, session->options.fd, output->fd, &feature,
					  tally_replacement_check, output, err);
	if (!ret && (ret = tally_perfdata_check(session->data, err)))
		err->text = "the recording was truncated while it was being read";
	return ret;
}

static int output_write(const struct tally_session *session, const char *path,
			struct tally_redactor *redactor, const struct tally_str *names)
{
	int from = session->options.fd, ret;
	struct tally_replacement output;
	struct tally_error err = {0};

	ret = tally_replacement_open(path, &output);
	if (ret)
		return ret;
	ret = output_fill(session, redactor, names, &output, &err);
	if (ret)
		output_explain(path, ret, &err);
	else
		ret = tally_replacement_commit(&output, from);
	tally_replacement_close(&output);
	return ret;
}

int tally_archive_file(const struct tally_recording_options *recording, const char *output,
		       bool redact, struct tally_archived *ret_archived)
{
	struct tally_redactor redactor = {0};
	const struct tally_stored_renames renames = {tally_redact_path, tally_redact_name,
						     &redactor};
	struct tally_session session;
	struct tally_str names = {0};
	int ret = tally_recording_open(recording, &session);

	if (ret)
		return ret;
	ret = tally_session_store(&session, redact ? &renames : NULL, &names);
	if (ret == -ENOMEM)
		tally_print_error("%s: out of memory", session.path);
	if (!ret)
		ret = output_write(&session, output, redact ? &redactor : NULL, &names);
	if (!ret)
		*ret_archived = (struct tally_archived){
			names.len, tally_perfdata_info(session.data)->data_size};
	tally_recording_close(&session);
	tally_redactor_free(&redactor);
	tally_str_free(&names);
	return ret;
}

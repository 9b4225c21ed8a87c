/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/archive_file.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/main/print.h"
#include "archive/embed.h"
#include "cli/main/replace.h"

static int output_explain(const char *path, int code, const struct tally_error *err)
{
	if (err->text)
		tally_print_error("cannot write %s: %s (at byte %llu of the recording)", path,
				  err->text, (unsigned long long)err->offset);
	else if (code != -EINTR)
		tally_print_error("cannot write %s: %s", path, strerror(-code));
	return code;
}

static int output_write(struct tally_session *session, const char *path,
			struct tally_redactor *redactor, const struct tally_str *names)
{
	int from = session->options.fd, ret;
	struct tally_replacement output;
	struct tally_error err = {0};

	ret = tally_replacement_open(path, &output);
	if (ret)
		return ret;
	ret = tally_archive_copy(session, redactor, names, output.fd, tally_replacement_check,
				 &output, &err);
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
	struct tally_session session;
	struct tally_str names = {0};
	int ret = tally_recording_open(recording, &session);

	if (ret)
		return ret;
	ret = tally_archive_embed(&session, redact ? &redactor : NULL, &names);
	if (ret == -ENOMEM)
		tally_print_error("%s: out of memory", session.name);
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

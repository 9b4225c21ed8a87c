/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/trace_live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"
#include "cli/main/command.h"
#include "cli/main/print.h"
#include "cli/main/temporary_recording.h"
#include "cli/script/script_exports.h"
#include "cli/script/trace_record.h"
#include "cli/script/trace_reports.h"
#include "sampler/sampler_program.h"

static bool is_program(const char *word)
{
	char *path = word[0] == '-' ? NULL : tally_program_find(word);
	bool found = path != NULL;

	free(path);
	return found;
}

bool trace_is_live(int nr, char **words)
{
	if (nr < 2 || (!trace_reports_find(words[0]) && !script_export_find(words[0])))
		return false;
	for (int i = 1; i < nr; i++) {
		if (!strncmp(words[i], "-i", 2) || !strncmp(words[i], "--input", 7))
			return false;
		if (!strcmp(words[i], "--"))
			return i + 1 < nr &&
			       (is_program(words[i + 1]) || strchr(words[i + 1], '/'));
		if (is_program(words[i]))
			return true;
	}
	return false;
}

static int record(const struct temporary_recording *recording, int nr, char **words)
{
	TALLY_VEC(char *) all = {0};
	char *const output[] = {words[0], (char *)"-q", (char *)"-o",
				(char *)tally_str_text(&recording->path)};
	int nr_output = TALLY_ARRAY_SIZE(output), ret = 0;

	for (int i = 0; i < nr_output && !ret; i++)
		ret = tally_vec_push(&all, output[i]);
	for (int i = 1; i < nr && !ret; i++)
		ret = tally_vec_push(&all, words[i]);
	if (ret)
		tally_print_error("out of memory");
	ret = ret ? TALLY_EXIT_ERROR : trace_record_run((int)all.len, all.data);
	tally_vec_free(&all);
	return ret;
}

/* The recording is temporary, so its file cannot be chosen. */
static bool check_options(int nr, char **words)
{
	for (int i = 1; i < nr && strcmp(words[i], "--") && !is_program(words[i]); i++) {
		if (strncmp(words[i], "-o", 2) && strncmp(words[i], "--output", 8))
			continue;
		tally_print_error("option '%s' cannot be used, because the recording is temporary",
				  words[i]);
		tally_print_hint("use 'tally script record %s -o FILE', then 'tally script -i FILE "
				 "%s'",
				 words[0], words[0]);
		return false;
	}
	return true;
}

int trace_live_run(int nr, char **words)
{
	struct temporary_recording recording;
	char *argv[] = {(char *)"script", (char *)"report", words[0], (char *)"-i", NULL, NULL};
	int ret, status;

	if (!check_options(nr, words))
		return TALLY_EXIT_USAGE;
	ret = temporary_recording_begin(&recording, NULL);
	if (ret) {
		temporary_recording_free(&recording);
		return TALLY_EXIT_ERROR;
	}
	status = record(&recording, nr, words);
	ret = temporary_recording_end(&recording);
	if (!ret) {
		argv[4] = (char *)tally_str_text(&recording.open);
		status = tally_command_find("script")->run(5, argv);
	} else if (!status) {
		status = TALLY_EXIT_ERROR;
	}
	temporary_recording_free(&recording);
	return status;
}

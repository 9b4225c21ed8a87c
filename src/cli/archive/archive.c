/* SPDX-License-Identifier: BSD-2-Clause */
/* tally archive: embed symbols for a recording's addresses in the recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/str.h"
#include "cli/main/commands.h"
#include "cli/main/global_options.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "cli/main/arguments.h"
#include "cli/main/archive_file.h"
#include "cli/main/symbol_options.h"

struct archive_config {
	struct tally_recording_options recording;
	const char *output;
	bool redact, force, quiet;
};

#define AT(member) offsetof(struct archive_config, member)

static const struct tally_option archive_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(recording.session.input), "file",
	 "read this recording (default: perf.data)"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file",
	 "write to this file instead of replacing the recording"},
	TALLY_OPTIONS_KERNEL_SYMBOLS(AT(recording.session.symbols)),
	TALLY_OPTION_SYMFS(AT(recording.session.symbols)),
	TALLY_OPTION_DEBUGINFOD(AT(recording)),
	{0, "redact", TALLY_OPTION_FLAG, AT(redact), NULL,
	 "replace paths, thread names, host and command line with placeholders; requires -o"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "overwrite any existing file; accept /tmp/perf-PID.map owned by any user"},
	{'q', "quiet", TALLY_OPTION_FLAG, AT(quiet), NULL, "print only errors"},
	TALLY_OPTION_END,
};

/* Open the recording, and check that no process is writing to it. Return a descriptor, or -errno
 * after printing an error. */
static int input_open(const char *path)
{
	bool is_stream = !strcmp(path, "-");
	int fd = is_stream ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = -errno;
	struct stat st;

	if (is_stream) {
		tally_print_error("cannot archive a stream; use record -o FILE");
		return -EINVAL;
	}
	if (fd < 0) {
		tally_print_error("cannot read %s: %s", path, strerror(-ret));
		return ret;
	}
	ret = 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		tally_print_error("%s is not a regular file: symbols can only be embedded in files",
				  path);
		ret = -EINVAL;
	} else if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK) {
		tally_print_error("%s is being recorded", path);
		ret = -EBUSY;
	}
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

static void add_size(struct tally_str *out, uint64_t bytes)
{
	bool is_small = bytes < 1024 * 1024;

	tally_str_addf(out, "%.3f %s", (double)bytes / 1024 / (is_small ? 1 : 1024),
		       is_small ? "KB" : "MB");
}

static void print_done(const char *path, const struct tally_archived *done)
{
	struct tally_str shown = {0};

	add_size(&shown, done->names);
	tally_str_add(&shown, " of symbols in ");
	tally_str_add_escaped(&shown, path);
	tally_str_add(&shown, ", ");
	add_size(&shown, done->records);
	fprintf(stderr, "[ tally archive: %s of records ]\n", tally_str_text(&shown));
	tally_str_free(&shown);
}

static int archive_file(const struct archive_config *config, int fd)
{
	struct tally_recording_options recording = config->recording;
	const char *output = config->output ? config->output : recording.session.input;
	struct tally_archived done;
	int ret;

	recording.session.fd = fd;
	recording.session.symbols.bounds = true;
	recording.session.symbols.any_owner = config->force;
	ret = tally_archive_file(&recording, output, config->redact, &done);
	if (!ret && !config->quiet)
		print_done(output, &done);
	return ret;
}

/* Return true if the output is the recording itself, possibly under another name. The recording
 * must not be overwritten, because redaction destroys data. */
static bool is_same_file(const char *output, int fd)
{
	struct stat in, out;

	return !fstat(fd, &in) && !stat(output, &out) && in.st_dev == out.st_dev &&
	       in.st_ino == out.st_ino;
}

static int archive_open_file(const struct archive_config *config, int fd)
{
	struct stat st;

	if (config->output && !stat(config->output, &st) && !S_ISREG(st.st_mode)) {
		tally_print_error("option '-o': %s is not a regular file", config->output);
		return TALLY_EXIT_ERROR;
	}
	if (config->output &&
	    tally_overwrite_check("-o", config->output, TALLY_OVERWRITE_RECORDING, config->force))
		return TALLY_EXIT_ERROR;
	if (!config->redact || !is_same_file(config->output, fd))
		return archive_file(config, fd) ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
	tally_print_error(
		"option '--redact' with -o %s: refusing to overwrite the recording %s itself",
		config->output, config->output);
	return TALLY_EXIT_USAGE;
}

static int archive_run(int argc, char **argv)
{
	struct archive_config config = {0};
	int first, ret, fd;

	ret = tally_options_parse(&tally_command_archive, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (!ret)
		ret = tally_words_parse(&tally_command_archive, argc - first, argv + first,
					&config.recording.session.input, NULL);
	if (ret)
		return ret - 1;
	/* Users of perf expect an archive next to the recording, which is not changed. */
	if (tally_is_perf() && !config.output) {
		tally_print_error(
			"tally does not make perf's .tar.bz2 archives, and '-o' is missing");
		tally_print_hint(
			"'archive -o FILE' writes a copy of the recording that contains its "
			"symbols");
		return TALLY_EXIT_USAGE;
	}
	if (config.redact && !config.output) {
		tally_print_error("option '--redact' requires -o FILE, because the recording "
				  "itself is not changed");
		return TALLY_EXIT_USAGE;
	}
	if (!config.recording.session.input)
		config.recording.session.input = "perf.data";
	fd = input_open(config.recording.session.input);
	if (fd < 0)
		return TALLY_EXIT_ERROR;
	ret = archive_open_file(&config, fd);
	close(fd);
	return ret;
}

const struct tally_command tally_command_archive = {
	.name = "archive",
	.summary = "Embed symbols in a recording",
	.usage = "[OPTIONS] [FILE]",
	.about = " The recording can then be read on machines without the recorded programs.\n",
	.options = archive_options,
	.privileged = true,
	.run = archive_run,
};

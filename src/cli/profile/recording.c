/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/profile/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/main/print.h"

/* The name is made before the recorder opens it: it takes an empty file as it is, and nobody else
 * can read this one. */
static int temporary_make(struct profile_recording *recording)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	tally_str_addf(&recording->path, "%s/tally-profile-XXXXXX", dir && *dir ? dir : "/tmp");
	if (tally_str_error(&recording->path))
		return -ENOMEM;
	fd = mkostemp(recording->path.data, O_CLOEXEC);
	if (fd < 0) {
		int ret = -errno;

		tally_print_error("cannot create %s: %s", recording->path.data, strerror(-ret));
		tally_print_hint("$TMPDIR names another directory, -o FILE a file to keep");
		return ret;
	}
	close(fd);
	recording->is_temporary = true;
	return 0;
}

/* What is written is read again. */
static int output_check(struct profile_recording *recording, const char *output)
{
	struct stat *before = &recording->before;

	if (strcmp(output, "-") != 0 && (stat(output, before) || S_ISREG(before->st_mode)))
		return 0;
	tally_print_error("-o %s: this is no file that can be read again", output);
	tally_print_hint("'tally record' writes streams");
	return -EINVAL;
}

int profile_recording_begin(struct profile_recording *recording, const char *output)
{
	int ret;

	*recording = (struct profile_recording){.fd = -1};
	if (!output)
		return temporary_make(recording);
	ret = output_check(recording, output);
	tally_str_add(&recording->path, output);
	return ret ? ret : tally_str_error(&recording->path);
}

static int temporary_keep(struct profile_recording *recording)
{
	const char *path = tally_str_text(&recording->path);
	struct stat st;
	int ret = 0;

	recording->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (recording->fd < 0 || fstat(recording->fd, &st))
		ret = -errno;
	/* If the recorder could not begin it has removed it, or left it empty. */
	else if (!st.st_size)
		ret = -ENOENT;
	unlink(path);
	recording->is_temporary = false;
	tally_str_addf(&recording->open, "/proc/self/fd/%d", recording->fd);
	if (ret && ret != -ENOENT)
		tally_print_error("cannot read %s: %s", path, strerror(-ret));
	return ret;
}

/* The recorder writes a new file, unless there was an empty one. */
static bool is_new(const struct stat *before, const struct stat *after)
{
	return !before->st_size || before->st_ino != after->st_ino ||
	       before->st_dev != after->st_dev;
}

int profile_recording_end(struct profile_recording *recording)
{
	struct stat after;

	if (recording->is_temporary)
		return temporary_keep(recording);
	tally_str_add(&recording->open, tally_str_text(&recording->path));
	if (stat(tally_str_text(&recording->path), &after) || !after.st_size ||
	    !is_new(&recording->before, &after))
		return -ENOENT;
	return tally_str_error(&recording->open);
}

void profile_recording_free(struct profile_recording *recording)
{
	if (recording->is_temporary)
		unlink(tally_str_text(&recording->path));
	if (recording->fd >= 0)
		close(recording->fd);
	tally_str_free(&recording->path);
	tally_str_free(&recording->open);
}

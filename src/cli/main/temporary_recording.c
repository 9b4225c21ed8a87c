/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/temporary_recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/main/print.h"

/* Create the file before the recorder opens it, so that only its owner can read it. The recorder
 * reuses an empty file. */
static int temporary_make(struct temporary_recording *recording)
{
	const char *dir = getenv("TMPDIR");
	int fd, ret = 0;

	tally_str_addf(&recording->path, "%s/tally-recording-XXXXXX", dir && *dir ? dir : "/tmp");
	if (tally_str_error(&recording->path))
		return -ENOMEM;
	fd = mkostemp(recording->path.data, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		tally_print_error("cannot create %s: %s", recording->path.data, strerror(-ret));
		tally_print_hint("use another directory (TMPDIR), or keep the recording in a file "
				 "(-o FILE)");
		return ret;
	}
	recording->is_temporary = true;
	if (fstat(fd, &recording->before))
		ret = -errno;
	close(fd);
	return ret;
}

/* Check that the recording goes to a file that can be read back. */
static int output_check(struct temporary_recording *recording, const char *output)
{
	struct stat *before = &recording->before;

	if (strcmp(output, "-") != 0 && (stat(output, before) || S_ISREG(before->st_mode)))
		return 0;
	tally_print_error("-o %s: must be a file that can be read back", output);
	tally_print_hint("use 'tally record' to write to a pipe");
	return -EINVAL;
}

int temporary_recording_begin(struct temporary_recording *recording, const char *output)
{
	int ret;

	*recording = (struct temporary_recording){.fd = -1};
	if (!output)
		return temporary_make(recording);
	ret = output_check(recording, output);
	tally_str_add(&recording->path, output);
	return ret ? ret : tally_str_error(&recording->path);
}

/* Open the temporary file and check that it is still the file we created. In a directory that
 * others can write to, the name may now refer to another recording or any other file. */
static int temporary_open(struct temporary_recording *recording, const char *path)
{
	const struct stat *made = &recording->before;
	struct stat st;

	recording->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (recording->fd < 0)
		return errno == ELOOP ? -ESTALE : -errno;
	if (fstat(recording->fd, &st))
		return -errno;
	if (st.st_dev != made->st_dev || st.st_ino != made->st_ino)
		return -ESTALE;
	/* If the recorder failed to start, it removed the file or left it empty. */
	return st.st_size ? 0 : -ENOENT;
}

static int temporary_keep(struct temporary_recording *recording)
{
	const char *path = tally_str_text(&recording->path);
	int ret = temporary_open(recording, path);

	if (ret == -ESTALE)
		tally_print_error("%s was replaced by another file during the recording", path);
	else
		unlink(path);
	recording->is_temporary = false;
	tally_str_addf(&recording->open, "/proc/self/fd/%d", recording->fd);
	if (ret && ret != -ENOENT && ret != -ESTALE)
		tally_print_error("cannot read %s: %s", path, strerror(-ret));
	return ret;
}

/* Return true if the recorder wrote the file. The recorder creates a new file, unless it found an
 * empty one. */
static bool is_new(const struct stat *before, const struct stat *after)
{
	return !before->st_size || before->st_ino != after->st_ino ||
	       before->st_dev != after->st_dev;
}

int temporary_recording_end(struct temporary_recording *recording)
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

void temporary_recording_free(struct temporary_recording *recording)
{
	if (recording->is_temporary)
		unlink(tally_str_text(&recording->path));
	if (recording->fd >= 0)
		close(recording->fd);
	tally_str_free(&recording->path);
	tally_str_free(&recording->open);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "import/imported.h"
#include "parquet/parquet_read.h"

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool has_samples(const char *path)
{
	struct tally_str folder = {0};
	bool has;

	tally_str_addf(&folder, "%s/samples", path);
	has = !tally_str_error(&folder) && is_directory(folder.data);
	tally_str_free(&folder);
	return has;
}

bool tally_import_is(const char *path)
{
	char start[4];
	bool is;
	int fd;

	if (is_directory(path))
		return has_samples(path);
	if (tally_file_open(path, NULL, &fd))
		return false;
	is = read(fd, start, sizeof(start)) == sizeof(start) &&
	     tally_parquet_is(start, sizeof(start));
	close(fd);
	return is;
}

static int bytes_import(struct imported *imported, struct import_input *input, const void *bytes,
			size_t len)
{
	input->bytes = bytes;
	input->len = len;
	imported->input_bytes = len;
	return tally_parquet_is(bytes, len) ? import_table(imported, input)
					    : import_folded(imported, input);
}

static int print_error(const struct import_input *input, int code)
{
	tally_message_error(input->messages, "cannot read %s: %s", input->path, strerror(-code));
	return code;
}

/* Read standard input or a pipe to its end. */
static int stream_import(struct imported *imported, struct import_input *input)
{
	const size_t most = (size_t)4 << 30;
	bool is_stdin = !strcmp(input->path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(input->path, O_RDONLY | O_CLOEXEC);
	char *bytes;
	size_t len;
	int ret;

	if (fd < 0)
		return print_error(input, -errno);
	ret = tally_file_read_fd(fd, most, &bytes, &len);
	if (ret) {
		print_error(input, ret);
	} else {
		ret = bytes_import(imported, input, bytes, len);
		free(bytes);
	}
	if (!is_stdin)
		close(fd);
	return ret;
}

static int file_import(struct imported *imported, struct import_input *input)
{
	struct tally_file_map map = {0};
	int ret = tally_file_map(input->path, &map);

	if (ret)
		return print_error(input, ret);
	ret = bytes_import(imported, input, map.data, map.len);
	if (!ret && tally_file_map_check(&map)) {
		tally_message_error(input->messages, "%s was truncated while it was read",
				    input->path);
		ret = -EIO;
	}
	tally_file_unmap(&map);
	return ret;
}

static bool is_stream(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || (!stat(path, &st) && S_ISFIFO(st.st_mode));
}

/* Check the size of the recording. A small file can have many rows with the same long stack. */
static int size_check(const struct imported *imported, const struct import_input *input)
{
	enum { SAMPLE_SIZE = 128, GIB = 1 << 30, FACTOR = 512 };
	uint64_t size = 0, most = GIB + FACTOR * imported->input_bytes;

	tally_vec_for_each (sample, &imported->samples)
		size += SAMPLE_SIZE +
			8 * (uint64_t)tally_stacks_get(&imported->stacks, sample->stack).nr;
	if (size <= most)
		return 0;
	tally_message_error(input->messages,
			    "%s: its rows would make a recording of %.1f GiB; the limit for files "
			    "of this size is %.1f GiB",
			    input->path, (double)size / GIB, (double)most / GIB);
	tally_message_hint(input->messages, "add up rows with the same stack in the query");
	return -EFBIG;
}

static int directory_import(struct imported *imported, const struct import_input *input)
{
	if (has_samples(input->path))
		return import_dataset(imported, input);
	tally_message_error(input->messages, "%s is not a data set: it has no directory 'samples'",
			    input->path);
	tally_message_hint(input->messages, "data sets are written by tally export");
	return -EINVAL;
}

int tally_import(const char *path, int fd, const struct tally_messages *messages,
		 struct tally_import_notes *ret_notes)
{
	struct import_input input = {.path = path, .messages = messages};
	struct imported imported = {0};
	int ret, written;

	if (is_stream(path))
		ret = stream_import(&imported, &input);
	else
		ret = is_directory(path) ? directory_import(&imported, &input)
					 : file_import(&imported, &input);
	if (ret == -ENOMEM)
		tally_message_error(messages, "out of memory");
	if (!ret && !imported.samples.len) {
		tally_message_error(messages, "%s has no %s", path,
				    imported.notes.dropped ? "rows with a positive weight"
							   : "samples");
		ret = -ENODATA;
	}
	ret = ret ? ret : size_check(&imported, &input);
	written = ret ? ret : import_write(&imported, fd);
	if (!ret && written)
		tally_message_error(messages, "cannot import %s: %s", path, strerror(-written));
	imported.notes.samples = imported.samples.len;
	if (!written)
		*ret_notes = imported.notes;
	imported_free(&imported);
	return written;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A data set of tally export: the tables of frames, stacks, recordings and samples. */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/str.h"
#include "import/import_dataset.h"

/* ---- files ----------------------------------------------------------------------- */

/* Remember the part of a file's path that is the same in all tables. */
static int rest_set(struct import_tables *tables, const char *path)
{
	const char *rest = path + tables->table_len;

	return import_text(tables->imported, rest, strlen(rest), &tables->rest);
}

/* Read a file of the current table. Returns 0, or -errno after emitting an error message. */
static int file_read(void *arg, const char *path)
{
	struct import_tables *tables = arg;
	struct import_input input = {.path = path, .messages = tables->input->messages};
	struct tally_file_map map = {0};
	int ret = tally_file_map(path, &map);

	if (ret) {
		tally_message_error(input.messages, "cannot read %s: %s", path, strerror(-ret));
		return ret;
	}
	input.bytes = (const char *)map.data;
	input.len = map.len;
	tables->imported->input_bytes += map.len;
	ret = rest_set(tables, path);
	if (!ret)
		ret = tables->read_file(tables, &input);
	if (!ret && tally_file_map_check(&map)) {
		tally_message_error(input.messages, "%s was truncated while it was read", path);
		ret = -EIO;
	}
	tally_file_unmap(&map);
	return ret;
}

static void folder_failed(void *arg, const char *path, int code)
{
	const struct import_tables *tables = arg;

	tally_message_error(tables->input->messages, "cannot read %s: %s", path, strerror(-code));
}

static int table_read(struct import_tables *tables, const char *name, import_file_fn *read)
{
	struct tally_str path = {0};
	int ret;

	tally_str_addf(&path, "%s/%s", tables->input->path, name);
	ret = tally_str_error(&path);
	tables->table_len = path.len;
	tables->read_file = read;
	if (!ret)
		ret = tally_folder_walk(path.data, ".parquet", file_read, folder_failed, tables);
	tally_str_free(&path);
	return ret;
}

/* ---- the data set ---------------------------------------------------------------- */

int import_dataset(struct imported *imported, const struct import_input *input)
{
	struct import_tables tables = {.imported = imported, .input = input};
	int ret = table_read(&tables, "frames", import_frames_read);

	ret = ret ? ret : import_frames_place(&tables);
	ret = ret ? ret : table_read(&tables, "stacks", import_stacks_read);
	ret = ret ? ret : table_read(&tables, "recordings", import_recordings_read);
	ret = ret ? ret : table_read(&tables, "samples", import_samples_read);
	tally_vec_free(&tables.frames);
	tally_map_free(&tables.place_of);
	tally_map_free(&tables.stack_of);
	tally_map_free(&tables.host_of);
	tally_map_free(&tables.file_of);
	tally_map_free(&tables.copies);
	tally_vec_free(&tables.places);
	return ret;
}

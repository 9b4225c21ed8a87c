/* SPDX-License-Identifier: BSD-2-Clause */
/* A data set of tally export: the tables of frames, stacks, recordings and samples. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/str.h"
#include "import/import_dataset.h"

/* ---- files ----------------------------------------------------------------------- */

/* Remember the part of a file's path that is the same in all tables. */
static int rest_set(struct import_tables *tables, const char *path)
{
	const char *rest = path + tables->table_len;

	return import_text(tables->imported, rest, strlen(rest), &tables->rest);
}

/* Call read() for a Parquet file. Returns 0, or -errno after emitting an error message. */
static int file_read(struct import_tables *tables, const char *path, import_file_fn *read)
{
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
		ret = read(tables, &input);
	if (!ret)
		ret = tally_file_map_check(&map);
	tally_file_unmap(&map);
	return ret;
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

enum { NESTING_MAX = 8 };

/* Read all files below a directory, in the order of their names. */
static int folder_read(struct import_tables *tables, const char *folder, unsigned depth,
		       import_file_fn *read)
{
	struct dirent **entries = NULL;
	int nr = scandir(folder, &entries, NULL, alphasort), ret = nr < 0 ? -errno : 0;

	if (ret)
		tally_message_error(tables->input->messages, "cannot read %s: %s", folder,
				    strerror(-ret));
	for (int i = 0; i < nr; i++) {
		struct tally_str path = {0};
		struct stat st;

		tally_str_addf(&path, "%s/%s", folder, entries[i]->d_name);
		ret = ret ? ret : tally_str_error(&path);
		if (!ret && entries[i]->d_name[0] != '.' && !stat(path.data, &st)) {
			if (S_ISDIR(st.st_mode) && depth < NESTING_MAX)
				ret = folder_read(tables, path.data, depth + 1, read);
			else if (S_ISREG(st.st_mode) && ends_with(path.data, ".parquet"))
				ret = file_read(tables, path.data, read);
		}
		tally_str_free(&path);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static int table_read(struct import_tables *tables, const char *name, import_file_fn *read)
{
	struct tally_str path = {0};
	int ret;

	tally_str_addf(&path, "%s/%s", tables->input->path, name);
	ret = tally_str_error(&path);
	tables->table_len = path.len;
	if (!ret)
		ret = folder_read(tables, path.data, 0, read);
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
	tally_vec_free(&tables.places);
	return ret;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/export/export_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/main/print.h"

/* ---- folders --------------------------------------------------------------------- */

/* Longer names are cut. A file name has at most 255 bytes, and a byte may take three. */
enum { HOST_MAX = 80 };

/* Append the value of a partition's key. Bytes other than letters, digits and "._-" are written as
 * %XX, as Hive does. */
static void value_add(struct tally_str *out, const char *value)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	for (size_t i = 0; value[i] && i < HOST_MAX; i++) {
		if (strchr(plain, value[i]))
			tally_str_add_char(out, value[i]);
		else
			tally_str_addf(out, "%%%02X", (unsigned char)value[i]);
	}
}

/* Create a directory and those above it. Returns 0 or -errno. */
static int folders_make(char *path)
{
	int ret = 0;

	for (char *at = strchr(path + 1, '/'); !ret; at = strchr(at + 1, '/')) {
		if (at)
			*at = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			ret = -errno;
		if (!at)
			break;
		*at = '/';
	}
	return ret;
}

int export_file_begin(struct export_file *file, const char *directory, const char *date,
		      const char *host)
{
	struct tally_str path = {0};
	int ret;

	tally_str_clear(&file->folder);
	tally_str_addf(&file->folder, "%s/date=%s/host=", directory, date);
	value_add(&file->folder, host);
	ret = tally_str_error(&file->folder);
	if (ret)
		return ret;
	ret = folders_make(file->folder.data);
	if (ret)
		return tally_replacement_print_error(file->folder.data, ret);
	tally_str_addf(&path, "%s/unfinished", file->folder.data);
	ret = tally_str_error(&path);
	if (!ret)
		ret = tally_replacement_open(path.data, &file->replacement);
	file->is_open = !ret;
	tally_str_free(&path);
	return ret;
}

int export_files_begin(void *arg, const char *date, const char *host)
{
	struct export_files *files = arg;
	struct tally_str directory = {0};
	int ret = 0;

	for (int i = 0; i < TALLY_DATASET_TABLES && !ret; i++) {
		tally_str_clear(&directory);
		tally_str_addf(&directory, "%s/%s", files->directory,
			       tally_dataset_table_name((enum tally_dataset_table)i));
		ret = tally_str_error(&directory);
		if (!ret)
			ret = export_file_begin(&files->files[i], directory.data, date, host);
	}
	tally_str_free(&directory);
	return ret;
}

/* ---- files ----------------------------------------------------------------------- */

int export_file_write(struct export_files *files, struct export_file *file, const void *bytes,
		      size_t len)
{
	files->bytes += len;
	return tally_replacement_write(&file->replacement, bytes, len);
}

int export_files_write(void *arg, enum tally_dataset_table table, const void *bytes, size_t len)
{
	struct export_files *files = arg;

	return export_file_write(files, &files->files[table], bytes, len);
}

/* Recordings are last: when they exist, so do all rows that refer to them or to each other. */
static const enum tally_dataset_table order[] = {
	TALLY_DATASET_FRAMES,
	TALLY_DATASET_STACKS,
	TALLY_DATASET_SAMPLES,
	TALLY_DATASET_RECORDINGS,
};

int export_file_commit(struct export_file *file, const char *name, const char *ending)
{
	struct tally_str path = {0};
	int ret;

	tally_str_addf(&path, "%s/%s.%s", tally_str_text(&file->folder), name, ending);
	ret = tally_str_error(&path);
	if (!ret)
		ret = tally_replacement_rename(&file->replacement, path.data);
	tally_str_free(&path);
	return ret ? ret : tally_replacement_commit(&file->replacement, -1);
}

void export_file_close(struct export_file *file)
{
	if (file->is_open)
		tally_replacement_close(&file->replacement);
	file->is_open = false;
	tally_str_free(&file->folder);
}

int export_files_end(void *arg, const char *name)
{
	struct export_files *files = arg;
	int ret = 0;

	for (size_t i = 0; i < TALLY_DATASET_TABLES && name && !ret; i++)
		ret = export_file_commit(&files->files[order[i]], name, "parquet");
	for (int i = TALLY_DATASET_TABLES - 1; i >= 0; i--)
		export_file_close(&files->files[i]);
	return ret;
}

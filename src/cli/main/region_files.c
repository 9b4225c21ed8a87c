/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/region_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/main/print.h"

enum { FILE_SIZE_MAX = 32 << 20, FILES_MAX = 65536 };

/* The library replaces "%p" and "%t", so the directory's name must not contain them. */
static const char *parent_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir && !strchr(dir, '%') ? dir : "/tmp";
}

int region_files_begin(struct region_files *files)
{
	struct tally_str pattern = {0};
	int ret;

	tally_str_addf(&files->dir, "%s/tally-regions-XXXXXX", parent_dir());
	ret = tally_str_error(&files->dir);
	if (!ret && !mkdtemp(files->dir.data)) {
		ret = -errno;
		tally_print_error("cannot create %s: %s", files->dir.data, strerror(-ret));
		tally_print_hint("use another directory (TMPDIR)");
	}
	if (ret) {
		tally_str_free(&files->dir);
		return ret;
	}
	tally_str_addf(&pattern, "%s/%%p.%%t.json", files->dir.data);
	ret = tally_str_error(&pattern);
	if (!ret && setenv("TALLY_REGIONS", pattern.data, 1))
		ret = -errno;
	tally_str_free(&pattern);
	return ret;
}

static int add_file(int dir, const char *name, struct region_tables *tables,
		    struct tally_str *documents)
{
	const uid_t owner = geteuid();
	const struct tally_file_owners owners = {&owner, 1};
	char *text = NULL;
	size_t len = 0;
	int fd, ret = tally_file_open_at(dir, name, &owners, &fd);

	if (!ret) {
		ret = tally_file_read_fd(fd, FILE_SIZE_MAX, &text, &len);
		close(fd);
	}
	if (!ret)
		ret = region_tables_add(tables, text, len);
	if (!ret && documents) {
		tally_str_add_char(documents, documents->len ? ',' : '[');
		tally_str_add_bytes(documents, text, len);
	}
	free(text);
	if (ret == -EINVAL)
		tally_print_warning(
			"regions in %s were left out: the file is not as tally/region.h "
			"writes it",
			name);
	else if (ret)
		tally_print_warning("regions in %s were left out: %s", name, strerror(-ret));
	return ret == -ENOMEM ? ret : 0;
}

/* Documents are complete once they have their names; the library writes them with other names. */
static int is_document(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && !strcmp(entry->d_name + len - 5, ".json");
}

int region_files_read(struct region_files *files, struct tally_str *documents)
{
	int dir = open(tally_str_text(&files->dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **names = NULL;
	int nr = dir < 0 ? -1 : scandirat(dir, ".", &names, is_document, alphasort);
	int ret = nr < 0 ? -errno : 0;

	if (ret)
		tally_print_error("cannot read %s: %s", tally_str_text(&files->dir),
				  strerror(-ret));
	if (nr > FILES_MAX)
		tally_print_warning("only %d of %d files with regions are read", FILES_MAX, nr);
	for (int i = 0; i < nr; i++) {
		if (!ret && i < FILES_MAX)
			ret = add_file(dir, names[i]->d_name, &files->tables, documents);
		free(names[i]);
	}
	free(names);
	if (dir >= 0)
		close(dir);
	if (!nr) {
		tally_print_warning("--regions: the command wrote no regions");
		tally_print_hint("programs count them with tally/region.h, and write them with "
				 "tally_regions_write(regions, NULL) or the option at_exit");
	}
	if (documents && documents->len)
		tally_str_add_char(documents, ']');
	return ret ? ret : documents ? tally_str_error(documents) : 0;
}

void region_files_end(struct region_files *files)
{
	const char *path = tally_str_text(&files->dir);
	DIR *dir = *path ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (*path && rmdir(path) && errno != ENOENT)
		tally_print_warning("cannot remove %s: %s", path, strerror(errno));
	tally_str_free(&files->dir);
	region_tables_free(&files->tables);
}

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
#include "jevents/json_read.h"

enum { FILE_SIZE_MAX = TALLY_JSON_SIZE, FILES_MAX = 65536 };

/* The library replaces "%p" and "%t", so the directory's name must not contain them. */
static const char *parent_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir && !strchr(dir, '%') ? dir : "/tmp";
}

/* The command may change to another directory, so the path must be absolute. */
static void path_make(struct tally_str *out)
{
	const char *parent = parent_dir();
	char *real = realpath(parent, NULL);

	/* If there is no such directory, the error names it as the user did. */
	tally_str_addf(out, "%s/tally-regions-XXXXXX", real && !strchr(real, '%') ? real : parent);
	free(real);
}

static int directory_make(char *path, int *ret_fd)
{
	int fd;

	if (!mkdtemp(path))
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int region_files_begin(struct region_files *files)
{
	struct tally_str pattern = {0};
	int ret;

	path_make(&files->dir);
	ret = tally_str_error(&files->dir);
	if (!ret)
		ret = directory_make(files->dir.data, &files->fd);
	if (ret) {
		tally_print_error("cannot create %s: %s", tally_str_text(&files->dir),
				  strerror(-ret));
		tally_print_hint("use another directory (TMPDIR)");
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
		tally_print_warning("regions in %s were left out: %s", name,
				    ret == -E2BIG
					    ? "there are too many, or they are nested too deeply"
					    : strerror(-ret));
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
	struct dirent **names = NULL;
	int nr = scandirat(files->fd, ".", &names, is_document, alphasort), ret = 0;

	/* The counts of the whole command do not depend on its regions. */
	if (nr < 0)
		tally_print_warning("cannot read the regions in %s: %s",
				    tally_str_text(&files->dir), strerror(errno));
	if (nr > FILES_MAX)
		tally_print_warning("only %d of %d files with regions are read", FILES_MAX, nr);
	for (int i = 0; i < nr; i++) {
		if (!ret && i < FILES_MAX)
			ret = add_file(files->fd, names[i]->d_name, &files->tables, documents);
		free(names[i]);
	}
	free(names);
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
	DIR *dir = *path ? fdopendir(files->fd) : NULL;
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

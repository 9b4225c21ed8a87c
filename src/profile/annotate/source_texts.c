/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/annotate/source_texts.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/path.h"
#include "base/str.h"
#include "base/vec.h"

enum { FILE_MAX = 16 << 20, ALL_MAX = 256 << 20 };

struct source_text {
	int error;
	char *data;
	size_t len;
	TALLY_VEC(uint32_t) starts; /* offset of each line */
};

struct tally_source_texts {
	struct tally_source_options options;
	struct tally_intern paths;
	TALLY_VEC(struct source_text) files; /* indexed by the path's ID in `paths` */
	size_t total;
	size_t nr_private;
};

int tally_source_texts_new(const struct tally_source_options *options,
			   struct tally_source_texts **ret_texts)
{
	struct tally_source_texts *texts = calloc(1, sizeof(*texts));

	if (!texts)
		return -ENOMEM;
	texts->options = *options;
	*ret_texts = texts;
	return 0;
}

void tally_source_texts_free(struct tally_source_texts *texts)
{
	if (!texts)
		return;
	tally_vec_for_each (file, &texts->files) {
		free(file->data);
		tally_vec_free(&file->starts);
	}
	tally_vec_free(&texts->files);
	tally_intern_free(&texts->paths);
	free(texts);
}

/* Return a path without its first `nr` directories: for "/a/b/c.c" and 1, this is "/b/c.c". */
static const char *path_stripped(const char *path, unsigned nr)
{
	for (; nr; nr--) {
		const char *slash = strchr(path + 1, '/');

		if (!slash)
			break;
		path = slash;
	}
	return path;
}

static void add_path(const struct tally_source_options *options, const char *path,
		     struct tally_str *out)
{
	if (options->symfs)
		tally_str_add(out, options->symfs);
	if (options->prefix && *path == '/') {
		tally_str_add(out, options->prefix);
		path = path_stripped(path, options->prefix_strip);
	} else if (options->symfs && *path != '/') {
		tally_str_add_char(out, '/');
	}
	tally_str_add(out, path);
}

static int find_lines(struct source_text *file)
{
	const char *at = file->data, *end = file->data + file->len;
	int ret = 0;

	while (at && at < end && !ret) {
		ret = tally_vec_push(&file->starts, (uint32_t)(at - file->data));
		at = memchr(at, '\n', (size_t)(end - at));
		at += at ? 1 : 0;
	}
	return ret;
}

/* Return true for a file in one of the kernel's pseudo file systems, such as this process's
 * environment in /proc. If such files were read, the author of the debug information could get
 * their contents into a listing that is passed on to others. */
static bool is_on_kernel_fs(int fd)
{
	static const unsigned long kinds[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC,        DEBUGFS_MAGIC,      TRACEFS_MAGIC,
		SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC};
	struct statfs of;

	if (fstatfs(fd, &of))
		return false;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kinds); i++) {
		if ((unsigned long)of.f_type == kinds[i])
			return true;
	}
	return false;
}

/* Return true if a path has the suffix of a source file. */
static bool has_source_suffix(const char *path)
{
	static const char *const endings[] = {
		"c",   "cc",   "cpp", "cxx",   "c++",   "h",  "hh",  "hpp", "hxx", "inc", "inl",
		"ipp", "tcc",  "rs",  "go",    "s",     "S",  "asm", "y",   "l",   "m",   "mm",
		"d",   "zig",  "nim", "ml",    "hs",    "f",  "F",   "f90", "F90", "adb", "ads",
		"pas", "java", "kt",  "swift", "scala", "cu", "def", "jl",  "v"};
	const char *name = tally_path_name(path), *dot = strrchr(name, '.');

	for (size_t i = 0; dot && dot != name && i < TALLY_ARRAY_SIZE(endings); i++) {
		if (!strcmp(dot + 1, endings[i]))
			return true;
	}
	return false;
}

/* Return true if all users may search the directories of a path, which is modified. */
static bool is_in_public_folder(char *path)
{
	struct stat st;
	bool is = true;
	char *slash;

	while (is && (slash = strrchr(path, '/')) && slash != path) {
		*slash = '\0';
		is = !stat(path, &st) && st.st_mode & S_IXOTH;
	}
	return is;
}

/* Get the path of an open file without symbolic links. Returns false if it is not known. */
static bool path_of(int fd, char path[PATH_MAX])
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, PATH_MAX - 1);
	if (len <= 0 || len >= PATH_MAX - 1 || path[0] != '/')
		return false;
	path[len] = '\0';
	return true;
}

/* Return true if an open file that is named in a recording may be passed on to others. The name is
 * not used: between two system calls, its owner could make it a link to another file. */
static bool may_publish(int fd, bool public_only)
{
	char path[PATH_MAX];
	struct stat st;
	bool is_source;

	if (fstat(fd, &st) || !path_of(fd, path))
		return false;
	/* Headers of C++ have no suffix. */
	is_source = has_source_suffix(path) || !strncmp(path, "/usr/include/", 13);
	if (!public_only && is_source)
		return true;
	return is_source && st.st_mode & S_IROTH && is_in_public_folder(path);
}

/* Check an open file, and read it. */
static int file_read(struct tally_source_texts *texts, int fd, struct source_text *file)
{
	size_t left = texts->total < ALL_MAX ? ALL_MAX - texts->total : 0;
	size_t max = TALLY_MIN(left, (size_t)FILE_MAX);
	struct stat st;

	if (is_on_kernel_fs(fd))
		return -EINVAL;
	if (texts->options.handed_on && !may_publish(fd, texts->options.public_only)) {
		texts->nr_private++;
		return -EACCES;
	}
	if (fstat(fd, &st))
		return -errno;
	return (uint64_t)st.st_size > max ? -EFBIG
					  : tally_file_read_fd(fd, max, &file->data, &file->len);
}

static int text_read(struct tally_source_texts *texts, const char *name, struct source_text *file)
{
	struct tally_str path = {0};
	int fd = -1, ret;

	add_path(&texts->options, name, &path);
	ret = tally_str_error(&path);
	if (!ret)
		ret = tally_file_open(tally_str_text(&path), NULL, &fd);
	if (!ret) {
		ret = file_read(texts, fd, file);
		close(fd);
	} else if (ret == -EACCES && texts->options.handed_on) {
		texts->nr_private++;
	}
	if (!ret) {
		ret = find_lines(file);
		texts->total += file->len + file->starts.len * sizeof(*file->starts.data);
	}
	tally_str_free(&path);
	return ret;
}

size_t tally_source_texts_nr_private(const struct tally_source_texts *texts)
{
	return texts->nr_private;
}

/* Return the file at a path, reading it on the first call. Return NULL when out of memory. */
static const struct source_text *text_find(struct tally_source_texts *texts, const char *path)
{
	struct source_text file = {0};
	uint32_t number;

	if (tally_intern(&texts->paths, path, strlen(path), &number))
		return NULL;
	if (number < texts->files.len)
		return &texts->files.data[number];
	file.error = text_read(texts, path, &file);
	if (tally_vec_push(&texts->files, file)) {
		free(file.data);
		tally_vec_free(&file.starts);
		return NULL;
	}
	return &texts->files.data[number];
}

int tally_source_texts_get(struct tally_source_texts *texts, const char *path, uint32_t line,
			   const char **ret_text, size_t *ret_len)
{
	const struct source_text *file = text_find(texts, path);
	size_t start, end;

	if (!file)
		return -ENOMEM;
	if (file->error)
		return file->error;
	if (!line || line > file->starts.len)
		return -ERANGE;
	start = file->starts.data[line - 1];
	end = line < file->starts.len ? file->starts.data[line] : file->len;
	while (end > start && (file->data[end - 1] == '\n' || file->data[end - 1] == '\r'))
		end--;
	*ret_text = file->data + start;
	*ret_len = end - start;
	return 0;
}

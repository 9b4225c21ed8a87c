/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"
#include "jevents/tree.h"

enum { TREE_DEPTH = 3 }; /* maximum depth, for vendor/model/sys */

struct tree_walk {
	struct tally_tree *tree;
	struct tally_diagnostics *messages;
	const char *path; /* path of the directory being scanned */
	const char *name; /* the same path relative to the architecture; "" at the top */
	int depth;
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static const char *join(struct tally_arena *arena, const char *dir, const char *name)
{
	size_t dir_len = strlen(dir), len = strlen(name);
	char *path = tally_arena_bytes(arena, dir_len + len + 2);

	if (!path)
		return NULL;
	memcpy(path, dir, dir_len);
	if (dir_len)
		path[dir_len++] = '/';
	memcpy(path + dir_len, name, len + 1);
	return path;
}

const char *tally_topic_of(const char *path, struct tally_arena *arena)
{
	const char *base = tally_path_name(path);
	size_t len = strlen(base) - (ends_with(base, ".json") ? 5 : 0);
	char *topic = tally_arena_strndup(arena, base, len);

	for (char *at = topic; at && *at; at++)
		*at = *at == '-' ? ' ' : *at;
	return topic;
}

const char *tally_identifier_of(const char *name, struct tally_arena *arena)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	char *identifier = tally_arena_strndup(arena, name, strlen(name));

	for (char *at = identifier; at && *at; at++)
		*at = *at == '-' || *at == '/' ? '_' : *at;
	return identifier && strspn(identifier, allowed) == strlen(identifier) ? identifier : NULL;
}

/* The names in a directory, sorted bytewise and allocated in the arena. */
struct names {
	TALLY_VEC(const char *) list;
};

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int names_read(const char *path, struct tally_arena *arena, struct names *names)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (errno = 0, entry = readdir(dir))) {
		const char *name;

		if (entry->d_name[0] == '.')
			continue;
		name = tally_arena_strndup(arena, entry->d_name, strlen(entry->d_name));
		ret = name ? tally_vec_push(&names->list, name) : -ENOMEM;
	}
	if (!ret && errno)
		ret = -errno;
	closedir(dir);
	if (!ret && names->list.len)
		qsort(names->list.data, names->list.len, sizeof(*names->list.data), name_compare);
	return ret;
}

static int dir_walk(const struct tree_walk *walk);

static int child_walk(const struct tree_walk *walk, const char *path, const char *name)
{
	struct tree_walk child = *walk;

	child.path = path;
	child.name = join(&walk->tree->arena, walk->name, name);
	child.depth++;
	return child.name ? dir_walk(&child) : -ENOMEM;
}

/* Add a file to the directory. A JSON file makes the directory a model. */
static int file_add(const struct tree_walk *walk, const char *path, const char *name)
{
	struct tally_tree *tree = walk->tree;
	struct tally_tree_file file = {path, NULL};

	if (!strncmp(name, "mapfile.csv", strlen("mapfile.csv")))
		return tally_vec_push(&tree->maps, (struct tally_tree_map){path, walk->name});
	if (!ends_with(name, ".json"))
		return 0;
	file.topic = tally_topic_of(path, &tree->arena);
	if (!file.topic)
		return -ENOMEM;
	if (!walk->depth)
		return tally_vec_push(&tree->standard, file);
	return tally_vec_push(&tree->files, file);
}

/* Process one directory entry. Directories are processed after files. */
static int entry_walk(const struct tree_walk *walk, const char *name, bool want_dirs)
{
	const char *path = join(&walk->tree->arena, walk->path, name);
	struct stat st;

	if (!path)
		return -ENOMEM;
	if (stat(path, &st)) /* dangling symbolic link */
		return 0;
	if (S_ISDIR(st.st_mode) != want_dirs)
		return 0;
	if (want_dirs)
		return walk->depth < TREE_DEPTH ? child_walk(walk, path, name) : 0;
	return S_ISREG(st.st_mode) ? file_add(walk, path, name) : 0;
}

static int dir_walk(const struct tree_walk *walk)
{
	struct tally_tree *tree = walk->tree;
	size_t first = tree->files.len;
	struct names names = {0};
	int ret = names_read(walk->path, &tree->arena, &names);

	if (ret && ret != -ENOMEM && walk->depth) {
		tally_source_emit(
			&(struct tally_source){.path = walk->path, .messages = walk->messages},
			TALLY_DIAGNOSTIC_ERROR, TALLY_SOURCE_WHOLE, strerror(-ret), "cannot read");
		tree->unreadable++;
		tree->error = tree->error ? tree->error : ret;
		names.list.len = 0;
		ret = 0;
	}
	for (size_t i = 0; i < names.list.len && !ret; i++)
		ret = entry_walk(walk, names.list.data[i], false);
	if (!ret && tree->files.len > first)
		ret = tally_vec_push(&tree->dirs,
				     (struct tally_tree_dir){walk->name, walk->path, first,
							     tree->files.len - first,
							     ends_with(walk->name, "/sys")});
	for (size_t i = 0; i < names.list.len && !ret; i++)
		ret = entry_walk(walk, names.list.data[i], true);
	tally_vec_free(&names.list);
	return ret;
}

int tally_tree_scan(const char *path, struct tally_diagnostics *messages,
		    struct tally_tree *ret_tree)
{
	struct tally_tree tree = {0};
	struct tree_walk walk = {&tree, messages, path, "", 0};
	int ret = dir_walk(&walk);

	if (ret)
		tally_tree_free(&tree);
	else
		*ret_tree = tree;
	return ret;
}

const struct tally_tree_dir *tally_tree_find(const struct tally_tree *tree, const char *name)
{
	size_t len = strlen(name) - (ends_with(name, ".json") ? 5 : 0);

	tally_vec_for_each (dir, &tree->dirs) {
		if (!strcmp(dir->name, name) ||
		    (dir->file && !strncmp(dir->name, name, len) && !dir->name[len]))
			return dir;
	}
	return NULL;
}

/* Convert the standard file with index `i` to a directory. */
static int file_claim(struct tally_tree *tree, size_t i)
{
	struct tally_tree_file file = tree->standard.data[i];
	const char *base = tally_path_name(file.path);
	struct tally_tree_dir dir = {.path = file.path, .first = tree->files.len, 1, .file = true};
	int ret;

	dir.name = tally_arena_strndup(&tree->arena, base, strlen(base) - 5);
	ret = dir.name ? tally_vec_push(&tree->files, file) : -ENOMEM;
	if (!ret)
		ret = tally_vec_push(&tree->dirs, dir);
	if (ret)
		return ret;
	tree->standard.len--;
	memmove(&tree->standard.data[i], &tree->standard.data[i + 1],
		(tree->standard.len - i) * sizeof(file));
	return 0;
}

int tally_tree_claim(struct tally_tree *tree, const char *name)
{
	size_t len = strlen(name) - (ends_with(name, ".json") ? 5 : 0);

	if (tally_tree_find(tree, name))
		return 0;
	for (size_t i = 0; i < tree->standard.len; i++) {
		const char *base = tally_path_name(tree->standard.data[i].path);

		if (!strncmp(base, name, len) && !strcmp(base + len, ".json"))
			return file_claim(tree, i);
	}
	return 0;
}

void tally_tree_free(struct tally_tree *tree)
{
	tally_vec_free(&tree->dirs);
	tally_vec_free(&tree->files);
	tally_vec_free(&tree->standard);
	tally_vec_free(&tree->maps);
	tally_arena_free(&tree->arena);
}

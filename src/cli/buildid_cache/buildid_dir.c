/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/buildid_cache/buildid_dir.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"
#include "base/str.h"

enum { ID_DIGITS = 40 }; /* longest ID */

void buildid_entry_free(struct buildid_entry *entry)
{
	free(entry->id);
	free(entry->name);
	*entry = (struct buildid_entry){0};
}

void buildid_entries_free(struct buildid_entries *entries)
{
	tally_vec_for_each (entry, &entries->list)
		buildid_entry_free(entry);
	tally_vec_free(&entries->list);
}

static bool is_hex(const char *text)
{
	size_t len = strlen(text);

	for (; *text; text++)
		if (tally_digit(*text) > 15)
			return false;
	return len && len <= ID_DIGITS;
}

/* Return the name of the file in the target of a link, "../../PATH/ID", or NULL. The caller frees
 * it. PATH must not lead out of the cache. */
static char *target_name(const char *target, const char *id)
{
	static const char up[] = "../../";
	size_t len = strlen(target), tail = strlen(id) + 1, first = sizeof(up) - 1;
	struct tally_str name = {0};

	if (len <= first + tail || strncmp(target, up, first) || target[len - tail] != '/' ||
	    strcmp(target + len - tail + 1, id))
		return NULL;
	tally_str_add(&name, target[first] == '[' ? "" : "/");
	tally_str_add_bytes(&name, target + first, len - first - tail);
	if (tally_str_error(&name) || strstr(tally_str_text(&name), "/../")) {
		tally_str_free(&name);
		return NULL;
	}
	return name.data;
}

void buildid_dir_link(struct tally_str *out, const char *dir, const char *id)
{
	tally_str_addf(out, "%s/.build-id/%.2s/%s", dir, id, id + 2);
}

int buildid_dir_get(const char *dir, const char *id, struct buildid_entry *ret_entry)
{
	struct tally_str link = {0};
	struct buildid_entry entry;
	char target[PATH_MAX];
	ssize_t len = -1;

	if (strlen(id) < 3)
		return -ENOENT;
	buildid_dir_link(&link, dir, id);
	if (!tally_str_error(&link))
		len = readlink(tally_str_text(&link), target, sizeof(target) - 1);
	tally_str_free(&link);
	if (len < 0)
		return -ENOENT;
	target[len] = '\0';
	entry = (struct buildid_entry){strdup(id), target_name(target, id)};
	if (!entry.id || !entry.name) {
		buildid_entry_free(&entry);
		return -ENOENT;
	}
	*ret_entry = entry;
	return 0;
}

/* List the entries with IDs that begin with `start`, two digits. */
static int list_part(const char *dir, const char *start, struct buildid_entries *entries)
{
	struct tally_str path = {0};
	struct dirent *file;
	DIR *part = NULL;
	int ret = 0;

	tally_str_addf(&path, "%s/.build-id/%s", dir, start);
	if (!tally_str_error(&path))
		part = opendir(tally_str_text(&path));
	while (part && !ret && (file = readdir(part))) {
		struct buildid_entry entry;
		char id[ID_DIGITS + 1];

		if (!is_hex(file->d_name) || strlen(file->d_name) > ID_DIGITS - 2)
			continue;
		snprintf(id, sizeof(id), "%.2s%.38s", start, file->d_name);
		if (buildid_dir_get(dir, id, &entry))
			continue;
		ret = tally_vec_push(&entries->list, entry);
		if (ret)
			buildid_entry_free(&entry);
	}
	if (part)
		closedir(part);
	tally_str_free(&path);
	return ret;
}

int buildid_dir_versions(const char *dir, const char *name, struct buildid_entries *ret_entries)
{
	struct buildid_entries entries = {0};
	struct tally_str path = {0};
	struct dirent *file;
	DIR *versions = NULL;
	int ret;

	tally_str_addf(&path, "%s/%s", dir, name + (*name == '/'));
	ret = tally_str_error(&path);
	if (!ret && !(versions = opendir(tally_str_text(&path))) && errno != ENOENT)
		ret = -errno;
	while (versions && !ret && (file = readdir(versions))) {
		struct buildid_entry entry;

		if (!is_hex(file->d_name) || strlen(file->d_name) < 3)
			continue;
		entry = (struct buildid_entry){strdup(file->d_name), strdup(name)};
		ret = entry.id && entry.name ? tally_vec_push(&entries.list, entry) : -ENOMEM;
		if (ret)
			buildid_entry_free(&entry);
	}
	if (versions)
		closedir(versions);
	tally_str_free(&path);
	if (ret)
		buildid_entries_free(&entries);
	else
		*ret_entries = entries;
	return ret;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct buildid_entry *)a)->id, ((const struct buildid_entry *)b)->id);
}

int buildid_dir_list(const char *dir, struct buildid_entries *ret_entries)
{
	struct buildid_entries entries = {0};
	struct tally_str path = {0};
	struct dirent *part;
	DIR *parts = NULL;
	int ret;

	tally_str_addf(&path, "%s/.build-id", dir);
	ret = tally_str_error(&path);
	if (!ret && !(parts = opendir(tally_str_text(&path))) && errno != ENOENT)
		ret = -errno;
	while (parts && !ret && (part = readdir(parts)))
		if (is_hex(part->d_name) && strlen(part->d_name) == 2)
			ret = list_part(dir, part->d_name, &entries);
	if (parts)
		closedir(parts);
	tally_str_free(&path);
	if (ret) {
		buildid_entries_free(&entries);
		return ret;
	}
	if (entries.list.len)
		qsort(entries.list.data, entries.list.len, sizeof(*entries.list.data), by_id);
	*ret_entries = entries;
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* tally buildid-cache: list and change perf's cache of programs and libraries. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/buildid_cache/buildid_dir.h"
#include "cli/main/arguments.h"
#include "cli/main/commands.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "session/session.h"
#include "symbols/dso_path.h"
#include "symbols/elf/elf.h"
#include "tally/perfdata.h"

struct buildid_config {
	const char *add, *remove, *purge, *update, *missing;
	bool list, purge_all, force;
	int verbose;
};

#define AT(member) offsetof(struct buildid_config, member)

static const struct tally_option buildid_options[] = {
	{'a', "add", TALLY_OPTION_TEXT, AT(add), "file,...", "copy these files to the cache"},
	{'r', "remove", TALLY_OPTION_TEXT, AT(remove), "file,...",
	 "remove the current versions of these files from the cache"},
	{'p', "purge", TALLY_OPTION_TEXT, AT(purge), "file,...",
	 "remove all versions of these files from the cache"},
	{'P', "purge-all", TALLY_OPTION_FLAG, AT(purge_all), NULL, "remove everything"},
	{'l', "list", TALLY_OPTION_FLAG, AT(list), NULL, "list the cached files"},
	{'M', "missing", TALLY_OPTION_TEXT, AT(missing), "recording",
	 "list the files of a recording that are not in the cache"},
	{'u', "update", TALLY_OPTION_TEXT, AT(update), "file,...",
	 "replace the copies of these files in the cache"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL, "print what is done"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL, "ignored; ownership is not checked"},
	TALLY_OPTION_END,
};

struct buildid_cache {
	const struct buildid_config *config;
	const char *dir;
};

/* ---- messages ---------------------------------------------------------------- */

static void print_line(const char *id, const char *name)
{
	struct tally_str line = {0};

	tally_str_add_line(&line, "%s %s", id, name);
	(void)tally_output_flush(&line);
	tally_str_free(&line);
}

/* With -v, print that an entry was changed, as perf does. */
static void print_done(const struct buildid_cache *cache, const char *verb, const char *id,
		       const char *name)
{
	struct tally_str line = {0};

	if (!cache->config->verbose)
		return;
	tally_str_add_line(&line, "%s %s %s: Ok", verb, id, name);
	fputs(tally_str_text(&line), stderr);
	tally_str_free(&line);
}

static int print_failure(const char *verb, const char *name, int code)
{
	const char *why = strerror(-code);

	if (code == -EXDEV)
		why = "a symbolic link leads out of the cache";
	if (code == -ENOTEMPTY)
		why = "its directory has other files, which are kept";
	tally_print_error("cannot %s %s: %s", verb, name, why);
	return code;
}

/* ---- files ------------------------------------------------------------------- */

enum { ID_TEXT = 2 * TALLY_BUILD_ID_MAX + 1 };

/* A file named by the user. */
struct named_file {
	char path[PATH_MAX]; /* without symbolic links */
	char id[ID_TEXT];
};

static void id_text(const uint8_t *bytes, size_t size, char text[ID_TEXT])
{
	*text = '\0';
	for (size_t i = 0; i < size && i < TALLY_BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* Get the path and the build ID of a file. Returns 0, or -errno after printing an error. */
static int file_find(const char *verb, const char *name, struct named_file *file)
{
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size;
	int ret;

	if (!realpath(name, file->path))
		return print_failure(verb, name, -errno);
	ret = tally_elf_build_id(file->path, id, &size);
	if (ret == -ENOENT || (!ret && size < 2)) {
		tally_print_error("cannot %s %s: the file has no build ID", verb, name);
		tally_print_hint("link it with -Wl,--build-id");
		return -ENOENT;
	}
	if (ret == -ENOEXEC || ret == -EINVAL) {
		tally_print_error("cannot %s %s: not a regular ELF file", verb, name);
		return ret;
	}
	if (ret)
		return print_failure(verb, name, ret);
	id_text(id, size, file->id);
	return 0;
}

static int cache_add(const struct buildid_cache *cache, const char *name)
{
	struct named_file file;
	int ret = file_find("add", name, &file);

	if (ret)
		return ret;
	ret = buildid_dir_add(cache->dir, file.path, file.id);
	if (ret)
		return print_failure("add", name, ret);
	print_done(cache, "Adding", file.id, name);
	return 0;
}

static int entry_remove(const struct buildid_cache *cache, const struct buildid_entry *entry)
{
	int ret = buildid_dir_remove(cache->dir, entry);

	if (ret)
		return print_failure("remove", entry->name, ret);
	print_done(cache, "Removing", entry->id, entry->name);
	return 0;
}

/* Remove the entry of a file's current version. Returns -ENOENT, without a message, if there is
 * none. */
static int remove_version(const struct buildid_cache *cache, const struct named_file *file)
{
	struct buildid_entry entry;
	int ret = buildid_dir_get(cache->dir, file->id, &entry);

	if (ret)
		return ret;
	ret = entry_remove(cache, &entry);
	buildid_entry_free(&entry);
	return ret;
}

static int not_cached(const char *name)
{
	tally_print_error("%s is not in the cache", name);
	tally_print_hint("'tally buildid-cache -l' lists the cached files");
	return -ENOENT;
}

static int cache_remove(const struct buildid_cache *cache, const char *name)
{
	struct named_file file;
	int ret = file_find("remove", name, &file);

	if (ret)
		return ret;
	ret = remove_version(cache, &file);
	return ret == -ENOENT ? not_cached(name) : ret;
}

static int cache_update(const struct buildid_cache *cache, const char *name)
{
	struct named_file file;
	int ret = file_find("update", name, &file);

	if (ret)
		return ret;
	ret = remove_version(cache, &file);
	if (ret && ret != -ENOENT)
		return ret;
	ret = buildid_dir_add(cache->dir, file.path, file.id);
	if (ret)
		return print_failure("update", name, ret);
	print_done(cache, "Updating", file.id, name);
	return 0;
}

/* Remove the versions of a file, or all entries if `name` is NULL. */
static int remove_named(const struct buildid_cache *cache, const char *name, size_t *ret_nr)
{
	struct buildid_entries entries;
	int ret = name ? buildid_dir_versions(cache->dir, name, &entries)
		       : buildid_dir_list(cache->dir, &entries);

	if (ret)
		return print_failure("read", cache->dir, ret);
	*ret_nr = entries.list.len;
	tally_vec_for_each (entry, &entries.list) {
		int one = entry_remove(cache, entry);

		ret = ret ? ret : one;
	}
	buildid_entries_free(&entries);
	return ret;
}

/* The file may not exist any more. */
static int cache_purge(const struct buildid_cache *cache, const char *name)
{
	char path[PATH_MAX];
	size_t nr = 0;
	int ret = remove_named(cache, realpath(name, path) ? path : name, &nr);

	return !ret && !nr ? not_cached(name) : ret;
}

/* ---- lists ------------------------------------------------------------------- */

static int cache_list(const struct buildid_cache *cache)
{
	struct buildid_entries entries;
	int ret = buildid_dir_list(cache->dir, &entries);

	if (ret)
		return print_failure("read", cache->dir, ret);
	tally_vec_for_each (entry, &entries.list)
		print_line(entry->id, entry->name);
	buildid_entries_free(&entries);
	return 0;
}

static void list_if_missing(const struct buildid_cache *cache,
			    const struct tally_perfdata_build_id *row)
{
	struct buildid_entry entry;
	char id[ID_TEXT];

	id_text(row->bytes, row->size, id);
	if (buildid_dir_get(cache->dir, id, &entry))
		print_line(id, row->filename);
	else
		buildid_entry_free(&entry);
}

/* The build IDs of a stream are in its records. */
static int cache_missing(const struct buildid_cache *cache, const char *path)
{
	const struct tally_perfdata_build_id *row;
	struct tally_perfdata_record record;
	struct tally_perfdata *data = NULL;
	struct tally_error err = {0};
	int ret = tally_perfdata_open(path, &data, &err);

	if (!ret && tally_perfdata_info(data)->is_pipe)
		while ((ret = tally_perfdata_next(data, &record, &err)) > 0)
			;
	for (size_t i = 0; !ret && (row = tally_perfdata_build_id(data, i)); i++)
		list_if_missing(cache, row);
	if (!ret)
		tally_notes_warn(data, path, &tally_print_messages);
	tally_perfdata_close(data);
	if (ret)
		tally_print_parse_error(path, ret, &err);
	return ret;
}

/* ---- command ------------------------------------------------------------------ */

/* Call `run` for each file in a list. Continues after an error, and returns the first one. */
static int for_each(const struct buildid_cache *cache, const char *files,
		    int (*run)(const struct buildid_cache *cache, const char *name))
{
	struct tally_word_list names = {0};
	int ret = tally_word_list_split(files, &names);

	for (size_t i = 0; i < names.nr; i++) {
		int one = run(cache, names.items[i]);

		ret = ret ? ret : one;
	}
	tally_word_list_free(&names);
	return ret;
}

static int run_all(const struct buildid_cache *cache)
{
	const struct buildid_config *config = cache->config;
	const struct {
		const char *files;
		int (*run)(const struct buildid_cache *cache, const char *name);
	} actions[] = {
		{config->add, cache_add},
		{config->remove, cache_remove},
		{config->purge, cache_purge},
		{config->update, cache_update},
	};
	size_t nr;
	int ret = config->list ? cache_list(cache) : 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(actions); i++) {
		int one = for_each(cache, actions[i].files, actions[i].run);

		ret = ret ? ret : one;
	}
	if (!ret && config->purge_all)
		ret = remove_named(cache, NULL, &nr);
	if (!ret && config->missing)
		ret = cache_missing(cache, config->missing);
	return ret;
}

static int check_config(const struct buildid_config *config)
{
	bool changes = config->add || config->remove || config->purge || config->update ||
		       config->purge_all || config->missing;

	if (config->list && changes)
		tally_print_error("option '--list' cannot be combined with other actions");
	else if (!config->list && !changes)
		tally_print_error("buildid-cache requires an action");
	else
		return 0;
	tally_print_hint("see 'tally buildid-cache --help'");
	return TALLY_EXIT_USAGE;
}

static int buildid_run(int argc, char **argv)
{
	struct buildid_config config = {0};
	struct buildid_cache cache = {.config = &config};
	struct tally_str dir = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_buildid_cache, &config, argc, argv, 0, &first);
	if (ret)
		return ret - 1;
	ret = check_config(&config);
	if (ret)
		return ret;
	ret = tally_buildid_dir_find(&dir);
	if (ret) {
		tally_print_error("cannot find the cache: HOME is not set");
		tally_print_hint("use 'tally --buildid-dir DIR buildid-cache'");
	} else {
		cache.dir = tally_str_text(&dir);
		ret = run_all(&cache);
	}
	tally_str_free(&dir);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_buildid_cache = {
	.name = "buildid-cache",
	.summary = "List and change perf's cache of programs and libraries",
	.usage = "OPTIONS",
	.about = " The cache is ~/.debug, or the directory in PERF_BUILDID_DIR, in 'tally "
		 "--buildid-dir "
		 "DIR'\n or in the setting buildid.dir. tally reads symbols from it.\n",
	.options = buildid_options,
	.run = buildid_run,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* tally resolve: look up the functions that an unresolved data set lacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/folder.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/replace.h"
#include "cli/main/symbol_options.h"
#include "dataset/dataset_resolve.h"

struct resolve_config {
	struct tally_symbols_options symbols;
	bool no_bounds, is_again, quiet;
};

#define AT(member) offsetof(struct resolve_config, member)

static const struct tally_option resolve_options[] = {
	TALLY_OPTION_SYMFS(AT(symbols)),
	TALLY_OPTION_NO_DEMANGLE(AT(symbols)),
	TALLY_OPTION_NO_BOUNDS(AT(no_bounds)),
	{0, "again", TALLY_OPTION_FLAG, AT(is_again), NULL,
	 "also look up what was not found when the data set was resolved before"},
	{'q', "quiet", TALLY_OPTION_FLAG, AT(quiet), NULL, "print only errors and warnings"},
	TALLY_OPTION_END,
};

struct resolver {
	const char *directory;
	struct tally_symbols *symbols;
	struct tally_dataset_resolve_counts counts;
	uint64_t files;
	const struct resolve_config *config;
	int failed;       /* the first error; the other files are resolved */
	size_t table_len; /* length of the path of the table of recordings */
};

/* ---- a file ---------------------------------------------------------------------- */

static int file_write(void *arg, const void *bytes, size_t len)
{
	return tally_replacement_write(arg, bytes, len);
}

/* Print why a file cannot be read, unless a failed write was printed. */
static int print_error(const char *path, int code, const struct tally_dataset_rewrite *rewrite)
{
	if (code == -ENOMEM)
		tally_print_error("out of memory");
	else if (code == -EINVAL || code == -EOPNOTSUPP || code == -EFBIG)
		tally_print_error("%s: %s", path,
				  rewrite->err.text ? rewrite->err.text : "the file is damaged");
	return code;
}

/* Replace a file by the output of `rewrite()`. */
static int file_replace(struct resolver *resolver, const char *path,
			const struct tally_file_map *map,
			int (*rewrite)(struct resolver *, struct tally_dataset_rewrite *))
{
	struct tally_replacement replacement;
	struct tally_dataset_rewrite what = {
		.bytes = map->data,
		.len = map->len,
		.created_by = "tally version " TALLY_VERSION,
		.write = file_write,
		.arg = &replacement,
	};
	int ret = tally_replacement_open(path, &replacement);

	if (ret)
		return ret;
	tally_replacement_release();
	ret = rewrite(resolver, &what);
	tally_replacement_hold();
	if (ret)
		print_error(path, ret, &what);
	else if ((ret = tally_file_map_check(map)))
		tally_print_error("%s was truncated while it was being read", path);
	ret = ret ? ret : tally_replacement_commit(&replacement, -1);
	tally_replacement_close(&replacement);
	return ret;
}

static int frames_rewrite(struct resolver *resolver, struct tally_dataset_rewrite *rewrite)
{
	struct tally_dataset_resolve_counts counts = {0};
	int ret = tally_dataset_resolve(rewrite, resolver->symbols, &counts);

	resolver->counts.frames += counts.frames;
	resolver->counts.resolved += counts.resolved;
	return ret;
}

static int recordings_rewrite(struct resolver *resolver, struct tally_dataset_rewrite *rewrite)
{
	(void)resolver;
	return tally_dataset_mark_resolved(rewrite);
}

static int map_open(const char *path, struct tally_file_map *map)
{
	int ret = tally_file_map(path, map);

	if (ret)
		tally_print_error("cannot read %s: %s", path, strerror(-ret));
	return ret;
}

/* Check that the directories of a path are no symbolic links, which another host may have shipped
 * to have files elsewhere replaced. */
static int path_check(const struct resolver *resolver, const char *path, const char *table,
		      const char *rest)
{
	char *folder = realpath(resolver->directory, NULL), *real = realpath(path, NULL);
	struct tally_str wanted = {0};
	int ret = 0;

	tally_str_addf(&wanted, "%s/%s%s", folder ? folder : "", table, rest);
	if (!folder || !real)
		ret = -errno;
	else if (tally_str_error(&wanted))
		ret = -ENOMEM;
	else if (strcmp(real, wanted.data))
		ret = -ELOOP;
	if (ret == -ELOOP)
		tally_print_error("%s: not replaced, because it is reached by a symbolic link",
				  path);
	else if (ret)
		tally_print_error("cannot read %s: %s", path, strerror(-ret));
	tally_str_free(&wanted);
	free(folder);
	free(real);
	return ret;
}

/* Forget the symbols of many files, which take 3 KB each and more. */
static int symbols_renew(struct resolver *resolver)
{
	enum { FILES_MANY = 4096 };
	struct tally_symbols *symbols;
	int ret = 0;

	if (resolver->symbols && tally_symbols_nr_dsos(resolver->symbols) < FILES_MANY)
		return 0;
	ret = tally_symbols_new(&resolver->config->symbols, &symbols);
	/* Files are used only if their build IDs match. */
	ret = ret ? ret : tally_symbols_set_origin(symbols, TALLY_SYMBOLS_ELSEWHERE, NULL);
	if (ret) {
		tally_print_error("out of memory");
		return ret;
	}
	tally_symbols_free(resolver->symbols);
	resolver->symbols = symbols;
	return 0;
}

/* Resolve the frames that belong to a file of the table of recordings, at `rest` below the tables,
 * and then mark its recordings. */
static int partition_resolve(struct resolver *resolver, const char *recordings,
			     const struct tally_file_map *map, const char *rest)
{
	struct tally_str frames = {0};
	struct tally_file_map frames_map = {0};
	int ret;

	tally_str_addf(&frames, "%s/frames%s", resolver->directory, rest);
	ret = tally_str_error(&frames);
	ret = ret ? ret : path_check(resolver, frames.data, "frames", rest);
	ret = ret ? ret : path_check(resolver, recordings, "recordings", rest);
	ret = ret ? ret : symbols_renew(resolver);
	ret = ret ? ret : map_open(frames.data, &frames_map);
	if (!ret)
		ret = file_replace(resolver, frames.data, &frames_map, frames_rewrite);
	tally_file_unmap(&frames_map);
	tally_str_free(&frames);
	resolver->files += !ret;
	return ret ? ret : file_replace(resolver, recordings, map, recordings_rewrite);
}

static int recordings_resolve(struct resolver *resolver, const char *path)
{
	struct tally_dataset_rewrite what = {0};
	struct tally_file_map map = {0};
	int ret = map_open(path, &map);

	if (ret)
		return ret;
	what.bytes = map.data;
	what.len = map.len;
	ret = tally_dataset_needs_resolve(&what);
	if (ret < 0)
		print_error(path, ret, &what);
	else if (ret || resolver->config->is_again)
		ret = partition_resolve(resolver, path, &map, path + resolver->table_len);
	tally_file_unmap(&map);
	return ret;
}

/* Resolve a file of the table of recordings, unless it is resolved. A file that cannot be resolved
 * does not keep the others from being resolved. */
static int file_resolve(void *arg, const char *path)
{
	struct resolver *resolver = arg;
	int ret = recordings_resolve(resolver, path);

	resolver->failed = resolver->failed ? resolver->failed : ret;
	return ret == -EINTR || ret == -ENOMEM ? ret : 0;
}

static void folder_failed(void *arg, const char *path, int code)
{
	(void)arg;
	tally_print_error("cannot read %s: %s", path, strerror(-code));
}

/* ---- the data set ---------------------------------------------------------------- */

static void print_done(const struct resolver *resolver)
{
	struct tally_str text = {0};

	tally_str_addf(&text,
		       "[ tally resolve: found the functions of %" PRIu64 " of %" PRIu64
		       " frames in %" PRIu64 " file%s of ",
		       resolver->counts.resolved, resolver->counts.frames, resolver->files,
		       tally_plural(resolver->files));
	tally_str_add_escaped(&text, resolver->directory);
	tally_str_add(&text, " ]\n");
	fputs(tally_str_text(&text), stderr);
	tally_str_free(&text);
}

static int resolve_directory(struct resolve_config *config, const char *directory)
{
	struct resolver resolver = {.directory = directory, .config = config};
	struct tally_str folder = {0};
	int ret;

	config->symbols.bounds = !config->no_bounds;
	tally_str_addf(&folder, "%s/recordings", directory);
	ret = tally_str_error(&folder);
	resolver.table_len = folder.len;
	if (ret)
		tally_print_error("out of memory");
	else
		ret = tally_folder_walk(folder.data, ".parquet", file_resolve, folder_failed,
					&resolver);
	ret = ret ? ret : resolver.failed;
	if (!config->quiet && ret != -EINTR)
		print_done(&resolver);
	tally_symbols_free(resolver.symbols);
	tally_str_free(&folder);
	return ret;
}

static int resolve_run(int argc, char **argv)
{
	struct resolve_config config = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_resolve, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	if (argc - first != 1) {
		tally_print_error("resolve requires the directory of a data set");
		tally_print_hint("data sets are written by 'tally export'");
		return TALLY_EXIT_USAGE;
	}
	return resolve_directory(&config, argv[first]) ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_resolve = {
	.name = "resolve",
	.summary = "Look up the functions of an unresolved data set",
	.usage = "[OPTIONS] DIR",
	.about = " Functions and lines are looked up in files with the recorded build IDs.\n",
	.options = resolve_options,
	.run = resolve_run,
};

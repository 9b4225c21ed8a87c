/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jevents/jevents_build.h"
#include "jevents/emit.h"
#include "jevents/jevents_event.h"
#include "jevents/generate_arch.h"
#include "jevents/mapfile.h"

/* A mapfile read into memory. */
struct arch_map {
	struct tally_source source;
	char *text;
	struct tally_mapfile rows;
};

/* State while an architecture is being read. */
struct arch_reading {
	struct tally_generate_run *run;
	const char *name;
	struct tally_tree tree;
	struct tally_reading base; /* owns the files with the standard events */
	struct tally_standard standard;
	TALLY_VEC(struct arch_map) maps;
	TALLY_VEC(int) models; /* catalog index of each directory in the tree, or -1 */
};

static bool is_classic(const struct tally_generate_run *run)
{
	return run->generate->kind == TALLY_GENERATE_CLASSIC;
}

static struct tally_source source_of(const struct tally_generate_run *run, const char *path)
{
	return (struct tally_source){.path = path, .messages = run->generate->messages};
}

void tally_generate_emit(const struct tally_generate_run *run, enum tally_diagnostic_kind kind,
			 const char *path, const char *what, const char *why)
{
	const struct tally_source source = source_of(run, path);

	tally_source_emit(&source, kind, TALLY_SOURCE_WHOLE, why, "%s", what);
}

/* Make an identifier such as "x86_arm_cortex_a53", or "arm_cortex_a53" in classic form. Returns
 * NULL if the result is not an identifier or when out of memory. */
static const char *identifier_make(struct tally_generate_run *run, const struct arch_reading *arch,
				   const char *dir)
{
	struct tally_str name = {0};
	const char *identifier = NULL;

	if (!is_classic(run))
		tally_str_addf(&name, "%s_", arch->name);
	tally_str_add(&name, dir);
	if (!tally_str_error(&name))
		identifier = tally_identifier_of(tally_str_text(&name), &run->arena);
	tally_str_free(&name);
	return identifier;
}

/* Return a unique name for a directory's table, or NULL (reported). */
static const char *table_name(struct arch_reading *arch, const struct tally_tree_dir *dir)
{
	struct tally_generate_run *run = arch->run;
	const char *identifier = identifier_make(run, arch, dir->name);

	if (!identifier)
		tally_generate_emit(run, TALLY_DIAGNOSTIC_ERROR, dir->path,
				    "not a valid table name",
				    "only letters, digits, _ - and / are allowed");
	tally_vec_for_each (other, &run->catalog.models) {
		if (!identifier || strcmp(other->identifier, identifier))
			continue;
		tally_generate_emit(run, TALLY_DIAGNOSTIC_ERROR, dir->path,
				    "another table has this name",
				    "- and / are converted to _, and .json is removed");
		return NULL;
	}
	return identifier;
}

/* Store a model. A single model is written immediately; the models of a whole tree are linked after
 * all of them are built. */
static void model_keep(struct tally_generate_run *run, struct tally_catalog_model *entry,
		       struct tally_model *model)
{
	if (run->generate->kind == TALLY_GENERATE_ALL) {
		entry->model = model;
		return;
	}
	tally_emit_model(&run->out, model, entry->identifier);
	free(model);
}

/* Build the tables from a reading. If this reveals errors in more files, and files with errors are
 * to be omitted, build the tables again without them. */
static int tables_make(struct arch_reading *arch, struct tally_reading *reading,
		       const struct tally_tree_dir *dir, struct tally_catalog_model *entry)
{
	struct tally_generate_run *run = arch->run;
	struct tally_model *model = NULL;
	int ret;

	if (is_classic(run))
		return tally_emit_classic(&run->out, reading, entry->identifier);
	do {
		ret = tally_model_build(reading, arch->name, dir->name, dir->system,
					run->generate->strict, &model);
	} while (ret == -EINVAL && reading->leave_out && tally_reading_drop(reading));
	if (!ret)
		model_keep(run, entry, model);
	return ret;
}

/* Report the remaining errors in a directory that is not compiled because of errors already found.
 * Returns 0 or -ENOMEM. */
static int tables_check(struct arch_reading *arch, struct tally_reading *reading)
{
	struct tally_raw_event raw;
	int ret = 0;

	if (is_classic(arch->run))
		ret = tally_emit_classic(&arch->run->out, reading, "");
	for (size_t i = 0; i < reading->entries.len && ret != -ENOMEM && !is_classic(arch->run);
	     i++)
		ret = tally_raw_event_build(&reading->entries.data[i], &reading->arena, &raw);
	return ret == -ENOMEM ? ret : 0;
}

/* Read a directory and append its tables to the output, or store them in `entry`. Returns 0 or an
 * error (reported). */
static int dir_compile(struct arch_reading *arch, const struct tally_tree_dir *dir,
		       struct tally_catalog_model *entry)
{
	struct tally_generate_run *run = arch->run;
	struct tally_reading reading = {.messages = run->generate->messages,
					.standard = &arch->standard,
					.leave_out = run->generate->keep_going};
	const struct tally_source source = source_of(run, dir->path);
	size_t begin = run->out.len, wrong;
	int ret = tally_reading_dir(&reading, &arch->tree, dir);

	if (!ret || (ret != -ENOMEM && reading.leave_out))
		ret = tables_make(arch, &reading, dir, entry);
	else if (ret != -ENOMEM && tables_check(arch, &reading))
		ret = -ENOMEM;
	wrong = tally_reading_wrong(&reading);
	run->left.files += wrong;
	if (!wrong && ret && ret != -ENOMEM)
		run->left.dirs++;
	/* A single model is written even if it is empty, because the map refers to it. */
	if (!ret && wrong == dir->nr && run->generate->kind != TALLY_GENERATE_MODEL)
		ret = -EINVAL;
	if (ret) {
		run->out.len = begin;
		free(entry->model);
	} else {
		tally_reading_drop(&reading);
		tally_source_emit(&source, TALLY_DIAGNOSTIC_NOTE, TALLY_SOURCE_WHOLE,
				  entry->identifier, "rows of the table: %zu", reading.entries.len);
	}
	tally_reading_free(&reading);
	return ret;
}

/* Add a directory to the catalog, with its tables if they are needed. `*ret_model` is its index in
 * the catalog, or -1 if it is omitted. */
static int dir_enter(struct arch_reading *arch, const struct tally_tree_dir *dir, int *ret_model)
{
	struct tally_generate_run *run = arch->run;
	struct tally_catalog_model entry = {table_name(arch, dir)};
	int ret = 0;

	*ret_model = -1;
	if (!entry.identifier) {
		run->left.dirs++;
		return 0;
	}
	if (run->generate->kind != TALLY_GENERATE_MAP)
		ret = dir_compile(arch, dir, &entry);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	*ret_model = run->catalog.models.len;
	ret = tally_vec_push(&run->catalog.models, entry);
	if (ret)
		free(entry.model);
	return ret;
}

/* Return true if the tables of this directory are needed. Classic trees have only two levels. */
static bool dir_wanted(const struct tally_generate_run *run, const struct tally_tree_dir *dir)
{
	const char *slash = strchr(dir->name, '/');

	if (is_classic(run) && slash && strchr(slash + 1, '/'))
		return false;
	return run->generate->kind != TALLY_GENERATE_MODEL ||
	       !strcmp(run->generate->model, dir->name);
}

static int dirs_enter(struct arch_reading *arch)
{
	int ret = 0;

	tally_vec_for_each (dir, &arch->tree.dirs) {
		int model = -1;

		if (dir_wanted(arch->run, dir))
			ret = dir_enter(arch, dir, &model);
		if (!ret)
			ret = tally_vec_push(&arch->models, model);
		if (ret)
			return ret;
	}
	return 0;
}

static int row_enter(struct arch_reading *arch, const struct tally_source *source,
		     const struct tally_mapfile_row *row)
{
	struct tally_generate_run *run = arch->run;
	const struct tally_tree_dir *dir = tally_tree_find(&arch->tree, row->dir);
	int model = dir ? arch->models.data[dir - arch->tree.dirs.data] : -1;

	if (model < 0) {
		bool left = dir && dir_wanted(run, dir);

		if (!left || run->generate->keep_going)
			tally_source_emit(source, TALLY_DIAGNOSTIC_WARNING, row->offset,
					  left ? "its table was omitted: line ignored"
					       : "no such directory, or no *.json in it: line "
						 "ignored",
					  "no table for \"%s\"", row->dir);
		return 0;
	}
	return tally_vec_push(
		&run->catalog.rows,
		(struct tally_catalog_row){arch->name, row->cpuid, row->version, row->type, model});
}

static int rows_enter(struct arch_reading *arch)
{
	size_t rows = arch->run->catalog.rows.len;
	int ret = 0;

	tally_vec_for_each (map, &arch->maps) {
		for (size_t i = 0; i < map->rows.rows.len && !ret; i++)
			ret = row_enter(arch, &map->source, &map->rows.rows.data[i]);
		if (!ret)
			tally_source_emit(&map->source, TALLY_DIAGNOSTIC_NOTE, TALLY_SOURCE_WHOLE,
					  "pmu_events_map", "rows of the map: %zu",
					  arch->run->catalog.rows.len - rows);
		rows = arch->run->catalog.rows.len;
	}
	return ret;
}

/* Read a map. Each file that its lines refer to becomes a directory of the tree. Returns 0 or
 * -ENOMEM. */
static int map_read(struct arch_reading *arch, const struct tally_tree_map *file)
{
	struct tally_generate_run *run = arch->run;
	struct arch_map map = {source_of(run, file->path)};
	int ret = tally_file_read(file->path, TALLY_JSON_SIZE, &map.text, &map.source.len);

	if (ret && ret != -ENOMEM)
		tally_generate_emit(run, TALLY_DIAGNOSTIC_WARNING, file->path, "cannot read",
				    strerror(-ret));
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	map.source.text = map.text;
	ret = tally_mapfile_read(&map.source, &run->arena, &map.rows);
	run->left.lines += map.rows.wrong;
	if (ret != -ENOMEM)
		ret = tally_mapfile_move(&map.rows, file->dir, &run->arena);
	if (!ret)
		ret = tally_vec_push(&arch->maps, map);
	if (ret) {
		tally_vec_free(&map.rows.rows);
		free(map.text);
		return ret;
	}
	tally_vec_for_each (row, &map.rows.rows) {
		if (!ret)
			ret = tally_tree_claim(&arch->tree, row->dir);
	}
	return ret;
}

/* Read all maps. For a single model, which does not depend on the maps, only claim the requested
 * name. */
static int maps_read(struct arch_reading *arch, const char *path)
{
	const struct tally_generate *generate = arch->run->generate;
	int ret = 0;

	if (generate->kind == TALLY_GENERATE_MODEL)
		return tally_tree_claim(&arch->tree, generate->model);
	if (!arch->tree.maps.len)
		tally_generate_emit(arch->run, TALLY_DIAGNOSTIC_WARNING, path, "no mapfile.csv",
				    "these events will not be available on any CPU");
	tally_vec_for_each (map, &arch->tree.maps) {
		if (!ret)
			ret = map_read(arch, map);
	}
	return ret;
}

static void arch_free(struct arch_reading *arch)
{
	tally_vec_for_each (map, &arch->maps) {
		tally_vec_free(&map->rows.rows);
		free(map->text);
	}
	tally_vec_free(&arch->maps);
	tally_vec_free(&arch->models);
	tally_standard_free(&arch->standard);
	tally_reading_free(&arch->base);
	tally_tree_free(&arch->tree);
}

void tally_generate_path_add(struct tally_str *str, const char *path)
{
	for (; *path; path++) {
		if (strchr(" #\\", *path))
			tally_str_add_char(str, '\\');
		if (*path == '$')
			tally_str_add_char(str, '$');
		tally_str_add_char(str, *path);
	}
}

static void dep_add(struct tally_generate_run *run, const char *path)
{
	tally_str_add(&run->deps, " \\\n ");
	tally_generate_path_add(&run->deps, path);
}

/* Add all files that were read to the dependencies. Directories are included so that new files
 * trigger a rebuild. */
static void deps_collect(struct arch_reading *arch, const char *path)
{
	struct tally_generate_run *run = arch->run;
	const struct tally_tree *tree = &arch->tree;

	dep_add(run, path);
	if (run->generate->kind != TALLY_GENERATE_MODEL)
		tally_vec_for_each (map, &tree->maps)
			dep_add(run, map->path);
	if (run->generate->kind != TALLY_GENERATE_MAP)
		tally_vec_for_each (file, &tree->standard)
			dep_add(run, file->path);
	tally_vec_for_each (dir, &tree->dirs) {
		if (!dir_wanted(run, dir))
			continue;
		if (!dir->file)
			dep_add(run, dir->path);
		for (size_t i = 0; i < dir->nr && run->generate->kind != TALLY_GENERATE_MAP; i++)
			dep_add(run, tree->files.data[dir->first + i].path);
	}
}

/* Read the standard events. Returns 0 even after errors, which are reported and counted, or
 * -ENOMEM. */
static int standard_read(struct arch_reading *arch)
{
	int ret = tally_reading_standard(&arch->base, &arch->tree, &arch->standard);

	arch->run->left.files += tally_reading_wrong(&arch->base);
	return ret == -ENOMEM ? ret : 0;
}

/* Read the list of files. Returns 0 and the tree, 1 if the list cannot be read (reported), or
 * -ENOMEM. */
static int tree_read(struct arch_reading *arch, const char *path)
{
	struct tally_generate_run *run = arch->run;
	int ret = tally_tree_scan(path, run->generate->messages, &arch->tree);

	run->left.dirs += arch->tree.unreadable;
	if (!ret || ret == -ENOMEM)
		return ret;
	if (ret == -ENOENT || ret == -ENOTDIR || ret == -EACCES) {
		tally_generate_emit(run, TALLY_DIAGNOSTIC_WARNING, path, "no such architecture",
				    "its map will be empty");
		return 1;
	}
	tally_generate_emit(run, TALLY_DIAGNOSTIC_ERROR, path, "cannot read", strerror(-ret));
	run->left.dirs++;
	return 1;
}

int tally_generate_arch(struct tally_generate_run *run, const char *name, const char *path)
{
	struct arch_reading arch = {run, name, .base = {.messages = run->generate->messages}};
	int ret = tree_read(&arch, path);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = maps_read(&arch, path);
	if (!ret)
		deps_collect(&arch, path);
	if (!ret && run->generate->kind != TALLY_GENERATE_MAP)
		ret = standard_read(&arch);
	if (!ret)
		ret = dirs_enter(&arch);
	if (!ret && run->generate->kind != TALLY_GENERATE_MODEL)
		ret = rows_enter(&arch);
	arch_free(&arch);
	return ret;
}

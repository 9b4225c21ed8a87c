/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jevents/build.h"
#include "jevents/emit.h"
#include "jevents/generate_arch.h"
#include "jevents/mapfile.h"

/* An architecture while it is read. */
struct arch_reading {
	struct tally_generate_run *run;
	const char *name;
	struct tally_tree tree;
	struct tally_reading base; /* keeps the standard events' files */
	struct tally_standard standard;
	size_t first_model; /* its models in the catalog are from here on, in the order of its dirs
			     */
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

/* "x86_arm_cortex_a53", or classic "arm_cortex_a53"; NULL if it is no identifier (told) or there
 * is no memory. */
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
	if (!identifier)
		tally_generate_emit(run, TALLY_DIAGNOSTIC_ERROR, dir, "no name for a table",
				    "letters, digits, _ - and / make names of C");
	tally_str_free(&name);
	return identifier;
}

/* Enter a model into the catalog, under a name that no other one has. */
static int model_enter(struct tally_generate_run *run, const struct arch_reading *arch,
		       const char *dir)
{
	struct tally_catalog_model model = {identifier_make(run, arch, dir)};

	if (!model.identifier)
		return -EINVAL;
	tally_vec_for_each (other, &run->catalog.models) {
		if (strcmp(other->identifier, model.identifier))
			continue;
		tally_generate_emit(run, TALLY_DIAGNOSTIC_ERROR, dir,
				    "two directories have one table name",
				    "- and / become _ in it");
		return -EINVAL;
	}
	return tally_vec_push(&run->catalog.models, model);
}

/* A model alone is written at once; those of a whole tree are linked when all are there. */
static int model_keep(struct tally_generate_run *run, struct tally_model *model,
		      const char *identifier)
{
	if (run->generate->kind == TALLY_GENERATE_ALL) {
		run->catalog.models.data[run->catalog.models.len - 1].model = model;
		return 0;
	}
	tally_emit_model(&run->out, model, identifier);
	free(model);
	return 0;
}

/* The text of a model's tables, appended. */
static int model_emit(struct arch_reading *arch, const struct tally_tree_dir *dir,
		      const char *identifier)
{
	struct tally_generate_run *run = arch->run;
	struct tally_reading reading = {.messages = run->generate->messages,
					.standard = &arch->standard};
	struct tally_model *model = NULL;
	int ret = tally_reading_dir(&reading, &arch->tree, dir);

	if (!ret && is_classic(run))
		ret = tally_emit_classic(&run->out, &reading, identifier);
	else if (!ret)
		ret = tally_model_build(&reading, arch->name, dir->name, dir->system,
					run->generate->strict, &model);
	if (!ret && model)
		ret = model_keep(run, model, identifier);
	tally_reading_free(&reading);
	return ret;
}

/* Whether the run wants this directory's tables; classic trees have two levels. */
static bool dir_wanted(const struct tally_generate_run *run, const struct tally_tree_dir *dir)
{
	const char *slash = strchr(dir->name, '/');

	if (is_classic(run) && slash && strchr(slash + 1, '/'))
		return false;
	return run->generate->kind != TALLY_GENERATE_MODEL ||
	       !strcmp(run->generate->model, dir->name);
}

static int dirs_emit(struct arch_reading *arch)
{
	struct tally_generate_run *run = arch->run;
	int ret = 0, wrong = 0;

	arch->first_model = run->catalog.models.len;
	tally_vec_for_each (dir, &arch->tree.dirs) {
		if (!dir_wanted(run, dir))
			continue;
		ret = model_enter(run, arch, dir->name);
		if (!ret && run->generate->kind != TALLY_GENERATE_MAP)
			ret = model_emit(
				arch, dir,
				run->catalog.models.data[run->catalog.models.len - 1].identifier);
		if (ret && ret != -EINVAL)
			return ret;
		wrong = ret ? ret : wrong;
	}
	return wrong;
}

/* The catalog's index of a directory of this architecture, or -1. */
static int model_find(const struct arch_reading *arch, const char *dir)
{
	const struct tally_catalog *catalog = &arch->run->catalog;
	int index = arch->first_model;

	tally_vec_for_each (have, &arch->tree.dirs) {
		if (!dir_wanted(arch->run, have))
			continue;
		if (!strcmp(have->name, dir) && (size_t)index < catalog->models.len)
			return index;
		index++;
	}
	return -1;
}

static int row_enter(struct arch_reading *arch, const struct tally_source *source,
		     const struct tally_mapfile_row *row)
{
	int model = model_find(arch, row->dir);

	if (model < 0) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_WARNING, row->offset,
				  "no such directory, or no *.json in it; the line is left out",
				  "no tables for \"%s\"", row->dir);
		return 0;
	}
	return tally_vec_push(
		&arch->run->catalog.rows,
		(struct tally_catalog_row){arch->name, row->cpuid, row->version, row->type, model});
}

static int map_enter(struct arch_reading *arch, const char *path)
{
	struct tally_generate_run *run = arch->run;
	struct tally_source source = source_of(run, path);
	struct tally_mapfile mapfile = {0};
	char *text;
	int ret = tally_file_read(path, TALLY_JSON_SIZE, &text, &source.len);

	if (ret) {
		tally_generate_emit(run, TALLY_DIAGNOSTIC_WARNING, path, "cannot be read",
				    strerror(-ret));
		return 0;
	}
	source.text = text;
	ret = tally_mapfile_read(&source, &run->arena, &mapfile);
	for (size_t i = 0; i < mapfile.rows.len && !ret; i++)
		ret = row_enter(arch, &source, &mapfile.rows.data[i]);
	tally_vec_free(&mapfile.rows);
	free(text);
	return ret;
}

static int maps_enter(struct arch_reading *arch, const char *path)
{
	int ret = 0;

	if (!arch->tree.maps.len)
		tally_generate_emit(arch->run, TALLY_DIAGNOSTIC_WARNING, path, "no mapfile.csv",
				    "no CPU will have these events");
	tally_vec_for_each (map, &arch->tree.maps) {
		if (!ret)
			ret = map_enter(arch, map->path);
	}
	return ret;
}

/* A path as make and ninja read it. */
static void dep_add(struct tally_generate_run *run, const char *path)
{
	tally_str_add(&run->deps, " \\\n ");
	for (; *path; path++) {
		if (strchr(" #\\", *path))
			tally_str_add_char(&run->deps, '\\');
		if (*path == '$')
			tally_str_add_char(&run->deps, '$');
		tally_str_add_char(&run->deps, *path);
	}
}

/* What the run looked at: files, and directories, so that a new file is noticed. */
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
		dep_add(run, dir->path);
		for (size_t i = 0; i < dir->nr && run->generate->kind != TALLY_GENERATE_MAP; i++)
			dep_add(run, tree->files.data[dir->first + i].path);
	}
}

int tally_generate_arch(struct tally_generate_run *run, const char *name, const char *path)
{
	struct arch_reading arch = {run, name, .base = {.messages = run->generate->messages}};
	int ret = tally_tree_scan(path, run->generate->messages, &arch.tree);

	if (ret == -ENOENT || ret == -ENOTDIR || ret == -EACCES) {
		tally_generate_emit(run, TALLY_DIAGNOSTIC_WARNING, path, "no such architecture",
				    "its map is empty and the build goes on");
		return 0;
	}
	if (ret)
		return ret;
	deps_collect(&arch, path);
	if (run->generate->kind != TALLY_GENERATE_MAP)
		ret = tally_reading_standard(&arch.base, &arch.tree, &arch.standard);
	if (!ret)
		ret = dirs_emit(&arch);
	if (!ret && run->generate->kind != TALLY_GENERATE_MODEL)
		ret = maps_enter(&arch, path);
	tally_standard_free(&arch.standard);
	tally_reading_free(&arch.base);
	tally_tree_free(&arch.tree);
	return ret;
}

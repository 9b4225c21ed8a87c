/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/str.h"
#include "jevents/jevents_build.h"
#include "jevents/catalog.h"
#include "jevents/jevents_load.h"
#include "jevents/mapfile.h"

struct loaded {
	struct tally_models models; /* must be first: callers get a pointer to this member */
	struct tally_catalog catalog;
	TALLY_VEC(struct tally_model *) list;
	TALLY_VEC(const char *) sources; /* source directory or file of each model */
	struct tally_arena arena;
	const struct tally_load_filter *filter;
	struct tally_diagnostics *messages;
};

/* State while loading an architecture's directory. */
struct arch_loading {
	struct loaded *loaded;
	const char *name, *path;
	uint32_t first; /* index of the architecture's first model */
	struct tally_tree tree;
	struct tally_reading base;
	struct tally_standard standard;
};

static const struct tally_model *model_at(const struct tally_models *models, uint32_t index)
{
	return ((const struct loaded *)models)->list.data[index];
}

/* Build a model from the entries that were read, and add it to the list. */
static int model_store(struct loaded *loaded, struct tally_reading *reading, const char *arch,
		       const char *name, bool system, const char *source)
{
	struct tally_model *model = NULL;
	int ret = tally_model_build(reading, arch, name, system, false, &model);

	if (ret)
		return ret;
	source = tally_arena_strndup(&loaded->arena, source, strlen(source));
	ret = source ? tally_vec_reserve(&loaded->list, loaded->list.len + 1) : -ENOMEM;
	if (!ret)
		ret = tally_vec_push(&loaded->sources, source);
	if (ret) {
		free(model);
		return ret;
	}
	loaded->list.data[loaded->list.len++] = model;
	return 0;
}

/* Add a map row for a model, unless the model is empty. */
static int row_keep(struct loaded *loaded, const char *arch, const struct tally_mapfile_row *row,
		    uint32_t model)
{
	const struct tally_model *has = loaded->list.data[model];
	struct tally_catalog_row entry = {arch, row->cpuid, row->version, row->type, model};

	if (*row->role) { /* hybrid CPUs have a separate table for each kind of core */
		struct tally_str type = {0};

		tally_str_addf(&type, "%s %s", row->type, row->role);
		entry.type = tally_str_error(&type)
				     ? NULL
				     : tally_arena_strndup(&loaded->arena, type.data, type.len);
		tally_str_free(&type);
	}
	if (!entry.type)
		return -ENOMEM;
	return has->events.nr || has->metrics.nr ? tally_vec_push(&loaded->catalog.rows, entry) : 0;
}

static const struct tally_mapfile_row every_cpu = {".*", "", "", "core", "", 0};

/* Load a single file, or a directory of files, that applies to every CPU. */
static int files_load(struct loaded *loaded, const char *path, const struct tally_tree_file *files,
		      size_t nr)
{
	struct tally_reading reading = {.messages = loaded->messages};
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = tally_reading_file(&reading, &files[i]);
	if (!ret)
		ret = model_store(loaded, &reading, "", tally_topic_of(path, &loaded->arena), false,
				  path);
	if (!ret)
		ret = row_keep(loaded, "", &every_cpu, loaded->list.len - 1);
	tally_reading_free(&reading);
	return ret;
}

static int file_load(struct loaded *loaded, const char *path)
{
	struct tally_tree_file file = {path, tally_topic_of(path, &loaded->arena)};

	return file.topic ? files_load(loaded, path, &file, 1) : -ENOMEM;
}

/* Return the PMU for the kind of core that Intel's map calls `role`. */
static const char *core_pmu(const char *role)
{
	static const char *const rows[][2] = {
		{"Core", "cpu_core"}, {"Atom", "cpu_atom"}, {"LowPower_Atom", "cpu_lowpower"}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i][0], role))
			return rows[i][1];
	return NULL;
}

/* Return the path to a file that Intel's map refers to, or NULL if the file does not exist. */
static const char *named_file(struct arch_loading *arch, const char *name)
{
	struct tally_str path = {0};
	const char *kept = NULL;
	struct stat st;

	tally_str_addf(&path, "%s/%s", arch->path, name + (*name == '/'));
	if (!tally_str_error(&path) && !stat(path.data, &st) && S_ISREG(st.st_mode))
		kept = tally_arena_strndup(&arch->loaded->arena, path.data, path.len);
	tally_str_free(&path);
	return kept;
}

/* Load the item in the third column of a map line: a directory, a file directly in the
 * architecture's directory, or, if the map is Intel's, any file. Returns 1 if the item does not
 * exist. */
static int named_load(struct arch_loading *arch, const struct tally_mapfile_row *row)
{
	struct tally_reading reading = {arch->loaded->messages, &arch->standard,
					core_pmu(row->role)};
	int ret = tally_tree_claim(&arch->tree, row->dir);
	const struct tally_tree_dir *dir = tally_tree_find(&arch->tree, row->dir);
	struct tally_tree_file file = {dir ? NULL : named_file(arch, row->dir), NULL};

	if (ret)
		return ret;
	if (!dir && !file.path)
		return 1;
	if (!dir)
		file.topic = tally_topic_of(file.path, &arch->loaded->arena);
	ret = dir          ? tally_reading_dir(&reading, &arch->tree, dir)
	      : file.topic ? tally_reading_file(&reading, &file)
			   : -ENOMEM;
	if (!ret)
		ret = model_store(arch->loaded, &reading, arch->name, row->dir, dir && dir->system,
				  row->dir);
	tally_reading_free(&reading);
	return ret;
}

static int row_load(struct arch_loading *arch, const struct tally_source *source,
		    const struct tally_mapfile_row *row)
{
	struct loaded *loaded = arch->loaded;
	uint32_t model = arch->first;
	int ret = 0;

	if (loaded->filter && loaded->filter->cpuid &&
	    !tally_cpuid_match(row->cpuid, loaded->filter->cpuid))
		return 0;
	while (model < loaded->list.len && strcmp(loaded->sources.data[model], row->dir))
		model++;
	if (model == loaded->list.len)
		ret = named_load(arch, row);
	if (ret > 0) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_WARNING, row->offset, "line ignored",
				  "no table for \"%s\"", row->dir);
		return 0;
	}
	return ret ? ret : row_keep(loaded, arch->name, row, model);
}

static int map_load(struct arch_loading *arch, const struct tally_tree_map *map)
{
	struct tally_source source = {.path = map->path, .messages = arch->loaded->messages};
	struct tally_mapfile mapfile = {0};
	char *text;
	int ret = tally_file_read_checked(map->path, NULL, TALLY_JSON_SIZE, &text, &source.len);

	if (ret)
		return ret;
	source.text = text;
	ret = tally_mapfile_read(&source, &arch->loaded->arena, &mapfile);
	if (!ret)
		ret = tally_mapfile_move(&mapfile, map->dir, &arch->loaded->arena);
	for (size_t i = 0; i < mapfile.rows.len && !ret; i++)
		ret = row_load(arch, &source, &mapfile.rows.data[i]);
	tally_vec_free(&mapfile.rows);
	free(text);
	return ret;
}

/* Load the models of system PMUs, which do not belong to a CPU. */
static int systems_load(struct arch_loading *arch)
{
	int ret = 0;

	tally_vec_for_each (dir, &arch->tree.dirs) {
		const struct tally_mapfile_row row = {"", "", dir->name, "", "", 0};

		if (dir->system && !ret)
			ret = named_load(arch, &row);
	}
	return ret;
}

static int arch_load(struct arch_loading *arch)
{
	const struct tally_load_filter *filter = arch->loaded->filter;
	int ret = tally_reading_standard(&arch->base, &arch->tree, &arch->standard);

	tally_vec_for_each (map, &arch->tree.maps) {
		if (!ret)
			ret = map_load(arch, map);
	}
	if (ret ||
	    (filter && filter->cpuid && !filter->arch && arch->loaded->list.len == arch->first))
		return ret; /* probably not this CPU's architecture */
	return systems_load(arch);
}

static int dir_load(struct loaded *loaded, const char *path, bool start);

static int name_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int child_load(struct loaded *loaded, const char *path, const char *name)
{
	struct tally_str child = {0};
	struct stat st;
	int ret;

	if (name[0] == '.' ||
	    (loaded->filter && loaded->filter->arch && strcmp(loaded->filter->arch, name)))
		return 0;
	tally_str_addf(&child, "%s/%s", path, name);
	ret = tally_str_error(&child);
	if (!ret && !stat(child.data, &st) && S_ISDIR(st.st_mode))
		ret = dir_load(loaded, child.data, false);
	tally_str_free(&child);
	return ret;
}

/* Load the architectures below a directory. */
static int archs_load(struct loaded *loaded, const char *path)
{
	struct dirent **names;
	int nr = scandir(path, &names, NULL, name_compare), ret = nr < 0 ? -errno : 0;

	for (int i = 0; i < nr; i++) {
		if (!ret)
			ret = child_load(loaded, path, names[i]->d_name);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	return ret;
}

/* Load a directory according to its contents: as an architecture if it contains a map, as a model
 * if it contains only JSON files, otherwise as the root of a tree. */
static int dir_load(struct loaded *loaded, const char *path, bool start)
{
	const char *slash = strrchr(path, '/');
	struct arch_loading arch = {loaded, .path = path, .first = loaded->list.len,
				    .base = {.messages = loaded->messages}};
	int ret = tally_tree_scan(path, loaded->messages, &arch.tree);

	if (!ret && arch.tree.error) {
		ret = arch.tree.error;
		tally_tree_free(&arch.tree);
	}
	if (ret)
		return ret;
	arch.name = tally_arena_strndup(&loaded->arena, slash ? slash + 1 : path,
					strlen(slash ? slash + 1 : path));
	if (!arch.name)
		ret = -ENOMEM;
	else if (arch.tree.maps.len && (!start || !*arch.tree.maps.data->dir))
		ret = arch_load(&arch);
	else if (start && arch.tree.standard.len)
		ret = files_load(loaded, path, arch.tree.standard.data, arch.tree.standard.len);
	else if (start)
		ret = archs_load(loaded, path);
	tally_standard_free(&arch.standard);
	tally_reading_free(&arch.base);
	tally_tree_free(&arch.tree);
	return ret;
}

static int path_load(struct loaded *loaded, const char *path)
{
	struct stat st;
	int ret;

	if (stat(path, &st))
		return -errno;
	ret = S_ISDIR(st.st_mode) ? dir_load(loaded, path, true) : file_load(loaded, path);
	if (!ret && !loaded->list.len)
		ret = -ENOENT;
	return ret ? ret : tally_catalog_pack(&loaded->catalog);
}

int tally_models_load(const char *path, const struct tally_load_filter *filter,
		      struct tally_diagnostics *messages, struct tally_models **ret_models)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));
	int ret;

	if (!loaded)
		return -ENOMEM;
	loaded->filter = filter;
	loaded->messages = messages;
	ret = path_load(loaded, path);
	if (ret) {
		tally_models_free(&loaded->models);
		return ret;
	}
	loaded->models = (struct tally_models){
		loaded->catalog.packed.data,
		loaded->catalog.pool.bytes.data,
		loaded->catalog.packed.len,
		loaded->list.len,
		model_at,
	};
	*ret_models = &loaded->models;
	return 0;
}

void tally_models_free(struct tally_models *models)
{
	struct loaded *loaded = (struct loaded *)models;

	if (!loaded)
		return;
	for (size_t i = 0; i < loaded->list.len; i++)
		free(loaded->list.data[i]);
	tally_vec_free(&loaded->list);
	tally_vec_free(&loaded->sources);
	tally_catalog_free(&loaded->catalog);
	tally_arena_free(&loaded->arena);
	free(loaded);
}

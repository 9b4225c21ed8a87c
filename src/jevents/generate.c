/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "jevents/emit.h"
#include "jevents/generate_arch.h"
#include "jevents/link.h"

static int name_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int name_wanted(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static const char *path_join(struct tally_generate_run *run, const char *name)
{
	struct tally_str path = {0};
	const char *copy = NULL;

	tally_str_addf(&path, "%s/%s", run->generate->start, name);
	if (!tally_str_error(&path))
		copy = tally_arena_strndup(&run->arena, path.data, path.len);
	tally_str_free(&path);
	return copy;
}

static int arch_run(struct tally_generate_run *run, const char *name)
{
	const char *path = path_join(run, name);

	return path ? tally_generate_arch(run, name, path) : -ENOMEM;
}

/* Return true if `name` is in a list such as "x86,arm64", or if the list is "all". */
static bool arch_wanted(const char *list, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(list, "all"))
		return true;
	for (const char *at = list; (at = strstr(at, name)); at++)
		if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

/* Process each selected directory below the start directory. */
static int archs_run(struct tally_generate_run *run)
{
	struct dirent **names;
	int nr = scandir(run->generate->start, &names, name_wanted, name_compare);
	int ret = 0;

	if (nr < 0) {
		tally_generate_emit(run, TALLY_DIAGNOSTIC_WARNING, run->generate->start,
				    "no such directory", "the map will be empty");
		return 0;
	}
	for (int i = 0; i < nr; i++) {
		const char *name = tally_arena_strndup(&run->arena, names[i]->d_name,
						       strlen(names[i]->d_name));
		const char *path = name ? path_join(run, name) : NULL;
		struct stat st;

		free(names[i]);
		if (!path)
			ret = -ENOMEM;
		else if (!ret && arch_wanted(run->generate->arch, name) && !stat(path, &st) &&
			 S_ISDIR(st.st_mode))
			ret = tally_generate_arch(run, name, path);
	}
	free(names);
	return ret;
}

/* Write to a path that is not a regular file, such as a symbolic link, /dev/stdout or a pipe. */
static int write_in_place(const char *path, const struct tally_str *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), ret;

	if (fd < 0)
		return -errno;
	ret = tally_file_write_all(fd, text->data, text->len);
	return close(fd) && !ret ? -errno : ret;
}

/* Replace the file atomically, so that a build never sees a partial file. */
static int regular_write(const char *path, const struct tally_str *text)
{
	struct tally_str temporary = {0};
	int fd, ret;

	tally_str_addf(&temporary, "%s.tmp%ld", path, (long)getpid());
	ret = tally_str_error(&temporary) ? -ENOMEM : tally_str_error(text);
	if (ret)
		goto out;
	fd = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		ret = -errno;
		goto out;
	}
	ret = tally_file_write_all(fd, text->data, text->len);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(temporary.data, path))
		ret = -errno;
	if (ret)
		unlink(temporary.data);
out:
	tally_str_free(&temporary);
	return ret;
}

static int file_write(const char *path, const struct tally_str *text)
{
	struct stat st;

	if (tally_str_error(text))
		return -ENOMEM;
	if (lstat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return regular_write(path, text);
	return write_in_place(path, text);
}

static int models_emit(struct tally_generate_run *run)
{
	struct tally_pool pool = {0};
	int ret = tally_models_link(&run->catalog, &pool);

	if (!ret && run->catalog.models.len)
		tally_emit_models(&run->out, &run->catalog, &pool.bytes);
	tally_pool_free(&pool);
	return ret;
}

static int map_emit(struct tally_generate_run *run)
{
	enum tally_generate_kind kind = run->generate->kind;
	int ret;

	if (kind == TALLY_GENERATE_MODEL)
		return 0;
	if (kind == TALLY_GENERATE_CLASSIC) {
		tally_emit_classic_map(&run->out, &run->catalog);
		return 0;
	}
	ret = kind == TALLY_GENERATE_ALL ? models_emit(run) : 0;
	if (!ret)
		ret = tally_catalog_pack(&run->catalog);
	if (!ret)
		tally_emit_map(&run->out, &run->catalog, kind == TALLY_GENERATE_MAP);
	return ret;
}

static int depfile_write(struct tally_generate_run *run)
{
	struct tally_str text = {0};
	int ret;

	if (!run->generate->depfile)
		return 0;
	tally_generate_path_add(&text, run->generate->output);
	tally_str_addf(&text, ":%s\n", tally_str_text(&run->deps));
	ret = tally_str_error(&run->deps);
	if (!ret)
		ret = file_write(run->generate->depfile, &text);
	if (ret)
		tally_generate_emit(run, TALLY_DIAGNOSTIC_ERROR, run->generate->depfile,
				    "cannot write the depfile", strerror(-ret));
	tally_str_free(&text);
	return ret ? -EINVAL : 0;
}

static bool is_wrong(const struct tally_generate_run *run)
{
	return run->left.files || run->left.dirs || run->left.lines;
}

/* Check whether the output may be written. Returns -EINVAL if there were errors and keep_going is
 * not set, or if the single model requested does not exist. */
static int run_check(const struct tally_generate_run *run)
{
	const struct tally_generate *generate = run->generate;
	bool missing = generate->kind == TALLY_GENERATE_MODEL && !run->catalog.models.len;

	if (missing && !is_wrong(run))
		tally_generate_emit(
			run, TALLY_DIAGNOSTIC_ERROR, generate->model, "no such model",
			"the architecture has no directory with this name that contains *.json");
	return missing || (is_wrong(run) && !generate->keep_going) ? -EINVAL : 0;
}

static void head_emit(struct tally_generate_run *run)
{
	tally_emit_head(&run->out, run->generate->kind == TALLY_GENERATE_CLASSIC
					   ? "pmu-events.h"
					   : "jevents/models.h");
}

int tally_generate(const struct tally_generate *generate, struct tally_generate_errors *ret_left)
{
	struct tally_generate_run run = {.generate = generate};
	int ret;

	head_emit(&run);
	ret = strcmp(generate->arch, "all") && !strchr(generate->arch, ',')
		      ? arch_run(&run, generate->arch)
		      : archs_run(&run);
	*ret_left = run.left;
	if (!ret)
		ret = run_check(&run);
	if (!ret)
		ret = map_emit(&run);
	if (!ret)
		ret = file_write(generate->output, &run.out);
	if (!ret)
		ret = depfile_write(&run);
	tally_str_free(&run.out);
	tally_str_free(&run.deps);
	tally_catalog_free(&run.catalog);
	tally_arena_free(&run.arena);
	return ret;
}

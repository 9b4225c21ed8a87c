/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/cache/index_format.h"
#include "symbols/candidates.h"
#include "symbols/dso_path.h"
#include "symbols/origin.h"

static bool running_is_same(const struct tally_dso *dso, const struct tally_source_facts *facts)
{
	char boot[40] = {0};
	uint64_t sum;

	return !facts->kernel && !tally_boot_read(boot) &&
	       !memcmp(boot, facts->boot, sizeof(boot)) &&
	       !tally_kallsyms_head_read(dso->owner->options.kallsyms_fd, &sum) &&
	       sum == facts->kallsyms;
}

/* The sections of an index, with their bounds checked. */
struct recorded_sources {
	const struct tally_source_facts *facts;
	const struct tally_source_file *files;
	const char *word;
	size_t nr_files;
};

static int recorded_sources_open(struct tally_index *index, struct recorded_sources *past)
{
	size_t facts_len, files_len, word_len;

	past->facts = tally_index_section(index, TALLY_INDEX_FACTS, &facts_len);
	past->files = tally_index_section(index, TALLY_INDEX_PLACES, &files_len);
	past->word = tally_index_section(index, TALLY_INDEX_TEXT, &word_len);
	past->nr_files = files_len / sizeof(*past->files);
	if (facts_len < sizeof(*past->facts) || !past->word || past->word[word_len - 1] ||
	    past->facts->source > TALLY_DSO_SOURCE_MODULE ||
	    past->facts->place < TALLY_SOURCE_RUNNING ||
	    past->facts->place >= (int64_t)past->nr_files)
		return -ESTALE;
	/* A missing file cannot have been the source of symbols. */
	if (past->facts->place >= 0 && past->files[past->facts->place].error)
		return -ESTALE;
	return 0;
}

/* Append the path at which the object's own file would be searched for. */
static int own_place(const struct tally_dso *dso, const struct recorded_sources *past,
		     struct tally_str *path)
{
	int pid = atomic_load(&dso->mapping.process);

	tally_dso_add_path(dso, path, dso->name);
	if (pid > 0 && !past->facts->is_own) {
		struct tally_str other = {0};
		int ret;

		/* An index is never made from a file in a process's root. */
		tally_str_addf(&other, "/proc/%d/root%s", pid, dso->name);
		ret = tally_str_error(&other);
		if (!ret && !access(tally_str_text(&other), F_OK))
			ret = -ESTALE;
		tally_str_free(&other);
		if (ret)
			return ret;
	}
	return tally_str_error(path);
}

/* List the current candidate paths. For a user-space object, its own name is the first
 * candidate. */
static int places_list(const struct tally_dso *dso, const struct tally_build_id *object,
		       const struct recorded_sources *past, struct tally_places *places)
{
	struct tally_str path = {0};
	struct tally_place own;
	int ret;

	if (dso->kind == TALLY_DSO_KERNEL)
		return tally_places_kernel(dso, places);
	ret = tally_places_user(dso, *past->word ? past->word : NULL, object, places);
	if (!ret)
		ret = own_place(dso, past, &path);
	if (!ret)
		ret = tally_vec_reserve(&places->list, places->list.len + 1);
	own.path = ret ? NULL : strdup(tally_str_text(&path));
	tally_str_free(&path);
	if (!ret && !own.path)
		ret = -ENOMEM;
	if (ret) {
		tally_places_free(places);
		return ret;
	}
	memmove(places->list.data + 1, places->list.data,
		places->list.len++ * sizeof(*places->list.data));
	places->list.data[0] = own;
	return 0;
}

static bool files_are_same(const struct recorded_sources *past, const struct tally_places *places)
{
	if (past->facts->nr_places != places->list.len || past->nr_files > places->list.len)
		return false;
	for (size_t i = 0; i < past->nr_files; i++) {
		struct tally_source_file now = tally_source_file_stat(places->list.data[i].path);

		if (memcmp(&now, &past->files[i], sizeof(now)))
			return false;
	}
	return true;
}

static bool kernel_is_same(const struct tally_dso *dso, const struct recorded_sources *past)
{
	const struct tally_source_facts *facts = past->facts;

	return facts->kernel == tally_kernel_is_here(dso->owner) &&
	       facts->has_address == dso->has_address && facts->address == dso->address &&
	       !strcmp(past->word, dso->reference ? dso->reference : "") &&
	       (facts->place != TALLY_SOURCE_RUNNING || running_is_same(dso, facts));
}

int tally_sources_check(const struct tally_dso *dso, const struct tally_build_id *object,
			struct tally_index *index, enum tally_dso_source *ret_source,
			char **ret_path)
{
	struct tally_places places = {0};
	struct recorded_sources past;
	const char *path;
	int ret = recorded_sources_open(index, &past);

	if (!ret && (past.facts->kind != dso->kind ||
		     (past.facts->place < 0 && dso->kind != TALLY_DSO_KERNEL)))
		ret = -ESTALE;
	if (!ret)
		ret = places_list(dso, object, &past, &places);
	if (ret)
		return ret;
	if (!files_are_same(&past, &places) ||
	    (dso->kind == TALLY_DSO_KERNEL && !kernel_is_same(dso, &past)))
		ret = -ESTALE;
	if (!ret) {
		path = past.facts->place < 0 ? "/proc/kallsyms"
					     : places.list.data[past.facts->place].path;
		*ret_source = past.facts->source;
		*ret_path = strdup(path);
		ret = *ret_path ? 0 : -ENOMEM;
	}
	tally_places_free(&places);
	return ret;
}

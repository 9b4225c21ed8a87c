/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jevents/reading.h"

/* Add a source that counts its errors. Returns NULL when out of memory. */
static struct tally_source *source_add(struct tally_reading *reading, const char *path)
{
	struct tally_source *source = tally_arena_alloc(&reading->arena, sizeof(*source));
	size_t *errors = tally_arena_alloc(&reading->arena, sizeof(*errors));

	if (!source || !errors || tally_vec_push(&reading->sources, source))
		return NULL;
	*errors = 0;
	*source = (struct tally_source){path, .messages = reading->messages, .errors = errors};
	return source;
}

static int source_parse(struct tally_reading *reading, struct tally_source *source,
			const char *text, size_t len, const struct tally_json_value **ret_root)
{
	source->text = text;
	source->len = len;
	return tally_json_read(source, &reading->arena, ret_root);
}

int tally_reading_parse(struct tally_reading *reading, const char *path, const char *text,
			size_t len, const struct tally_source **ret_source,
			const struct tally_json_value **ret_root)
{
	struct tally_source *source = source_add(reading, path);
	int ret = source ? source_parse(reading, source, text, len, ret_root) : -ENOMEM;

	if (!ret)
		*ret_source = source;
	return ret;
}

/* Parse a file into a JSON tree that lives as long as the reading. Returns 0, or an error from
 * tally_file_read_checked() or tally_json_read(), which is reported. */
static int file_parse(struct tally_reading *reading, const char *path,
		      const struct tally_source **ret_source,
		      const struct tally_json_value **ret_root)
{
	struct tally_source *source = source_add(reading, path);
	char *text;
	size_t len;
	int ret = source ? tally_file_read_checked(path, NULL, TALLY_JSON_SIZE, &text, &len)
			 : -ENOMEM;

	if (ret && ret != -ENOMEM)
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, TALLY_SOURCE_WHOLE,
				  strerror(-ret), "cannot read");
	if (ret)
		return ret;
	ret = tally_vec_push(&reading->texts, text);
	if (ret) {
		free(text);
		return ret;
	}
	*ret_source = source;
	return source_parse(reading, source, text, len, ret_root);
}

/* Add the metric groups from metricgroups.json, an object that maps names to descriptions. */
static int groups_add(struct tally_reading *reading, const struct tally_source *source,
		      const struct tally_json_value *root)
{
	size_t had = reading->groups.len;
	int ret = 0;

	for (const struct tally_json_value *member = root->first; member; member = member->next) {
		if (member->kind != TALLY_JSON_STRING) {
			tally_source_emit(
				source, TALLY_DIAGNOSTIC_ERROR, member->offset,
				"expected an object that maps metric groups to descriptions",
				"not a string");
			ret = -EINVAL;
		} else if (tally_vec_push(&reading->groups,
					  (struct tally_raw_group){member->key, member->text})) {
			return -ENOMEM;
		}
	}
	if (ret)
		reading->groups.len = had;
	return ret;
}

static int entries_add(struct tally_reading *reading, const struct tally_source *source,
		       const char *topic, const struct tally_json_value *list)
{
	struct tally_entry entry;
	int ret = 0, wrong = 0;

	for (const struct tally_json_value *object = list->first; object && ret != -ENOMEM;
	     object = object->next) {
		ret = tally_entry_read(source, topic, object, reading->standard, &entry);
		if (!ret)
			ret = tally_vec_push(&reading->entries, entry);
		wrong = ret ? ret : wrong;
	}
	return wrong;
}

int tally_reading_add(struct tally_reading *reading, const struct tally_source *source,
		      const char *topic, const struct tally_json_value *root)
{
	const struct tally_json_value *list = tally_entry_list(root);
	size_t had = reading->entries.len + reading->groups.len;
	int ret = -EINVAL;

	if (list)
		ret = entries_add(reading, source, topic, list);
	else if (root->kind == TALLY_JSON_OBJECT && !strcmp(topic, "metricgroups"))
		ret = groups_add(reading, source, root);
	else
		tally_source_emit(
			source, TALLY_DIAGNOSTIC_ERROR, root->offset,
			"expected a list of objects, or an object with a list \"Events\" or "
			"\"Metrics\"",
			"no list of events");
	if (!ret)
		tally_source_emit(source, TALLY_DIAGNOSTIC_DETAIL, TALLY_SOURCE_WHOLE, topic,
				  "entries read: %zu",
				  reading->entries.len + reading->groups.len - had);
	return ret;
}

int tally_reading_file(struct tally_reading *reading, const struct tally_tree_file *file)
{
	const struct tally_source *source;
	const struct tally_json_value *root;
	int ret = file_parse(reading, file->path, &source, &root);

	return ret ? ret : tally_reading_add(reading, source, file->topic, root);
}

int tally_reading_dir(struct tally_reading *reading, const struct tally_tree *tree,
		      const struct tally_tree_dir *dir)
{
	int wrong = 0;

	for (size_t i = 0; i < dir->nr; i++) {
		int ret = tally_reading_file(reading, &tree->files.data[dir->first + i]);

		if (ret == -ENOMEM)
			return ret;
		wrong = wrong ? wrong : ret;
	}
	return wrong;
}

int tally_reading_standard(struct tally_reading *reading, const struct tally_tree *tree,
			   struct tally_standard *standard)
{
	const struct tally_source *source;
	const struct tally_json_value *root;
	int ret = 0, wrong = 0;

	for (size_t i = 0; i < tree->standard.len && ret != -ENOMEM; i++) {
		ret = file_parse(reading, tree->standard.data[i].path, &source, &root);
		if (!ret)
			ret = tally_standard_add(standard, source, root);
		wrong = wrong && ret != -ENOMEM ? wrong : ret;
	}
	tally_standard_sort(standard);
	return wrong;
}

size_t tally_reading_wrong(const struct tally_reading *reading)
{
	size_t nr = 0;

	tally_vec_for_each (source, &reading->sources)
		nr += tally_source_is_wrong(*source);
	return nr;
}

bool tally_reading_drop(struct tally_reading *reading)
{
	size_t had = reading->entries.len, kept = 0;

	tally_vec_for_each (entry, &reading->entries) {
		if (!tally_source_is_wrong(entry->source))
			reading->entries.data[kept++] = *entry;
	}
	reading->entries.len = kept;
	return kept < had;
}

void tally_reading_free(struct tally_reading *reading)
{
	tally_vec_for_each (text, &reading->texts)
		free(*text);
	tally_vec_free(&reading->texts);
	tally_vec_free(&reading->sources);
	tally_vec_free(&reading->entries);
	tally_vec_free(&reading->groups);
	tally_arena_free(&reading->arena);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jevents/reading.h"

int tally_reading_parse(struct tally_reading *reading, const char *path, const char *text,
			size_t len, const struct tally_source **ret_source,
			const struct tally_json_value **ret_root)
{
	struct tally_source *source = tally_arena_alloc(&reading->arena, sizeof(*source));
	int ret;

	if (!source)
		return -ENOMEM;
	*source = (struct tally_source){path, text, len, reading->messages};
	ret = tally_json_read(source, &reading->arena, ret_root);
	if (!ret)
		*ret_source = source;
	return ret;
}

/* Read a file to a JSON tree that lives as long as the reading. 0, or an error of
 * tally_file_read() or tally_json_read(); both told. */
static int file_parse(struct tally_reading *reading, const char *path,
		      const struct tally_source **ret_source,
		      const struct tally_json_value **ret_root)
{
	char *text;
	size_t len;
	int ret = tally_file_read_named(path, NULL, TALLY_JSON_SIZE, &text, &len);

	if (ret) {
		tally_source_emit(
			&(struct tally_source){.path = path, .messages = reading->messages},
			TALLY_DIAGNOSTIC_ERROR, TALLY_SOURCE_WHOLE, strerror(-ret),
			"cannot be read");
		return ret;
	}
	ret = tally_vec_push(&reading->texts, text);
	if (ret) {
		free(text);
		return ret;
	}
	return tally_reading_parse(reading, path, text, len, ret_source, ret_root);
}

/* metricgroups.json: an object of names and texts. */
static int groups_add(struct tally_reading *reading, const struct tally_source *source,
		      const struct tally_json_value *root)
{
	for (const struct tally_json_value *member = root->first; member; member = member->next) {
		if (member->kind != TALLY_JSON_STRING) {
			tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, member->offset,
					  "metric groups are names and texts", "not a string");
			return -EINVAL;
		}
		if (tally_vec_push(&reading->groups,
				   (struct tally_raw_group){member->key, member->text}))
			return -ENOMEM;
	}
	return 0;
}

int tally_reading_add(struct tally_reading *reading, const struct tally_source *source,
		      const char *topic, const struct tally_json_value *root)
{
	const struct tally_json_value *list = tally_entry_list(root);
	struct tally_entry entry;
	int ret = 0, wrong = 0;

	if (!list && root->kind == TALLY_JSON_OBJECT && !strcmp(topic, "metricgroups"))
		return groups_add(reading, source, root);
	if (!list) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, root->offset,
				  "a file is a list of objects, or has one as \"Events\" or "
				  "\"Metrics\"",
				  "no list of events");
		return -EINVAL;
	}
	for (const struct tally_json_value *object = list->first; object && !ret;
	     object = object->next) {
		ret = tally_entry_read(source, topic, object, reading->standard, &entry);
		if (!ret)
			ret = tally_vec_push(&reading->entries, entry);
		if (ret == -EINVAL) {
			wrong = ret;
			ret = 0;
		}
	}
	return ret ? ret : wrong;
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
	int ret = 0, wrong = 0;

	for (size_t i = 0; i < dir->nr && (!ret || ret == -EINVAL); i++) {
		ret = tally_reading_file(reading, &tree->files.data[dir->first + i]);
		wrong = wrong ? wrong : ret;
	}
	return wrong;
}

int tally_reading_standard(struct tally_reading *reading, const struct tally_tree *tree,
			   struct tally_standard *standard)
{
	const struct tally_source *source;
	const struct tally_json_value *root;
	int ret = 0;

	for (size_t i = 0; i < tree->standard.len && !ret; i++) {
		ret = file_parse(reading, tree->standard.data[i].path, &source, &root);
		if (!ret)
			ret = tally_standard_add(standard, source, root);
	}
	tally_standard_sort(standard);
	return ret;
}

void tally_reading_free(struct tally_reading *reading)
{
	tally_vec_for_each (text, &reading->texts)
		free(*text);
	tally_vec_free(&reading->texts);
	tally_vec_free(&reading->entries);
	tally_vec_free(&reading->groups);
	tally_arena_free(&reading->arena);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "base/scan.h"
#include "jevents/jevents_entry.h"

enum { STANDARD_HOPS = 8 }; /* longest chain of standard events */

static const char *const key_names[] = {
#define TALLY_ENTRY_KEY(name) #name,
	TALLY_ENTRY_KEYS(TALLY_ENTRY_KEY)
#undef TALLY_ENTRY_KEY
};

static int key_compare(const void *key, const void *name)
{
	return strcasecmp(key, *(const char *const *)name);
}

int tally_entry_key_find(const char *key)
{
	const char *const *found =
		bsearch(key, key_names, TALLY_KEY_NR, sizeof(*key_names), key_compare);

	return found ? found - key_names : -1;
}

/* Look up the members of an object. Values that are already set are kept. */
static int keys_read(struct tally_entry *entry, const struct tally_source *source,
		     const struct tally_json_value *object)
{
	const struct tally_json_value *values[TALLY_KEY_NR] = {0};

	for (const struct tally_json_value *member = object->first; member; member = member->next) {
		int key = tally_entry_key_find(member->key);

		if (key < 0)
			continue;
		if (values[key])
			tally_source_emit(source, TALLY_DIAGNOSTIC_WARNING, member->offset,
					  "the first one is used", "duplicate key \"%s\"",
					  member->key);
		else if (member->kind == TALLY_JSON_STRING)
			values[key] = member;
		else if (member->kind != TALLY_JSON_NULL) {
			tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, member->offset,
					  "all values, even numbers, must be strings",
					  "\"%s\" is not a string", member->key);
			return -EINVAL;
		}
	}
	for (int key = 0; key < TALLY_KEY_NR; key++)
		if (!entry->values[key])
			entry->values[key] = values[key];
	return 0;
}

static int standard_compare_name(const void *name, const void *entry)
{
	return strcasecmp(name, tally_entry_text(entry, TALLY_KEY_EventName));
}

static const struct tally_entry *standard_find(const struct tally_standard *standard,
					       const char *name)
{
	if (!standard->entries.len)
		return NULL;
	return bsearch(name, standard->entries.data, standard->entries.len,
		       sizeof(*standard->entries.data), standard_compare_name);
}

/* Fill in missing values from the standard event that `entry` refers to, and from the standard
 * events that this event refers to in turn. */
static int standard_fill(struct tally_entry *entry, const struct tally_standard *standard)
{
	const struct tally_json_value *named = entry->values[TALLY_KEY_ArchStdEvent];

	for (int hops = 0; named; hops++) {
		const struct tally_entry *event = standard_find(standard, named->text);

		if (!event || hops == STANDARD_HOPS) {
			size_t offset = tally_entry_offset(entry, TALLY_KEY_ArchStdEvent);

			tally_source_emit(entry->source, TALLY_DIAGNOSTIC_ERROR, offset,
					  event ? "standard events refer to each other in a cycle"
						: "not found in any readable file directly in the "
						  "architecture's directory",
					  "standard event \"%s\" cannot be found", named->text);
			return -EINVAL;
		}
		for (int key = 0; key < TALLY_KEY_NR; key++)
			if (!entry->values[key])
				entry->values[key] = event->values[key];
		named = event->values[TALLY_KEY_ArchStdEvent];
	}
	return 0;
}

int tally_entry_read(const struct tally_source *source, const char *topic,
		     const struct tally_json_value *object, const struct tally_standard *standard,
		     struct tally_entry *ret_entry)
{
	struct tally_entry entry = {source, topic, object};
	int ret;

	if (object->kind != TALLY_JSON_OBJECT) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, object->offset,
				  "expected a list of objects", "not an object");
		return -EINVAL;
	}
	ret = keys_read(&entry, source, object);
	if (!ret && standard)
		ret = standard_fill(&entry, standard);
	if (!ret)
		*ret_entry = entry;
	return ret;
}

const struct tally_json_value *tally_entry_list(const struct tally_json_value *root)
{
	if (root->kind == TALLY_JSON_ARRAY)
		return root;
	if (root->kind != TALLY_JSON_OBJECT)
		return NULL;
	for (const struct tally_json_value *member = root->first; member; member = member->next)
		if (member->kind == TALLY_JSON_ARRAY &&
		    (!strcmp(member->key, "Events") || !strcmp(member->key, "Metrics")))
			return member;
	return NULL;
}

int tally_standard_add(struct tally_standard *standard, const struct tally_source *source,
		       const struct tally_json_value *root)
{
	const struct tally_json_value *list = tally_entry_list(root);
	size_t entries = standard->entries.len;
	struct tally_entry entry;
	int ret = 0, wrong = 0;

	for (root = list ? list->first : NULL; root && ret != -ENOMEM; root = root->next) {
		ret = tally_entry_read(source, "", root, NULL, &entry);
		if (!ret)
			ret = tally_vec_push(&standard->entries, entry);
		wrong = ret ? ret : wrong;
	}
	if (wrong)
		standard->entries.len = entries;
	return wrong;
}

static int standard_compare(const void *a, const void *b)
{
	return standard_compare_name(tally_entry_text(a, TALLY_KEY_EventName), b);
}

void tally_standard_sort(struct tally_standard *standard)
{
	if (standard->entries.len)
		qsort(standard->entries.data, standard->entries.len,
		      sizeof(*standard->entries.data), standard_compare);
}

void tally_standard_free(struct tally_standard *standard)
{
	tally_vec_free(&standard->entries);
}

const char *tally_entry_text(const struct tally_entry *entry, enum tally_entry_key key)
{
	return entry->values[key] ? entry->values[key]->text : "";
}

const char *tally_value_of(const char *text)
{
	static const char *const nothing[] = {"", "0", "null", "na", "None"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(nothing); i++)
		if (!strcasecmp(text, nothing[i]))
			return NULL;
	return text;
}

const char *tally_entry_value(const struct tally_entry *entry, enum tally_entry_key key)
{
	return tally_value_of(tally_entry_text(entry, key));
}

size_t tally_entry_offset(const struct tally_entry *entry, enum tally_entry_key key)
{
	for (const struct tally_json_value *member = entry->self->first; member;
	     member = member->next)
		if (member == entry->values[key])
			return member->offset;
	return entry->self->offset;
}

/* Parse the number at the start of `text`, and set `*ret_end` to its end. Returns 0, -EINVAL if
 * there is no number, or -ERANGE if it exceeds 64 bits. Signs and octal numbers are not
 * supported. */
static int number_read(const char *text, uint64_t *ret_value, const char **ret_end)
{
	struct tally_scan scan = tally_scan_of(text, strlen(text));
	int ret = tally_scan_prefixed(&scan, ret_value);

	*ret_end = scan.at;
	return ret;
}

int tally_entry_number(const struct tally_entry *entry, enum tally_entry_key key,
		       uint64_t *ret_value)
{
	const char *text = tally_entry_value(entry, key), *end;
	uint64_t value;
	int ret;

	*ret_value = 0;
	if (!text)
		return 0;
	text += strspn(text, " \t");
	ret = number_read(text, &value, &end);
	end += ret ? 0 : strspn(end, " \t");
	if (ret || (*end && *end != ',')) {
		tally_source_emit(entry->source, TALLY_DIAGNOSTIC_ERROR,
				  tally_entry_offset(entry, key),
				  ret == -ERANGE ? "it does not fit in 64 bits"
						 : "expected a number such as 0x12 or 34",
				  "%s \"%s\" is not a number", key_names[key], text);
		return -EINVAL;
	}
	*ret_value = value;
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/region_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/scan.h"
#include "jevents/json_read.h"
#include "tally/region.h"

enum { TABLES_MAX = 64 };

typedef const struct tally_json_value json;

/* ---- members -------------------------------------------------------------------------------- */

static json *member(json *object, const char *key, enum tally_json_kind kind)
{
	json *value = object->kind == TALLY_JSON_OBJECT ? object->first : NULL;

	while (value && (value->kind != kind || strcmp(value->key, key)))
		value = value->next;
	return value;
}

static const char *text_of(json *object, const char *key)
{
	json *value = member(object, key, TALLY_JSON_STRING);

	return value ? value->text : NULL;
}

/* Get a whole number. A missing one is 0. Returns false if it is no number from 0 to UINT64_MAX. */
static bool number_of(json *object, const char *key, uint64_t *ret_value)
{
	json *value = member(object, key, TALLY_JSON_NUMBER);
	char *end;

	*ret_value = 0;
	if (!value)
		return true;
	if (*value->text < '0' || *value->text > '9')
		return false;
	errno = 0;
	*ret_value = strtoull(value->text, &end, 10);
	return !*end && !errno;
}

/* ---- events --------------------------------------------------------------------------------- */

static int intern(struct region_tables *tables, const char *text, uint32_t *ret_id)
{
	return tally_intern(&tables->names, text ? text : "", text ? strlen(text) : 0, ret_id);
}

static int event_read(struct region_tables *tables, json *value, struct region_column *event)
{
	const char *name = text_of(value, "name"), *unit = text_of(value, "unit");
	int ret;

	if (!name)
		return -EINVAL;
	event->is_time = unit && !strcmp(unit, "ns");
	ret = intern(tables, name, &event->name);
	return ret ? ret : intern(tables, text_of(value, "rule"), &event->refused);
}

/* Events that are refused to one process and not to another are not the same. */
static bool same_events(const struct region_table *a, const struct region_table *b)
{
	if (a->events.len != b->events.len)
		return false;
	for (size_t i = 0; i < a->events.len; i++)
		if (a->events.data[i].name != b->events.data[i].name ||
		    a->events.data[i].refused != b->events.data[i].refused)
			return false;
	return true;
}

static void table_free(struct region_table *table)
{
	tally_vec_free(&table->events);
	tally_vec_free(&table->rows);
	tally_vec_free(&table->counts);
	tally_map_free(&table->places);
}

static int events_read(struct region_tables *tables, json *document, struct region_table *made)
{
	json *events = member(document, "events", TALLY_JSON_ARRAY);
	int ret = events ? 0 : -EINVAL;

	for (json *value = events ? events->first : NULL; value && !ret; value = value->next) {
		struct region_column event;

		if (made->events.len == TALLY_REGIONS_EVENTS_MAX)
			return -E2BIG;
		ret = event_read(tables, value, &event);
		if (!ret)
			ret = tally_vec_push(&made->events, event);
	}
	return ret;
}

/* ---- regions -------------------------------------------------------------------------------- */

static void row_link(struct region_table *table, uint32_t row)
{
	struct region_row *rows = table->rows.data;
	uint32_t parent = rows[row].parent;
	uint32_t *first = parent == REGION_NO_ROW ? &table->first : &rows[parent].child;
	uint32_t *last = parent == REGION_NO_ROW ? &table->last : &rows[parent].last_child;

	if (*last == REGION_NO_ROW)
		*first = row;
	else
		rows[*last].next = row;
	*last = row;
}

static int row_add(struct region_table *table, uint32_t parent, uint32_t name)
{
	const struct region_row row = {
		.name = name,
		.parent = parent,
		.depth = parent == REGION_NO_ROW ? 0 : table->rows.data[parent].depth + 1,
		.child = REGION_NO_ROW,
		.last_child = REGION_NO_ROW,
		.next = REGION_NO_ROW,
	};
	const struct tally_count none = {.quality = TALLY_QUALITY_NEVER_RAN};
	int ret = 0;

	if (row.depth >= TALLY_REGIONS_DEPTH)
		return -E2BIG;
	for (size_t i = 0; i < table->events.len && !ret; i++)
		ret = tally_vec_push(&table->counts, none);
	if (!ret)
		ret = tally_vec_push(&table->rows, row);
	if (!ret)
		row_link(table, (uint32_t)table->rows.len - 1);
	return ret;
}

static int row_find(struct region_table *table, uint32_t parent, uint32_t name, uint32_t *ret_row)
{
	uint64_t key = (uint64_t)(uint32_t)(parent + 1) << 32 | name;
	uint64_t found = tally_map_get(&table->places, key);
	int ret = 0;

	if (found == TALLY_MAP_NONE) {
		found = table->rows.len;
		ret = row_add(table, parent, name);
		if (!ret)
			ret = tally_map_set(&table->places, key, found);
	}
	if (!ret)
		*ret_row = (uint32_t)found;
	return ret;
}

static bool quality_read(const char *name, enum tally_quality *ret_quality)
{
	for (int i = 0; name && i <= TALLY_QUALITY_ESTIMATED; i++) {
		*ret_quality = (enum tally_quality)i;
		if (!strcmp(name, tally_quality_name(*ret_quality)))
			return true;
	}
	return false;
}

static bool count_read(json *value, struct tally_count *ret_count)
{
	return number_of(value, "value", &ret_count->value) &&
	       number_of(value, "enabled", &ret_count->enabled) &&
	       number_of(value, "running", &ret_count->running) &&
	       quality_read(text_of(value, "quality"), &ret_count->quality);
}

/* Add the counts of a region to its row. */
static int counts_add(struct region_table *table, uint32_t row, json *region)
{
	json *counts = member(region, "counts", TALLY_JSON_ARRAY);
	json *value = counts ? counts->first : NULL;

	for (size_t i = 0; i < table->events.len; i++, value = value->next) {
		struct tally_count *sum = &table->counts.data[row * table->events.len + i];
		struct tally_count count = {0};

		if (!value || !count_read(value, &count))
			return -EINVAL;
		*sum = tally_count_add(*sum, count);
	}
	return 0;
}

/* Return the row of a region's parent, which precedes the region in its document. `rows` are the
 * rows of the `nr` regions before. */
static int parent_read(json *region, const uint32_t *rows, size_t nr, uint32_t *ret_parent)
{
	json *value = member(region, "parent", TALLY_JSON_NUMBER);
	uint64_t index;

	*ret_parent = REGION_NO_ROW;
	if (value && !strcmp(value->text, "-1"))
		return 0;
	if (!value || !number_of(region, "parent", &index) || index >= nr)
		return -EINVAL;
	*ret_parent = rows[index];
	return 0;
}

static int region_add(struct region_tables *tables, struct region_table *table, json *region,
		      uint32_t *rows, size_t nr)
{
	const char *name = text_of(region, "name");
	uint32_t parent, id;
	uint64_t calls, time;
	int ret;

	if (!name || !number_of(region, "calls", &calls) || !number_of(region, "time", &time))
		return -EINVAL;
	ret = parent_read(region, rows, nr, &parent);
	if (!ret)
		ret = intern(tables, name, &id);
	if (!ret)
		ret = row_find(table, parent, id, &rows[nr]);
	if (ret)
		return ret;
	table->rows.data[rows[nr]].calls += calls;
	table->rows.data[rows[nr]].time += time;
	return counts_add(table, rows[nr], region);
}

static int regions_read(struct region_tables *tables, json *document, struct region_table *made)
{
	json *regions = member(document, "regions", TALLY_JSON_ARRAY);
	uint32_t *rows;
	size_t nr = 0;
	int ret = 0;

	if (!regions)
		return -EINVAL;
	for (json *value = regions->first; value; value = value->next)
		nr++;
	if (nr > TALLY_REGIONS_MAX)
		return -E2BIG;
	rows = calloc(nr + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	nr = 0;
	for (json *value = regions->first; value && !ret; value = value->next)
		ret = region_add(tables, made, value, rows, nr++);
	free(rows);
	return ret;
}

/* ---- documents ------------------------------------------------------------------------------ */

static void row_merge(struct region_table *to, uint32_t row, const struct region_table *from,
		      size_t other)
{
	size_t nr = to->events.len;

	to->rows.data[row].calls += from->rows.data[other].calls;
	to->rows.data[row].time += from->rows.data[other].time;
	for (size_t i = 0; i < nr; i++) {
		struct tally_count *sum = &to->counts.data[row * nr + i];

		*sum = tally_count_add(*sum, from->counts.data[other * nr + i]);
	}
}

/* Add a table with the same events. Returns 0 or -ENOMEM. */
static int table_merge(struct region_table *to, const struct region_table *from)
{
	uint32_t *rows = calloc(from->rows.len + 1, sizeof(*rows));
	int ret = rows ? 0 : -ENOMEM;

	/* Parents precede their children. */
	for (size_t i = 0; !ret && i < from->rows.len; i++) {
		const struct region_row *row = &from->rows.data[i];

		ret = row_find(to, row->parent == REGION_NO_ROW ? row->parent : rows[row->parent],
			       row->name, &rows[i]);
		if (!ret)
			row_merge(to, rows[i], from, i);
	}
	free(rows);
	return ret;
}

/* Add a document's table, and take it over if no other has the same events. */
static int table_add(struct region_tables *tables, struct region_table *made)
{
	int ret;

	tally_vec_for_each (table, &tables->tables) {
		if (!same_events(table, made))
			continue;
		ret = table_merge(table, made);
		table_free(made);
		return ret;
	}
	ret = tables->tables.len < TABLES_MAX ? tally_vec_push(&tables->tables, *made) : -E2BIG;
	if (ret)
		table_free(made);
	return ret;
}

static int document_add(struct region_tables *tables, json *document)
{
	struct region_table made = {.first = REGION_NO_ROW, .last = REGION_NO_ROW};
	const char *kind = text_of(document, "document");
	uint64_t version, unmeasured;
	int ret;

	if (!kind || strcmp(kind, "tally regions") || !number_of(document, "version", &version) ||
	    version != 1 || !number_of(document, "unmeasured", &unmeasured))
		return -EINVAL;
	ret = events_read(tables, document, &made);
	if (!ret)
		ret = regions_read(tables, document, &made);
	if (ret) {
		table_free(&made);
		return ret;
	}
	ret = table_add(tables, &made);
	tables->unmeasured += ret ? 0 : unmeasured;
	tables->documents += !ret;
	return ret;
}

int region_tables_add(struct region_tables *tables, const char *text, size_t len)
{
	const struct tally_source source = {.text = text, .len = len};
	struct tally_arena arena = {0};
	json *root;
	int ret = tally_json_read(&source, &arena, &root);

	if (!ret && root->kind != TALLY_JSON_ARRAY)
		ret = document_add(tables, root);
	else if (!ret)
		for (json *one = root->first; one && !ret; one = one->next)
			ret = document_add(tables, one);
	tally_arena_free(&arena);
	return ret;
}

void region_tables_free(struct region_tables *tables)
{
	tally_vec_for_each (table, &tables->tables)
		table_free(table);
	tally_vec_free(&tables->tables);
	tally_intern_free(&tables->names);
	*tables = (struct region_tables){0};
}

uint32_t region_table_next(const struct region_table *table, uint32_t row)
{
	const struct region_row *rows = table->rows.data;

	if (rows[row].child != REGION_NO_ROW)
		return rows[row].child;
	while (rows[row].next == REGION_NO_ROW && rows[row].parent != REGION_NO_ROW)
		row = rows[row].parent;
	return rows[row].next;
}

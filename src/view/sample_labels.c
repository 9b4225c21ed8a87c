/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/sample_labels.h"

#include <errno.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/endian.h"
#include "view/sample_cells.h"

/* Ends a cell. A cell's own bytes of this value are escaped. */
#define CELL_END '\x1f'

void tally_labels_start(struct tally_labels *labels, struct tally_session *session,
			struct tally_machine *machine,
			const struct tally_view_column *const *columns, int nr)
{
	labels->session = session;
	labels->machine = machine;
	labels->time_quantum_ns = 100000000;
	for (int i = 0; i < nr; i++)
		if (tally_view_column_is_of_sample(columns[i]) && !columns[i]->part)
			labels->columns[labels->nr_columns++] = columns[i];
	labels->nr_keys = labels->nr_columns;
	for (int i = 0; i < nr; i++)
		if (columns[i]->part)
			labels->columns[labels->nr_columns++] = columns[i];
	for (int i = 0; i < labels->nr_columns; i++)
		labels->counts_running |= labels->columns[i]->cell == tally_cell_parallelism;
}

void tally_labels_free(struct tally_labels *labels)
{
	tally_intern_free(&labels->strings);
	tally_intern_free(&labels->cgroups);
	tally_intern_free(&labels->cgroup_ids);
	tally_map_free(&labels->namespace_of);
	tally_vec_free(&labels->namespaces);
	tally_vec_free(&labels->cgroup_paths);
	tally_vec_free(&labels->row_labels);
	tally_running_free(&labels->running);
	tally_tracing_free(labels->tracing);
	tally_data_types_free(labels->data_types);
	tally_str_free(&labels->cells);
	*labels = (struct tally_labels){0};
}

/* Append a cell so that it does not contain CELL_END. */
static void add_cell(struct tally_labels *labels, const struct tally_view_column *column,
		     const struct tally_feed_sample *sample)
{
	struct tally_str *out = &labels->cells, raw = {0};
	size_t start = out->len;

	if (column->field)
		tally_cell_field(labels, column->field, sample, out);
	else
		column->cell(labels, sample, out);
	if (out->failed || !memchr(tally_str_text(out) + start, CELL_END, out->len - start))
		return;
	tally_str_add_bytes(&raw, out->data + start, out->len - start);
	out->len = start;
	for (size_t i = 0; i < raw.len; i++) {
		if (raw.data[i] == CELL_END)
			tally_str_add(out, "\\x1f");
		else
			tally_str_add_char(out, raw.data[i]);
	}
	out->failed |= raw.failed;
	tally_str_free(&raw);
}

/* Store the label by which the rows of a new label are distinguished: its first `len` bytes. A
 * label that is only that of rows is its own. */
static int set_row_label(struct tally_labels *labels, size_t len)
{
	uint32_t row;
	int ret = tally_intern(&labels->strings, tally_str_text(&labels->cells), len, &row);

	while (!ret && labels->row_labels.len < labels->strings.strings.len)
		ret = tally_vec_push(&labels->row_labels, row);
	return ret;
}

uint32_t tally_labels_row(const struct tally_labels *labels, uint32_t label)
{
	return label < labels->row_labels.len ? labels->row_labels.data[label] : label;
}

int tally_labels_set(struct tally_labels *labels, struct tally_feed_sample *sample, size_t *ret_new)
{
	size_t nr = labels->strings.strings.len, keys = 0;
	int ret;

	*ret_new = 0;
	if (!labels->nr_columns)
		return 0;
	tally_str_clear(&labels->cells);
	for (int i = 0; i < labels->nr_columns; i++) {
		if (i == labels->nr_keys)
			keys = labels->cells.len;
		if (i)
			tally_str_add_char(&labels->cells, CELL_END);
		add_cell(labels, labels->columns[i], sample);
	}
	if (tally_str_error(&labels->cells))
		return -ENOMEM;
	ret = tally_intern(&labels->strings, tally_str_text(&labels->cells), labels->cells.len,
			   &sample->label);
	if (ret || labels->strings.strings.len == nr)
		return ret;
	*ret_new = labels->cells.len;
	return labels->nr_keys < labels->nr_columns ? set_row_label(labels, keys) : 0;
}

const char *tally_labels_cell(const struct tally_labels *labels,
			      const struct tally_view_column *column, uint32_t label,
			      size_t *ret_len)
{
	const char *cell = tally_intern_text(&labels->strings, label), *end;
	int i = 0;

	for (; i < labels->nr_columns && labels->columns[i] != column; i++) {
		end = strchr(cell, CELL_END);
		cell = end ? end + 1 : "";
	}
	if (i == labels->nr_columns)
		return NULL;
	*ret_len = (size_t)(strchrnul(cell, CELL_END) - cell);
	return cell;
}

void tally_labels_add_cell(const struct tally_labels *labels,
			   const struct tally_view_column *column, uint32_t label,
			   struct tally_str *out)
{
	size_t len;
	const char *cell = tally_labels_cell(labels, column, label, &len);

	if (cell)
		tally_str_add_bytes(out, cell, len);
}

const struct tally_perfdata_env *tally_labels_env(struct tally_labels *labels)
{
	if (!labels->env && labels->session)
		(void)tally_perfdata_env(labels->session->data, &labels->env);
	return labels->env;
}

/* ---- labels in use ------------------------------------------------------- */

/* Copy the marked strings to `kept`, and replace their marks. */
static int keep_strings(const struct tally_intern *strings, uint32_t *marks,
			struct tally_intern *kept)
{
	int ret = 0;

	for (size_t i = 0; i < strings->strings.len && !ret; i++) {
		const struct tally_interned *label = &strings->strings.data[i];
		uint32_t number;

		if (!marks[i])
			continue;
		ret = tally_intern(kept, label->text, label->len, &number);
		marks[i] = number + 1;
	}
	return ret;
}

int tally_labels_sweep(struct tally_labels *labels, uint32_t *marks)
{
	struct tally_intern before = labels->strings;
	size_t left = 0;
	int ret;

	for (size_t i = 0; i < labels->row_labels.len; i++)
		if (marks[i]) /* a row's label is its own, so one pass is enough */
			marks[labels->row_labels.data[i]] = 1;
	labels->strings = (struct tally_intern){0};
	ret = keep_strings(&before, marks, &labels->strings);
	if (ret) {
		tally_intern_free(&labels->strings);
		labels->strings = before;
		return ret;
	}
	/* Labels keep their order, so they only move towards the start. */
	for (size_t i = 0; i < labels->row_labels.len; i++)
		if (marks[i])
			labels->row_labels.data[left++] = marks[labels->row_labels.data[i]] - 1;
	labels->row_labels.len = left;
	tally_intern_free(&before);
	return 0;
}

/* ---- cgroups -------------------------------------------------------------- */

/* Get the place of the path of a cgroup: UINT32_MAX if no record named it. */
static int cgroup_path(struct tally_labels *labels, uint64_t id, uint32_t **ret_path)
{
	uint32_t number;
	int ret = tally_intern(&labels->cgroup_ids, (const char *)&id, sizeof(id), &number);

	while (!ret && labels->cgroup_paths.len <= number)
		ret = tally_vec_push(&labels->cgroup_paths, UINT32_MAX);
	if (!ret)
		*ret_path = &labels->cgroup_paths.data[number];
	return ret;
}

int tally_labels_other(struct tally_labels *labels, const struct tally_perfdata_record *record)
{
	int ret = 0;

	/* Before the start, it is not known which columns there are. */
	if (labels->counts_running || !labels->machine)
		ret = tally_running_record(&labels->running,
					   record->event ? record->event->layout : NULL,
					   record->data, record->size);
	return ret ? ret : tally_labels_learn(labels, record->data, record->size);
}

static int learn_cgroup(struct tally_labels *labels, const void *record, size_t size)
{
	enum { PATH = sizeof(struct perf_event_header) + 8 };
	const char *bytes = record;
	uint32_t *path;
	int ret;

	if (size <= PATH)
		return 0;
	ret = cgroup_path(labels, tally_get_u64(bytes + PATH - 8), &path);
	return ret ? ret
		   : tally_intern(&labels->cgroups, bytes + PATH,
				  strnlen(bytes + PATH, size - PATH), path);
}

/* Note the cgroup namespace of a thread: the entry with this number in the record. */
static int learn_namespaces(struct tally_labels *labels, const void *record, size_t size)
{
	enum {
		CGROUP = 6,
		TID = 12,
		NR = 16,
		ENTRIES = 24,
		ENTRY = 16,
		AT = ENTRIES + CGROUP * ENTRY
	};
	const uint8_t *bytes = record;
	struct tally_cgroup_namespace one;
	uint32_t tid;
	uint64_t at;

	if (size < AT + ENTRY || tally_get_u64(bytes + NR) <= CGROUP)
		return 0;
	one = (struct tally_cgroup_namespace){tally_get_u64(bytes + AT),
					      tally_get_u64(bytes + AT + 8)};
	tid = tally_get_u32(bytes + TID);
	at = tally_map_get(&labels->namespace_of, tid);
	if (at != TALLY_MAP_NONE) {
		labels->namespaces.data[at] = one;
		return 0;
	}
	at = labels->namespaces.len;
	if (tally_vec_push(&labels->namespaces, one))
		return -ENOMEM;
	return tally_map_set(&labels->namespace_of, tid, at);
}

int tally_labels_learn(struct tally_labels *labels, const void *record, size_t size)
{
	switch (tally_record_header(record).type) {
	case PERF_RECORD_CGROUP: return learn_cgroup(labels, record, size);
	case PERF_RECORD_NAMESPACES: return learn_namespaces(labels, record, size);
	default: return 0;
	}
}

const struct tally_cgroup_namespace *tally_labels_namespace(const struct tally_labels *labels,
							    uint32_t tid)
{
	static const struct tally_cgroup_namespace unknown;
	uint64_t at = tally_map_get(&labels->namespace_of, tid);

	if (!labels->namespaces.len)
		return NULL;
	return at == TALLY_MAP_NONE ? &unknown : &labels->namespaces.data[at];
}

const char *tally_labels_cgroup(struct tally_labels *labels, uint64_t id)
{
	uint32_t *path;

	if (cgroup_path(labels, id, &path) || *path == UINT32_MAX)
		return NULL;
	return tally_intern_text(&labels->cgroups, *path);
}

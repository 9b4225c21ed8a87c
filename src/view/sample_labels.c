/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/sample_labels.h"

#include <errno.h>
#include <string.h>

#include "base/endian.h"

/* Ends a cell. A cell's own bytes of this value are escaped. */
#define CELL_END '\x1f'

void tally_labels_start(struct tally_labels *labels, struct tally_session *session,
			const struct tally_view_column *const *columns, int nr)
{
	labels->session = session;
	labels->time_quantum_ns = 100000000;
	for (int i = 0; i < nr; i++)
		if (columns[i]->cell)
			labels->columns[labels->nr_columns++] = columns[i];
}

void tally_labels_free(struct tally_labels *labels)
{
	tally_intern_free(&labels->strings);
	tally_intern_free(&labels->cgroups);
	tally_intern_free(&labels->cgroup_ids);
	tally_vec_free(&labels->cgroup_paths);
	tally_tracing_free(labels->tracing);
	tally_str_free(&labels->cells);
	*labels = (struct tally_labels){0};
}

/* Append a cell so that it does not contain CELL_END. */
static void add_cell(struct tally_labels *labels, const struct tally_view_column *column,
		     const struct tally_feed_sample *sample)
{
	struct tally_str *out = &labels->cells, raw = {0};
	size_t start = out->len;

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

int tally_labels_set(struct tally_labels *labels, struct tally_feed_sample *sample, size_t *ret_new)
{
	size_t nr = labels->strings.strings.len;
	int ret;

	*ret_new = 0;
	if (!labels->nr_columns)
		return 0;
	tally_str_clear(&labels->cells);
	for (int i = 0; i < labels->nr_columns; i++) {
		if (i)
			tally_str_add_char(&labels->cells, CELL_END);
		add_cell(labels, labels->columns[i], sample);
	}
	if (tally_str_error(&labels->cells))
		return -ENOMEM;
	ret = tally_intern(&labels->strings, tally_str_text(&labels->cells), labels->cells.len,
			   &sample->label);
	if (!ret && labels->strings.strings.len > nr)
		*ret_new = labels->cells.len;
	return ret;
}

void tally_labels_add_cell(const struct tally_labels *labels,
			   const struct tally_view_column *column, uint32_t label,
			   struct tally_str *out)
{
	const char *cell = tally_intern_text(&labels->strings, label), *end;
	int i = 0;

	for (; i < labels->nr_columns && labels->columns[i] != column; i++) {
		end = strchr(cell, CELL_END);
		cell = end ? end + 1 : "";
	}
	if (i == labels->nr_columns)
		return;
	end = strchr(cell, CELL_END);
	tally_str_add_bytes(out, cell, end ? (size_t)(end - cell) : strlen(cell));
}

const struct tally_perfdata_env *tally_labels_env(struct tally_labels *labels)
{
	if (!labels->env)
		(void)tally_perfdata_env(labels->session->data, &labels->env);
	return labels->env;
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
	enum { PATH = sizeof(struct perf_event_header) + 8 };
	const char *bytes = (const char *)record->data;
	uint32_t *path;
	int ret;

	if (record->type != PERF_RECORD_CGROUP || record->size <= PATH)
		return 0;
	ret = cgroup_path(labels, tally_get_u64(bytes + PATH - 8), &path);
	return ret ? ret
		   : tally_intern(&labels->cgroups, bytes + PATH,
				  strnlen(bytes + PATH, record->size - PATH), path);
}

const char *tally_labels_cgroup(struct tally_labels *labels, uint64_t id)
{
	uint32_t *path;

	if (cgroup_path(labels, id, &path) || *path == UINT32_MAX)
		return NULL;
	return tally_intern_text(&labels->cgroups, *path);
}

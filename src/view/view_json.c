/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows as JSON, with the column names as keys. */
#include "base/json.h"

#include "view/view.h"

/* Add a member that marks an inlined function. */
static void inlined_json(const struct tally_view *view, uint32_t frame, struct tally_str *out)
{
	if (tally_view_frame_is_inlined(view, frame))
		tally_json_bool(out, "inlined", true);
}

static void node_json(const struct tally_view *view, const struct tally_graph_node *node,
		      struct tally_str *out)
{
	const struct tally_graph_node *nodes = view->hist->graph.data;
	struct tally_str name = {0};

	tally_view_frame_name(view, node->frame, &name);
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "symbol", tally_str_text(&name));
	inlined_json(view, node->frame, out);
	if (view->graph_key != TALLY_GRAPH_FUNCTION) {
		tally_str_clear(&name);
		tally_view_frame_line(view, node->frame, &name);
		tally_json_text(out, "line", tally_str_text(&name));
	}
	tally_json_u64(out, "period", node->period);
	tally_json_u64(out, "samples", node->nr);
	if (node->first_child) {
		tally_json_open(out, "children", '[');
		for (uint32_t i = node->first_child; i; i = nodes[i].next_sibling)
			node_json(view, &nodes[i], out);
		tally_json_close(out, ']');
	}
	tally_json_close(out, '}');
	out->failed |= name.failed;
	tally_str_free(&name);
}

static void cell_json(const struct tally_view *view, const struct tally_view_column *column,
		      const struct tally_row *row, struct tally_str *out)
{
	struct tally_str text = {0};
	const char *start;

	column->text(view, column, row, &text);
	for (start = tally_str_text(&text); *start == ' '; start++)
		;
	tally_json_text(out, column->name, start);
	if (column->key & TALLY_KEY_SYMBOL)
		inlined_json(view, row->frame, out);
	out->failed |= text.failed;
	tally_str_free(&text);
}

/* Add the fields of tracepoints as an array, because their names come from the recording. */
static void fields_json(const struct tally_view *view, const struct tally_row *row,
			struct tally_str *out)
{
	bool is_open = false;

	for (int i = 0; i < view->nr_columns; i++) {
		const struct tally_view_field *field = view->columns[i]->field;
		struct tally_str text = {0};

		if (!field)
			continue;
		if (!is_open)
			tally_json_open(out, "trace_fields", '[');
		is_open = true;
		view->columns[i]->text(view, view->columns[i], row, &text);
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "name", field->name);
		tally_json_text(out, "value", tally_str_text(&text));
		tally_json_close(out, '}');
		out->failed |= text.failed;
		tally_str_free(&text);
	}
	if (is_open)
		tally_json_close(out, ']');
}

void tally_view_row_json(const struct tally_view *view, const struct tally_row *row,
			 struct tally_str *out)
{
	const struct tally_graph_node *nodes = view->hist->graph.data;

	tally_json_open(out, NULL, '{');
	for (int i = 0; i < view->nr_columns; i++) {
		const struct tally_view_column *column = view->columns[i];

		if (column->key && !column->field)
			cell_json(view, column, row, out);
		if (column->part)
			tally_json_u64(out, column->name, tally_view_sum(view, column, row));
	}
	fields_json(view, row, out);
	tally_json_u64(out, "self_period", row->self);
	tally_json_u64(out, "self_samples", row->self_nr);
	tally_json_u64(out, "total_period", row->total);
	tally_json_u64(out, "total_samples", row->total_nr);
	if (row->graph) {
		tally_json_open(out, "graph", '[');
		for (uint32_t i = nodes[row->graph].first_child; i; i = nodes[i].next_sibling)
			node_json(view, &nodes[i], out);
		tally_json_close(out, ']');
	}
	tally_json_close(out, '}');
}

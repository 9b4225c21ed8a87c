/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json.h"
#include "view/annotate_view.h"

static void json_cost(const struct tally_annotate_view *view, uint32_t event,
		      const struct tally_annotate_cost *cost, struct tally_str *out)
{
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "event", view->event_names[event]);
	tally_json_u64(out, "samples", cost->nr);
	tally_json_u64(out, "period", cost->weight);
	tally_json_double(out, "percent", tally_annotate_view_percent(view, event, cost, false), 4);
	tally_json_u64(out, "total_samples", cost->total_nr);
	tally_json_u64(out, "total_period", cost->total_weight);
	tally_json_double(out, "total_percent",
			  tally_annotate_view_percent(view, event, cost, true), 4);
	tally_json_close(out, '}');
}

void tally_annotate_json_open(const struct tally_annotate_view *view, struct tally_str *out)
{
	const struct tally_annotation *annotation = view->annotation;
	const struct tally_annotate_function *function = annotation->function;

	tally_json_open(out, NULL, '{');
	tally_json_text(out, "symbol", annotation->name);
	if (annotation->inlined)
		tally_json_text(out, "inlined", annotation->inlined);
	tally_json_text(out, "dso", tally_dso_name(function->dso));
	if (annotation->path)
		tally_json_text(out, "code", annotation->path);
	tally_json_u64(out, "size", tally_symbol_size(function->dso, function->symbol));
	tally_json_u64(out, "missing_bytes", annotation->nr_missing);
	tally_json_u64(out, "samples_outside", annotation->nr_outside);
	tally_json_open(out, "events", '[');
	for (size_t i = 0; i < view->nr_events; i++) {
		struct tally_annotate_cost sum =
			tally_annotation_sum(annotation, view->annotate, view->events[i]);

		json_cost(view, view->events[i], &sum, out);
	}
	tally_json_close(out, ']');
	tally_json_open(out, "instructions", '[');
}

static void json_lines(const struct tally_annotate_view *view,
		       const struct tally_annotation_insn *insn, struct tally_str *out)
{
	struct tally_dso *dso = view->annotation->function->dso;

	if (!insn->nr_lines)
		return;
	tally_json_open(out, "lines", '[');
	for (uint32_t i = 0; i < insn->nr_lines; i++) {
		const struct tally_line *line = &insn->lines[i];
		const struct tally_symbol *inlined = NULL;

		if (tally_line_symbol(dso, line, &inlined))
			out->failed = true;
		tally_json_open(out, NULL, '{');
		if (inlined)
			tally_json_text(out, "inlined", tally_symbol_name(dso, inlined));
		if (line->file)
			tally_json_text(out, "file", line->file);
		tally_json_u64(out, "line", line->line);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

static void json_target(const struct tally_annotate_view *view,
			const struct tally_annotation_insn *insn, struct tally_str *out)
{
	if (!insn->has_target && !insn->has_reference)
		return;
	tally_json_u64(out, insn->has_target ? "target" : "refers_to", insn->target);
	if (insn->target_name) {
		tally_json_text(out, "target_symbol", insn->target_name);
		tally_json_u64(out, "target_offset", insn->target_offset);
	}
	if (insn->target_insn)
		tally_json_bool(out, "is_loop",
				insn->target_insn - 1 <=
					(size_t)(insn - view->annotation->insns.data));
}

static void json_costs(const struct tally_annotate_view *view,
		       const struct tally_annotation_insn *insn, struct tally_str *out)
{
	if (!insn->nr_costs)
		return;
	tally_json_open(out, "events", '[');
	for (size_t i = 0; i < view->nr_events; i++) {
		struct tally_annotate_cost cost =
			tally_annotation_cost(view->annotation, insn, view->events[i]);

		if (cost.nr || cost.total_nr)
			json_cost(view, view->events[i], &cost, out);
	}
	tally_json_close(out, ']');
}

void tally_annotate_json_insn(const struct tally_annotate_view *view, size_t i,
			      struct tally_str *out)
{
	static const char *const kinds[] = {
		[TALLY_INSTRUCTION_OTHER] = "other",     [TALLY_INSTRUCTION_JUMP] = "jump",
		[TALLY_INSTRUCTION_JUMP_IF] = "jump_if", [TALLY_INSTRUCTION_CALL] = "call",
		[TALLY_INSTRUCTION_RETURN] = "return",   [TALLY_INSTRUCTION_UNKNOWN] = "unknown",
	};
	const struct tally_annotation *annotation = view->annotation;
	const struct tally_annotation_insn *insn = &annotation->insns.data[i];

	tally_json_open(out, NULL, '{');
	tally_json_u64(out, "address", insn->linked);
	tally_json_hex(out, "bytes",
		       annotation->bytes.data + (insn->linked - annotation->insns.data[0].linked),
		       insn->len);
	tally_json_text(out, "mnemonic", tally_annotation_text(annotation, insn->mnemonic));
	tally_json_text(out, "operands", tally_annotation_text(annotation, insn->operands));
	tally_json_text(out, "kind", kinds[insn->kind]);
	json_target(view, insn, out);
	json_costs(view, insn, out);
	json_lines(view, insn, out);
	tally_json_close(out, '}');
}

void tally_annotate_json_close(const struct tally_annotate_view *view, struct tally_str *out)
{
	tally_json_close(out, ']');
	tally_json_close(out, '}');
}

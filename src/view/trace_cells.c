/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells about the payload of a tracepoint. */
#include <string.h>

#include "view/sample_cells.h"
#include "view/sample_labels.h"

/* Return the printer of payloads, or NULL if the sample is not of a tracepoint or the recording has
 * no formats. */
static struct tally_tracing *sample_tracing(struct tally_labels *labels,
					    const struct tally_feed_sample *sample)
{
	if (sample->attr->type != PERF_TYPE_TRACEPOINT)
		return NULL;
	if (!labels->tracing)
		(void)tally_tracing_new(labels->session, &labels->tracing);
	return labels->tracing;
}

void tally_cell_trace(struct tally_labels *labels, const struct tally_feed_sample *sample,
		      struct tally_str *out)
{
	struct tally_tracing *tracing = sample_tracing(labels, sample);

	if (sample->attr->type != PERF_TYPE_TRACEPOINT)
		tally_str_add(out, TALLY_CELL_NONE);
	else if (tracing && labels->raw_traces)
		tally_tracing_print_fields(tracing, sample->attr, &sample->sample, out);
	else if (tracing)
		tally_tracing_print(tracing, sample->attr, &sample->sample, out);
}

void tally_cell_field(struct tally_labels *labels, const struct tally_view_field *field,
		      const struct tally_feed_sample *sample, struct tally_str *out)
{
	const struct tally_perfdata_event *event =
		tally_perfdata_event(labels->session->data, sample->event);
	struct tally_tracing *tracing = sample_tracing(labels, sample);

	if (!tracing || (field->event && strcmp(field->event, event->name)) ||
	    !tally_tracing_print_field(tracing, sample->attr, &sample->sample, field->name,
				       labels->raw_traces || field->raw, out))
		tally_str_add(out, TALLY_CELL_NONE);
}

bool tally_labels_event_has(struct tally_labels *labels, const struct tally_view_column *column,
			    uint32_t event)
{
	const struct tally_view_field *field = column->field;
	const struct tally_perfdata_event *found =
		field ? tally_perfdata_event(labels->session->data, event) : NULL;

	return !field ||
	       ((!field->event || !strcmp(field->event, found->name)) && labels->tracing &&
		tally_tracing_has_field(labels->tracing, &found->attr, field->name));
}

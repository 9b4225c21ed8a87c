/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells about the type of the data that a sample's instruction accesses. */
#include <inttypes.h>

#include "profile/annotate/data_types.h"
#include "view/sample_cells.h"
#include "view/sample_labels.h"

/* Find the type. If there is none, append a placeholder and return false. */
static bool find_type(struct tally_labels *labels, const struct tally_feed_sample *sample,
		      struct tally_data_type *ret_type, struct tally_str *out)
{
	const struct tally_location where = *tally_machine_locate(
		labels->machine, sample->thread, sample->cpumode, sample->sample.ip);

	if ((!labels->data_types && tally_data_types_new(&labels->data_types)) ||
	    tally_data_types_find(labels->data_types, where.dso, where.symbol, where.addr,
				  ret_type)) {
		out->failed = true;
		return false;
	}
	if (ret_type->result == TALLY_DATA_FOUND)
		return true;
	tally_str_add(out,
		      ret_type->result == TALLY_DATA_STACK ? "(stack operation)" : "(unknown)");
	return false;
}

void tally_cell_type(struct tally_labels *labels, const struct tally_feed_sample *sample,
		     struct tally_str *out)
{
	struct tally_data_type found;

	if (find_type(labels, sample, &found, out))
		tally_str_add(out, found.type->name);
}

void tally_cell_typeoff(struct tally_labels *labels, const struct tally_feed_sample *sample,
			struct tally_str *out)
{
	struct tally_data_type found;
	size_t start;

	if (!find_type(labels, sample, &found, out))
		return;
	tally_str_addf(out, "%s +%#" PRIx64 " (", found.type->name, found.offset);
	start = out->len;
	tally_type_add_path(found.type, found.offset, out);
	tally_str_add(out, out->len == start ? "no field)" : ")");
}

void tally_cell_typecln(struct tally_labels *labels, const struct tally_feed_sample *sample,
			struct tally_str *out)
{
	struct tally_data_type found;

	if (find_type(labels, sample, &found, out))
		tally_str_addf(out, "%s: cache-line %" PRIu64, found.type->name,
			       found.offset / tally_line_size(tally_labels_env(labels)));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/top/top_rows.h"

unsigned top_profile_by(const struct tally_show *show)
{
	/* Bucketing by comm is cheap, and allows other sort orders and zooms later. */
	unsigned by = TALLY_BY_COMM | TALLY_BY_FRAME | tally_keys_by(show->keys);

	for (int i = 0; i < show->nr_columns; i++)
		by |= tally_view_column_is_of_sample(show->columns[i]) ? TALLY_BY_LABEL : 0;
	by |= show->style != TALLY_STYLE_NONE ? TALLY_BY_PATH : 0;
	return by;
}

int top_rows_build(struct top *top, uint32_t event, size_t most, struct tally_shown_rows *ret_rows)
{
	const struct top_config *config = top->config;
	const struct tally_shown_rows_options options = {
		.profile = &top->profile,
		.show = &config->rows.show,
		.labels = &top->labels.of,
		.event = event,
		.graphs = true,
		.hide_kernel = config->hide_kernel,
		.hide_user = config->hide_user,
		.count_filter = config->count_filter,
		.most = most,
	};

	return tally_shown_rows_make(&options, ret_rows);
}

int top_rows_age(struct top *top)
{
	if (top->is_paused)
		return 0;
	if (!top->config->zero)
		return tally_profile_decay(&top->profile);
	tally_profile_zero(&top->profile);
	return 0;
}

void top_rows_finished(struct top *top)
{
	if (top->seen != top->generation && !top->error)
		top->error = top_rows_age(top);
	top->seen = top->generation;
}

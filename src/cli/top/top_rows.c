/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/top/top_rows.h"

unsigned top_profile_by(const struct tally_show *show)
{
	/* Bucketing by comm is cheap, and allows other sort orders and zooms later. */
	unsigned by = TALLY_BY_COMM | TALLY_BY_FRAME | tally_keys_by(show->keys);

	by |= show->style != TALLY_STYLE_NONE ? TALLY_BY_PATH : 0;
	return by;
}

int top_rows_build(struct top *top, uint32_t event, size_t most, struct tally_shown_rows *ret_rows)
{
	const struct top_config *config = top->config;
	const struct tally_shown_rows_options options = {
		.profile = &top->profile,
		.show = &config->rows.show,
		.event = event,
		.graphs = true,
		.hide_kernel = config->hide_kernel,
		.hide_user = config->hide_user,
		.count_filter = config->count_filter,
		.most = most,
	};

	return tally_shown_rows_make(&options, ret_rows);
}

void top_rows_finished(struct top *top)
{
	if (top->seen != top->generation && top->config->zero && !top->is_paused)
		tally_profile_zero(&top->profile);
	top->seen = top->generation;
}

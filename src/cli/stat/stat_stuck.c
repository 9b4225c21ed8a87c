/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/stat_stuck.h"

#include "cli/main/print.h"
#include "sampler/stuck.h"

/* Return true if the event was on the PMU and counted 0. */
static bool is_zero(const struct stat_session *session, size_t row)
{
	const struct stat_cell *cells = &session->cells[row * session->keys.len];
	bool ran = false;

	for (size_t key = 0; key < session->keys.len; key++) {
		if (cells[key].value)
			return false;
		ran |= cells[key].nr && cells[key].count.running;
	}
	return ran;
}

void stat_stuck_check(struct stat_session *session)
{
	/* Only the kernel's events need this check. tally's own implementation has no events that
	 * never occur. */
	if (tally_via_transport(&session->via))
		return;
	for (size_t i = 0; i < session->rows.len; i++) {
		struct stat_row *row = &session->rows.data[i];

		if (!row->spec->tool && is_zero(session, i))
			row->never_fires = tally_stuck_warn(
				tally_transport_linux(), row->name, &row->spec->attr,
				"the count of 0 is meaningless", &tally_print_messages);
	}
}

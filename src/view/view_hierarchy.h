/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows as a tree with one level for each sort key, as perf report --hierarchy shows them. */
#ifndef TALLY_VIEW_VIEW_HIERARCHY_H
#define TALLY_VIEW_VIEW_HIERARCHY_H

#include "view/view.h"

/* Append the heading (unless `rows_only`) and the tree of all rows of `view`, heaviest first. Nodes
 * below `min_percent` are left out. `*ret_shown` is the number of nodes. Returns 0 or -ENOMEM. */
int tally_view_hierarchy(const struct tally_view *view, double min_percent, bool rows_only,
			 struct tally_str *out, size_t *ret_shown);

#endif

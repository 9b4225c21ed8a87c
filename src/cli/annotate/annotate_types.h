/* SPDX-License-Identifier: BSD-2-Clause */
/* annotate --data-type and --type-stat. */
#ifndef TALLY_CLI_ANNOTATE_ANNOTATE_TYPES_H
#define TALLY_CLI_ANNOTATE_ANNOTATE_TYPES_H

#include "cli/annotate/annotate.h"
#include "session/event_groups.h"

/* Append the types that the samples of each event access. `*ret_nr` is the number of types or
 * statistics. Returns 0 or -errno. */
int annotate_types_show(const struct annotate_config *config, const struct tally_annotate *samples,
			const struct tally_event_groups *groups, struct tally_str *out,
			uint64_t *ret_nr);

/* Print why there is no type to show. */
void annotate_types_explain(const struct annotate_config *config);

#endif

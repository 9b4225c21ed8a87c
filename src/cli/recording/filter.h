/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples of a session are looked at: --cpu, --time, --pid, --tid, --comm. */
#ifndef TALLY_CLI_RECORDING_FILTER_H
#define TALLY_CLI_RECORDING_FILTER_H

#include "cli/recording/session.h"

/* Parse session->options.filter; says what is wrong. 0 or -errno. */
int session_filter_init(struct tally_session *session);

/* Say which options found nothing to judge samples by. 0; -ENODATA when that was so of all samples.
 */
int session_filter_finish(const struct tally_session *session);

bool session_filter_passes(struct tally_session *session,
			   const struct tally_session_sample *sample);

/* Parse a list of numbers and ranges, "0-3,5", into a set. 0; -EINVAL when it is none or holds
 * more than 65,536 numbers; -ENOMEM. */
int tally_parse_numbers(const char *text, struct tally_map *set);

/* "1.5" seconds to ns. 0, or -EINVAL. `end` (may be NULL) gets where it stopped. */
int tally_parse_seconds(const char *text, const char **ret_end, uint64_t *ret_ns);

#endif

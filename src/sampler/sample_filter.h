/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters on the fields of samples, for events that the kernel cannot filter:
 *
 *	period > 10000, cpu == 1
 *	mem_op == load || mem_op == store, weight >= 50
 *
 * A filter consists of conditions "TERM OPERATOR VALUE". All conditions separated by commas must
 * hold; of conditions separated by "||", at least one. "||" binds more tightly. The operators
 * are == != > >= < <= and & (some bit is set). The terms and the names of their values are those of
 * perf record.
 */
#ifndef TALLY_SAMPLER_SAMPLE_FILTER_H
#define TALLY_SAMPLER_SAMPLE_FILTER_H

#include "abi/abi_sample.h"
#include "base/error.h"

struct tally_sample_filter;

/* Parse a filter. Returns 0; -EINVAL with `err` filled in, which contains the position; -E2BIG for
 * more than 64 conditions; or -ENOMEM. The caller frees `*ret_filter`. */
int tally_sample_filter_parse(const char *text, struct tally_sample_filter **ret_filter,
			      struct tally_error *err);

/* Return the first term for which samples with this sample_type lack a field, or NULL. Set
 * `*ret_option` to the option of tally record that records the field. */
const char *tally_sample_filter_lacks(const struct tally_sample_filter *filter,
				      uint64_t sample_type, const char **ret_option);

/* Return true if the sample passes. */
bool tally_sample_filter_passes(const struct tally_sample_filter *filter,
				const struct tally_sample *sample);

/* Free a filter. NULL is allowed. */
void tally_sample_filter_free(struct tally_sample_filter *filter);

#endif

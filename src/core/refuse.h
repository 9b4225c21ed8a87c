/* SPDX-License-Identifier: BSD-2-Clause */
/* Refusals: constant objects, each with an error code, a field, a rule and a fix. */
#ifndef TALLY_CORE_REFUSE_H
#define TALLY_CORE_REFUSE_H

#include "core/core_private.h"

/* Refusal for an access that ops->permit() denies. */
extern const struct tally_core_refusal tally_not_permitted;

/* Copy the refusal `why`, unless it is NULL, to *ret_why, which may be NULL. Return the refusal's
 * code, or 0 if `why` is NULL. */
static inline int tally_refusal_report(const struct tally_core_refusal *why,
				       struct tally_core_refusal *ret_why)
{
	if (why && ret_why)
		*ret_why = *why;
	return why ? why->code : 0;
}

#endif
